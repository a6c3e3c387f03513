"""English for days, weeks and distances from now: yesterday, two weeks ago, next Friday."""
# ruff: noqa: ARG001 - every rule has the same signature, whether it needs the moment or not

from __future__ import annotations

import re
from datetime import timedelta

from hmind.text import numbers
from hmind.text import times_calendar as calendar
from hmind.text import times_en_words as words
from hmind.text.times_calendar import Stretch
from hmind.text.times_rules import Found, Moment, RuleBook

DAYS = RuleBook()

# Words that only look like a time; these rules use them up.


@DAYS.rule(
    rf"""\b(?: (?:every|each|most|on\s+alternate)\s+(?:other\s+|single\s+)?(?:{words.WEEKDAY}|{words.MONTH}
        |{words.SEASON}|day|night|week|month|year|weekend|morning|afternoon|evening|Christmas|Thanksgiving|Easter)s?(?:\s+(?:morning|afternoon|evening|night))?
      (?:\s+(?:at|around)\s+\d+(?::\d\d)?\s*(?:[ap]\.?m\b\.?)?)?
    | (?:black|good|cyber|casual|ash|fat)\s+{words.WEEKDAY}
    | {words.WEEKDAY}(?:s\b|\s+(?:best|school|roast|blues|league|paper|sundae))
    | (?:for|the\s+next|within|lasts?|lasted|takes?|took|spent|spend)
        \s+(?:about\s+|around\s+|almost\s+|over\s+|only\s+)?
        (?:{words.NUMBER}|{words.FEW})\s+{words.UNIT}s?\b(?!\s+(?:ago|back|from\s+now|later))
    | (?:in|over|during)\s+(?:the\s+)?(?:{words.NUMBER}\s+)?{words.UNIT}s?\s+(?:since|that)\b
    | (?:one|some)\s+(?:day|night|morning|evening)\b
    | (?:last|next|this)\s+(?:minute|second|day)\b
    | (?:Christmas|Easter|Halloween|Thanksgiving|Valentine['’]s(?:\s+day)?|birthday)
        \s+(?:tree|card|song|egg|bunny|movie|market|light|carol|costume|turkey|gift|present)s?\b
    )"""
)
def _no_time(match: re.Match[str], at: Moment) -> None:
    return None


# Days counted from today.


