"""On which days the holidays fall that people date their stories by. Approximate where customs differ."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from hmind.text.times_calendar import Stretch, days

_SPRING_FESTIVAL = """2010-02-14 2011-02-03 2012-01-23 2013-02-10 2014-01-31 2015-02-19 2016-02-08 2017-01-28
    2018-02-16 2019-02-05 2020-01-25 2021-02-12 2022-02-01 2023-01-22 2024-02-10 2025-01-29 2026-02-17 2027-02-06
    2028-01-26 2029-02-13 2030-02-03"""
_DRAGON_BOAT = """2018-06-18 2019-06-07 2020-06-25 2021-06-14 2022-06-03 2023-06-22 2024-06-10 2025-05-31
    2026-06-19 2027-06-09 2028-05-28 2029-06-16 2030-06-05"""
_MID_AUTUMN = """2018-09-24 2019-09-13 2020-10-01 2021-09-21 2022-09-10 2023-09-29 2024-09-17 2025-10-06
    2026-09-25 2027-09-15 2028-10-03 2029-09-22 2030-09-12"""

_QIXI = """2018-08-17 2019-08-07 2020-08-25 2021-08-14 2022-08-04 2023-08-22 2024-08-10 2025-08-29
    2026-08-19 2027-08-08 2028-08-26 2029-08-16 2030-08-05"""
_DOUBLE_NINTH = """2018-10-17 2019-10-07 2020-10-25 2021-10-14 2022-10-04 2023-10-23 2024-10-11 2025-10-29
    2026-10-18 2027-10-08 2028-10-26 2029-10-16 2030-10-05"""


def _fixed(month: int, day: int) -> Callable[[int], date | None]:
    return lambda year: date(year, month, day)


def _listed(dates: str, shift: int = 0) -> Callable[[int], date | None]:
    by_year = {int(one[:4]): date.fromisoformat(one) + timedelta(days=shift) for one in dates.split()}
    return by_year.get


def _nth_sunday(month: int, nth: int) -> Callable[[int], date | None]:
    def rule(year: int) -> date:
        first = date(year, month, 1)
        return first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (nth - 1))

    return rule


def _thanksgiving(year: int) -> date:
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


def _easter(year: int) -> date:
    """Easter Sunday by the anonymous Gregorian rule (Meeus, Astronomical Algorithms, chapter 8)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day = divmod(h + k - 7 * m + 114, 31)
    return date(year, month, day + 1)


_DAYS: dict[str, tuple[Callable[[int], date | None], int]] = {
    "christmas eve": (_fixed(12, 24), 1),
    "christmas": (_fixed(12, 25), 1),
    "xmas": (_fixed(12, 25), 1),
    "new year's eve": (_fixed(12, 31), 1),
    "new year's": (_fixed(1, 1), 1),
    "halloween": (_fixed(10, 31), 1),
    "valentine's": (_fixed(2, 14), 1),
    "independence day": (_fixed(7, 4), 1),
    "thanksgiving": (_thanksgiving, 1),
    "easter": (_easter, 1),
    "mother's day": (_nth_sunday(5, 2), 1),
    "father's day": (_nth_sunday(6, 3), 1),
    "chinese new year": (_listed(_SPRING_FESTIVAL), 7),
    "元旦": (_fixed(1, 1), 1),
    "情人节": (_fixed(2, 14), 1),
    "妇女节": (_fixed(3, 8), 1),
    "清明": (lambda year: date(year, 4, int(0.2422 * (year % 100) + 4.81) - year % 100 // 4), 1),
    "五一": (_fixed(5, 1), 5),
    "劳动节": (_fixed(5, 1), 5),
    "儿童节": (_fixed(6, 1), 1),
    "六一": (_fixed(6, 1), 1),
    "教师节": (_fixed(9, 10), 1),
    "国庆": (_fixed(10, 1), 7),
    "十一": (_fixed(10, 1), 7),
    "万圣节": (_fixed(10, 31), 1),
    "双十一": (_fixed(11, 11), 1),
    "双11": (_fixed(11, 11), 1),
    "平安夜": (_fixed(12, 24), 1),
    "圣诞": (_fixed(12, 25), 1),
    "除夕": (_listed(_SPRING_FESTIVAL, -1), 1),
    "大年三十": (_listed(_SPRING_FESTIVAL, -1), 1),
    "大年初一": (_listed(_SPRING_FESTIVAL), 1),
    "春节": (_listed(_SPRING_FESTIVAL), 7),
    "元宵": (_listed(_SPRING_FESTIVAL, 14), 1),
    "端午": (_listed(_DRAGON_BOAT), 1),
    "七夕": (_listed(_QIXI), 1),
    "重阳": (_listed(_DOUBLE_NINTH), 1),
    "母亲节": (_nth_sunday(5, 2), 1),
    "父亲节": (_nth_sunday(6, 3), 1),
    "感恩节": (_thanksgiving, 1),
    "中秋": (_listed(_MID_AUTUMN), 1),
}

NAMES = tuple(_DAYS)
"""All holidays known, in lower case; the Chinese ones without a closing 节 where it may be left out."""


def holiday(name: str, year: int) -> Stretch | None:
    """The days of a holiday in a year; None where the lunar calendar of that year is not listed."""
    rule, length = _DAYS[name]
    first = rule(year)
    if first is None:
        return None
    return days(first, length, "week" if length >= 5 else "day")
