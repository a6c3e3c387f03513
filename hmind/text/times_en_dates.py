"""English for dates, months, seasons, years, holidays, lone weekdays and times of day."""
# ruff: noqa: ARG001 - every rule has the same signature, whether it needs the moment or not

from __future__ import annotations

import re
from datetime import date, timedelta

from hmind.text import holidays, numbers
from hmind.text import times_calendar as calendar
from hmind.text import times_en_words as words
from hmind.text.times_calendar import Stretch
from hmind.text.times_rules import Clock, Found, Moment, RuleBook

DATES = RuleBook()

# Dates.


@DATES.rule(
    rf"(?<![\d/.-])(?P<year>{words.FOUR})[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>{words.DAY}))?(?:T(?=\d))?(?![\d/-]|\.\d)"
)
def _iso(match: re.Match[str], at: Moment) -> Stretch | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"]:
        return calendar.days(date(year, month, int(match["day"])))
    return calendar.month(year, month) if "-" in match.group() and len(match["month"]) == 2 else None


@DATES.rule(r"(?<![\d/.-])(?P<first>\d\d?)/(?P<second>\d\d?)/(?P<year>(?:19|20)?\d\d)(?![\d/-])")
def _slashes(match: re.Match[str], at: Moment) -> Stretch | None:
    """5/20/2023, and 20/5/2023 where the first can be no month."""
    first, second = int(match["first"]), int(match["second"])
    month, day = (second, first) if first > 12 else (first, second)
    year = int(match["year"]) if len(match["year"]) == 4 else 2000 + int(match["year"])
    return calendar.days(date(year, month, day))


@DATES.rule(
    rf"""\b(?:on\s+|by\s+|until\s+)?(?:the\s+)?(?:{words.WEEKDAY},?\s+(?:the\s+)?)?(?P<day>{words.DAY}|(?:{words.ORDINAL}))(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{words.MONTH})
    (?:,?\s+(?:of\s+|in\s+)?(?:(?P<year>{words.YEAR})|(?P<which>last|this|next)\s+year\b))?(?!\s*\d{{1,2}}(?:st|nd|rd|th)\b)"""
)
def _fifth_of_may(match: re.Match[str], at: Moment) -> Stretch | None:
    return _date(match, at)


@DATES.rule(
    rf"""\b(?:on\s+|by\s+|until\s+)?(?:{words.WEEKDAY},?\s+)?(?P<month>{words.MONTH})\s+(?:the\s+)?(?P<day>{words.DAY}(?!\d|:|\s*[ap]\.?m\b|%)|(?:{words.ORDINAL})\b)(?:st|nd|rd|th)?
    (?:,?\s+(?:of\s+|in\s+)?(?:(?P<year>{words.YEAR})|(?P<which>last|this|next)\s+year\b))?"""
)
def _may_fifth(match: re.Match[str], at: Moment) -> Stretch | None:
    return _date(match, at)


