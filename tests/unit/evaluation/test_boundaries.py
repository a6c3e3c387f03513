"""The measuring of boundaries: what is read, what is run, and that its figures can be trusted."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize.texttiling import TextTilingTokenizer

from hmind.errors import BadLabels
from hmind.evaluation import boundaries, dialogues, labels
from hmind.evaluation.texttiling import TextTiling, block_comparison, spelt
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


@pytest.mark.parametrize("speaker", ["客服", "客服2", "坐席", "客服代表", " Agent ", "BOT_3", "SYSTEM"])
def test_agents_are_known_by_many_names(speaker: str) -> None:
    assert labels.role_of(speaker) is Role.ASSISTANT


@pytest.mark.parametrize("speaker", ["客户", "用户1", "A", "7", "王先生", "Agentha", ""])
def test_people_are_people(speaker: str) -> None:
    assert labels.role_of(speaker) is Role.USER


@pytest.mark.parametrize(
    "bad",
    [
        *("{", "[]", "3", "null", '{"id": 1}', "[" * 100_000, "\udcff"),
        *(line(segments=(4, 2)), line(segments=(7, 0)), line(segments=())),
        '{"id": 1, "utterances": [{"speaker": "A", "text": null}], "segments": [1]}',
        '{"id": 1, "utterances": ["hello"], "segments": [1]}',
        '{"id": 1, "utterances": [], "segments": []}',
    ],
)
def test_what_is_no_dialogue_is_refused_by_its_line(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(line() + "\n" + bad + "\n", encoding="utf-8", errors="surrogateescape")
    with pytest.raises(BadLabels, match=r"own\.jsonl, line 2: ") as refused:
        dialogues.read(path)
    assert "hello" not in str(refused.value)


def test_a_folder_without_samples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadLabels, match="is no folder"):
        labels.folder(tmp_path / "none", dialogues.read)
    (tmp_path / "notes.txt").write_text("no set", encoding="utf-8")
    with pytest.raises(BadLabels, match=r"holds no \*\.jsonl"):
        labels.folder(tmp_path, dialogues.read)
    (tmp_path / "a.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(BadLabels, match=r"a\.jsonl: holds no samples"):
        labels.folder(tmp_path, dialogues.read)
    (tmp_path / "a.jsonl").unlink()
    (tmp_path / "a.jsonl").mkdir()
    with pytest.raises(BadLabels, match=r"a\.jsonl: cannot be read"):
        labels.folder(tmp_path, dialogues.read)


def test_the_products_detector_and_the_baselines_are_run_on_each_set(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text("\ufeff" + line() + "\n", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(line(segments=(7,)) + "\n" + line() + "\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no set", encoding="utf-8")
    sets = labels.folder(tmp_path, dialogues.read)
    assert {stem: len(labelled) for stem, labelled in sets.items()} == {"a": 2, "b": 1}
    done: list[int] = []
    judge = boundaries.judge(load({}))
    assert boundaries.measure(sets["a"], judge, done.append).dialogues == 2
    assert done == [1, 2]
    ours = boundaries.measure(sets["b"], judge)
    assert ours.f1 == 1
    assert set(ours.rounded()) == {"pk", "wd", "f1", "score", "dialogues", "turns_per_s"}
    methods = boundaries.baselines()
    assert list(methods) == ["none", "random", "TextTiling"]
    # Of 7 turns with windows of 2 (7 / 2 / 2 rounded), the boundary is in 2 of 6.
    assert boundaries.measure(sets["b"], methods["none"]).pk == pytest.approx(2 / 6)


def test_chance_is_the_same_each_time(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text((line() + "\n") * 20, encoding="utf-8")
    labelled = labels.folder(tmp_path, dialogues.read)["a"]
    first, second = (boundaries.measure(labelled, boundaries.baselines()["random"]) for _ in range(2))
    assert (first.pk, first.wd, first.f1) == (second.pk, second.wd, second.f1)
    assert 0 < first.f1 < 1


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"HMIND_BOUNDARY_COHERENCE": "true"}, "coherence model"),
        ({"HMIND_BOUNDARY_COHERENCE": "false", "HMIND_BOUNDARY_TOPIC_SHIFT_BELOW_COS": "0.25"}, "cosine below 0.25"),
    ],
)
def test_what_was_measured_is_named(environment: dict[str, str], said: str) -> None:
    judge = boundaries.judge(load(environment))
    assert judge.rule.startswith(said)
    assert judge.embedder == "use-multilingual-3"


def test_published_figures_are_complete() -> None:
    sets = boundaries.published()
    assert set(sets) == {"dialseg711", "tiage"}
    for rows in sets.values():
        assert len({row.method for row in rows}) == 11
        assert all(0 < row.pk <= row.wd < 1 and 0 < row.f1 < 1 for row in rows)


def test_published_figures_are_found_by_the_name_of_the_file() -> None:
    rows = boundaries.published_for("TIAGE_dev")
    assert (rows[0].method, rows[-1].method) == ("Def-DTS", "random")
    assert rows[0].score == pytest.approx((2 * 0.699 + 1 - 0.232 + 1 - 0.256) / 4)
    assert boundaries.published_for("chat_en") == ()


class TestTextTiling:
    def test_two_vocabularies_are_parted_where_they_meet(self) -> None:
        first = ["sun", "rain", "pot", "seed"] * 6
        second = ["noon", "late", "city", "snow"] * 6
        turns = [
            f"tomato garden soil {word} plant water tomato garden soil leaves, {word} plants water" for word in first
        ]
        turns += [f"train ticket platform {word} delay track train ticket signal carriage {word}" for word in second]
        found = TextTiling().labels(turns)
        assert 1 in found[21:26]
        assert sum(found) < 8

    def test_chinese_has_words_too(self) -> None:
        found = TextTiling().labels(
            [f"番茄花园土壤{word}番茄花园阳光种子，番茄要浇水" for word in ("雨水", "肥料", "雪", "风") * 6]
            + [f"火车车票站台{word}铁路火车车票中午，火车又晚点" for word in ("旅客", "行李", "夜", "城市") * 6]
        )
        assert 1 in found[21:26]

    def test_chinese_words_are_spelt_alike_and_apart(self) -> None:
        spelling = spelt("番茄浇水，番茄ok")
        first, *_, last = spelling.split()
        assert first == spelt("番茄")
        assert len(first) == 8
        assert last == "ok"
        assert spelt("The tomatoes") == "The tomatoes"

    def test_stop_words_are_passed_over_in_both_languages(self) -> None:
        talk = [
            f"我们说过的事情还有{word}我们说过的事情" for word in ("番茄", "花园", "土壤", "火车", "车票", "站台") * 6
        ]
        without = TextTiling(["我们", "说过", "的", "事情", "还有"]).labels(talk)
        assert without != TextTiling().labels(talk)

    @given(
        st.lists(
            st.sampled_from(["sun", "rain", "pot", "seed", "noon", "late", "city", "snow"]), min_size=60, max_size=900
        )
    )
    def test_blocks_are_compared_as_nltk_compares_them(self, words: list[str]) -> None:
        text = "\n\n".join(" ".join(words[at : at + 25]) for at in range(0, len(words), 25))
        scores = []
        for fast in (False, True):
            tokenizer = TextTilingTokenizer(stopwords=["late"], demo_mode=True)
            if fast:
                tokenizer._block_comparison = partial(block_comparison, tokenizer.k)
            try:
                scores.append(tokenizer.tokenize(text)[0])
            except ValueError as error:
                scores.append(str(error))
        assert scores[0] == (pytest.approx(scores[1], abs=1e-9) if isinstance(scores[1], list) else scores[1])

    @pytest.mark.parametrize("turns", [[], [""], ["😀", "…"], ["short", "talk"], ["\n\n", "a\n\nb", ""]])
    def test_what_is_too_short_has_no_boundary(self, turns: list[str]) -> None:
        assert TextTiling().labels(turns) == [0] * len(turns)

    @given(st.lists(st.text(st.sampled_from("ab \n\t番茄，.'"), max_size=200), max_size=30))
    def test_any_talk_gets_labels(self, turns: list[str]) -> None:
        found = TextTiling().labels(turns)
        assert len(found) == len(turns)
        assert set(found) <= {0, 1}
        assert not found or found[-1] == 0
