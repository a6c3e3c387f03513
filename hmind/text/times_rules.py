"""What the rules of both languages share: the moment of speaking, the pieces found, and the rule book."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from hmind.text.times_calendar import Stretch

HOURS = {
    "dawn": (0, 6),
    "morning": (6, 12),
    "noon": (12, 13),
    "midday": (11, 14),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 24),
    "late": (22, 26),
}
"""Parts of the day, in hours since its midnight."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day. ``minute`` is None when only the hour was said; ``half`` is am, pm or None."""

    hour: int
    minute: int | None = None
    half: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a time expression: a date, a part of the day, a clock time, or several of them.

    Attributes:
        start, end: where it stands in the text.
        tense: -1, 0 or 1, as the sentence around it seems to speak; only set on pieces without date.
        alone: whether a piece without a date may stand for today's.
    """

    start: int
    end: int
    date: Stretch | None = None
    part: str | None = None
    clock: Clock | None = None
    tense: int = 0
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule says about its match; None of the three means: no time after all."""

    date: Stretch | None = None
    part: str | None = None
    clock: Clock | None = None
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Moment:
    """When and in which sentence something was said, in the speaker's local time."""

    now: datetime
    text: str
    tense_of: Callable[[str], int]

    @property
    def today(self) -> date:
        return self.now.date()

    def tense(self, match: re.Match[str]) -> int:
        """-1 when the clause around the match tells of the past, 1 of the future; else as its sentence, or 0."""
        sentence, start = self.sentence(match)
        first = max((end.end() for end in _CLAUSE_ENDS.finditer(sentence, 0, start)), default=0)
        last = _CLAUSE_ENDS.search(sentence, start + match.end() - match.start())
        return self.tense_of(sentence[first : last.start() if last else None]) or self.tense_of(sentence)

    def sentence(self, match: re.Match[str]) -> tuple[str, int]:
        """The sentence around the match, and where the match stands in it."""
        first = max((end.end() for end in _ENDS.finditer(self.text, 0, match.start())), default=0)
        last = _ENDS.search(self.text, match.end())
        return self.text[first : last.start() if last else None], match.start() - first


_ENDS = re.compile(r"[。！？!?\n;；]|\.(?=\s|$)")
_CLAUSE_ENDS = re.compile(r"[,，、:：]|\b(?:and|but|because|then|since|when|while|where|who|which)\b", re.IGNORECASE)
Rule = Callable[[re.Match[str], Moment], Found | Stretch | None]


class RuleBook:
    """Rules in order of precedence; each is a (verbose) pattern and what it means.

    A rule that returns None uses up its words without giving a time.
    """

    def __init__(self, rules: tuple[tuple[str, Rule], ...] = ()) -> None:
        self.rules = list(rules)

    def rule(self, pattern: str) -> Callable[[Rule], Rule]:
        """Registers a function under a pattern; its groups must all be named or non-capturing."""

        def register(meaning: Rule) -> Rule:
            self.rules.append((pattern, meaning))
            return meaning

        return register

    def __add__(self, other: RuleBook) -> RuleBook:
        return RuleBook((*self.rules, *other.rules))


class Reader:
    """Finds pieces of time by the rules of one language.

    All patterns are joined into one, so a text is walked once; a rule's own pattern then gives
    its groups. ``gate`` is a pattern without width that holds wherever a rule can begin.
    """

    def __init__(self, book: RuleBook, tense_of: Callable[[str], int], flags: re.RegexFlag, gate: str = "") -> None:
        flags |= re.VERBOSE
        self._tense_of = tense_of
        self._rules = [(re.compile(pattern, flags), meaning) for pattern, meaning in book.rules]
        bare = (re.sub(r"\(\?P<\w+>", "(?:", pattern) for pattern, _ in book.rules)
        joined = "|".join(f"(?P<r{n}>{one})" for n, one in enumerate(bare))
        self._joined = re.compile(f"{gate}(?:{joined})", flags)

    def pieces(self, text: str, now: datetime) -> Iterator[Piece]:
        """The pieces of time in ``text``, in order, not overlapping."""
        moment = Moment(now, text, self._tense_of)
        for found in self._joined.finditer(text):
            pattern, meaning = self._rules[int(str(found.lastgroup)[1:])]
            match = pattern.match(text, found.start())
            if match is None:
                continue
            try:
                meant = meaning(match, moment)
            except (ValueError, OverflowError):  # 30 February, the year 99999
                continue
            if meant is None:
                continue
            if isinstance(meant, Stretch):
                meant = Found(meant)
            yield Piece(
                match.start(),
                match.end(),
                meant.date,
                meant.part,
                meant.clock,
                tense=0 if meant.date else moment.tense(match),
                alone=meant.alone,
            )
