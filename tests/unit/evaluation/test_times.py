"""The measuring of time expressions, and the product's reader on the sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hmind.errors import BadLabels
from hmind.evaluation.times import measure_times, read

SAMPLE = Path(__file__).parents[3] / "benchmarks/samples/analysis/times.jsonl"


def line(name: str, text: str, expected: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    at, zone = "2026-03-04T10:00:00+08:00", "Asia/Shanghai"
    return {"id": name, "lang": "en", "text": text, "at": at, "zone": zone, "expected": expected, **more}


def table(tmp_path: Path, *lines: dict[str, Any]) -> Path:
    path = tmp_path / "times.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "expected", "right"),
    [
        ("I left yesterday", {"day": "2026-03-03"}, True),
        ("I left yesterday", {"day": "2026-03-02"}, False),
        ("I left last week", {"start": "2026-02-23", "end": "2026-03-02"}, True),
        ("I left last week", {"start": "2026-02-23", "end": "2026-03-01"}, False),
        ("It starts tomorrow at 5 pm", {"moment": "2026-03-05T17:00"}, True),
        ("It starts tomorrow", {"moment": "2026-03-05T00:00"}, False),
        ("I left last week", {"within": ["2026-02-20", "2026-03-04"], "contains": "2026-02-25"}, True),
        ("I left last week", {"within": ["2026-02-24", "2026-03-04"], "contains": "2026-02-25"}, False),
        ("I left last week", {"within": ["2026-02-20", "2026-03-04"], "contains": "2026-03-03"}, False),
        ("I swim every Friday", None, True),
        ("I left yesterday", None, False),
        ("I left yesterday and she came on Monday", {"day": "2026-03-03"}, False),
        ("Nothing is said of when", {"day": "2026-03-03"}, False),
    ],
)
def test_a_line_is_right_only_with_the_one_expected_time(
    tmp_path: Path, text: str, expected: dict[str, Any] | None, right: bool
) -> None:
    figures = measure_times(table(tmp_path, line("one", text, expected)))
    assert figures.accuracy == right
    assert figures.wrong == (() if right else ("one",))


def test_shares_by_language_and_of_what_is_held_out(tmp_path: Path) -> None:
    figures = measure_times(
        table(
            tmp_path,
            line("a", "I left yesterday", {"day": "2026-03-03"}, held_out=True),
            line("b", "I left yesterday", {"day": "2026-03-01"}, held_out=True),
            line("c", "昨天我走了", {"day": "2026-03-03"}, lang="zh"),
        )
    )
    assert (figures.n, figures.accuracy, figures.held_out) == (3, 2 / 3, 0.5)
    assert figures.languages == {"en": 0.5, "zh": 1.0}
    assert figures.wrong == ("b",)


def test_without_lines_set_aside_there_is_no_such_share(tmp_path: Path) -> None:
    assert measure_times(table(tmp_path, line("a", "yesterday", {"day": "2026-03-03"}))).held_out is None


@pytest.mark.parametrize(
    "broken",
    [{}, line("a", "x", {"day": "no day"}), {**line("a", "x", None), "at": "2026-03-04T10:00"}, line("a", "x", {})],
)
def test_a_broken_line_is_named(tmp_path: Path, broken: dict[str, Any]) -> None:
    with pytest.raises(BadLabels, match=r"line 1"):
        read(table(tmp_path, broken))


def test_an_id_that_stands_twice_and_an_empty_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadLabels, match=r"line 2"):
        read(table(tmp_path, line("a", "x", None), line("a", "y", None)))
    with pytest.raises(BadLabels):
        measure_times(table(tmp_path))


def test_the_reader_reads_the_sample_as_promised() -> None:
    figures = measure_times(SAMPLE)
    assert figures.n >= 180
    assert figures.accuracy >= 0.97
    assert all(share >= 0.95 for share in figures.languages.values())
    assert figures.held_out is not None
    assert figures.held_out >= 0.95


def test_the_sample_has_the_zones_at_both_ends_of_the_day() -> None:
    lines = read(SAMPLE)
    assert {"Pacific/Kiritimati", "Pacific/Midway", "Europe/Berlin", "America/New_York"} <= {
        one.zone.key for one in lines
    }
    assert sum(one.held_out for one in lines) == 40
