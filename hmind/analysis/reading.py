"""Reads the turns of a segment one by one: what is kept of each, and why the rest is not. Offline analyst only."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from hmind.analysis import facts, facts_answers, salience, smalltalk
from hmind.analysis.claims import Claim, Voice
from hmind.analysis.owner import OWNER, owner_speaker
from hmind.model import Segment, Turn
from hmind.text import language as tongue
from hmind.text import names, sentences, times
from hmind.text.named import Named
from hmind.text.times import ResolvedTime

AGENT_TALK, DUPLICATE = "agent_talk", "duplicate"

_CAPTION = re.compile(
    r"\s*\[(photo|image|picture|video|图片|照片|视频|图)\s*[:：]\s*([^\[\]]{1,2000})\]\s*$", re.IGNORECASE
)
_PHOTO_OF = re.compile(
    r"^(?:a|an|the)?\s*(?:photo|photography|photograph|picture|image|pic)\s+of\s+(?=\S)", re.IGNORECASE
)
_CLAUSE = re.compile(r"(?<=[,，;；])\s*|\s+[–—-]+\s+")
_SHORT_ANSWER = {"en": 48, "zh": 18}
"""Letters up to which an answer needs its question to be understood."""
_WHOLE = {
    "en": re.compile(r"^(?:i|i'm|i've|i'd|i'll|we|we're|we've|he|she|they|my|our|his|her|you)\b", re.IGNORECASE),
    "zh": re.compile(r"^[我他她咱你您]"),
}
_YES_NO = re.compile(
    r"^(?:yes|yeah|yep|yup|no|nope|nah|not really|sure|of course|i do|i am|i don't|"
    r"是的?|对的?|不是|没有|有的?|不|嗯+|会的?|不会)\W*$",
    re.IGNORECASE,
)
_MINE = {
    "en": re.compile(r"\b(?:my|i'm|i am|i've|i have)\b", re.IGNORECASE),
    "zh": re.compile(r"我(?!们?该|应该|想问|可以|能)"),
}
_CONDITION = re.compile(
    r"(?:and |but |so )?(?:if|unless|what if|suppose)\b|(?:那)?(?:如果|要是|假如|假设|万一|若是)", re.IGNORECASE
)
_PRESUMES = {
    "en": re.compile(
        r"\b(?:for|with|of|in|at|from|about|to|because of) my (?!opinion|mind|own\b|life\b)\w+|"
        r"\w+ (?:that )?I(?:'ve| have| had)?"
        r"(?: just| already| recently)? (?:\w{3,}ed|bought|got|made|took|wrote|built|found|saw|have|own|use)\b|"
        r"\bI(?:'m| am) (?!supposed|allowed|right|wrong|correct|able)\w+",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"我(?:的|家|妈|爸|老婆|老公|孩子|儿子|女儿|男朋友|女朋友|买的|养的|写的|做的|刚|上次|昨天|今天|之前)"
    ),
}
"""A question that takes something of the asker for granted: a thing of theirs, or what they did."""
_ASKS_FOR = re.compile(
    r"\b(?:any|what|how|where|which|who|why|when|do you|could you|can you|would you|have you|are you)\b", re.IGNORECASE
)
_HEARD_TURNS = 4
_APPOSED_LETTERS = 5
"""Most letters between two times that may mean the same day."""
_MIN_QUESTION_WORDS = 2


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence worth keeping, as it was said."""

    text: str
    times: tuple[ResolvedTime, ...] = ()
    named: tuple[Named, ...] = ()
    claims: tuple[Claim, ...] = ()
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One turn, read.

    Attributes:
        subject: ``user`` for the owner of the memory, else the speaker's name.
        lines: what is kept; empty for a turn that is not.
        reason: why nothing was kept, "" otherwise.
        asks: the question the turn ends with, or "".
        question: the reading that this one answers, when one makes no sense without the other.
        caption: what a photo in the turn shows, or "".
    """

    turn: Turn
    language: str
    subject: str
    lines: tuple[Line, ...] = ()
    reason: str = ""
    asks: str = ""
    question: Reading | None = None
    caption: str = ""


def subject_of(turn: Turn, owner: str | None) -> str:
    """``user`` when the owner of the memory speaks, else the speaker's name."""
    speaker = turn.speaker.strip()
    return OWNER if turn.by_person and speaker == owner else speaker or turn.role.value


