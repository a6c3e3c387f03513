"""English for parts of longer times: the first week of June, Q3, the second half of the year, the eighties."""

from __future__ import annotations

import re
from datetime import timedelta

from hmind.text import numbers
from hmind.text import times_calendar as calendar
from hmind.text import times_en_words as words
from hmind.text.times_calendar import Stretch
from hmind.text.times_rules import Moment, RuleBook

PARTS = RuleBook()

_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
_WHICH = "|".join(_NTH)
_OF_YEAR = rf"(?:,?\s+(?:of\s+|in\s+)?(?:(?P<year>{words.YEAR})|(?P<whose>last|this|next)\s+year\b))?"
_DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50}
_DECADES |= {"sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90}


@PARTS.rule(
    rf"""\b(?:(?:in|during|on|over|by|at|until|since)\s+)?the\s+(?P<nth>{_WHICH})\s+(?P<what>week(?:end)?|{words.WEEKDAY})\s+(?:of|in)\s+
    (?:(?P<month>{words.MONTH}){_OF_YEAR}|(?P<near>last|this|next|the)\s+month\b)"""
)
def _nth_of_month(match: re.Match[str], at: Moment) -> Stretch | None:
    nth, what = _NTH[match["nth"].lower()], match["what"].lower()
    if match["near"]:
        first = calendar.month(at.today.year, at.today.month + words.offset(match["near"])).start
        return calendar.nth_of_month(first.year, first.month, nth, _weekday(what))
    number = words.month(match["month"])
    if match["year"] or match["whose"]:
        year = int(match["year"]) if match["year"] else at.today.year + words.offset(match["whose"])
        return calendar.nth_of_month(year, number, nth, _weekday(what))
    around = (calendar.nth_of_month(at.today.year + n, number, nth, _weekday(what)) for n in (-1, 0, 1))
    return calendar.nearest(list(around), at.now, at.tense(match))


def _weekday(what: str) -> int | None:
    """The weekday asked for; -1 for the weekend, None for the week."""
    return None if what == "week" else -1 if what == "weekend" else words.weekday(what)


@PARTS.rule(
    rf"""\b(?:(?:in|during|since|by)\s+)?(?:the\s+)?(?:(?P<which>last|this|next|previous)\s+quarter\b(?!\s+(?:of\s+an|past|to|mile))
      | (?:(?P<nth>first|second|third|fourth|last|1st|2nd|3rd|4th)\s+quarter|Q(?P<digit>[1-4]))\b
        (?:,?\s+(?:of\s+|in\s+)?(?:(?P<year>{words.YEAR})|(?P<whose>last|this|next|the)\s+year\b))?)"""
)
def _quarter(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["which"]:
        current = (at.today.month - 1) // 3
        return calendar.quarter(at.today.year, current + 1 + words.offset(match["which"]))
    number = int(match["digit"]) if match["digit"] else _NTH[match["nth"].lower()]
    number = 4 if number < 0 else number
    if match["year"] or match["whose"]:
        year = int(match["year"]) if match["year"] else at.today.year + words.offset(match["whose"])
        return calendar.quarter(year, number)
    if not match["digit"]:
        return None  # of a game
    around = [calendar.quarter(at.today.year + n, number) for n in (-1, 0, 1)]
    return calendar.nearest(around, at.now, at.tense(match))


@PARTS.rule(
    rf"""\b(?:(?:in|during|since|by|for|over)\s+)?the\s+(?P<half>first|second|latter)\s+half\s+of\s+
    (?:(?P<year>{words.YEAR})|(?P<whose>last|this|next|the)\s+year\b|(?P<month>{words.MONTH})|(?P<near>last|this|next|the)\s+month\b)"""
)
def _half_of(match: re.Match[str], at: Moment) -> Stretch:
    first = match["half"].lower() == "first"
    if match["year"] or match["whose"]:
        year = int(match["year"]) if match["year"] else at.today.year + words.offset(match["whose"])
        return calendar.year_part(year, "first_half" if first else "second_half")
    if match["near"]:
        month = calendar.month(at.today.year, at.today.month + words.offset(match["near"]))
    else:
        number = words.month(match["month"])
        around = [calendar.month(at.today.year + n, number) for n in (-1, 0, 1)]
        month = calendar.nearest(around, at.now, at.tense(match))
    middle = month.start + timedelta(days=15)
    return Stretch(month.start, middle, "week") if first else Stretch(middle, month.end, "week")


@PARTS.rule(
    rf"""\b(?:(?:in|during|since|from|of)\s+)?(?:the\s+)?(?:(?P<part>early|mid|late)[\s-]+)?
    (?:(?P<decade>(?:19|20)\d0)['’]?s\b|(?:(?<=the\s)|(?<=mid-)|(?<=early\s)|(?<=late\s))['’]?(?P<short>[2-9]0)['’]?s\b
      |(?<=the\s)(?P<word>{"|".join(_DECADES)})\b)"""
)
def _decade(match: re.Match[str], at: Moment) -> Stretch | None:
    """The nineties are the last ones that have begun; "in my thirties" is an age."""
    if match["decade"]:
        first = int(match["decade"])
    else:
        tens = int(match["short"]) if match["short"] else _DECADES[match["word"].lower()]
        first = at.today.year // 100 * 100 + tens
        first -= 100 if first > at.today.year else 0
    start, length = {"early": (0, 4), "mid": (4, 3), "late": (7, 3)}.get((match["part"] or "").lower(), (0, 10))
    return calendar.years(first + start, length)


@PARTS.rule(
    r"""\b(?:(?P<way>in)\s+a\s+fortnight(?:['’]s\s+time)?|(?:a|one)\s+fortnight\s+(?P<back>ago|back)|(?:a|one)\s+fortnight\s+from\s+(?:now|today)
      |last\s+(?P<last>fortnight))\b"""
)
def _fortnight(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["last"]:
        return calendar.window(at.now, 2, "week")
    if match["way"] and at.tense(match) < 0:
        return None
    return calendar.away(at.now, -2 if match["back"] else 2, "week")


@PARTS.rule(
    rf"""\b(?:(?P<count>a|one|two|three)\s+weeks?|a\s+(?P<two>fortnight))\s+(?:from|after)\s+(?:(?:this|next)\s+)?(?P<day>{words.WEEKDAY})\b
      |\b(?P<first>{words.WEEKDAY})\s+week\b"""
)
def _week_from_friday(match: re.Match[str], at: Moment) -> Stretch:
    """ "A week from Friday" and "Friday week" count from the next Friday, today's included."""
    number = words.weekday(match["day"] or match["first"])
    ahead = at.today + timedelta(days=(number - at.today.weekday()) % 7)
    weeks = 2 if match["two"] else (numbers.english(match["count"]) or 1) if match["count"] else 1
    return calendar.days(ahead + timedelta(weeks=weeks))


@PARTS.rule(
    rf"""\b(?P<count>a|one|two|three|four|five|\d{{1,2}})\s+years?\s+ago,?\s+(?:in|this|last)\s+(?P<month>{words.MONTH})"""
)
def _years_ago_in(match: re.Match[str], at: Moment) -> Stretch:
    return _month_years_ago(match, at)


def _month_years_ago(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.month(at.today.year - (numbers.english(match["count"]) or 1), words.month(match["month"]))


@PARTS.rule(
    rf"""\b(?:(?:in|on)\s+)?(?P<month>{words.MONTH})(?:\s+(?P<day>{words.DAY})(?:st|nd|rd|th)?)?,?\s+(?P<count>a|one|two|three|four|five|\d{{1,2}})\s+years?\s+ago\b"""
)
def _in_may_years_ago(match: re.Match[str], at: Moment) -> Stretch:
    month = _month_years_ago(match, at)
    if not match["day"]:
        return month
    return calendar.days(month.start.date().replace(day=int(match["day"])))
