"""English fact rules: a clause whose subject is "I" or "my sister" and whose verb says something lasting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from hmind.analysis.claims import Claim, Voice
from hmind.analysis.fact_rules_en import ADVERBS, RULES, Rule
from hmind.text import times
from hmind.text.lexicon import either, words

_CONTRACTED = [
    (re.compile(r"[’`]"), "'"),
    (re.compile(r"\b(i)'m\b", re.IGNORECASE), r"\1 am"),
    (re.compile(r"\b(we|they|you)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(i|we|they|you)'ve\b", re.IGNORECASE), r"\1 have"),
    (re.compile(r"\b(i|we|he|she|they|you)'d\b", re.IGNORECASE), r"\1 would"),
    (re.compile(r"\b(i|we|he|she|they|you|it)'ll\b", re.IGNORECASE), r"\1 will"),
    (re.compile(r"\bcan't\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(name|birthday|language|job|favou?rite \w+)'s\b", re.IGNORECASE), r"\1 is"),
]
_JOKE = re.compile(r"\b(just kidding|just joking|only joking|i'?m (just )?(kidding|joking)|jk|sarcasm|as a joke)\b|^\s*/s\b", re.IGNORECASE)
_UNREAL = re.compile(
    r"\b(i|we) (wish|dreamt|dreamed|imagine|pretend)\b|\b(imagine|suppose|supposing|pretend|what if|let's say|hypothetically|as if|as though|in (a|my|the) (dream|story|novel|game|play|film|movie|role)|my character|the (character|protagonist)|quote|lyrics?|the song)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]|(?<!\w)'[^']{3,}'(?!\w)")
_SPLIT = re.compile(
    r"\s*[;:()\n]\s*|\s+[–—-]+\s+|\s*—\s*"
    r"|,?\s+(?=(?:if|unless|as if|whether|when|whenever|until|where|while|even though|although|though|because|which|who|that's why|so that)\b)"
    r"|,?\s+(?:and|but|so|plus|yet|then|or)\s+(?=(?:i|we|my|our|he|she|they|you|it|there|this|that|his|her|their|everyone|people)\b)"
    r"|,\s+(?=(?:i|we|my|our|he|she|they|you|it|there|this|that|his|her|their|the|please|so|not|just|and (?!\w+$))\b)",
    re.IGNORECASE,
)
_AND_VERB = re.compile(
    r",?\s+(?:and|but)\s+(?=(?:now |then |also |recently |currently |just |am |have |really |do not |never )*(?:live|work|moved|am|have|love|like|hate|enjoy|own|play|study|speak|take|got|bought|adopted|started|joined|quit|left|was|prefer|do not|never|plan|hope|am going)\b)",
    re.IGNORECASE,
)
_SKIP = re.compile(
    r"^(?:if|unless|whether|when|whenever|until|once|where|as if|as though|before|after|in case|in order|otherwise|or else|while i was|even if|who|which)\b|\bwould\b|\bcould have\b|\bshould\b|\bmight have\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:and|but|so|well|oh|ah|hey|hi|hello|yes|yeah|yep|no|ok|okay|actually|also|plus|btw|by the way|fyi|honestly|anyway|anyways|sure|thanks|thank you|wow|then|because|cause|since|as|although|though|even though|while|that's why|like|um|hmm|look|listen|unfortunately|sadly|luckily|fortunately|finally|for the record|just so you know|you know|as you know|to be honest|in fact|guess what|good news|big news|great news|sorry|right|still|recently|lately|currently|nowadays|these days|at the moment|right now|now|today|yesterday|tonight|tomorrow|last \w+(?: \w+)?|next \w+|this \w+|earlier|(?:two|three|four|five|six|a few|\d+|a|an|one|several|couple of|a couple of) (?:days?|weeks?|months?|years?) ago|(?:in|on|since|during|for|by|at|around) (?:the )?[\w ]{1,18}?|for me|personally|(?:please |can you |could you )?(?:remember|note|keep in mind|don't forget|do not forget|make a note|note down|remember this)(?: that)?|i (?:have to|should|must|want to|need to|wanted to|just wanted to|would like to) (?:mention|tell you|say|add|let you know|admit|confess)(?: that)?|it turns out(?: that)?|turns out(?: that)?|the (?:thing|truth|fact|good news|bad news) is(?: that)?|i (?:can|must) say(?: that)?|did you know(?: that)?)[,!.:]*\s+)+(?=(?:i|my|we|our|call|please|people|everyone|friends|reply|answer|[A-Z]\w+)\b)",
    re.IGNORECASE,
)
_HEDGE = re.compile(r"\b(?:i (?:think|guess|suppose|believe|feel like|reckon|assume|suspect)(?: that)?|it seems(?: that)?|i seem to|it looks like)\s+(?=(?:i|my|we)\b)", re.IGNORECASE)
_MAYBE = re.compile(r"\b(?:maybe|perhaps|probably|possibly|might|may be|not sure|i think|i guess|kind of|sort of|apparently)\b", re.IGNORECASE)
_TOLD_ME = re.compile(r"^(?:my|the|a) (?:doctor|gp|dentist|nurse|specialist|cardiologist|allergist|hospital|test results?|results?|vet)s? (?:says?|said|told me|confirmed|found(?: out)?|showed?|shows|discovered)(?: that)?\s+(?=i\b)", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no|hardly|barely|neither|nor|without|nobody|nothing|almost|nearly)\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:used to|no longer|not anymore|any ?more$|back (?:then|when)|as a (?:kid|child|teenager|student)|when i was|years? ago|formerly|once)\b", re.IGNORECASE)
_TAIL = re.compile(
    r"\s+(?:since|for (?:the (?:past|last)|about|over|almost|nearly|more than|many|\d|a few|two|three|four|five|six|seven|eight|nine|ten|years|now|work$|me$|my )|these days|right now|at the moment|now|too|as well|anymore|any more|again|yesterday|today|tonight|tomorrow|last (?:week|month|year|night|summer|winter|spring|autumn|fall|\w+day)|next (?:week|month|year|summer|winter|spring|autumn|fall|\w+day)|this (?:week|month|year|summer|winter|morning|afternoon|evening|weekend|\w+day)|every (?:day|week|morning|evening|night)|(?:in|on) (?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4})|(?:a|an|two|three|four|five|six|several|a few|\d+) (?:days?|weeks?|months?|years?) ago|so much|a lot|very much|the most|by the way|btw|lately|recently|you know|though|actually|haha|lol|with (?:my|our|his|her) .*|because .*|so .*|but .*|which .*|who .*|where .*|when .*|if .*|and (?:it|that|they|this|he|she)\b.*)$",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?:,?\s+(?:and|but|or|so|to|that|with|for|the|a|of|in|on))+$", re.IGNORECASE)
_LASTING_THE = re.compile(
    r"the\s+(?:(?-i:[A-Z])|ocean|sea|beach|mountains?|outdoors|rain|snow|sun|desert|forest|woods|theatre|theater|cinema|piano|guitar|violin|cello|drums|gym|smell of|sound of|taste of|countryside)\b"
)
_POINTING = re.compile(r"\b(?:it|them|that|these|those)\b|\bthis\b(?! (?:\w+ )?(?:week|month|year|morning|afternoon|evening|summer|winter|spring|autumn|fall|\w+day))", re.IGNORECASE)
"""A plan about "it" means nothing later."""
_OPENS = re.compile(r"(?:i|we|my|our|call|please|people|everyone|friends|you can|from now|always|reply|respond|answer|talk|speak|write|chat|can you|could you|one of|the best|[A-Z][\w ]+ is my)\b", re.IGNORECASE)
"""How a clause without "I" or "my sister" as its subject may still tell of the speaker."""
_DROPPED_I = re.compile(
    r"^(?P<adv>(?:just|recently|finally|yesterday|today|last \w+),?\s+)?(?=(?:lost my|got (?:engaged|married|divorced|a new job|a job)|moved to|started (?:a|my|working)|adopted|bought (?:a|an|my)|quit my|broke my|sprained my|been diagnosed|graduated from|joined|turned \d)\b)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:a|an|the|some|my|our|any)\s+", re.IGNORECASE)


@cache
def _subject() -> re.Pattern[str]:
    relation = f"{either('relations', 'en.kin')}|{either('relations', 'en.others')}"
    return re.compile(
        rf"^(?:(?P<i>i|we)|(?P<own>my|our)\s+(?:(?P<age>older|younger|elder|big|little|best|eldest|oldest|youngest|twin|late|new|old)\s+)?"
        rf"(?P<rel>{relation})(?:,?\s+(?P<name>(?-i:[A-Z][a-zé]+))(?:,)?)?|(?P<other>(?-i:[A-Z][a-zé]+)))\s+",
        re.IGNORECASE,
    )


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    hedged: bool
    past: bool


def find(sentences: Sequence[str], voice: Voice, at: datetime) -> Iterator[Claim]:
    """Claims of one turn, in order; see :func:`hmind.analysis.facts.find`."""
    for number, sentence in enumerate(sentences):
        following = sentences[number + 1] if number + 1 < len(sentences) else ""
        if _JOKE.search(sentence) or _JOKE.search(following) or len(sentence) > 1500:
            continue
        text = _QUOTED.sub(_unquoted, sentence)
        if text.rstrip(" '\"”)*~").endswith("?") or _UNREAL.search(text):
            text = _before_question(text)
            if not text or _UNREAL.search(text):
                continue
        for clause in _clauses(text):
            yield from _claims(clause, sentence, number, voice, at)


def _unquoted(match: re.Match[str]) -> str:
    """Titles stay; what somebody said goes."""
    words_in = match.group()[1:-1]
    said = re.search(r"\b(?:i|i'm|i've|my|me|we|you|he|she|they|is|are|am|was)\b", words_in, re.IGNORECASE)
    return " " if said or len(words_in.split()) > 7 else words_in


def _before_question(text: str) -> str:
    """The telling part of "I moved to Rome last week, any tips?"; "" when all of it asks."""
    head, comma, tail = text.rpartition(",")
    if comma and re.match(r"\s*(?:any|what|how|where|which|who|do|does|can|could|would|is|are|got|and what|so what|so how)\b", tail, re.IGNORECASE):
        return "" if re.match(r"\s*(?:do|does|did|is|are|am|can|could|what|how|why|where|who|which|when|if|would|should|will|have|has)\b", head, re.IGNORECASE) else head
    return ""


def _clauses(text: str) -> Iterator[_Clause]:
    for pattern, replacement in _CONTRACTED:
        text = pattern.sub(replacement, text)
    text = _DROPPED_I.sub(lambda match: f"I {match['adv'] or ''}", text)
    text = re.sub(r"^(?:(?:severely|highly|deathly) )?(?=allergic to )", "I am ", text, flags=re.IGNORECASE)
    unreal = False
    for part in _SPLIT.split(text):
        if not part:
            continue
        subject = ""
        for piece in _AND_VERB.split(part):
            clause = piece.strip(" .!,~*").strip()
            if subject and not _subject().match(clause):
                clause = f"{subject} {clause}"
            lead_hedged = bool(_MAYBE.search(clause))
            clause = _LEAD.sub("", clause)
            clause = _TOLD_ME.sub("", _LEAD.sub("", _HEDGE.sub("", clause)))
            if _SKIP.search(clause):
                unreal = bool(re.match(r"(?:if|unless|even if)\b", clause, re.IGNORECASE))
                continue
            if unreal and re.search(r"\bwould\b|\bwill\b", clause):
                continue
            found = _subject().match(clause)
            if found and not found["other"]:
                subject = found.group().strip()
            yield _Clause(clause, lead_hedged, bool(_PAST.search(clause)))


def _claims(clause: _Clause, sentence: str, number: int, voice: Voice, at: datetime) -> Iterator[Claim]:
    found = _subject().match(clause.text)
    if found is None and not _OPENS.match(clause.text):
        return
    verb = ""
    if found is not None:
        adverbs = ADVERBS.match(clause.text, found.end())
        verb = clause.text[adverbs.end() if adverbs else found.end() :]
    for rule in RULES:
        text = verb if rule.after_subject else clause.text
        match = rule.pattern.match(text)
        if match is None:
            continue
        if not rule.negative and _NOT.search(match.group() if rule.value else text[: match.start("o")]):
            continue
        who = _who(rule, found, voice)
        if who is None:
            continue
        subject, share = who
        rest = match.groupdict().get("o") or ""
        value = rule.value or rest
        objects = _objects(value, rule)
        start, end = _validity(rule, clause, sentence, at)
        if rule.needs_future and start is None:
            continue
        past = rule.over or (clause.past and rule.state)
        confidence = rule.confidence * share
        if past:
            end = end or at
            confidence = confidence if rule.over else min(confidence, 0.65)
            start = None
        if clause.hedged:
            confidence = min(confidence, 0.65)
        for item in objects:
            if rule.plan and _POINTING.search(item):
                continue
            yield Claim(subject, rule.predicate, item, round(confidence, 3), number, start, end)
        if objects and rule.last:
            return


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
    return f"{voice.subject}'s {found['rel'].lower()}", 0.83


def _objects(value: str, rule: Rule) -> list[str]:
    text = value.strip(" .!,;'\"")
    for _ in range(3):
        text = _TAIL.sub("", text).strip(" .!,;")
    if not text or not re.search(r"\w", text):
        return []
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|&)\s+", text) if rule.many else [text]
    kept: list[str] = []
    if len(parts) > 1 and (max(len(part.split()) for part in parts) > 4 or (rule.taste and _tasteless(parts[0]))):
        parts = [text]
    for part in parts:
        part = _DANGLING.sub("", _TAIL.sub("", part)).strip(" .!,;")
        if not part or (rule.taste and _tasteless(part)):
            continue
        part = _ARTICLE.sub("", part) if rule.bare else part
        if not part or len(part.split()) > rule.longest or (rule.capital and not re.match(r"[A-Z\d]", part)):
            continue
        kept.append(part)
    return kept


def _tasteless(part: str) -> bool:
    if re.match(r"(?:the|not)\b", part, re.IGNORECASE) and not _LASTING_THE.match(part):
        return True
    if re.match(r"(?:by|of|in|on|at|to|with|for|from)\b", part):
        return True
    first = re.split(r"[ ']", part.lower())[0]
    return first in words("facts", "en.no_taste") or bool(re.search(r"\b(you|your|that|it|they|them|those|i)\b", part, re.IGNORECASE))


def _validity(rule: Rule, clause: _Clause, sentence: str, at: datetime) -> tuple[datetime | None, datetime | None]:
    """When it began or ended, from the times named in the clause, else in its sentence."""
    if not rule.dated and not rule.over and not clause.past:
        return None, None
    found = times.resolve(clause.text, at)
    if not found and (rule.starts or rule.over or not rule.state):
        found = times.resolve(sentence, at)
    named = [time for time in found if time.grain != "recent" and (not rule.plan or time.end > at)]
    if rule.over or clause.past:
        return None, (named[0].start if named and named[0].start <= at else at)
    if named:
        return named[0].start, None
    return (at if rule.starts else None), None
