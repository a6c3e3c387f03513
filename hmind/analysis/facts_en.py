"""Applies the English fact rules: cuts sentences into clauses, carries "I" over, weighs what is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache

from hmind.analysis import facts_reader, wording
from hmind.analysis.claims import Claim, Voice
from hmind.analysis.fact_rules import Rule, clause_pattern
from hmind.analysis.facts_reader import Clause, Tongue
from hmind.text.lexicon import either, table, words
from hmind.text.names import possessive

_CONTRACTED = [
    (re.compile(r"[’`]"), "'"),
    (re.compile(r"\b(?:im|i m)\b", re.IGNORECASE), "i am"),
    (re.compile(r"\bive\b", re.IGNORECASE), "i have"),
    (re.compile(r"\b(do|does|did|is|was|has|have|would)nt\b", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\bcant\b", re.IGNORECASE), "can not"),
    (re.compile(r"\b(i)'m\b", re.IGNORECASE), r"\1 am"),
    (re.compile(r"\b(we|they|you)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(i|we|they|you)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(i|we|he|she|they|you)'d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\b(i|we|he|she|they|you|it)'ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\b(have|has) got(?= (?:a|an|my|some|no|two|three|\d)\b)", re.IGNORECASE), r"\1"),
    (re.compile(r"\bcan't\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (
        re.compile(
            r",?\s+(?:and\s+)?(?:(?:her|his|its) name(?: is|'s)|(?:he|she|it)(?: is|'s) called)\s+(?=(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        " called ",
    ),
    (re.compile(r"\b(name|birthday|language|job|favou?rite \w+)'s\b", re.IGNORECASE), r"\1 is"),
]
_FREQUENT = re.compile(
    r"^(?:and |but |so )?(?P<when>(?:on|at) (?:(?:mon|tues|wednes|thurs|fri|satur|sun|week)days|weekends)),?\s+(?=i\b)",
    re.IGNORECASE,
)
""" "On Sundays I volunteer": how often stands before the verb."""
_DROPPED = (
    (re.compile(r"^(?=born (?:and (?:raised|bred) )?in )", re.IGNORECASE), "I was "),
    (
        re.compile(
            r"^(?=(?:originally from|(?:currently )?based in|not a (?:big )?fan of|living in|working (?:at|for|as)) )",
            re.IGNORECASE,
        ),
        "I am ",
    ),
    (re.compile(r"^(?=been (?:living|working|an?) )", re.IGNORECASE), "I have "),
)
""" "I" and its verb, left out where a sentence begins."""
_QUALIFIED = re.compile(r",\s+(?!(?-i:[A-Z]))[^()]*(?=\s\(|$)|,\s+(?:I|We|My|But|And|So)\b.*$")
""" "Ghent, near the canal" is Ghent, "Ghent, Belgium" stays."""
_DANGLING = re.compile(r"(?:,?\s+(?:and|but|or|so|to|that|with|for|the|a|of|in|on))+$", re.IGNORECASE)
_NO_NAME = re.compile(
    r"(?:ish|ese|ian|ean|an|ic|ist|ite|ed|ing|ful|qi|raeli|waiti|stani|deshi|mani|audi|meni|irati|epali|omali|atari|raini"
    r"|engali|unjabi)$"
)
_RELATIVE = re.compile(r"^((?:\w+ )?\w+s) (?:that|who|which) (?=[a-z]+\b)")
_BEGAN = re.compile(
    r"\b(?:became|went|turned|started|began|got|diagnosed|quit|gave up|stopped|moved|joined|adopted|bought|switched)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"^(he|she)\s+(?=\w)", re.IGNORECASE)
_ARTICLE = re.compile(
    r"^(?:(?:also|only|just)\s+)?"
    r"(?:a (?:little )?bit of|a little|very little|basic|broken|fluent|a|an|the|some|my|our|any)\s+",
    re.IGNORECASE,
)


@cache
def _subject() -> re.Pattern[str]:
    relation = f"{either('relations', 'en.kin')}|{either('relations', 'en.others')}"
    return re.compile(
        rf"^(?:(?P<i>i|we)|(?P<own>my|our)\s+(?:(?P<age>older|younger|elder|big|little|best|eldest|oldest|youngest|twin|late|new|old)\s+)?"
        rf"(?P<rel>{relation})(?:,?\s+(?P<name>(?-i:[A-Z][a-zé]+))(?:,)?)?|(?P<other>(?-i:[A-Z][a-zé]+)))\s+",
        re.IGNORECASE,
    )


def _clause(name: str) -> re.Pattern[str]:
    return clause_pattern("en", name)


def find(sentences: Sequence[str], voice: Voice, at: datetime) -> Iterator[Claim]:
    """Claims of one turn, in order; see :func:`hmind.analysis.facts.find`."""
    return facts_reader.find(_ENGLISH, sentences, voice, at)


def _cleared(sentence: str, number: int) -> str:  # noqa: ARG001
    """The sentence without what is quoted, reported, asked or only imagined."""
    text = _clause("quoted").sub(_unquoted, _clause("reported").sub("", sentence))
    if text.rstrip(" '\"”)*~").endswith("?") or _clause("unreal").search(text):
        text = _before_question(text)
    return "" if _clause("unreal").search(text) else text


def _unquoted(match: re.Match[str]) -> str:
    """Titles stay; what somebody said goes."""
    words_in = match.group()[1:-1]
    said = re.search(r"\b(?:i|i'm|i've|my|me|we|you|he|she|they|is|are|am|was)\b", words_in, re.IGNORECASE)
    return " " if said or len(words_in.split()) > 7 else words_in


def _before_question(text: str) -> str:
    """The telling part of "I moved to Rome last week, any tips?"; "" when all of it asks."""
    head, comma, tail = text.rpartition(",")
    if comma and re.match(
        r"\s*(?:any|what|how|where|which|who|do|does|can|could|would|is|are|got|and what|so what|so how)\b",
        tail,
        re.IGNORECASE,
    ):
        return (
            ""
            if re.match(
                r"\s*(?:do|does|did|is|are|am|can|could|what|how|why|where|who|which|when|if|would|should|will|have|has)\b",
                head,
                re.IGNORECASE,
            )
            else head
        )
    return ""


def _clauses(text: str) -> Iterator[Clause]:
    for pattern, replacement in _CONTRACTED:
        text = pattern.sub(replacement, text)
    text = _clause("aside").sub("", text)
    text = _clause("dropped_i").sub(lambda match: f"I {match['adv'] or ''}", text)
    for pattern, replacement in _DROPPED:
        text = pattern.sub(replacement, text)
    text = re.sub(r"^(?:(?:severely|highly|deathly) )?(?=allergic to )", "I am ", text, flags=re.IGNORECASE)
    unreal = False
    person = ""
    for part in _clause("split").split(text):
        if not part:
            continue
        subject = ""
        for piece in _clause("and_verb").split(part):
            clause = piece.strip(" .!,~*").strip()
            if subject and not _subject().match(clause):
                clause = f"{subject} {clause}"
            if often := _FREQUENT.match(clause):
                clause = f"{clause[often.end() :]} {often['when']}"
            lead_hedged = bool(_clause("maybe").search(clause))
            clause = _clause("lead").sub("", clause)
            clause = _clause("told_me").sub("", _clause("lead").sub("", _clause("hedge").sub("", clause)))
            if _clause("skip").search(clause):
                unreal = bool(re.match(r"(?:if|unless|even if)\b", clause, re.IGNORECASE))
                continue
            if unreal and re.search(r"\bwould\b|\bwill\b", clause):
                continue
            if person and (pronoun := _PRONOUN.match(clause)):
                clause = f"{person} {clause[pronoun.end() :]}" if _may_be(pronoun[1], person) else clause
            found = _subject().match(clause)
            if found and not found["other"]:
                subject = found.group().strip()
                person = subject if found["rel"] else person
            yield Clause(clause, lead_hedged, _is_over(clause))


def _is_over(clause: str) -> bool:
    """Whether the clause tells of what was; "became vegan two years ago" tells of what began."""
    told = _clause("past").search(clause)
    return told is not None and not (told.group().endswith("ago") and _BEGAN.search(clause))


def _may_be(pronoun: str, person: str) -> bool:
    """Whether "he" or "she" can be "my brother Tom"."""
    kin = set(re.findall(r"[\w-]+", person.lower()))
    other = "en.women" if pronoun.lower() == "he" else "en.men"
    return not kin & words("relations", other)


def _worded(item: str, rule: Rule, start: datetime | None, at: datetime) -> str:
    if rule.plan:
        item = wording.as_verb(wording.without_times(item, at) if start else item)
    return item if rule.state and not rule.plan else wording.of_them(item)


def _own_name(name: str, voice: Voice) -> float:
    """How sure "I'm Odette" is a name and no nationality or the like: 0 when it is no name."""
    if name.casefold() in voice.told_by.casefold().split():
        return 0.9
    return 0.0 if name in words("names", "en.not_names") or _NO_NAME.search(name) else 0.7


def _introduced(clause: Clause, number: int, voice: Voice) -> Iterator[Claim]:
    """ "My sister Anna came", "we met my sister Anna": has_sister Anna."""
    for found in _named_kin().finditer(clause.text):
        if found["name"] in words("names", "en.not_names") or re.search(r"\blate\b", found["before"], re.IGNORECASE):
            continue
        for predicate in table("relations")["en_has"]:
            if found["rel"].lower() in words("relations", f"en_has.{predicate}"):
                yield Claim(voice.subject, predicate, found["name"], 0.65 if clause.hedged else 0.85, number)


@cache
def _named_kin() -> re.Pattern[str]:
    relation = f"{either('relations', 'en.kin')}|{either('relations', 'en.others')}"
    return re.compile(
        rf"\b(?:my|our)\s+(?P<before>(?:\w+\s+)?)(?P<rel>{relation}),?\s+(?P<name>(?-i:[A-Z][a-zé]{{2,}}))(?![\w'’])",
        re.IGNORECASE,
    )


def _who(rule: Rule, found: re.Match[str] | None, voice: Voice) -> tuple[str, float] | None:
    """Whom the rule is about, and how sure we are of what is told of them."""
    if rule.speaker_only:
        return voice.subject, 1.0
    if found is None:
        return None
    if found["i"]:
        if found["i"].lower() == "we" and not rule.shared:
            return None
        return voice.subject, 1.0
    if found["other"]:
        if found["other"] not in words("names", "en.first_names") or not rule.others:
            return None
        return found["other"], 0.8
    if not rule.others or found["age"] == "late":
        return None
    if found["name"] and found["name"] not in words("names", "en.not_names"):
        return found["name"], 0.85
    relation = found["rel"].lower()
    return possessive(voice.subject, table("relations")["en_full"].get(relation, relation), "en"), 0.83


def _objects(value: str, rule: Rule) -> list[str]:
    found = _things(value, rule)
    return [item for item in found if not _clause("pointing").search(item) and " " in item] if rule.plan else found


def _things(value: str, rule: Rule) -> list[str]:
    text = value.strip(" .!,;'\"")
    for _ in range(0 if rule.whole else 3):
        text = _clause("tail").sub("", text).strip(" .!,;")
    if not text or not re.search(r"\w", text):
        return []
    if not rule.many and not rule.whole and not rule.plan:
        text = _QUALIFIED.sub("", text)
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+", text) if rule.many else [text]
    kept: list[str] = []
    if len(parts) > 1 and (max(len(part.split()) for part in parts) > 4 or (rule.taste and _tasteless(parts[0]))):
        parts = [text]
    for part in parts:
        part = _DANGLING.sub("", part if rule.whole else _clause("tail").sub("", part)).strip(" .!,;")
        if not part or (rule.taste and _tasteless(part)):
            continue
        part = _ARTICLE.sub("", part) if rule.bare else part
        if not part or len(part.split()) > rule.longest or (rule.capital and not re.match(r"[A-Z\d]", part)):
            continue
        kept.append(part)
    return kept


def _tasteless(part: str) -> bool:
    part = _RELATIVE.sub(r"\1 ", part)
    if re.match(r"(?:the|not)\b", part, re.IGNORECASE) and not _clause("lasting_the").match(part):
        return True
    if re.match(r"(?:by|of|in|on|at|to|with|for|from)\b", part):
        return True
    first = re.split(r"[ ']", part.lower())[0]
    return first in words("facts", "en.no_taste") or bool(
        re.search(r"\b(you|your|that|it|they|them|those|i)\b", part, re.IGNORECASE)
    )


_ENGLISH = Tongue(
    language="en",
    longest_sentence=1500,
    opening_letters=8,
    cleared=_cleared,
    clauses=_clauses,
    subject=lambda clause: _subject().match(clause),
    who=_who,
    objects=_objects,
    worded=_worded,
    own_name=_own_name,
    introduced=_introduced,
)
