"""Calendar arithmetic in the speaker's local time: stretches of days, weeks, months, seasons, years.

Everything here is naive and local; times.py turns it into UTC. Weeks start on Monday.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

MONTHS = tuple(
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""First month of each season, as on the northern half of the earth; winter runs into the next year."""

MONTH_PARTS = {"begin": (1, 7), "early": (1, 10), "mid": (11, 20), "late": (21, 31), "end": (-7, 31)}
"""First and last day of the parts of a month; -7 is the seventh from the end."""

YEAR_PARTS = {
    "begin": (1, 2),
    "early": (1, 4),
    "first_half": (1, 6),
    "mid": (5, 8),
    "middle": (6, 7),
    "second_half": (7, 12),
    "late": (9, 12),
    "end": (12, 12),
}
"""First and last month of the parts of a year."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Local time from ``start`` to ``end`` (exclusive), as exact as ``grain`` says."""

    start: datetime
    end: datetime
    grain: str


def days(first: date, count: int = 1, grain: str = "day") -> Stretch:
    """``count`` days from ``first`` on."""
    start = datetime.combine(first, time())
    return Stretch(start, start + timedelta(days=count), grain)


def monday(day: date) -> date:
    """The Monday of the week of ``day``."""
    return day - timedelta(days=day.weekday())


def week(today: date, offset: int = 0) -> Stretch:
    """The week ``offset`` weeks from the one of ``today``."""
    return days(monday(today) + timedelta(weeks=offset), 7, "week")


def weekday(today: date, number: int, offset: int = 0) -> date:
    """Weekday ``number`` (0 is Monday) of the week ``offset`` weeks from the one of ``today``."""
    return monday(today) + timedelta(weeks=offset, days=number)


def weekday_before(today: date, number: int) -> date:
    """The last weekday ``number`` strictly before ``today``."""
    return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)


def weekday_after(today: date, number: int) -> date:
    """The first weekday ``number`` strictly after ``today``."""
    return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)


def weekend(today: date, offset: int = 0) -> Stretch:
    """Saturday and Sunday of the week ``offset`` weeks from the one of ``today``."""
    return days(weekday(today, 5, offset), 2, "day")


def month(year: int, number: int) -> Stretch:
    """A whole month; ``number`` may run under 1 or over 12 into other years."""
    return _months(year, number, 1, "month")


def year(number: int) -> Stretch:
    """A whole year."""
    return _months(number, 1, 12, "year")


def years(first: int, count: int) -> Stretch:
    """``count`` years from ``first`` on, such as a decade."""
    return _months(first, 1, 12 * count, "year")


def quarter(year: int, number: int) -> Stretch:
    """A quarter of a year; ``number`` may run under 1 or over 4 into other years."""
    return _months(year, 3 * number - 2, 3, "season")


def nth_of_month(year: int, number: int, nth: int, weekday: int | None) -> Stretch:
    """The ``nth`` week, weekday or weekend of a month; -1 is the last.

    Weeks are counted from the first of the month, seven days each, so that the first week of June is
    the 1st to the 7th. A weekend belongs to the month of its Saturday.

    Args:
        weekday: 0 is Monday, -1 the weekend, None the week.
    """
    whole = month(year, number)
    first, after = whole.start.date(), whole.end.date()
    if weekday is None:
        start = after - timedelta(days=7) if nth < 0 else first + timedelta(days=7 * (nth - 1))
        return days(start, 7, "week")
    day = 5 if weekday < 0 else weekday
    if nth < 0:
        start = weekday_before(after, day)
    else:
        start = weekday_after(first - timedelta(days=1), day) + timedelta(weeks=nth - 1)
    return days(start, 2 if weekday < 0 else 1)


def season(year: int, name: str) -> Stretch:
    """A season; the winter of a year begins in its December."""
    return _months(year, SEASONS[name], 3, "season")


