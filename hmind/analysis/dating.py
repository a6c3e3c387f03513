"""Writes absolute dates beside relative ones, so that a note keeps its sense for years."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from hmind.text.times import ResolvedTime

_YEAR = re.compile(r"\b(?:19|20)\d\d\b|(?:19|20)\d\d年")
_NOW = re.compile(r"刚刚?|刚才|现在|此刻|目前|(?:just|right|by|until)? ?now|a moment ago", re.IGNORECASE)
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def with_dates(text: str, times: Sequence[ResolvedTime], language: str) -> str:
    """``text`` with each resolved time followed by its date: "yesterday (7 May 2023)", 昨天（2023年5月7日）.

    Times that already bear a year, and vague ones, stay as they are.
    """
    for time in sorted(times, key=lambda time: time.span, reverse=True):
        if time.grain in ("recent", "minute") and _NOW.fullmatch(time.text.strip()):
            continue
        if time.grain == "recent" or _YEAR.search(text[time.span[0] : time.span[1]]):
            continue
        date = absolute(time, language)
        written = f"（{date}）" if language == "zh" else f" ({date})"
        text = text[: time.span[1]] + written + text[time.span[1] :]
    return text


def absolute(time: ResolvedTime, language: str) -> str:
    """A resolved time in words: 7 May 2023; May 2023; 2022; 1 May to 7 May 2023; the same in Chinese."""
    last = max(time.start, time.end - timedelta(seconds=1))
    match time.grain:
        case "minute" | "hour":
            clock = f"{time.start:%H:%M}"
            return (
                f"{_day(time.start, language)}{clock}" if language == "zh" else f"{_day(time.start, language)}, {clock}"
            )
        case "day":
            if last.date() == time.start.date():
                return _day(time.start, language)
        case "month":
            if (last.year, last.month) == (time.start.year, time.start.month):
                return _month(time.start, language)
        case "season":
            between = "至" if language == "zh" else " to "
            return f"{_month(time.start, language)}{between}{_month(last, language)}"
        case "year":
            if last.year == time.start.year:
                return f"{time.start.year}年" if language == "zh" else str(time.start.year)
            return f"{time.start.year}年至{last.year}年" if language == "zh" else f"{time.start.year} to {last.year}"
    between = "至" if language == "zh" else " to "
    return f"{_day(time.start, language)}{between}{_day(last, language)}"


def _day(at: datetime, language: str) -> str:
    if language == "zh":
        return f"{at.year}年{at.month}月{at.day}日"
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def _month(at: datetime, language: str) -> str:
    return f"{at.year}年{at.month}月" if language == "zh" else f"{_MONTHS[at.month - 1]} {at.year}"
