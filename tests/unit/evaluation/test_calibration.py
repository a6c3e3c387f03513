"""Which threshold is chosen, for an embedder whose cosines are known because the test makes them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from hmind.embedding.embedder import Vectors
from hmind.embedding.texts import unit
from hmind.errors import BadLabels
from hmind.evaluation import calibration
from hmind.evaluation.dialogues import Dialogue
from hmind.model import Role, Turn
from hmind.settings import load

SETTINGS = load({}).boundary
MORNING = datetime(2024, 5, 6, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Made:
    """Texts such as ``boats 3``: two of one topic have the cosine ``within``, two of different ones ``across``."""

    across: float
    within: float
    name: str = "made-1"
    dim: int = 768
    topic_shift_below: float = 0.0
    unrelated_cos: float = 0.0

    def passages(self, texts: Sequence[str]) -> Vectors:
        return unit(np.array([self._vector(text) for text in texts], dtype=np.float32))

    def questions(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)

    def _vector(self, text: str) -> Vectors:
        parts = ((self.across, "all"), (self.within - self.across, text.split()[0]), (1 - self.within, text))
        return sum((np.sqrt(share) * _direction(of, self.dim) for share, of in parts), np.zeros(self.dim))


def _direction(of: str, dim: int) -> Vectors:
    drawn = np.random.default_rng(zlib.crc32(of.encode())).normal(size=dim)
    return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)


def _turn(at: int, text: str) -> Turn:
    when = MORNING + timedelta(seconds=at)
    return Turn("t", "u", "s", str(at), Role.USER, "AB"[at % 2], text, when, when, at)


def _dialogue(number: int) -> Dialogue:
    lengths = (6, 5, 7)
    said = [f"topic{number}-{part} {turn}" for part, length in enumerate(lengths) for turn in range(length)]
    return Dialogue(str(number), tuple(_turn(at, text) for at, text in enumerate(said)), lengths)


def _talk(number: int, turns: int = 9) -> list[Turn]:
    return [_turn(at, f"talk{number} {at}") for at in range(turns)]


KINDS = [(0.1, 0.5), (0.8, 0.92), (0.0, 0.2), (-0.0, 0.9)]


@pytest.mark.parametrize(("across", "within"), KINDS)
def test_the_threshold_parts_topics_wherever_the_cosines_lie(across: float, within: float) -> None:
    chosen = calibration.choose({"one": [_dialogue(number) for number in range(12)]}, Made(across, within), SETTINGS)
    # Two turns a side, of one topic each: the noise of single turns is averaged out.
    inside, outside = (each / ((1 + within) / 2) for each in (within, across))
    assert outside - 0.1 < chosen.below < inside
    assert chosen.scores["one"] == pytest.approx(1.0, abs=0.01)
    assert max(tried.score for tried in chosen.curve) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(("across", "within"), KINDS)
def test_unlabelled_talk_gives_a_threshold_that_parts_labelled_dialogues(across: float, within: float) -> None:
    made = calibration.joined([_talk(number) for number in range(30)])
    chosen = calibration.choose({"chat": made}, Made(across, within), SETTINGS)
    embedder = calibration.known(Made(across, within), [])
    score = calibration.score(
        [_dialogue(number) for number in range(12)], embedder, SETTINGS, chosen.below, calibration.words()
    )
    assert score == pytest.approx(1.0, abs=0.03)


def test_every_set_counts_the_same_however_many_dialogues_it_has() -> None:
    few, many = [_dialogue(0)], [_dialogue(number) for number in range(1, 40)]
    chosen = calibration.choose({"few": few, "many": many}, Made(0.1, 0.5), SETTINGS)
    best = next(tried for tried in chosen.curve if tried.below == chosen.below)
    assert best.score == pytest.approx((chosen.scores["few"] + chosen.scores["many"]) / 2)


def test_a_set_is_looked_at_evenly_and_not_whole() -> None:
    taken = calibration.spread([_dialogue(number) for number in range(250)])
    assert len(taken) == calibration.MOST_DIALOGUES
    assert (taken[0].id, taken[50].id) == ("0", "125")


def test_joined_pieces_are_of_different_talks_and_seams_are_where_they_meet() -> None:
    talks = [_talk(number, turns=25) for number in range(10)]
    made = calibration.joined(talks)
    least, most = calibration.PIECE_TURNS
    for dialogue in made:
        assert sum(dialogue.lengths) == len(dialogue.turns)
        assert all(least <= length <= most for length in dialogue.lengths)
        at, talked_of = 0, []
        for length in dialogue.lengths:
            topics = {turn.content.split()[0] for turn in dialogue.turns[at : at + length]}
            assert len(topics) == 1
            talked_of += topics
            at += length
        assert len(set(talked_of)) == len(talked_of) > 1
        assert len({turn.occurred_at for turn in dialogue.turns}) == 1
    used = [(turn.content) for dialogue in made for turn in dialogue.turns]
    assert len(used) == len(set(used))
    assert made == calibration.joined(talks)


@pytest.mark.parametrize("talks", [[], [_talk(1)], [_talk(number, turns=3) for number in range(50)]])
def test_too_little_talk_is_refused(talks: list[list[Turn]]) -> None:
    with pytest.raises(BadLabels, match="too few"):
        calibration.joined(talks)


def test_dialogues_without_a_gap_are_refused() -> None:
    lonely = Dialogue("1", (_turn(0, "boats 1"),), (1,))
    with pytest.raises(BadLabels, match="no gap"):
        calibration.choose({"one": [lonely]}, Made(0.1, 0.5), SETTINGS)


@pytest.mark.parametrize(("across", "within"), KINDS)
def test_unrelated_is_what_two_talks_have_in_common(across: float, within: float) -> None:
    groups = [[_talk(number) for number in range(20)], [_talk(99)]]
    assert calibration.unrelated_cos(groups, Made(across, within)) == pytest.approx(across, abs=0.02)


def test_one_talk_has_nothing_unrelated() -> None:
    with pytest.raises(BadLabels, match="one talk"):
        calibration.unrelated_cos([[_talk(1)]], Made(0.1, 0.5))
