"""The measuring of boundaries: what is read, what is run, and that its figures can be trusted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hmind.errors import BadLabels
from hmind.evaluation import boundaries, dialogues
from hmind.evaluation.texttiling import text_tiling
from hmind.model import Role
from hmind.settings import load

GARDEN = ["The tomatoes in the garden are ripe", "Then pick the tomatoes soon", "I pick tomatoes tonight", "Good"]
KNEE = ["My knee hurts since the marathon", "Did a doctor look at the knee?", "The doctor did, the knee needs rest"]


def line(*, speakers: str = "AB", segments: tuple[int, ...] = (4, 3)) -> str:
    said = [{"speaker": speakers[index % 2], "text": text} for index, text in enumerate([*GARDEN, *KNEE])]
    return json.dumps({"id": "d1", "utterances": said, "segments": segments})


def test_a_dialogue_is_read_without_silences(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(line() + "\n\n" + line(segments=(7,)) + "\n", encoding="utf-8")
    first, second = dialogues.read(path)
    assert first.gold == [0, 0, 0, 1, 0, 0, 0]
    assert second.gold == [0] * 7
    assert [turn.speaker for turn in first.turns[:3]] == ["A", "B", "A"]
    assert {
        (b.occurred_at - a.occurred_at).total_seconds() for a, b in zip(first.turns, first.turns[1:], strict=False)
    } == {1}


def test_agents_are_assistants_and_all_others_people(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    said = [{"speaker": speaker, "text": "x"} for speaker in ("user", "agent", 1, "Bob", "Assistant")]
    path.write_text(json.dumps({"id": 1, "utterances": said, "segments": [5]}), encoding="utf-8")
    roles = [turn.role for turn in dialogues.read(path)[0].turns]
    assert roles == [Role.USER, Role.ASSISTANT, Role.USER, Role.USER, Role.ASSISTANT]


@pytest.mark.parametrize(
    "bad", ["{", "[]", "3", '{"id": 1}', line(segments=(4, 2)), line(segments=(7, 0)), line(segments=())]
)
def test_what_is_no_dialogue_is_refused_by_its_line(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(line() + "\n" + bad + "\n", encoding="utf-8")
    with pytest.raises(BadLabels, match=r"own\.jsonl, line 2"):
        dialogues.read(path)


def test_the_products_detector_and_the_baselines_are_run_on_each_set(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text(line() + "\n", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(line(segments=(7,)) + "\n" + line() + "\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no set", encoding="utf-8")
    detector = boundaries.topic_shifts(load({}))
    first = dict(boundaries.measure(tmp_path, detector))
    assert list(first) == ["a", "b"]
    assert list(first["a"]) == ["hmind", "none", "random", "TextTiling"]
    assert (first["a"]["hmind"].dialogues, first["b"]["hmind"].dialogues) == (2, 1)
    assert first["b"]["hmind"].f1 == 1
    # Of 7 turns with windows of 2 (7 / 2 / 2 rounded), the boundary is in 2 of 6.
    assert first["b"]["none"].pk == pytest.approx(2 / 6)
    assert set(first["b"]["hmind"].rounded()) == {"pk", "wd", "f1", "score", "dialogues", "turns_per_s"}
    second = dict(boundaries.measure(tmp_path, detector))
    for name in first:
        for method, measured in first[name].items():
            assert (measured.pk, measured.wd, measured.f1) == (
                second[name][method].pk,
                second[name][method].wd,
                second[name][method].f1,
            )


def test_published_figures_are_complete() -> None:
    sets = boundaries.published()
    assert set(sets) == {"dialseg711", "tiage"}
    for rows in sets.values():
        assert len({row.method for row in rows}) == 11
        assert all(0 < row.pk <= row.wd < 1 and 0 < row.f1 < 1 for row in rows)


class TestTextTiling:
    def test_two_vocabularies_are_parted_where_they_meet(self) -> None:
        turns = [f"tomato garden soil {word} plant water tomato garden" for word in ("sun", "rain", "pot", "seed")] * 8
        turns += [f"train ticket platform {word} delay track train ticket" for word in ("noon", "late", "city")] * 10
        found = text_tiling(turns)
        # It finds more than that one: half a deviation below the mean is not deep.
        assert 1 in found[30:33]
        assert sum(found) < 6

    def test_chinese_has_words_too(self) -> None:
        found = text_tiling(["番茄花园土壤浇水番茄花园阳光种子"] * 20 + ["火车车票站台晚点铁路火车车票中午"] * 20)
        assert 1 in found[18:21]

    @pytest.mark.parametrize("turns", [[], [""], ["😀", "…"], ["short", "talk"]])
    def test_what_is_too_short_has_no_boundary(self, turns: list[str]) -> None:
        assert text_tiling(turns) == [0] * len(turns)
