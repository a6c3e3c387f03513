"""The measuring of closing phrases: what is read, and that precision and recall are counted rightly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hmind.errors import BadLabels
from hmind.evaluation import closing, samples
from hmind.model import Role

SAID: list[dict[str, Any]] = [
    {"speaker": "USER", "text": "Which bus goes to the zoo?", "closing": False, "thank": False},
    {"speaker": "SYSTEM", "text": "The 14. Bye!", "closing": False, "thank": False},
    {"speaker": "USER", "text": "Many thanks.", "closing": False, "thank": True},
    {"speaker": "SYSTEM", "text": "So it goes.", "closing": True, "thank": False},
    {"speaker": "USER", "text": "Goodbye!", "closing": True, "thank": False},
    {"speaker": "SYSTEM", "text": "Good night.", "closing": True, "thank": True},
]


def written(path: Path, rows: list[dict[str, Any]]) -> list[closing.Line]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return closing.read(path)


def counts(measured: closing.Measured) -> tuple[int, int, int, int]:
    return measured.gold, measured.found, measured.right, measured.turns


def test_turns_are_counted_by_who_says_them_and_what_counts(tmp_path: Path) -> None:
    groups = closing.measure(written(tmp_path / "a.jsonl", SAID), closing.phrases())
    assert {who: counts(measured) for who, measured in groups.items()} == {
        "user": (2, 2, 2, 3),
        "agent": (2, 2, 1, 3),
        "all": (4, 4, 3, 6),
        "farewells": (3, 4, 2, 6),
    }
    assert groups["all"].rounded() == {
        **{"precision": 0.75, "recall": 0.75, "f1": 0.75},
        **{"gold": 4, "found": 4, "right": 3, "turns": 6},
    }


def test_a_set_without_agents_and_thanks_has_one_group(tmp_path: Path) -> None:
    rows = [{"speaker": name, "text": "再见", "closing": True} for name in ("小林", "阿梅")]
    groups = closing.measure(written(tmp_path / "a.jsonl", rows), closing.phrases())
    assert {who: counts(measured) for who, measured in groups.items()} == {"all": (2, 2, 2, 2)}


def test_nothing_found_is_nothing_and_no_error() -> None:
    nothing = closing.Measured(gold=0, found=0, right=0, turns=3)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


@pytest.mark.parametrize("bad", [{"text": None}, {"text": 7}, {"closing": "yes"}, {"closing": None}, {"thank": 1}])
def test_what_is_no_labelled_turn_is_refused_by_its_line(tmp_path: Path, bad: dict[str, Any]) -> None:
    with pytest.raises(BadLabels, match=r"a\.jsonl, line 2: is no turn"):
        written(tmp_path / "a.jsonl", [SAID[0], SAID[1] | bad])


@pytest.mark.parametrize("key", ["speaker", "text", "closing"])
def test_what_lacks_a_field_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(BadLabels, match="line 1"):
        written(tmp_path / "a.jsonl", [{name: value for name, value in SAID[0].items() if name != key}])


def test_our_own_samples_hold_both_languages_and_both_sides() -> None:
    english, chinese = (closing.read(samples.own("closing") / f"{name}.jsonl") for name in ("en", "zh"))
    assert {line.role for line in english} == {Role.USER, Role.ASSISTANT}
    for lines in (english, chinese):
        ends = sum(line.closing or line.thank for line in lines)
        assert 15 <= ends <= len(lines) / 3
