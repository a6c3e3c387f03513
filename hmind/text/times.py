"""Resolves what people say about time, in Chinese and English, against the moment they said it.

The words are in times_en.py and times_zh.py, the calendar in times_calendar.py; here the pieces
they find are put together ("yesterday" + "at 3:30 pm") and turned into UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from hmind.text import times_en, times_zh
from hmind.text.times_calendar import Stretch, days
from hmind.text.times_rules import HOURS, Clock, Piece

_GLUE = re.compile(
    r"\s*(?:[,，]\s*)?(?:的|在|是|大概|大约|差不多)?(?:(?:at|on|in|of|the|around|about|early|late)\s*){0,3}",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[。！？!?\n]|\.(?=\s|$)")
_HAS_CJK = re.compile(r"[\u4e00-\u9fff]")
_HAS_LATIN = re.compile(r"[A-Za-z]|\d{2,}[-/:.]\d|\d[-/:]\d")


@dataclass(frozen=True, slots=True)
class ResolvedTime:
    """One time expression of a text.

    Attributes:
        start, end: aware, UTC; ``end`` is exclusive.
        grain: how exact it is: minute, hour, day, week, month, season, year; ``recent`` for a
            vague window such as "a few days ago" or 最近.
        text, span: the words, and where they stand in the text (start, end of the slice).
        direction: -1 when it is over at the moment of speaking, 1 when it is yet to come, else 0.
    """

    start: datetime
    end: datetime
    grain: str
    text: str
    span: tuple[int, int]
    direction: int


def resolve(text: str, at: datetime, zone: tzinfo = UTC) -> list[ResolvedTime]:
    """Every time expression of ``text``, in order of appearance, none overlapping another.

    They are resolved against ``at`` (aware) as the clock showed it in the speaker's ``zone``.
    Weeks start on Monday; "last Friday" is the latest Friday before today, "next Friday" and
    下周五 the one of next week. A weekday, month or date without a year is the nearest that fits
    the tense of its sentence. Durations ("for two years"), habits ("every Friday") and dates
    outside the years 1 to 9999 are left out.

    Raises:
        ValueError: ``at`` is naive.
    """
    if at.tzinfo is None:
        raise ValueError("at: is naive, an aware time is needed")
    pieces: list[Piece] = []
    chinese = bool(_HAS_CJK.search(text))
    try:
        now = at.astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # the first or last day that a datetime can hold
        return []
    if chinese:
        pieces.extend(times_zh.READER.pieces(text, now))
    if _HAS_LATIN.search(text):
        pieces.extend(times_en.READER.pieces(text, now))
    if not pieces:
        return []
    if chinese:
        pieces = list(_apart(sorted(pieces, key=lambda piece: (piece.start, -piece.end))))
    return list(_resolved(_joined(text, pieces), text, now, zone))


def _apart(pieces: Iterable[Piece]) -> Iterator[Piece]:
    end = 0
    for piece in pieces:
        if piece.start >= end:
            end = piece.end
            yield piece


def _joined(text: str, pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Puts neighbours together that say different things of one time."""
    whole: Piece | None = None
    for piece in pieces:
        if whole is not None and _fit(text, whole, piece):
            whole = replace(
                whole,
                end=piece.end,
                date=whole.date or piece.date,
                part=whole.part or piece.part,
                clock=whole.clock or piece.clock,
                alone=whole.alone or piece.alone,
            )
            continue
        if whole is not None:
            yield whole
        whole = piece
    if whole is not None:
        yield whole


def _fit(text: str, one: Piece, other: Piece) -> bool:
    twice = (one.date and other.date) or (one.part and other.part) or (one.clock and other.clock)
    return not twice and _GLUE.fullmatch(text, one.end, other.start) is not None


def _resolved(pieces: Iterable[Piece], text: str, now: datetime, zone: tzinfo) -> Iterator[ResolvedTime]:
    today, day, said = days(now.date()), None, 0
    for piece in pieces:
        if _SENTENCE_END.search(text, said, piece.start):
            day = None
        said = piece.end
        if piece.date is None:
            if not piece.alone:
                continue
            if day is not None and day.grain != "day":
                continue
        try:
            if piece.date is not None:
                day = piece.date
                found = _within(day, piece)
            elif day is not None:
                found = _within(day, piece)
            else:
                found = _by_tense(_within(today, piece), now, piece.tense)
            start = found.start.replace(tzinfo=zone).astimezone(UTC)
            end = found.end.replace(tzinfo=zone).astimezone(UTC)
        except (OverflowError, ValueError):
            continue
        direction = -1 if found.end <= now else 1 if found.start > now else 0
        yield ResolvedTime(start, end, found.grain, text[piece.start : piece.end], (piece.start, piece.end), direction)


def _within(day: Stretch, piece: Piece) -> Stretch:
    """The hours of ``day`` that the piece names; ``day`` itself where it is not a single day."""
    if day.grain != "day" or day.end - day.start != timedelta(days=1):
        return day
    if piece.clock is not None:
        hour = _hour(piece.clock, piece.part)
        start = day.start + timedelta(hours=hour, minutes=piece.clock.minute or 0)
        if piece.clock.minute is None:
            return Stretch(start, start + timedelta(hours=1), "hour")
        return Stretch(start, start + timedelta(minutes=1), "minute")
    if piece.part is not None:
        first, last = HOURS[piece.part]
        return Stretch(day.start + timedelta(hours=first), day.start + timedelta(hours=last), "hour")
    return day


def _hour(clock: Clock, part: str | None) -> int:
    """Hours since midnight of the day that is meant; 24 and more is the night after it."""
    hour = clock.hour
    if clock.half == "am":
        hour %= 12
        return hour + 24 if part in ("evening", "night", "late") else hour
    if clock.half == "pm":
        return hour % 12 + 12
    if part is None or hour > 12:
        return hour + 12 if 1 <= hour <= 6 and part is None and clock.minute is None else hour
    if part in ("evening", "night", "late"):
        return hour + 24 if hour < 5 else 24 if hour == 12 else hour + 12
    if part in ("afternoon", "noon", "midday"):
        return hour + 12 if hour < 10 else hour
    return 0 if hour == 12 and part == "dawn" else hour


def _by_tense(found: Stretch, now: datetime, tense: int) -> Stretch:
    """Moves a time of today to yesterday or tomorrow where the tense of its sentence asks for it."""
    move = timedelta(days=-1 if tense < 0 and found.start > now else 1 if tense > 0 and found.end <= now else 0)
    return Stretch(found.start + move, found.end + move, found.grain)
