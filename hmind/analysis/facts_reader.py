"""Reads clauses by a language's fact rules. What is particular to a language is handed in by facts_en and facts_zh."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from hmind.analysis.claims import Claim, Voice
from hmind.analysis.fact_rules import Rule, clause_pattern, rule_part, rules
from hmind.text import times

UNSURE = 0.65
"""Most that is made of what is hedged, or over by the way it is told."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a sentence with one subject.

    Attributes:
        hedged: "maybe", "I think". past: "used to", "as a kid".
        when: words of time that were taken out of the text.
    """

    text: str
    hedged: bool
    past: bool
    when: str = ""


@dataclass(frozen=True, slots=True)
class Tongue:
    """What a language adds to the reader.

    Attributes:
        language: names the tables of rules.
        longest_sentence: in letters; a longer one is no talk.
        opening_letters: a time that far in opens its sentence and counts for what ended in any clause.
        cleared: the telling part of a sentence, from it and its place in the turn; "" for none.
        clauses: cuts what is cleared.
        subject: finds the subject at the head of a clause.
        who: whom a rule is about and how sure we are of it; None when the rule is not for them.
        objects: the things that a matched value names.
        worded: an object as it is stored; None for as it was said.
        own_name: how sure an object is the speaker's name, 0 to 1.
        introduced: claims that the clause makes beside its verb ("my sister Anna").
        lasted: holds where a clause tells how long, not since when.
    """

    language: str
    longest_sentence: int
    opening_letters: int
    cleared: Callable[[str, int], str]
    clauses: Callable[[str], Iterator[Clause]]
    subject: Callable[[str], re.Match[str] | None]
    who: Callable[[Rule, re.Match[str] | None, Voice], tuple[str, float] | None]
    objects: Callable[[str, Rule], list[str]]
    worded: Callable[[str, Rule, datetime | None, datetime], str] | None = None
    own_name: Callable[[str, Voice], float] | None = None
    introduced: Callable[[Clause, int, Voice], Iterator[Claim]] | None = None
    lasted: re.Pattern[str] | None = None


def find(tongue: Tongue, sentences: Sequence[str], voice: Voice, at: datetime) -> Iterator[Claim]:
    """Claims of one turn, in order; see :func:`hmind.analysis.facts.find`."""
    joke = clause_pattern(tongue.language, "joke")
    for number, sentence in enumerate(sentences):
        following = sentences[number + 1] if number + 1 < len(sentences) else ""
        if len(sentence) > tongue.longest_sentence or joke.search(sentence) or joke.search(following):
            continue
        for clause in tongue.clauses(tongue.cleared(sentence, number)):
            yield from _claims(tongue, clause, sentence, number, voice, at)


def _claims(tongue: Tongue, clause: Clause, sentence: str, number: int, voice: Voice, at: datetime) -> Iterator[Claim]:
    if tongue.introduced:
        yield from tongue.introduced(clause, number, voice)
    found = tongue.subject(clause.text)
    if found is None and not clause_pattern(tongue.language, "opens").match(clause.text):
        return
    adverbs = rule_part(tongue.language, "adv").match(clause.text, found.end()) if found else None
    verb = clause.text[adverbs.end() if adverbs else found.end() :] if found else ""
    for rule in rules(tongue.language):
        match = rule.pattern.match(verb if rule.after_subject else clause.text)
        if match is None or (rule.after_subject and found is None) or _denied(tongue, rule, match):
            continue
        about = tongue.who(rule, found, voice)
        start, end = _validity(tongue, rule, clause, sentence, at)
        if about is None or not _in_time(rule, clause, start, at):
            continue
        subject, confidence = about[0], rule.confidence * about[1]
        if _over(rule, clause):
            start, end = None, end or at
            confidence = confidence if rule.over else min(confidence, UNSURE)
        if clause.hedged:
            confidence = min(confidence, UNSURE)
        value = rule.value or rule.form.format(**{"o": "", **match.groupdict(default="")})
        objects = tongue.objects(value, rule)
        for item in objects:
            if rule.own_name and tongue.own_name:
                confidence = tongue.own_name(item, voice) * about[1]
            if confidence:
                told = tongue.worded(item, rule, start, at) if tongue.worded else item
                yield Claim(subject, rule.predicate, told, round(confidence, 3), number, start, end)
        if objects and rule.last:
            return


def _denied(tongue: Tongue, rule: Rule, match: re.Match[str]) -> bool:
    """Whether there is a "not" in front of the object, or anywhere where the rule has a value of its own."""
    told = match.group() if rule.value else match.string[: match.start("o")]
    return not rule.negative and clause_pattern(tongue.language, "not").search(told) is not None


def _over(rule: Rule, clause: Clause) -> bool:
    return rule.over or (clause.past and rule.state and not rule.starts)


def _in_time(rule: Rule, clause: Clause, start: datetime | None, at: datetime) -> bool:
    """Whether what the rule tells can be told of that time."""
    if clause.past and (rule.plan or rule.wish):
        return False
    if rule.needs_future and start is None:
        return False
    if not rule.begun:
        return True
    dropped = times.resolve(clause.when, at) if clause.when else []
    return (start is None or start <= at) and all(time.start <= at for time in dropped)


def _validity(
    tongue: Tongue, rule: Rule, clause: Clause, sentence: str, at: datetime
) -> tuple[datetime | None, datetime | None]:
    """When it began or ended, from the times named in the clause, else in its sentence."""
    over = _over(rule, clause)
    if not rule.dated and not over:
        return None, None
    found = times.resolve(clause.text, at)
    if not found and (rule.starts or rule.over or not rule.state):
        found = times.resolve(sentence, at)
        found = [time for time in found if not rule.over or time.span[0] <= tongue.opening_letters]
    named = [
        time for time in found if time.grain != "recent" and (time.end > at or not (rule.plan or rule.needs_future))
    ]
    if over:
        return None, (named[0].start if named and named[0].start <= at else at)
    if named:
        return _finest(named).start, None
    begins = rule.starts and not rule.needs_future
    if begins and tongue.lasted is not None and tongue.lasted.search(clause.text):
        begins = False
    return (at if begins else None), None


def _finest(named: Sequence[times.ResolvedTime]) -> times.ResolvedTime:
    """The first time, or the one within it that says it closer: "next month, on December 18"."""
    within = [time for time in named if time.start >= named[0].start and time.end <= named[0].end]
    return min(within, key=lambda time: time.end - time.start)
