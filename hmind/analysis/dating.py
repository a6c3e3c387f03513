"""Writes absolute dates beside relative ones, so that a note keeps its sense for years."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from hmind.text.times import ResolvedTime
from hmind.text.times_calendar import MONTHS

_YEAR = re.compile(r"\b(?:19|20)\d\d\b|(?:19|20)\d\d年")
_NOW = re.compile(r"刚刚?|刚才|现在|此刻|目前|(?:just|right|by|until)? ?now|a moment ago", re.IGNORECASE)
_DIGITS = "0123456789零一二三四五六七八九十两"
_CLOCK = re.compile(
    r"(?:(?:at|by|around|about|from|until|till|before|after)\s+)?(?:\d{1,2}(?:[:.]\d\d)?\s*(?:am|pm|a\.m\.?|p\.m\.?|o'clock)?|noon|midnight)|"
    r"(?:早上|上午|中午|下午|晚上|凌晨|傍晚)?[0-9零一二三四五六七八九十两]{1,3}(?:点钟?|时|[:：]\d\d)(?:半|整|一刻|三刻|[0-9零一二三四五六七八九十]{1,3}分?)?",
    re.IGNORECASE,
)

_ENDING = re.compile(r"['’]s\b")
_APPOSED = re.compile(r"[\s,，、(（]*(?:on|in|at)?\s*")
_NAMED_MONTH = "(?:" + "|".join(f"{month}|{month[:3]}[.]?" for month in MONTHS) + ")"
_MONTH = re.compile(
    rf"(?:(?:in|by|since|until|during|early|late|mid)[ -])*{_NAMED_MONTH}|(?:在)?\d{{1,2}} ?月份?", re.IGNORECASE
)
_MONTH_AND_DAY = re.compile(
    rf"(?:(?:on|by|until|since|from) )?(?:the )?(?:{_NAMED_MONTH} \d{{1,2}}(?:st|nd|rd|th)?|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_NAMED_MONTH})|\d{{1,2}} ?月 ?\d{{1,2}} ?[日号]",
    re.IGNORECASE,
)


def with_dates(text: str, times: Sequence[ResolvedTime], language: str) -> str:
    """``text`` with each resolved time followed by its date: "yesterday (7 May 2023)", 昨天（2023年5月7日）.

    Times that already bear a year, and vague ones, stay as they are.
    """
    order = sorted(times, key=lambda time: time.span)
    for at, time in reversed(list(enumerate(order))):
        following = order[at + 1] if at + 1 < len(order) else None
        if following and _says_closer(following, time, text):
            continue
        if time.grain in ("recent", "minute") and _NOW.fullmatch(time.text.strip()):
            continue
        if is_bare_clock(time):
            continue
        if time.grain == "recent" or _YEAR.search(text[time.span[0] : time.span[1]]):
            continue
        date = _year(time, language) if _names_day(time) else absolute(time, language)
        written = f"（{date}）" if language == "zh" else f" ({date})"
        # "tomorrow's" keeps its ending: the date comes behind it.
        end = time.span[1] + (2 if _ENDING.match(text, time.span[1]) else 0)
        text = text[:end] + written + text[end:]
    return text


def _says_closer(following: ResolvedTime, time: ResolvedTime, text: str) -> bool:
    """Whether the next time says the same more closely, a comma away: "next month, on December 18"."""
    between = text[time.span[1] : following.span[0]]
    return bool(_APPOSED.fullmatch(between)) and time.start <= following.start < time.end


def _names_day(time: ResolvedTime) -> bool:
    """Whether the words already say month (and day), so that only the year is missing."""
    if time.grain not in ("day", "month") or (time.end - time.start).days > 31:
        return False
    return bool(_MONTH_AND_DAY.fullmatch(time.text) if time.grain == "day" else _MONTH.fullmatch(time.text))


def _year(time: ResolvedTime, language: str) -> str:
    return f"{time.start.year}年" if language == "zh" else str(time.start.year)


def is_bare_clock(time: ResolvedTime) -> bool:
    """Whether a time is an hour whose day nobody named ("at 4 pm"): its date is no more than a guess."""
    return time.grain in ("minute", "hour") and _CLOCK.fullmatch(time.text.strip(" .,")) is not None


def absolute(time: ResolvedTime, language: str) -> str:
    """A resolved time in words: 7 May 2023; May 2023; 2022; 1 May to 7 May 2023; the same in Chinese."""
    last = max(time.start, time.end - timedelta(seconds=1))
    match time.grain:
        case "hour" if not any(letter in _DIGITS for letter in time.text):
            return _day(time.start, language)
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
    return _days(time.start, last, language)


def _days(first: datetime, last: datetime, language: str) -> str:
    """1 to 7 May 2023; 29 April to 5 May 2024; both years where they differ."""
    if first.year != last.year:
        between = "至" if language == "zh" else " to "
        return f"{_day(first, language)}{between}{_day(last, language)}"
    if language == "zh":
        month = "" if first.month == last.month else f"{last.month}月"
        return f"{_day(first, language)}至{month}{last.day}日"
    month = "" if first.month == last.month else f" {MONTHS[first.month - 1]}"
    return f"{first.day}{month} to {_day(last, language)}"


def _day(at: datetime, language: str) -> str:
    if language == "zh":
        return f"{at.year}年{at.month}月{at.day}日"
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def _month(at: datetime, language: str) -> str:
    return f"{at.year}年{at.month}月" if language == "zh" else f"{MONTHS[at.month - 1]} {at.year}"
