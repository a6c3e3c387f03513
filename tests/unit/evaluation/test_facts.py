"""The measuring of facts: a constructed analyst gives the figures that one can count by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hmind.analysis.offline import OfflineAnalyst
from hmind.errors import BadLabels
from hmind.evaluation.facts import measure_facts, read, same_text
from hmind.model import Analysis, CandidateFact, FoundEvent, Known, Role, Segment, Statement

SAMPLE = Path(__file__).parents[3] / "benchmarks/samples/analysis/facts.jsonl"
AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


class Scripted:
    """An analyst that claims what a script says for the first turn's text. Implements the Analyst protocol."""

    name = "scripted"

    def __init__(self, script: Mapping[str, list[tuple[Any, ...]]]) -> None:
        self._script = script

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        facts = tuple(
            CandidateFact(subject, predicate, item, confidence, ("0",), "user", valid_to=AT if over else None)
            for subject, predicate, item, confidence, over in self._script[segment.turns[0].content]
        )
        event = FoundEvent("x", (Statement("x", ("0",)),), 0.5, {}, AT, ("0",), facts=facts)
        return Analysis((event,), {}, self.name)


def line(name: str, text: str, facts: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    turns = [{"speaker": "user", "role": "user", "text": text}]
    return {"id": name, "lang": "en", "at": AT.isoformat(), "turns": turns, "facts": facts, **more}


def lives(place: str, **more: Any) -> dict[str, Any]:
    return {"subject": "user", "predicate": "lives_in", "object": place, **more}


def table(tmp_path: Path, *lines: dict[str, Any]) -> Path:
    path = tmp_path / "facts.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def test_precision_recall_and_hard_negatives_are_counted(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        line("right", "a", [lives("Rome")]),
        line("missed", "b", [lives("Rome"), lives("Ostia")], held_out=True),
        line("taken", "c", [], hard=True, lang="zh"),
        line("left", "d", [], hard=True, lang="zh"),
    )
    figures = measure_facts(
        path,
        Scripted(
            {
                "a": [("user", "lives_in", "rome.", 0.9, False)],
                "b": [("user", "lives_in", "Ostia", 0.56, False), ("user", "lives_in", "Rome", 0.54, False)],
                "c": [("user", "lives_in", "Rome", 0.9, False)],
                "d": [],
            }
        ),
    )
    assert (figures.n, figures.precision, figures.recall) == (4, 2 / 3, 2 / 3)
    assert (figures.hard_negatives, figures.hard_taken) == (2, 1)
    assert figures.languages["en"].precision == 1
    assert figures.languages["zh"].precision == 0
    assert figures.held_out is not None
    assert (figures.held_out.lines, figures.held_out.recall) == (1, 0.5)
    assert figures.missed == {"missed": (("user", "lives_in", "Rome"),)}
    assert figures.wrong == {"taken": (("user", "lives_in", "Rome"),)}


def test_what_is_allowed_counts_neither_way_and_twice_counts_once(tmp_path: Path) -> None:
    path = table(tmp_path, line("one", "a", [lives("Rome")], allowed=[lives("Lazio")]))
    claimed = [("user", "lives_in", place, 0.9, False) for place in ("Rome", "the Rome", "Lazio")]
    figures = measure_facts(path, Scripted({"a": claimed}))
    assert (figures.overall.found, figures.overall.wrong, figures.overall.missed) == (1, 0, 0)


@pytest.mark.parametrize(("labelled", "claimed", "right"), [(True, True, 1), (True, False, 0), (False, True, 0)])
def test_what_is_over_is_not_what_goes_on(tmp_path: Path, labelled: bool, claimed: bool, right: int) -> None:
    path = table(tmp_path, line("one", "a", [lives("Rome", over=labelled)]))
    figures = measure_facts(path, Scripted({"a": [("user", "lives_in", "Rome", 0.9, claimed)]}))
    assert figures.overall.found == right
    assert figures.overall.wrong == 1 - right


def test_wordings_and_other_names_of_a_predicate_agree(tmp_path: Path) -> None:
    fact = {"subject": "user", "predicate": ["likes", "favourite"], "object": ["jazz", "jazz music"]}
    path = table(tmp_path, line("one", "a", [fact]))
    assert measure_facts(path, Scripted({"a": [("user", "hobby", "Jazz music", 0.9, False)]})).recall == 1
    assert measure_facts(path, Scripted({"a": [("user", "dislikes", "jazz", 0.9, False)]})).precision == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a Cargo bike", "cargo bike.", True),
        ("Ｖｏｌｖｏ", "volvo", True),
        ("一只猫，叫年糕", "猫叫年糕", True),
        ("离婚了", "离婚", True),
        ("dog", "dog called Rex", False),
        ("猫", "狗", False),
    ],
)
def test_texts_agree_but_for_case_width_articles_and_punctuation(one: str, other: str, same: bool) -> None:
    assert same_text(one, other) is same


@pytest.mark.parametrize("broken", ["{}", "no json", '{"id": 1, "lang": "en", "at": "2026-01-01", "turns": []}'])
def test_a_broken_line_is_named_without_its_text(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_text("\n" + broken, encoding="utf-8")
    with pytest.raises(BadLabels, match=r"line 2") as refused:
        read(path)
    assert "no json" not in str(refused.value)


def test_the_sample_is_half_chinese_and_half_of_hard_negatives() -> None:
    lines = read(SAMPLE)
    assert len(lines) >= 450
    assert len({one.id for one in lines}) == len(lines)
    assert 0.45 <= sum(one.language == "zh" for one in lines) / len(lines) <= 0.55
    assert sum(one.hard for one in lines) * 2 >= len(lines)
    assert sum(one.held_out for one in lines) == 58
    assert any(turn.role is Role.ASSISTANT for one in lines for turn in one.turns)


def test_the_offline_analyst_reads_the_sample_as_promised() -> None:
    figures = measure_facts(SAMPLE, OfflineAnalyst())
    assert figures.precision >= 0.95
    assert figures.recall >= 0.9
    assert figures.hard_taken <= 3
    assert all(share.precision >= 0.95 and share.recall >= 0.85 for share in figures.languages.values())
