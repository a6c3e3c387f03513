"""What English says about time: the words and what they mean. Putting them together is in times.py."""
# ruff: noqa: ARG001 - every rule has the same signature, whether it needs the moment or not

from __future__ import annotations

import re
from datetime import date, timedelta

from hmind.text import holidays, numbers
from hmind.text import times_calendar as calendar
from hmind.text.times_calendar import Stretch
from hmind.text.times_rules import Clock, Found, Moment, RuleBook

_FUTURE = re.compile(
    r"\b(?:will|won't|shall|going\s+to|gonna|plan(?:s|ning)?|want(?:s)?\s+to|hop(?:e|es|ing)\s+to|would\s+like|'d\s+like"
    r"|let's|should|can|coming\s+up|upcoming|due|starts|leaves|arrives|begins|remind|schedule[ds]?|book(?:ed)?\s+for"
    r"|(?:am|is|are|'m|'re)\s+\w+ing|looking\s+forward|by)\b|'ll\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:was|were|did|didn't|wasn't|weren't|had|hadn't|went|got|saw|met|took|came|bought|made|said|told|felt|left|found"
    r"|gave|ate|drank|ran|won|lost|broke|fell|flew|drove|wrote|read|began|started|thought|knew|spent|sent|taught|caught"
    r"|brought|heard|held|kept|led|paid|put|sat|slept|spoke|stood|swam|threw|woke|wore|became|built|grew|hit|hurt|cut"
    r"|[a-z]{2,}(?<!ne)(?<!fe)ed|since|ago)\b",
    re.IGNORECASE,
)


def _tense(sentence: str) -> int:
    """-1, 0 or 1, by the verb forms in the sentence; "would" and "planned to" of the past lose to the future."""
    if _FUTURE.search(sentence):
        return -1 if re.search(r"\b(?:was|were)\s+(?:going|planning)\b", sentence) else 1
    return -1 if _PAST.search(sentence) else 0


BOOK = RuleBook(_tense, re.IGNORECASE | re.ASCII)  # ASCII, so that a word may stand right beside Chinese

_MONTHS = {
    name: n // 2 + 1
    for n, name in enumerate(
        [
            "january",
            "jan",
            "february",
            "feb",
            "march",
            "mar",
            "april",
            "apr",
            "may",
            "may_",
            "june",
            "jun",
            "july",
            "jul",
            "august",
            "aug",
            "september",
            "sep",
            "october",
            "oct",
            "november",
            "nov",
            "december",
            "dec",
        ]
    )
} | {"sept": 9}
_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
_FULL_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_SHORT_DAY = rf"(?:{_WEEKDAY}|Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun(?!\s+(?:shin|was|is|set|rose)))\b\.?"
_NUMBER = rf"(?:\d+|{numbers.ENGLISH})"
_UNIT = r"(?:minute|min|hour|hr|day|night|weekend|week|month|year|yr)"
_FEW = r"(?:a\s+few|a\s+number\s+of|several|some|few|many)"
_FOUR = r"(?:19|20)\d\d"
_YEAR = rf"{_FOUR}\b"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twenty-first",
    "twenty-second",
    "twenty-third",
    "twenty-fourth",
    "twenty-fifth",
    "twenty-sixth",
    "twenty-seventh",
    "twenty-eighth",
    "twenty-ninth",
    "thirtieth",
    "thirty-first",
]
_ORDINAL = "|".join(sorted(_ORDINALS, key=len, reverse=True))
_HOUR = "1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_SEASON = r"(?:spring|summer|autumn|fall|winter)"
_MONTH_PART = (
    r"(?:early|mid|middle|late|the\s+end|end|the\s+beginning|beginning|the\s+start|start|the\s+middle)(?:\s+of|[\s-])"
)
_HOLIDAY = "|".join(
    re.escape(name).replace(r"\ ", r"\s+").replace("'", "['’]")
    for name in sorted((one for one in holidays.NAMES if one.isascii()), key=len, reverse=True)
)


def _month(text: str) -> int:
    return _MONTHS[text.lower().rstrip(".")]


def _weekday(text: str) -> int:
    return next(n for n, name in enumerate(_FULL_DAYS) if name.startswith(text.lower().rstrip(".")[:3]))


def _season(text: str) -> str:
    return "autumn" if text.lower() == "fall" else text.lower()