def month_part(year: int, number: int, part: str) -> Stretch:
    """The beginning (``begin``), ``early``, ``mid``, ``late`` part or ``end`` of a month."""
    whole = month(year, number)
    length = (whole.end - whole.start).days
    first, last = MONTH_PARTS[part]
    first = first if first > 0 else length + 1 + first
    return days(whole.start.date() + timedelta(days=first - 1), min(last, length) - first + 1, "week")


def year_part(number: int, part: str) -> Stretch:
    """A part of a year, by the names of YEAR_PARTS; the end of a year is its December."""
    first, last = YEAR_PARTS[part]
    return _months(number, first, last - first + 1, "month" if first == last else "season")


def shift_months(day: date, count: int) -> date:
    """The same day ``count`` months on; the month's last day where it has no such day."""
    first = month(day.year, day.month + count)
    length = (first.end - first.start).days
    return first.start.date().replace(day=min(day.day, length))


def away(now: datetime, count: float, unit: str) -> Stretch:
    """``count`` units before (negative) or after ``now``.

    Minutes and hours are counted from the clock; days give that day, weeks the seven days from
    that day on, months and years the calendar month and year.
    """
    if unit in ("minute", "hour"):
        if count % 1:
            unit, count = "minute", count * 60
        start = (now + timedelta(**{unit + "s": count})).replace(second=0, microsecond=0)
        start = start.replace(minute=0) if unit == "hour" else start
        return Stretch(start, start + timedelta(**{unit + "s": 1}), unit)
    today = now.date()
    if unit == "year" and count % 1:
        unit, count = "month", count * 12
    if unit == "month" and count % 1:
        return days(shift_months(today, int(count)) + timedelta(days=15 if count > 0 else -15))
    if unit == "week" and count % 1:
        unit, count = "day", count * 7
    whole = int(count)
    if unit == "day":
        return days(today + timedelta(days=whole))
    if unit == "week":
        return days(today + timedelta(weeks=whole), 7, "week")
    return month(today.year, today.month + whole) if unit == "month" else year(today.year + whole)


def few_away(now: datetime, sign: int, unit: str, least: int = 2, most: int = 5) -> Stretch:
    """A vague window: between ``least`` and ``most`` units before (sign -1) or after now."""
    ends = [away(now, sign * count, unit) for count in (least, most)]
    return Stretch(min(end.start for end in ends), max(end.end for end in ends), "recent")


def window(now: datetime, count: float, unit: str) -> Stretch:
    """The last ``count`` units up to now, or the next ones when negative, as a vague window."""
    if unit in ("month", "year"):
        first = shift_months(now.date(), -int(count * (12 if unit == "year" else 1)))
        edge = datetime.combine(first, time())
    elif unit in ("day", "week"):
        edge = datetime.combine(now.date() - timedelta(**{unit + "s": count}), time())
    else:
        edge = now - timedelta(**{unit + "s": count})
    return Stretch(edge, now, "recent") if edge <= now else Stretch(now, edge, "recent")


def nearest(choices: list[Stretch], now: datetime, tense: int) -> Stretch:
    """The choice that fits the tense and lies nearest to now.

    Past takes what began before today and future what is not over; with tense 0 the nearest
    of all, today's own before any other.
    """
    midnight = datetime.combine(now.date(), time())
    if tense < 0:
        fitting = [one for one in choices if one.start < midnight]
    elif tense > 0:
        fitting = [one for one in choices if one.end > now]
    else:
        fitting = choices
    return min(fitting or choices, key=lambda one: _distance(one, now))


def _distance(one: Stretch, now: datetime) -> timedelta:
    return max(one.start - now, now - one.end, timedelta())


def _months(year: int, number: int, count: int, grain: str) -> Stretch:
    first, last = (datetime(year + (n - 1) // 12, (n - 1) % 12 + 1, 1) for n in (number, number + count))  # noqa: DTZ001
    return Stretch(first, last, grain)
