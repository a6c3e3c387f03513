"""Parts of longer times, and dates that were arranged: said on Wednesday 15 May 2024 at 14:00 UTC."""

from __future__ import annotations

from datetime import date

import pytest

from hmind.text import numbers
from hmind.text.times_calendar import nth_of_month, quarter
from tests.unit.text.times_table import read

PARTS = [
    ("We camp in the first week of July", "2024-07-01 week"),
    ("I was in Bonn in the last week of April", "2024-04-24 week"),
    ("The test is on the first Monday of June", "2024-06-03 day"),
    ("We met on the second Friday of last month", "2024-04-12 day"),
    ("on the last weekend of March 2023", "2023-03-25 day"),
    ("Sales fell last quarter", "2024-01-01 season"),
    ("We launch in the fourth quarter of 2025", "2025-10-01 season"),
    ("Q3 2023 was slow", "2023-07-01 season"),
    ("It opens in the second half of this year", "2024-07-01 season"),
    ("the first half of June", "2024-06-01 week"),
    ("She was born in the sixties", "1960-01-01 year"),
    ("Back in the 1980s we had one phone", "1980-01-01 year"),
    ("in the late 90s", "1997-01-01 year"),
    ("We fly in a fortnight", "2024-05-29 week"),
    ("I quit a fortnight ago", "2024-05-01 week"),
    ("a week from Friday", "2024-05-24 day"),
    ("See you Friday week", "2024-05-24 day"),
    ("We met two years ago in March", "2022-03-01 month"),
    ("late May", "2024-05-21 week"),
    ("on Tuesday at ten", "2024-05-21 10:00 hour"),
    ("twenty-five days ago", "2024-04-20 day"),
    ("七月第一周我们去露营", "2024-07-01 week"),
    ("六月的第一个星期一考试", "2024-06-03 day"),
    ("上个月最后一个周末", "2024-04-27 day"),
    ("第三季度上线", "2024-07-01 season"),
    ("上个季度业绩下滑了", "2024-01-01 season"),
    ("去年第四季度", "2023-10-01 season"),
    ("上世纪八十年代", "1980-01-01 year"),
    ("九十年代末", "1997-01-01 year"),
    ("两年前的三月我们认识", "2022-03-01 month"),
    ("去年中秋节我在家", "2023-09-29 day"),
    ("今年七夕", "2024-08-10 day"),
    ("去年重阳节", "2023-10-23 day"),
    ("今晚零点开抢", "2024-05-16 hour"),
    ("21号我做手术", "2024-05-21 day"),
]
ARRANGED = [
    ("I booked the flights for 20 January", "2025-01-20 day"),
    ("I just got tickets for the show on April 11", "2025-04-11 day"),
    ("I already signed up for the race on January 9", "2025-01-09 day"),
    ("My wedding is on 12 January", "2025-01-12 day"),
    ("我已经订了1月20号的机票", "2025-01-20 day"),
    ("我报名了1月9号的比赛", "2025-01-09 day"),
    ("We had tickets for the show on April 11", "2024-04-11 day"),
    ("I signed up on January 9", "2024-01-09 day"),
    ("We missed the appointment on January 9", "2024-01-09 day"),
    ("我买了5月3号的报纸", "2024-05-03 day"),
    ("我5月3号订了机票", "2024-05-03 day"),
]
NO_TIMES = [
    "I'm in my thirties",
    "He scored in the second quarter",
    "at one point",
    "最后一周",
    "the last quarter mile",
]


@pytest.mark.parametrize(("text", "expected"), PARTS)
def test_parts_of_longer_times(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(("text", "expected"), ARRANGED)
def test_what_was_arranged_is_yet_to_come_and_what_happened_is_not(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", NO_TIMES)
def test_false_friends_are_no_times(text: str) -> None:
    assert read(text) == ""


@pytest.mark.parametrize(
    ("nth", "weekday", "first", "length"),
    [
        (1, None, date(2024, 2, 1), 7),
        (-1, None, date(2024, 2, 23), 7),
        (1, 3, date(2024, 2, 1), 1),
        (-1, 3, date(2024, 2, 29), 1),
        (-1, -1, date(2024, 2, 24), 2),
    ],
)
def test_weeks_are_counted_from_the_first_and_leap_days_belong(
    nth: int, weekday: int | None, first: date, length: int
) -> None:
    found = nth_of_month(2024, 2, nth, weekday)
    assert found.start.date() == first
    assert (found.end - found.start).days == length


def test_quarters_run_into_other_years() -> None:
    assert quarter(2024, 0) == quarter(2023, 4)
    assert quarter(2024, 5).start.date() == date(2025, 1, 1)


@pytest.mark.parametrize(("text", "value"), [("twenty-five", 25), ("forty two", 42), ("twenty ten", None)])
def test_compound_numbers(text: str, value: int | None) -> None:
    assert numbers.english(text) == value