def _date(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["month"][0].islower() and words.month(match["month"]) in (3, 5) and match["day"].isalpha():
        return None  # "may second", "march first"
    month = words.month(match["month"])
    word = match["day"].lower()
    day = int(word) if word.isdecimal() else words.ORDINALS.index(word) + 1
    if match["year"] or match["which"]:
        year = int(match["year"]) if match["year"] else at.today.year + words.offset(match["which"])
        return calendar.days(date(year, month, day))
    return calendar.nearest(_each_year(at, month, day), at.now, at.tense(match))


def _each_year(at: Moment, month: int, day: int) -> list[Stretch]:
    """The date in the years around; 29 February only where there is one."""
    choices = []
    for year in range(at.today.year - 4, at.today.year + 5):
        first = calendar.month(year, month)
        if day <= (first.end - first.start).days:
            choices.append(calendar.days(first.start.date() + timedelta(days=day - 1)))
    return choices


@DATES.rule(
    rf"\b(?:in\s+|since\s+|by\s+|until\s+)?(?:(?P<part>{words.MONTH_PART})\s*)?(?P<month>{words.MONTH})\s*,?\s+(?:of\s+|in\s+)?(?:(?P<year>{words.YEAR})|(?P<which>last|this|next)\s+year\b)"
)
def _month_of_year(match: re.Match[str], at: Moment) -> Stretch:
    year = int(match["year"]) if match["year"] else at.today.year + words.offset(match["which"])
    return _part_of_month(year, words.month(match["month"]), match["part"])


@DATES.rule(
    rf"""\b(?: (?P<which>last|this\s+past|this|next|this\s+coming)
      | (?P<word>in|since|until|till|by|during|before|after|around|of|for|from|through
        |(?P<part>{words.MONTH_PART})) )
    \s*\b(?P<month>{words.MONTH})"""
)
def _in_may(match: re.Match[str], at: Moment) -> Stretch | None:
    """A month by its name needs a word before it; "may" and "march" in lower case need more than most."""
    number, today = words.month(match["month"]), at.today
    if (
        match["month"].lower() in ("may", "march", "mar")
        and match["month"][0].islower()
        and not (match["which"] or (match["word"] or "").lower() in ("in", "since", "until", "by", "during"))
    ):
        return None
    years = (today.year - 1, today.year, today.year + 1)
    which = " ".join((match["which"] or "").lower().split())
    if which.endswith(("last", "past")):
        year = today.year if number < today.month else today.year - 1
    elif which.endswith(("next", "coming")):
        year = today.year if number > today.month else today.year + 1
    elif which:
        year = today.year
    else:
        tense = -1 if (match["word"] or "").lower() == "since" else at.tense(match)
        months = [calendar.month(one, number) for one in years]
        year = calendar.nearest(months, at.now, tense).start.year
    return _part_of_month(year, number, match["part"])


def _part_of_month(year: int, number: int, part: str | None) -> Stretch:
    if not part:
        return calendar.month(year, number)
    return calendar.month_part(year, number, words.part(part))


@DATES.rule(
    r"\b(?:on|by|until|before|after)\s+the\s+(?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)\b(?:\s+of\s+(?P<which>last|this|next|the)\s+month\b)?(?!\s+(?:of|floor|day|time|street|century|grade|birthday|anniversary|place|try|attempt|hole|page))"
)
def _on_the_fifth(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["which"]:
        return calendar.days(_day_of_month(at, words.offset(match["which"]), int(match["day"])))
    choices = []
    for offset in (-2, -1, 0, 1, 2):
        first = calendar.month(at.today.year, at.today.month + offset)
        if int(match["day"]) <= (first.end - first.start).days:
            choices.append(calendar.days(first.start.date().replace(day=int(match["day"]))))
    return calendar.nearest(choices, at.now, at.tense(match))


def _day_of_month(at: Moment, offset: int, day: int) -> date:
    return calendar.month(at.today.year, at.today.month + offset).start.date().replace(day=day)


# Seasons, years and holidays.


@DATES.rule(
    rf"""\b(?: (?P<which>last|this\s+past|this\s+coming|this|next)\s+(?:early\s+|late\s+)?(?P<one>{words.SEASON})
      | (?P<two>{words.SEASON})\s*,?\s+(?:of\s+|in\s+)?
        (?:(?P<year>{words.YEAR})|(?P<whose>last|this|next)\s+year) )\b"""
)
def _season_of(match: re.Match[str], at: Moment) -> Stretch:
    name = words.season(match["one"] or match["two"])
    if match["two"]:
        year = int(match["year"]) if match["year"] else at.today.year + words.offset(match["whose"])
        return calendar.season(year, name)
    which, today = " ".join(match["which"].lower().split()), at.today
    if which.endswith(("last", "past")):
        seasons = [calendar.season(today.year - n, name) for n in (0, 1, 2)]
        return next(one for one in seasons if one.end <= at.now)
    if which.endswith("coming"):
        return next(one for one in (calendar.season(today.year + n, name) for n in (0, 1)) if one.start > at.now)
    current = today.year - 1 if name == "winter" and today.month <= 2 else today.year
    return calendar.season(current + words.offset(which), name)


@DATES.rule(
    rf"""\b(?: (?:back\s+in|in|since|until|till|by|during|of|before|after|around|from|to|for)(?:\s+the)?(?:\s+year)?\s+
      | (?P<part>{words.MONTH_PART})\s*(?:of\s+)?)(?P<year>{words.YEAR})
    (?![-/:.]\d|\s*(?:%|people|steps|words|dollars|meters|km|miles|calories|pages|members|followers))"""
)
def _in_2019(match: re.Match[str], at: Moment) -> Stretch:
    if match["part"]:
        return calendar.year_part(int(match["year"]), words.part(match["part"]))
    return calendar.year(int(match["year"]))


@DATES.rule(
    rf"""\b(?:(?:on|at|for|over|during|since|by|before|after|until|around|this|(?P<which>last|next|this\s+past|this\s+coming))\s+)(?P<name>{words.HOLIDAY})(?:\s+(?:day|break|weekend|holidays?))?\b
    (?:\s+(?:of\s+|in\s+)?(?:(?P<year>{words.YEAR})|(?P<whose>last|this|next)\s+year\b))?"""
)
def _at_christmas(match: re.Match[str], at: Moment) -> Stretch | None:
    name = " ".join(match["name"].lower().replace("’", "'").split())
    if match["year"] or match["whose"]:
        return holidays.holiday(
            name, int(match["year"]) if match["year"] else at.today.year + words.offset(match["whose"])
        )
    around = [holidays.holiday(name, at.today.year + n) for n in (-1, 0, 1)]
    choices = [one for one in around if one is not None]
    if not choices:
        return None
    which = words.offset(match["which"]) if match["which"] else 0
    return calendar.nearest(choices, at.now, which or at.tense(match))


@DATES.rule(
    rf"\b(?P<name>{words.HOLIDAY})(?:\s+day)?\s+(?:of\s+|in\s+)?(?:(?P<year>{words.YEAR})|(?P<whose>last|this|next)\s+year)\b"
)
def _christmas_2019(match: re.Match[str], at: Moment) -> Stretch | None:
    name = " ".join(match["name"].lower().replace("’", "'").split())
    return holidays.holiday(name, int(match["year"]) if match["year"] else at.today.year + words.offset(match["whose"]))


# A weekday without a marker, and times of day.


@DATES.rule(
    rf"\b(?:on\s+|by\s+|until\s+|since\s+)?(?P<day>{words.WEEKDAY})(?!\w)|\b(?:on|by|until)\s+(?P<short>Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun)\b"
)
def _on_friday(match: re.Match[str], at: Moment) -> Stretch:
    """The next one, today included, unless the clause tells of the past."""
    number = words.weekday(match["day"] or match["short"])
    choices = [calendar.days(calendar.weekday(at.today, number, n)) for n in (-1, 0, 1)]
    return calendar.nearest(choices, at.now, at.tense(match) or 1)


@DATES.rule(
    r"""(?<![\d:.$])\b(?:at\s+|around\s+|by\s+|about\s+)?(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap])\.?\s?m\b\.?"""
)
def _half_day_clock(match: re.Match[str], at: Moment) -> Found:
    minute = int(match["minute"]) if match["minute"] else None
    return Found(clock=Clock(int(match["hour"]), minute, match["half"].lower() + "m"))


@DATES.rule(r"(?<![\d:.$/-])\b(?:at\s+|around\s+)?(?P<hour>2[0-3]|[01]?\d):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])\b")
def _digital_clock(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(int(match["hour"]), int(match["minute"])))


@DATES.rule(rf"\b(?:at\s+|around\s+)?(?P<hour>{words.HOUR})\s+o['’]?clock\b")
def _oclock(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(numbers.english(match["hour"]) or 12))


@DATES.rule(rf"\b(?:at\s+|around\s+)?(?P<minutes>half|(?:a\s+)?quarter)\s+(?P<way>past|to)\s+(?P<hour>{words.HOUR})\b")
def _half_past(match: re.Match[str], at: Moment) -> Found:
    hour = numbers.english(match["hour"]) or 12
    minute = 30 if match["minutes"].lower() == "half" else 15
    if match["way"].lower() == "to":
        hour, minute = (hour - 2) % 12 + 1, 60 - minute
    return Found(clock=Clock(hour + 12 if 1 <= hour <= 6 else hour, minute))


@DATES.rule(r"\b(?:at\s+)?(?P<word>noon|midday|midnight)\b")
def _noon(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(24 if match["word"].lower() == "midnight" else 12), part=None)


@DATES.rule(
    rf"\bat\s+(?P<hour>{words.HOUR})\b(?![\d:.%]|\s*(?:point|time|stage|another|years?|months?|percent|dollars|people|points?|of|km|miles|degrees)\b)"
)
def _bare_hour(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(numbers.english(match["hour"]) or 12), alone=False)


@DATES.rule(r"\b(?:in\s+the\s+|at\s+)?(?P<part>morning|afternoon|evening|night|lunchtime)\b")
def _part_of_day(match: re.Match[str], at: Moment) -> Found:
    part = match["part"].lower()
    return Found(part="midday" if part == "lunchtime" else part, alone=False)