def read(segment: Segment, known: Collection[str]) -> list[Reading]:
    """All turns of ``segment`` in order. Context turns are listened to, never returned."""
    owner = owner_speaker(segment)
    heard_turns = (*segment.context, *segment.turns)
    people = {subject_of(turn, owner) for turn in heard_turns if turn.by_person} - {OWNER}
    call_names = people | {name.split()[0] for name in people}
    heard: deque[list[str]] = deque(maxlen=_HEARD_TURNS)
    seen: set[str] = set()
    speakers = {turn.speaker.strip() for turn in heard_turns if turn.by_person}
    with_agent = len(speakers) < 2 or any(not turn.by_person for turn in heard_turns)
    before: Reading | None = None
    readings: list[Reading] = []
    for turn in segment.context[-_HEARD_TURNS:]:
        before = Reading(turn, tongue.detect(turn.content), subject_of(turn, owner), asks=_asks(turn))
        heard.append(smalltalk.content_words(turn.content[:2000], before.language))
    trusted = frozenset(known) | people
    for turn in segment.turns:
        subject = subject_of(turn, owner)
        reading = _read_turn(
            turn, subject, before, call_names, trusted, {word for one in heard for word in one}, with_agent
        )
        if reading.lines and not reading.question:
            fresh = tuple(line for line in reading.lines if _key(line.text) not in seen)
            if not fresh and not reading.caption:
                reading = replace(reading, lines=(), reason=DUPLICATE)
            else:
                reading = replace(reading, lines=fresh)
            seen.update(f"{_key(line.text)}" for line in fresh if len(_key(line.text)) > 3)
        readings.append(reading)
        heard.append(smalltalk.content_words(turn.content[:2000], reading.language))
        before = reading
    return readings


def _read_turn(
    turn: Turn,
    subject: str,
    before: Reading | None,
    call_names: Collection[str],
    known: Collection[str],
    heard: set[str],
    with_agent: bool,
) -> Reading:
    language = tongue.detect(turn.content)
    if not turn.by_person:
        return Reading(turn, language, subject, reason=AGENT_TALK, asks=_asks(turn))
    text, caption = _caption(turn.content)
    said = sentences.split(text)
    voice = Voice(subject, turn.speaker or "user")
    claims = facts.find(said, language, voice, turn.occurred_at)
    put = _put(before)
    answered = _answered(put, said, language, voice, before, turn, claims)
    claims = [*claims, *answered]
    lines: list[Line] = []
    reasons: list[str] = []
    ordered = with_agent and any(smalltalk.is_order(sentence, language) for sentence in said)
    for at, sentence in enumerate(said):
        mine = tuple(claim for claim in claims if claim.sentence == at)
        reason = "" if mine else smalltalk.judge(sentence, language, call_names, heard, among_people=not with_agent)
        if with_agent and not mine and _only_asks(sentence, language, ordered):
            reason = smalltalk.REQUEST
        asked = False
        if reason == smalltalk.QUESTION or (mine and smalltalk.is_question(sentence, language)):
            told, asked = _told_in_question(sentence, language, with_agent)
            sentence = told or sentence
            reason = "" if told or mine else reason
        if reason:
            reasons.append(reason)
        else:
            lines.append(_line(sentence, turn, language, subject, known, mine, asked))
    asks = _last_question(said, language)
    if len(lines) == 1 and not caption and not lines[0].claims and smalltalk.points_back(lines[0].text, language):
        # Without what it points at, which another told or nobody, it is no note.
        lines, reasons = [], [smalltalk.NO_CONTENT]
    reading = Reading(turn, language, subject, tuple(lines), asks=asks, caption=caption)
    short = len(text.strip()) <= _SHORT_ANSWER[language]
    if before is not None and ((answered and short) or _answers(text, lines, said, language, before, turn)):
        whole = Line(
            text.strip(),
            _times(text.strip(), turn),
            tuple(_names(text, language, known, subject)),
            tuple(claims),
        )
        return replace(reading, lines=(whole,), question=replace(before, asks=before.asks or put))
    if not lines and not caption:
        return replace(reading, reason=_main(reasons))
    return reading


def _put(before: Reading | None) -> str:
    """The question that the turn before puts, also where a sentence follows it: "Any allergies? I'll note them." """
    if before is None or before.asks:
        return before.asks if before else ""
    said = sentences.split(before.turn.content[-600:])
    return _last_question(said[:-1], before.language)