def _unit(text: str) -> str:
    return {"min": "minute", "hr": "hour", "yr": "year", "night": "day"}.get(text.lower(), text.lower())


def _part(text: str) -> str:
    word = re.split(r"[\s-]", text.lower().removeprefix("the").lstrip())[0]
    return {"beginning": "begin", "start": "begin", "middle": "mid"}.get(word, word)


def _offset(text: str) -> int:
    """last and past are -1, this is 0, next and coming are 1."""
    word = text.lower().split()[-1]
    return -1 if word in ("last", "past", "previous") else 1 if word in ("next", "coming", "following") else 0


# Words that only look like a time; these rules use them up.


@BOOK.rule(
    rf"""\b(?: (?:every|each|most|on\s+alternate)\s+(?:other\s+|single\s+)?(?:{_WEEKDAY}|{_MONTH}|{_SEASON}|day|night|week|month|year
        |weekend|morning|afternoon|evening|Christmas|Thanksgiving|Easter)s?(?:\s+(?:morning|afternoon|evening|night))?
      (?:\s+(?:at|around)\s+\d+(?::\d\d)?\s*(?:[ap]\.?m\b\.?)?)?
    | (?:black|good|cyber|casual|ash|fat)\s+{_WEEKDAY}
    | {_WEEKDAY}(?:s\b|\s+(?:best|school|roast|blues|league|paper|sundae))
    | (?:for|the\s+next|within|lasts?|lasted|takes?|took|spent|spend)\s+(?:about\s+|around\s+|almost\s+|over\s+|only\s+)?(?:{_NUMBER}|{_FEW})\s+{_UNIT}s?\b(?!\s+(?:ago|back|from\s+now|later))
    | (?:in|over|during)\s+(?:the\s+)?(?:{_NUMBER}\s+)?{_UNIT}s?\s+(?:since|that|of)\b
    | (?:one|some)\s+(?:day|night|morning|evening)\b
    | (?:last|next|this)\s+(?:minute|second|day)\b
    | (?:Christmas|Easter|Halloween|Thanksgiving|Valentine['’]s(?:\s+day)?|birthday)\s+(?:tree|card|song|egg|bunny|movie|market|light|carol|costume|turkey|gift|present)s?\b
    )"""
)
def _no_time(match: re.Match[str], at: Moment) -> None:
    return None


# Days counted from today.


