"""Edges of the calendar: ends of months and years, leap days, far zones, clock changes, wild input."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.text.times import resolve
from tests.unit.text.times_table import read

KIRITIMATI, MIDWAY = ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Midway")

EDGES = [
    # said on, text, expected
    ("2024-01-01", "yesterday", "2023-12-31 day"),
    ("2024-01-01", "昨天", "2023-12-31 day"),
    ("2023-12-31", "tomorrow", "2024-01-01 day"),
    ("2023-12-31", "后天", "2024-01-02 day"),
    ("2024-02-28", "tomorrow", "2024-02-29 day"),
    ("2023-02-28", "明天", "2023-03-01 day"),
    ("2024-03-01", "昨天", "2024-02-29 day"),
    ("2024-02-29", "one year ago today", "2023-02-28 day"),
    ("2024-02-29", "去年的今天", "2023-02-28 day"),
    ("2024-05-31", "next month", "2024-06-01 month"),
    ("2024-12-31", "下个月", "2025-01-01 month"),
    ("2024-01-31", "上个月", "2023-12-01 month"),
    ("2024-03-31", "a month ago", "2024-02-01 month"),
    ("2024-01-15", "三个月前", "2023-10-01 month"),
    ("2024-01-15", "上个月底", "2023-12-25 week"),
    ("2024-02-10", "at the end of the month", "2024-02-23 week"),
    ("2023-02-10", "月底", "2023-02-22 week"),
    ("2024-01-01", "last week", "2023-12-25 week"),
    ("2025-01-01", "this week", "2024-12-30 week"),
    ("2024-12-30", "下周三", "2025-01-08 day"),
    ("2025-01-02", "上周五", "2024-12-27 day"),
    ("2025-01-02", "这周一", "2024-12-30 day"),
    ("2024-05-20", "last Friday", "2024-05-17 day"),  # said on a Monday
    ("2024-05-17", "last Friday", "2024-05-10 day"),  # said on a Friday
    ("2024-05-18", "last Friday", "2024-05-17 day"),  # said on a Saturday
    ("2024-05-19", "next Monday", "2024-05-20 day"),  # said on a Sunday
    ("2024-05-20", "next Friday", "2024-05-31 day"),
    ("2024-05-19", "上周日", "2024-05-12 day"),
    ("2024-05-19", "last weekend", "2024-05-11 day"),
    ("2024-01-10", "last summer", "2023-06-01 season"),
    ("2024-10-10", "last summer", "2024-06-01 season"),
    ("2024-01-10", "this winter", "2023-12-01 season"),
    ("2024-01-10", "in November we met", "2023-11-01 month"),
    ("2024-12-10", "in January we will meet", "2025-01-01 month"),
    ("2023-06-01", "on February 29 he was born", "2020-02-29 day"),
    ("2023-06-01", "2月30号去了", ""),
    ("2023-06-01", "2月30日出发", ""),
    ("2023-06-01", "February 29, 2023", ""),
    ("2024-01-02", "除夕要回家", "2024-02-09 day"),
    ("2024-04-01", "清明节", "2024-04-04 day"),
    ("2024-04-20", "last Easter", "2024-03-31 day"),
]


@pytest.mark.parametrize(("said_on", "text", "expected"), EDGES)
def test_edges_of_the_calendar(said_on: str, text: str, expected: str) -> None:
    assert read(text, datetime.fromisoformat(said_on + "T12:00+00:00")) == expected


@pytest.mark.parametrize(
    ("zone", "text", "expected"),
    [
        (KIRITIMATI, "昨天", "2024-05-15 day"),  # it is already the 16th there
        (KIRITIMATI, "this morning", "2024-05-16 06:00 hour"),
        (KIRITIMATI, "tomorrow at 3:30 pm", "2024-05-17 15:30 minute"),
        (KIRITIMATI, "上周四", "2024-05-09 day"),
        (MIDWAY, "yesterday", "2024-05-13 day"),  # it is still the 14th there
        (MIDWAY, "今晚", "2024-05-14 18:00 hour"),
        (MIDWAY, "last Tuesday", "2024-05-07 day"),
        (MIDWAY, "明天下午三点", "2024-05-15 15:00 hour"),
    ],
)
def test_days_are_those_of_the_speakers_zone(zone: tzinfo, text: str, expected: str) -> None:
    assert read(text, datetime(2024, 5, 15, 10, 30, tzinfo=UTC), zone) == expected


def test_results_are_in_utc() -> None:
    at = datetime(2024, 5, 15, 10, 30, tzinfo=UTC)
    far_east = resolve("yesterday", at, KIRITIMATI)[0]
    far_west = resolve("昨天", at, MIDWAY)[0]
    assert (far_east.start, far_east.end) == (
        datetime(2024, 5, 14, 10, tzinfo=UTC),
        datetime(2024, 5, 15, 10, tzinfo=UTC),
    )
    assert (far_west.start, far_west.end) == (
        datetime(2024, 5, 13, 11, tzinfo=UTC),
        datetime(2024, 5, 14, 11, tzinfo=UTC),
    )
    assert far_east.start.tzinfo is UTC


def test_year_ends_on_both_sides_of_the_date_line() -> None:
    at = datetime(2023, 12, 31, 10, 30, tzinfo=UTC)
    assert read("last year", at, KIRITIMATI) == "2023-01-01 year"
    assert read("去年", at, MIDWAY) == "2022-01-01 year"


def test_a_day_with_a_clock_change_has_23_hours() -> None:
    found = resolve("yesterday", datetime(2024, 4, 1, 12, tzinfo=UTC), ZoneInfo("Europe/Berlin"))[0]
    assert found.end - found.start == timedelta(hours=23)


@pytest.mark.parametrize(
    ("text", "direction"),
    [("yesterday", -1), ("昨天", -1), ("today", 0), ("今年", 0), ("tomorrow", 1), ("下周三", 1), ("recently", -1)],
)
def test_direction(text: str, direction: int) -> None:
    assert [found.direction for found in resolve(text, datetime(2024, 5, 15, 14, tzinfo=UTC))] == [direction]


def test_text_and_span_are_those_of_the_words() -> None:
    text = "上周三我去了医院, and I left last Friday."
    found = resolve(text, datetime(2024, 5, 15, 14, tzinfo=UTC))
    assert [one.text for one in found] == ["上周三", "last Friday"]
    assert all(text[slice(*one.span)] == one.text for one in found)


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        resolve("yesterday", datetime(2024, 5, 15))  # noqa: DTZ001


WORDS = st.sampled_from(
    re.split(
        r"\|",
        "yesterday|last Friday|two weeks ago|999999 years ago|in 9999 months|the end of the month|31 February"
        "|at 3 pm|May|tonight|, | |in |of |9999-12-31|24:00|23:59"
        "|2月|30号|昨晚|十二点|上上上周|下下下周日|百千年前|9999年后|两千零三天前|春节|月底|大前年|刚才"
        "|1999年|半|天|的|。|2月29日|凌晨|今天",
    )
)
MOMENTS = st.datetimes(
    timezones=st.sampled_from([UTC, KIRITIMATI, MIDWAY, timezone(timedelta(hours=-23, minutes=-59))])
)


@given(
    st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=8).map("".join)),
    MOMENTS,
    st.sampled_from([UTC, KIRITIMATI, MIDWAY]),
)
def test_any_text_at_any_moment_is_survived_in_order(text: str, at: datetime, zone: tzinfo) -> None:
    found = resolve(text, at, zone)
    ends = 0
    for one in found:
        assert one.span[0] >= ends
        ends = one.span[1]
        assert text[slice(*one.span)] == one.text != ""
        assert one.start <= one.end
        assert one.start.tzinfo is UTC
        assert one.end.tzinfo is UTC
        assert one.grain in {"minute", "hour", "day", "week", "month", "season", "year", "recent"}
    assert found == resolve(text, at, zone)