def _answered(
    put: str,
    said: list[str],
    language: str,
    voice: Voice,
    before: Reading | None,
    turn: Turn,
    claims: list[Claim],
) -> list[Claim]:
    """What the turn tells as an answer to the question before it, and not by its own words."""
    if before is None or before.language != language or before.turn.speaker == turn.speaker:
        return []
    found = facts_answers.find(put, said, language, voice, turn.occurred_at)
    told = {(claim.subject, claim.predicate) for claim in claims}
    return [claim for claim in found if (claim.subject, claim.predicate) not in told]


def _only_asks(sentence: str, language: str, ordered: bool) -> bool:
    """Whether a sentence is a request to the agent that tells nothing of who asks."""
    if salience.asked_to_keep(sentence, language) and not ordered:
        return False
    return smalltalk.is_order(sentence, language) or smalltalk.is_request(sentence, language, ordered)


def _line(
    text: str, turn: Turn, language: str, subject: str, known: Collection[str], claims: tuple[Claim, ...], asked: bool
) -> Line:
    return Line(
        text,
        _times(text, turn),
        tuple(_names(text, language, known, subject)),
        claims,
        asked,
    )


def _times(text: str, turn: Turn) -> tuple[ResolvedTime, ...]:
    """The times in ``text``; a date beside another one of the same day takes its year: 下周四，11月12号."""
    found = times.resolve(text, turn.occurred_at)
    for at in range(1, len(found)):
        before, this = found[at - 1], found[at]
        near = this.span[0] - before.span[1] <= _APPOSED_LETTERS
        same = (before.start.month, before.start.day) == (this.start.month, this.start.day)
        if near and same and before.grain == this.grain == "day":
            found[at] = replace(this, start=before.start, end=before.end, direction=before.direction)
    return tuple(found)


def _names(text: str, language: str, known: Collection[str], subject: str) -> list[Named]:
    return names.find(text, language, known, subject)


def _answers(text: str, lines: list[Line], said: list[str], language: str, before: Reading, turn: Turn) -> bool:
    """Whether the turn is a fragment that only its question makes whole."""
    asks = before.asks
    if not asks or len(said) != 1 or before.turn.speaker == turn.speaker or any(line.claims for line in lines):
        return False
    bare = text.strip()
    if len(bare) > _SHORT_ANSWER[language] or smalltalk.is_question(bare, language):
        return False
    if len(set(smalltalk.content_words(asks, before.language))) < 1:
        return False
    if _YES_NO.match(bare):
        return (
            len(set(smalltalk.content_words(asks, before.language))) >= _MIN_QUESTION_WORDS
            and not before.turn.by_person
        )
    if smalltalk.is_small_talk(bare, language) or _WHOLE[language].match(bare):
        return False
    return bool(smalltalk.content_words(bare, language)) or any(letter.isdigit() for letter in bare)


def _told_in_question(sentence: str, language: str, with_agent: bool) -> tuple[str, bool]:
    """What a question tells: its clauses before the asking one, or all of it when it is about the asker's own."""
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause]
    told: list[str] = []
    for clause in clauses[:-1]:
        if smalltalk.is_question(clause.rstrip(",，;； "), language) or (language == "en" and _ASKS_FOR.match(clause)):
            break
        if _CONDITION.match(clause):
            continue
        told.append(clause)
    text = (" " if language == "en" else "").join(told).strip().rstrip(",，;；- ")
    mine = _MINE[language].search(text) or (language == "en" and smalltalk.tells_deed(text))
    if text and mine and len(smalltalk.content_words(text, language)) >= _MIN_QUESTION_WORDS:
        return text, False
    if (
        with_agent
        and _PRESUMES[language].search(sentence)
        and not _CONDITION.match(sentence)
        and len(set(smalltalk.content_words(sentence, language))) > _MIN_QUESTION_WORDS
    ):
        return sentence, True
    return "", False


def _asks(turn: Turn) -> str:
    return _last_question(sentences.split(turn.content[-600:]), tongue.detect(turn.content))


def _last_question(said: Iterable[str], language: str) -> str:
    found = ""
    for sentence in said:
        found = sentence if smalltalk.is_question(sentence, language) else ""
    return found if len(found) <= 200 else ""


def _caption(content: str) -> tuple[str, str]:
    match = _CAPTION.search(content)
    if match is None:
        return content, ""
    return content[: match.start()], _PHOTO_OF.sub("", match.group(2).strip())


def _main(reasons: list[str]) -> str:
    for reason in (smalltalk.REQUEST, smalltalk.QUESTION, smalltalk.SMALL_TALK):
        if reason in reasons:
            return reason
    return smalltalk.NO_CONTENT


def _key(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