@BOOK.rule(r"\b(?:the\s+)?day\s+(?P<which>before\s+yesterday|after\s+tomorrow)\b")
def _two_days_off(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.days(at.today + timedelta(days=-2 if match["which"].lower().startswith("before") else 2))


@BOOK.rule(
    r"""\b(?P<count>a|one|two|three)\s+(?P<unit>day|week|month|year)s?\s+(?P<way>from|ago)\s+(?P<day>today|tomorrow|yesterday)\b"""
)
def _week_from_tomorrow(match: re.Match[str], at: Moment) -> Stretch:
    first = at.today + timedelta(days=_near(match["day"]))
    count = (numbers.english(match["count"]) or 1) * (-1 if match["way"].lower() == "ago" else 1)
    unit = match["unit"].lower()
    if unit in ("day", "week"):
        return calendar.days(first + timedelta(days=count * (7 if unit == "week" else 1)))
    return calendar.days(calendar.shift_months(first, count * (12 if unit == "year" else 1)))


@BOOK.rule(r"\b(?:this|same)\s+(?:time|day)\s+(?P<which>last|next)\s+(?P<unit>year|month)\b")
def _this_time_last_year(match: re.Match[str], at: Moment) -> Stretch:
    months = _offset(match["which"]) * (12 if match["unit"].lower() == "year" else 1)
    return calendar.days(calendar.shift_months(at.today, months))


@BOOK.rule(r"\b(?:earlier\s+|later\s+)?(?P<day>yesterday|today|tomorrow|tmrw?|tmr)\b")
def _near_day(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.days(at.today + timedelta(days=_near(match["day"])))


def _near(word: str) -> int:
    return {"yesterday": -1, "today": 0}.get(word.lower(), 1)


@BOOK.rule(r"\b(?:later\s+)?(?:tonight|tonite)\b|\bthis\s+evening\b")
def _tonight(match: re.Match[str], at: Moment) -> Found:
    return Found(calendar.days(at.today), part="evening")


@BOOK.rule(r"\b(?:(?:earlier|later)\s+)?this\s+(?P<part>morning|afternoon)\b")
def _this_morning(match: re.Match[str], at: Moment) -> Found:
    return Found(calendar.days(at.today), part=match["part"].lower())


@BOOK.rule(r"\blast\s+(?P<part>night|evening)\b|\bthe\s+night\s+before\s+last\b")
def _last_night(match: re.Match[str], at: Moment) -> Found:
    return Found(calendar.days(at.today - timedelta(days=1 if match["part"] else 2)), part="night")


# Counted and vague distances.


@BOOK.rule(
    rf"""\b(?:about\s+|around\s+|almost\s+|over\s+|exactly\s+|roughly\s+|more\s+than\s+|just\s+)?
    (?: (?P<half>half\s+an?|a\s+half|half) | (?P<count>{_NUMBER})(?P<and_half>\s+and\s+a\s+half)?(?:\s+or\s+(?:so|two|three|four))? | (?P<few>{_FEW}) )
    \s+(?P<unit>{_UNIT})s?(?P<late_half>\s+and\s+a\s+half)?(?:\s+or\s+so)?\s+(?P<way>ago|back\b(?!\s+(?:to|in|at|home))|earlier\s+today|from\s+now)\b"""
)
def _ago(match: re.Match[str], at: Moment) -> Stretch | None:
    sign = 1 if match["way"].lower().startswith("from") else -1
    return _away(match, at, sign)


@BOOK.rule(
    rf"""\b(?P<way>in|after)\s+(?:about\s+|around\s+|just\s+|exactly\s+|less\s+than\s+)?
    (?: (?P<half>half\s+an?|half) | (?P<count>{_NUMBER})(?P<and_half>\s+and\s+a\s+half)? | (?P<few>{_FEW}) )
    \s+(?P<unit>{_UNIT})(?:s\b['’]?|['’]s\b|\b)(?P<late_half>\s+and\s+a\s+half)?(?:\s+time\b)?(?!\s+of\b|-)"""
)
def _in(match: re.Match[str], at: Moment) -> Stretch | None:
    """Not with a past verb: "I read it in three days" tells how long it took."""
    if match["way"].lower() == "after" or at.tense(match) < 0:
        return None
    return _away(match, at, 1)


def _away(match: re.Match[str], at: Moment, sign: int) -> Stretch | None:
    unit = _unit(match["unit"])
    if match["few"]:
        if match["few"].lower() in ("some", "many") or unit == "weekend":
            return None
        return calendar.few_away(at.now, sign, unit)
    count = 0.5 if match["half"] else float(numbers.english(match["count"]) or 0)
    if match["half"] is None and (match["and_half"] or match["late_half"]):
        count += 0.5
    if count > 9999:
        return None
    if unit == "weekend":
        return calendar.weekend(at.today, sign * int(count))
    return calendar.away(at.now, sign * count, unit)


@BOOK.rule(rf"\b(?P<count>two|three|four|2|3|4)\s+(?P<day>{_WEEKDAY})s\s+ago\b")
def _fridays_ago(match: re.Match[str], at: Moment) -> Stretch:
    weeks = (numbers.english(match["count"]) or 1) - 1
    return calendar.days(calendar.weekday_before(at.today, _weekday(match["day"])) - timedelta(weeks=weeks))


@BOOK.rule(
    rf"""\b(?:the\s+|these\s+|this\s+)?(?P<way>last|past|previous)\s+
    (?:(?P<few>{_FEW}|couple(?:\s+of)?|few)|(?P<count>\d+|(?!an?\b)(?:{numbers.ENGLISH})))\s+(?P<unit>{_UNIT})s?\b"""
)
def _last_few(match: re.Match[str], at: Moment) -> Stretch | None:
    unit = _unit(match["unit"])
    count = (
        2
        if (match["few"] or "").lower().startswith("couple")
        else 3
        if match["few"]
        else numbers.english(match["count"])
    )
    if not count or unit == "weekend" or count > 9999:
        return None
    return calendar.window(at.now, count, unit)


@BOOK.rule(r"\b(?:over|in|during|for|within)\s+the\s+(?:past|last)\s+(?P<unit>day|week|month|year)\b(?!\s+of)")
def _over_the_past(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.window(at.now, 1, match["unit"].lower())


@BOOK.rule(r"\bthe\s+other\s+(?P<unit>day|night|evening|morning|week|month)\b(?!\s+of)")
def _the_other_day(match: re.Match[str], at: Moment) -> Stretch:
    unit = match["unit"].lower()
    return calendar.few_away(at.now, -1, unit if unit in ("week", "month") else "day")


@BOOK.rule(r"\b(?:recently|lately|not\s+(?:so\s+|too\s+|that\s+)?long\s+ago|in\s+recent\s+(?:weeks|days))\b")
def _recently(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.window(at.now, 30, "day")


@BOOK.rule(r"\b(?:just\s+now|a\s+moment\s+ago|moments\s+ago|a\s+(?:few\s+)?second(?:s)?\s+ago)\b")
def _just_now(match: re.Match[str], at: Moment) -> Stretch:
    return Stretch(at.now - timedelta(minutes=15), at.now, "minute")


# Weeks, weekends and weekdays.


@BOOK.rule(r"\bthe\s+(?P<unit>week|weekend|month|year)\s+(?P<way>before\s+last|after\s+next|before\s+that\s+last)\b")
def _before_last(match: re.Match[str], at: Moment) -> Stretch:
    return _whole(match["unit"].lower(), at, -2 if match["way"].lower().startswith("before") else 2)


@BOOK.rule(rf"\bthe\s+(?P<day>{_WEEKDAY})\s+(?P<way>before\s+last|after\s+next)\b")
def _friday_before_last(match: re.Match[str], at: Moment) -> Stretch:
    number = _weekday(match["day"])
    if match["way"].lower().startswith("before"):
        return calendar.days(calendar.weekday_before(at.today, number) - timedelta(weeks=1))
    return calendar.days(calendar.weekday(at.today, number, 2))


@BOOK.rule(
    rf"""\b(?:on\s+)?(?P<day>{_WEEKDAY})\s*,?\s+(?:of\s+)?(?:(?P<which>last|this|next)\s+week|(?P<before>(?:the\s+)?week\s+before\s+last)|in\s+(?P<count>two|2)\s+weeks)\b"""
)
def _friday_last_week(match: re.Match[str], at: Moment) -> Stretch:
    offset = -2 if match["before"] else 2 if match["count"] else _offset(match["which"])
    return calendar.days(calendar.weekday(at.today, _weekday(match["day"]), offset))


@BOOK.rule(
    rf"\b(?P<which>last|this\s+past|past|this\s+coming|this|next|coming|the\s+following)\s+(?P<day>{_SHORT_DAY})(?!\w)"
)
def _last_friday(match: re.Match[str], at: Moment) -> Stretch:
    number, which = _weekday(match["day"]), " ".join(match["which"].lower().split())
    if which.endswith(("last", "past")):
        return calendar.days(calendar.weekday_before(at.today, number))
    if which.endswith(("coming", "following")):
        return calendar.days(calendar.weekday_after(at.today, number))
    return calendar.days(calendar.weekday(at.today, number, _offset(which)))


@BOOK.rule(
    r"""\b(?:(?P<how>early|earlier|late|later|the\s+end\s+of|the\s+beginning\s+of|the\s+start\s+of|by\s+the\s+end\s+of)\s+)?
    (?P<which>last|this\s+past|this\s+coming|this|next|the\s+following|the\s+past|the\s+coming|past|coming)\s+(?P<unit>weekend|week|month|year)\b(?!['’]s\s+resolution)(?!-)"""
)
def _last_week(match: re.Match[str], at: Moment) -> Stretch | None:
    unit, which = match["unit"].lower(), " ".join(match["which"].lower().split())
    offset = _offset(which)
    how = (match["how"] or "").lower()
    if which in ("the past", "past", "this past") and unit != "weekend":
        return calendar.window(at.now, 1, unit)
    if which == "this coming" and unit == "weekend":
        offset = 0
    if which == "this past" and unit == "weekend" and at.today.weekday() == 6 and at.tense(match) >= 0:
        offset = -1
    whole = _whole(unit, at, offset)
    end, begin = "end" in how, "beginning" in how or "start" in how
    if unit == "month" and (end or begin or how in ("early", "late")):
        part = "end" if end else "begin" if begin else how
        return calendar.month_part(whole.start.year, whole.start.month, part)
    if unit == "year" and (end or begin or how in ("early", "late")):
        return calendar.year_part(whole.start.year, "end" if end else "begin" if begin else how)
    if unit == "week" and end:
        return calendar.days(calendar.weekday(at.today, 4, offset))
    return whole


def _whole(unit: str, at: Moment, offset: int) -> Stretch:
    if unit == "week":
        return calendar.week(at.today, offset)
    if unit == "weekend":
        return calendar.weekend(at.today, offset)
    return (
        calendar.month(at.today.year, at.today.month + offset)
        if unit == "month"
        else calendar.year(at.today.year + offset)
    )


@BOOK.rule(r"\b(?P<how>the\s+end|the\s+beginning|the\s+start|the\s+middle)\s+of\s+the\s+(?P<unit>month|year|week)\b")
def _end_of_month(match: re.Match[str], at: Moment) -> Stretch | None:
    how, today = _part(match["how"].split()[-1]), at.today
    if match["unit"].lower() == "week":
        return calendar.days(calendar.weekday(today, 4)) if how == "end" else None
    if match["unit"].lower() == "month":
        return calendar.month_part(today.year, today.month, how)
    return calendar.year_part(today.year, "middle" if how == "mid" else how)


@BOOK.rule(r"\b(?:(?:on|over|during|at|for|by)\s+the\s+weekend\b|at\s+weekend\b)(?!s)")
def _the_weekend(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.nearest([calendar.weekend(at.today, n) for n in (-1, 0, 1)], at.now, at.tense(match))


# Dates.


@BOOK.rule(
    rf"(?<![\d/.-])(?P<year>{_FOUR})[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>{_DAY}))?(?:T(?=\d))?(?![\d/-]|\.\d)"
)
def _iso(match: re.Match[str], at: Moment) -> Stretch | None:
    year, month = int(match["year"]), int(match["month"])
    if match["day"]:
        return calendar.days(date(year, month, int(match["day"])))
    return calendar.month(year, month) if "-" in match.group() and len(match["month"]) == 2 else None


@BOOK.rule(r"(?<![\d/.-])(?P<first>\d\d?)/(?P<second>\d\d?)/(?P<year>(?:19|20)?\d\d)(?![\d/-])")
def _slashes(match: re.Match[str], at: Moment) -> Stretch | None:
    """5/20/2023, and 20/5/2023 where the first can be no month."""
    first, second = int(match["first"]), int(match["second"])
    month, day = (second, first) if first > 12 else (first, second)
    year = int(match["year"]) if len(match["year"]) == 4 else 2000 + int(match["year"])
    return calendar.days(date(year, month, day))


@BOOK.rule(
    rf"""\b(?:on\s+|by\s+|until\s+)?(?:the\s+)?(?:{_WEEKDAY},?\s+(?:the\s+)?)?(?P<day>{_DAY}|(?:{_ORDINAL}))(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})
    (?:,?\s+(?:of\s+|in\s+)?(?:(?P<year>{_YEAR})|(?P<which>last|this|next)\s+year\b))?(?!\s*\d{{1,2}}(?:st|nd|rd|th)\b)"""
)
def _fifth_of_may(match: re.Match[str], at: Moment) -> Stretch | None:
    return _date(match, at)


@BOOK.rule(
    rf"""\b(?:on\s+|by\s+|until\s+)?(?:{_WEEKDAY},?\s+)?(?P<month>{_MONTH})\s+(?:the\s+)?(?P<day>{_DAY}(?!\d|:|\s*[ap]\.?m\b|%)|(?:{_ORDINAL})\b)(?:st|nd|rd|th)?
    (?:,?\s+(?:of\s+|in\s+)?(?:(?P<year>{_YEAR})|(?P<which>last|this|next)\s+year\b))?"""
)
def _may_fifth(match: re.Match[str], at: Moment) -> Stretch | None:
    return _date(match, at)


def _date(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["month"][0].islower() and _month(match["month"]) in (3, 5) and match["day"].isalpha():
        return None  # "may second", "march first"
    month = _month(match["month"])
    word = match["day"].lower()
    day = int(word) if word.isdecimal() else _ORDINALS.index(word) + 1
    if match["year"] or match["which"]:
        year = int(match["year"]) if match["year"] else at.today.year + _offset(match["which"])
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


@BOOK.rule(
    rf"\b(?:in\s+|since\s+|by\s+|until\s+)?(?:(?P<part>{_MONTH_PART})\s*)?(?P<month>{_MONTH})\s*,?\s+(?:of\s+|in\s+)?(?:(?P<year>{_YEAR})|(?P<which>last|this|next)\s+year\b)"
)
def _month_of_year(match: re.Match[str], at: Moment) -> Stretch:
    year = int(match["year"]) if match["year"] else at.today.year + _offset(match["which"])
    return _part_of_month(year, _month(match["month"]), match["part"])


@BOOK.rule(
    rf"""\b(?: (?P<which>last|this\s+past|this|next|this\s+coming)
      | (?P<word>in|since|until|till|by|during|before|after|around|of|for|from|through|late|(?P<part>{_MONTH_PART})) )\s*\b(?P<month>{_MONTH})(?!\s+(?:I|we|you|he|she|they|have|be|not)\b)"""
)
def _in_may(match: re.Match[str], at: Moment) -> Stretch | None:
    """A month by its name needs a word before it; "may" and "march" in lower case need more than most."""
    number, today = _month(match["month"]), at.today
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
    return calendar.month_part(year, number, _part(part))


@BOOK.rule(
    r"\b(?:on|by|until|before|after)\s+the\s+(?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)\b(?:\s+of\s+(?P<which>last|this|next|the)\s+month\b)?(?!\s+(?:of|floor|day|time|street|century|grade|birthday|anniversary|place|try|attempt|hole|page))"
)
def _on_the_fifth(match: re.Match[str], at: Moment) -> Stretch | None:
    if match["which"]:
        return calendar.days(_day_of_month(at, _offset(match["which"]), int(match["day"])))
    choices = []
    for offset in (-2, -1, 0, 1, 2):
        first = calendar.month(at.today.year, at.today.month + offset)
        if int(match["day"]) <= (first.end - first.start).days:
            choices.append(calendar.days(first.start.date().replace(day=int(match["day"]))))
    return calendar.nearest(choices, at.now, at.tense(match))


def _day_of_month(at: Moment, offset: int, day: int) -> date:
    return calendar.month(at.today.year, at.today.month + offset).start.date().replace(day=day)


# Seasons, years and holidays.


@BOOK.rule(
    rf"""\b(?: (?P<which>last|this\s+past|this\s+coming|this|next)\s+(?:early\s+|late\s+)?(?P<one>{_SEASON})
      | (?P<two>{_SEASON})\s*,?\s+(?:of\s+|in\s+)?(?:(?P<year>{_YEAR})|(?P<whose>last|this|next)\s+year) )\b(?!\s+(?:break\s+of|in\s+love))"""
)
def _season_of(match: re.Match[str], at: Moment) -> Stretch:
    name = _season(match["one"] or match["two"])
    if match["two"]:
        year = int(match["year"]) if match["year"] else at.today.year + _offset(match["whose"])
        return calendar.season(year, name)
    which, today = " ".join(match["which"].lower().split()), at.today
    if which.endswith(("last", "past")):
        seasons = [calendar.season(today.year - n, name) for n in (0, 1, 2)]
        return next(one for one in seasons if one.end <= at.now)
    if which.endswith("coming"):
        return next(one for one in (calendar.season(today.year + n, name) for n in (0, 1)) if one.start > at.now)
    current = today.year - 1 if name == "winter" and today.month <= 2 else today.year
    return calendar.season(current + _offset(which), name)


@BOOK.rule(
    rf"""\b(?: (?:back\s+in|in|since|until|till|by|during|of|before|after|around|from|to|for)(?:\s+the)?(?:\s+year)?\s+
      | (?P<part>{_MONTH_PART})\s*(?:of\s+)?)(?P<year>{_YEAR})(?![-/:.]\d|\s*(?:%|people|steps|words|dollars|meters|km|miles|calories|pages|members|followers))"""
)
def _in_2019(match: re.Match[str], at: Moment) -> Stretch:
    if match["part"]:
        return calendar.year_part(int(match["year"]), _part(match["part"]))
    return calendar.year(int(match["year"]))


@BOOK.rule(
    rf"""\b(?:(?:on|at|for|over|during|since|by|before|after|until|around|this|(?P<which>last|next|this\s+past|this\s+coming))\s+)(?P<name>{_HOLIDAY})(?:\s+(?:day|break|weekend|holidays?))?\b
    (?:\s+(?:of\s+|in\s+)?(?:(?P<year>{_YEAR})|(?P<whose>last|this|next)\s+year\b))?"""
)
def _at_christmas(match: re.Match[str], at: Moment) -> Stretch | None:
    name = " ".join(match["name"].lower().replace("’", "'").split())
    if match["year"] or match["whose"]:
        return holidays.holiday(name, int(match["year"]) if match["year"] else at.today.year + _offset(match["whose"]))
    around = [holidays.holiday(name, at.today.year + n) for n in (-1, 0, 1)]
    choices = [one for one in around if one is not None]
    if not choices:
        return None
    which = _offset(match["which"]) if match["which"] else 0
    return calendar.nearest(choices, at.now, which or at.tense(match))


@BOOK.rule(
    rf"\b(?P<name>{_HOLIDAY})(?:\s+day)?\s+(?:of\s+|in\s+)?(?:(?P<year>{_YEAR})|(?P<whose>last|this|next)\s+year)\b"
)
def _christmas_2019(match: re.Match[str], at: Moment) -> Stretch | None:
    name = " ".join(match["name"].lower().replace("’", "'").split())
    return holidays.holiday(name, int(match["year"]) if match["year"] else at.today.year + _offset(match["whose"]))


# A weekday without a marker, and times of day.


@BOOK.rule(
    rf"\b(?:on\s+|by\s+|until\s+|since\s+)?(?P<day>{_WEEKDAY})(?!\w)|\b(?:on|by|until)\s+(?P<short>Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun)\b"
)
def _on_friday(match: re.Match[str], at: Moment) -> Stretch:
    number = _weekday(match["day"] or match["short"])
    choices = [calendar.days(calendar.weekday(at.today, number, n)) for n in (-1, 0, 1)]
    return calendar.nearest(choices, at.now, at.tense(match))


@BOOK.rule(
    r"""(?<![\d:.$])\b(?:at\s+|around\s+|by\s+|about\s+)?(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>[ap])\.?\s?m\b\.?"""
)
def _half_day_clock(match: re.Match[str], at: Moment) -> Found:
    minute = int(match["minute"]) if match["minute"] else None
    return Found(clock=Clock(int(match["hour"]), minute, match["half"].lower() + "m"))


@BOOK.rule(r"(?<![\d:.$/-])\b(?:at\s+|around\s+)?(?P<hour>2[0-3]|[01]?\d):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])\b")
def _digital_clock(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(int(match["hour"]), int(match["minute"])))


@BOOK.rule(rf"\b(?:at\s+|around\s+)?(?P<hour>{_HOUR})\s+o['’]?clock\b")
def _oclock(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(numbers.english(match["hour"]) or 12))


@BOOK.rule(rf"\b(?:at\s+|around\s+)?(?P<minutes>half|(?:a\s+)?quarter)\s+(?P<way>past|to)\s+(?P<hour>{_HOUR})\b")
def _half_past(match: re.Match[str], at: Moment) -> Found:
    hour = numbers.english(match["hour"]) or 12
    minute = 30 if match["minutes"].lower() == "half" else 15
    if match["way"].lower() == "to":
        hour, minute = (hour - 2) % 12 + 1, 60 - minute
    return Found(clock=Clock(hour + 12 if 1 <= hour <= 6 else hour, minute))


@BOOK.rule(r"\b(?:at\s+)?(?P<word>noon|midday|midnight)\b")
def _noon(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(24 if match["word"].lower() == "midnight" else 12), part=None)


@BOOK.rule(
    r"\bat\s+(?P<hour>1[0-2]|[1-9])\b(?![\d:.%]|\s*(?:years?|months?|percent|dollars|people|points?|of|km|miles|degrees)\b)"
)
def _bare_hour(match: re.Match[str], at: Moment) -> Found:
    return Found(clock=Clock(int(match["hour"])), alone=False)


@BOOK.rule(r"\b(?:in\s+the\s+|at\s+)?(?P<part>morning|afternoon|evening|night|lunchtime)\b")
def _part_of_day(match: re.Match[str], at: Moment) -> Found:
    part = match["part"].lower()
    return Found(part="midday" if part == "lunchtime" else part, alone=False)