@DAYS.rule(r"\b(?:the\s+)?day\s+(?P<which>before\s+yesterday|after\s+tomorrow)\b")
def _two_days_off(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.days(at.today + timedelta(days=-2 if match["which"].lower().startswith("before") else 2))


@DAYS.rule(
    r"""\b(?P<count>a|one|two|three)\s+(?P<unit>day|week|month|year)s?\s+(?P<way>from|ago)\s+(?P<day>today|tomorrow|yesterday)\b"""
)
def _week_from_tomorrow(match: re.Match[str], at: Moment) -> Stretch:
    first = at.today + timedelta(days=_near(match["day"]))
    count = (numbers.english(match["count"]) or 1) * (-1 if match["way"].lower() == "ago" else 1)
    unit = match["unit"].lower()
    if unit in ("day", "week"):
        return calendar.days(first + timedelta(days=count * (7 if unit == "week" else 1)))
    return calendar.days(calendar.shift_months(first, count * (12 if unit == "year" else 1)))


@DAYS.rule(r"\b(?:this|same)\s+(?:time|day)\s+(?P<which>last|next)\s+(?P<unit>year|month)\b")
def _this_time_last_year(match: re.Match[str], at: Moment) -> Stretch:
    months = words.offset(match["which"]) * (12 if match["unit"].lower() == "year" else 1)
    return calendar.days(calendar.shift_months(at.today, months))


@DAYS.rule(r"\b(?:earlier\s+|later\s+)?(?P<day>yesterday|today|tomorrow|tmrw?|tmr)\b")
def _near_day(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.days(at.today + timedelta(days=_near(match["day"])))


def _near(word: str) -> int:
    return {"yesterday": -1, "today": 0}.get(word.lower(), 1)


@DAYS.rule(r"\b(?:later\s+)?(?:tonight|tonite)\b|\bthis\s+evening\b")
def _tonight(match: re.Match[str], at: Moment) -> Found:
    return Found(calendar.days(at.today), part="evening")


@DAYS.rule(r"\b(?:(?:earlier|later)\s+)?this\s+(?P<part>morning|afternoon)\b")
def _this_morning(match: re.Match[str], at: Moment) -> Found:
    return Found(calendar.days(at.today), part=match["part"].lower())


@DAYS.rule(r"\blast\s+(?P<part>night|evening)\b|\bthe\s+night\s+before\s+last\b")
def _last_night(match: re.Match[str], at: Moment) -> Found:
    return Found(calendar.days(at.today - timedelta(days=1 if match["part"] else 2)), part="night")


# Counted and vague distances.


@DAYS.rule(
    rf"""\b(?:about\s+|around\s+|almost\s+|over\s+|exactly\s+|roughly\s+|more\s+than\s+|just\s+)?
    (?: (?P<half>half\s+an?|a\s+half|half)
      | (?P<count>{words.NUMBER})(?P<and_half>\s+and\s+a\s+half)?(?:\s+or\s+(?:so|two|three|four))?
      | (?P<few>{words.FEW}) )
    \s+(?P<unit>{words.UNIT})s?(?P<late_half>\s+and\s+a\s+half)?(?:\s+or\s+so)?
    \s+(?P<way>ago|back\b(?!\s+(?:to|in|at|home))|earlier\s+today|from\s+now)\b"""
)
def _ago(match: re.Match[str], at: Moment) -> Stretch | None:
    sign = 1 if match["way"].lower().startswith("from") else -1
    return _away(match, at, sign)


@DAYS.rule(
    rf"""\b(?P<way>in|after)\s+(?:about\s+|around\s+|just\s+|exactly\s+|less\s+than\s+)?
    (?: (?P<half>half\s+an?|half) | (?P<count>{words.NUMBER})(?P<and_half>\s+and\s+a\s+half)? | (?P<few>{words.FEW}) )
    \s+(?P<unit>{words.UNIT})(?:s\b['’]?|['’]s\b|\b)(?P<late_half>\s+and\s+a\s+half)?(?:\s+time\b)?(?!\s+of\b|-)"""
)
def _in(match: re.Match[str], at: Moment) -> Stretch | None:
    """Not with a past verb: "I read it in three days" tells how long it took."""
    if match["way"].lower() == "after" or at.tense(match) < 0:
        return None
    return _away(match, at, 1)


def _away(match: re.Match[str], at: Moment, sign: int) -> Stretch | None:
    unit = words.unit(match["unit"])
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


@DAYS.rule(rf"\b(?P<count>two|three|four|2|3|4)\s+(?P<day>{words.WEEKDAY})s\s+ago\b")
def _fridays_ago(match: re.Match[str], at: Moment) -> Stretch:
    weeks = (numbers.english(match["count"]) or 1) - 1
    return calendar.days(calendar.weekday_before(at.today, words.weekday(match["day"])) - timedelta(weeks=weeks))


@DAYS.rule(
    rf"""\b(?:the\s+|these\s+|this\s+)?(?P<way>last|past|previous)\s+
    (?:(?P<few>{words.FEW}|couple(?:\s+of)?|few)|(?P<count>\d+|(?!an?\b)(?:{numbers.ENGLISH})))\s+(?P<unit>{words.UNIT})s?\b"""
)
def _last_few(match: re.Match[str], at: Moment) -> Stretch | None:
    unit = words.unit(match["unit"])
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


@DAYS.rule(r"\b(?:over|in|during|for|within)\s+the\s+(?:past|last)\s+(?P<unit>day|week|month|year)\b(?!\s+of)")
def _over_the_past(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.window(at.now, 1, match["unit"].lower())


@DAYS.rule(r"\bthe\s+other\s+(?P<unit>day|night|evening|morning|week|month)\b(?!\s+of)")
def _the_other_day(match: re.Match[str], at: Moment) -> Stretch:
    unit = match["unit"].lower()
    return calendar.few_away(at.now, -1, unit if unit in ("week", "month") else "day")


@DAYS.rule(r"\b(?:recently|lately|not\s+(?:so\s+|too\s+|that\s+)?long\s+ago|in\s+recent\s+(?:weeks|days))\b")
def _recently(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.window(at.now, 30, "day")


@DAYS.rule(r"\b(?:just\s+now|a\s+moment\s+ago|moments\s+ago|a\s+(?:few\s+)?second(?:s)?\s+ago)\b")
def _just_now(match: re.Match[str], at: Moment) -> Stretch:
    return Stretch(at.now - timedelta(minutes=15), at.now, "minute")


# Weeks, weekends and weekdays.


@DAYS.rule(r"\bthe\s+(?P<unit>week|weekend|month|year)\s+(?P<way>before\s+last|after\s+next|before\s+that\s+last)\b")
def _before_last(match: re.Match[str], at: Moment) -> Stretch:
    return _whole(match["unit"].lower(), at, -2 if match["way"].lower().startswith("before") else 2)


@DAYS.rule(rf"\bthe\s+(?P<day>{words.WEEKDAY})\s+(?P<way>before\s+last|after\s+next)\b")
def _friday_before_last(match: re.Match[str], at: Moment) -> Stretch:
    number = words.weekday(match["day"])
    if match["way"].lower().startswith("before"):
        return calendar.days(calendar.weekday_before(at.today, number) - timedelta(weeks=1))
    return calendar.days(calendar.weekday(at.today, number, 2))


@DAYS.rule(
    rf"""\b(?:on\s+)?(?P<day>{words.WEEKDAY})\s*,?\s+(?:of\s+)?(?:(?P<which>last|this|next)\s+week|(?P<before>(?:the\s+)?week\s+before\s+last)|in\s+(?P<count>two|2)\s+weeks)\b"""
)
def _friday_last_week(match: re.Match[str], at: Moment) -> Stretch:
    offset = -2 if match["before"] else 2 if match["count"] else words.offset(match["which"])
    return calendar.days(calendar.weekday(at.today, words.weekday(match["day"]), offset))


@DAYS.rule(
    rf"\b(?P<which>last|this\s+past|past|this\s+coming|this|next|coming|the\s+following)\s+(?P<day>{words.SHORT_DAY})(?!\w)"
)
def _last_friday(match: re.Match[str], at: Moment) -> Stretch:
    number, which = words.weekday(match["day"]), " ".join(match["which"].lower().split())
    if which.endswith(("last", "past")):
        return calendar.days(calendar.weekday_before(at.today, number))
    if which.endswith(("coming", "following")):
        return calendar.days(calendar.weekday_after(at.today, number))
    return calendar.days(calendar.weekday(at.today, number, words.offset(which)))


@DAYS.rule(
    r"""\b(?:(?P<how>early|earlier|late|later|the\s+end\s+of|the\s+beginning\s+of|the\s+start\s+of|by\s+the\s+end\s+of)\s+)?
    (?P<which>last|this\s+past|this\s+coming|this|next|the\s+following|the\s+past|the\s+coming|past|coming)\s+(?P<unit>weekend|week|month|year)\b(?!['’]s\s+resolution)(?!-)"""
)
def _last_week(match: re.Match[str], at: Moment) -> Stretch | None:
    unit, which = match["unit"].lower(), " ".join(match["which"].lower().split())
    offset = words.offset(which)
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


@DAYS.rule(r"\b(?P<how>the\s+end|the\s+beginning|the\s+start|the\s+middle)\s+of\s+the\s+(?P<unit>month|year|week)\b")
def _end_of_month(match: re.Match[str], at: Moment) -> Stretch | None:
    how, today = words.part(match["how"].split()[-1]), at.today
    if match["unit"].lower() == "week":
        return calendar.days(calendar.weekday(today, 4)) if how == "end" else None
    if match["unit"].lower() == "month":
        return calendar.month_part(today.year, today.month, how)
    return calendar.year_part(today.year, "middle" if how == "mid" else how)


@DAYS.rule(r"\b(?:(?:on|over|during|at|for|by)\s+the\s+weekend\b|at\s+weekend\b)(?!s)")
def _the_weekend(match: re.Match[str], at: Moment) -> Stretch:
    return calendar.nearest([calendar.weekend(at.today, n) for n in (-1, 0, 1)], at.now, at.tense(match))
