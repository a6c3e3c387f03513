"""What is told of a window is what the detector decided by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.boundary.detector import Cut
from hmind.boundary.explaining import duration, explain, number, reason
from hmind.embedding.use import UseEmbedder
from hmind.model import Boundary
from tests.unit.boundary.talk import FLUSH, WordsEmbedder, detector, talk

BOATS = ("A: red boats sail", "B: boats sail fast", "A: fast red boats", "B: sail red boats")
SOUP = ("A: onion soup tastes", "B: soup tastes great", "A: great onion soup", "B: onion tastes great")


def test_each_gap_bears_its_value_and_the_shift_is_the_one_below_the_threshold() -> None:
    seen = explain(detector(), talk(*BOATS, *SOUP), FLUSH)
    assert [gap.before for gap in seen.gaps] == list(range(1, 8))
    assert [(cut.end, cut.boundary) for cut in seen.cuts] == [(4, Boundary.TOPIC_SHIFT), (8, Boundary.FLUSH)]
    assert (seen.measure, seen.below, seen.embedder) == ("cosine", 0.3, "words-1")
    low = [gap.before for gap in seen.gaps if gap.value is not None and gap.value < seen.below]
    assert low == [4]
    assert seen.gaps[3].value == seen.cuts[0].measured
    assert not any(gap.held for gap in seen.gaps)


def test_a_silence_has_no_value() -> None:
    seen = explain(detector(), talk(*BOATS, "+720", *SOUP), FLUSH)
    assert seen.gaps[3].value is None
    assert reason(seen.cuts[0], seen.measure) == "silence 12 min ≥ 5 min"


def test_a_talk_too_short_for_a_shift_has_no_values() -> None:
    seen = explain(detector(), talk("A: boats", "B: soup", "A: tea"), FLUSH)
    assert [gap.value for gap in seen.gaps] == [None, None]


def test_what_held_a_shift_back_is_told() -> None:
    asked = ("A: red boats sail", "B: boats sail fast", "A: fast red boats sail?", "B: onion soup", *SOUP)
    gaps = explain(detector(), talk(*asked), FLUSH).gaps
    assert gaps[2].held == "answers a question"
    edge = explain(detector(), talk("A: onion soup", *BOATS), FLUSH).gaps
    assert edge[0].held == "too near the edge of the segment"


def test_the_model_is_named_with_its_own_threshold() -> None:
    seen = explain(detector(UseEmbedder()), talk(*BOATS, *SOUP), FLUSH)
    assert (seen.measure, seen.below) == ("coherence", 0.5)
    assert all(gap.value is not None and 0 <= gap.value <= 1 for gap in seen.gaps)


WORDS = st.sampled_from(["boats", "soup", "sail?", "tea", "bye", "😀", "ok"])


@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.lists(WORDS, min_size=1, max_size=3)), max_size=30),
    st.sampled_from([None, FLUSH]),
    st.sampled_from([None, 2, 5]),
)
def test_the_cuts_told_are_the_cuts_made(
    said: list[tuple[str, list[str]]], tail: object, silent_after: int | None
) -> None:
    lines = [f"{speaker}: {' '.join(words)}" for speaker, words in said]
    if silent_after is not None and len(lines) > silent_after:
        lines.insert(silent_after, "+900")
    window, judge = talk(*lines), detector(WordsEmbedder())
    seen = explain(judge, window, tail)  # type: ignore[arg-type]
    assert list(seen.cuts) == judge.cuts(window, tail)  # type: ignore[arg-type]
    assert [gap.before for gap in seen.gaps] == list(range(1, len(window)))
    for cut in seen.cuts:
        if cut.boundary is Boundary.TOPIC_SHIFT:
            gap = seen.gaps[cut.end - 1]
            assert (gap.value, gap.held) == (cut.measured, "")
            assert gap.value is not None
            assert gap.value < seen.below


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        (Cut(4, Boundary.TOPIC_SHIFT, 0.3149, 0.5), "topic shift coherence .31 < .50"),
        (Cut(4, Boundary.TOPIC_SHIFT, 0.8712, 0.9), "topic shift coherence .871 < .900"),
        (Cut(4, Boundary.MAX_ROUNDS, 11.0, 10.0), "11 rounds > 10, split at the weakest gap"),
        (Cut(4, Boundary.CLOSING_PHRASE, None, None), "closing phrase"),
        (Cut(4, Boundary.FLUSH, None, None), "end of the session"),
    ],
)
def test_a_reason_in_words(cut: Cut, told: str) -> None:
    assert reason(cut, "coherence") == told


@pytest.mark.parametrize(
    ("value", "below", "told"),
    [(0.0, 0.3, ".00"), (1.0, 0.3, "1.00"), (-0.124, 0.3, "-.12"), (0.8649, 0.9, ".865"), (0.999, 0.5, "1.00")],
)
def test_a_number(value: float, below: float, told: str) -> None:
    assert number(value, below) == told


@pytest.mark.parametrize(("seconds", "told"), [(40, "40 s"), (300, "5 min"), (7200, "2.0 h"), (259_200, "3.0 days")])
def test_a_duration(seconds: float, told: str) -> None:
    assert duration(seconds) == told
