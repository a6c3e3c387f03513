"""Pk, WindowDiff and F1 against cases counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics import segmentation

from hmind.boundary.scoring import Scores, f1, labels, mean, pk, scored, window_diff, window_size


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [([], []), ([1], [0]), ([3], [0, 0, 0]), ([2, 3], [0, 1, 0, 0, 0]), ([1, 1, 2], [1, 1, 0, 0])],
)
def test_labels_mark_the_last_turn_of_each_segment_but_the_last(lengths: list[int], expected: list[int]) -> None:
    assert labels(lengths) == expected


def test_a_segment_without_turns_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one turn"):
        labels([2, 0, 1])


@pytest.mark.parametrize(
    ("lengths", "k"),
    [([1], 2), ([4, 4], 2), ([6, 6], 3), ([5, 5], 2), ([7, 7], 4), ([9], 4), ([11], 6), ([20, 20, 20], 10)],
)
def test_the_window_is_half_a_mean_segment_and_at_least_two(lengths: list[int], k: int) -> None:
    # 5 / 2 and 9 / 2 are rounded to the even neighbour, as Python and the published scripts do.
    assert window_size(labels(lengths)) == k


GOLD = [0, 0, 1, 0, 0, 0, 1, 0, 0, 0]


def test_nothing_found_errs_in_each_window_with_a_boundary() -> None:
    # Windows of 3, starting at 0 to 7: those at 0 1 2 and 4 5 6 hold a boundary.
    nothing = [0] * 10
    assert pk(GOLD, nothing, 3) == pytest.approx(6 / 8)
    assert window_diff(GOLD, nothing, 3) == pytest.approx(6 / 8)
    assert f1(GOLD, nothing) == 0


def test_one_turn_late_errs_at_the_edges() -> None:
    # Found: 3 and 6. Gold: 2 and 6. Windows at 0 (only gold) and 3 (only found) differ; at 4 to 6 both have one.
    late = [0, 0, 0, 1, 0, 0, 1, 0, 0, 0]
    assert pk(GOLD, late, 3) == pytest.approx(2 / 8)
    assert window_diff(GOLD, late, 3) == pytest.approx(2 / 8)
    assert f1(GOLD, late) == pytest.approx(1 / 2)


def test_window_diff_counts_what_pk_does_not_see() -> None:
    # A third boundary beside a right one: Pk errs where it alone is in the window (3), WindowDiff also where both are.
    twice = [0, 0, 1, 1, 0, 0, 1, 0, 0, 0]
    assert pk(GOLD, twice, 3) == pytest.approx(1 / 8)
    assert window_diff(GOLD, twice, 3) == pytest.approx(3 / 8)
    assert f1(GOLD, twice) == pytest.approx(4 / 5)


def test_a_dialogue_shorter_than_a_window_has_no_error() -> None:
    assert (pk([0], [0], 2), window_diff([0], [0], 2)) == (0, 0)


def test_both_have_to_be_equally_long() -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        scored([0, 1, 0], [0, 1])


def test_a_dialogue_of_one_segment_has_no_f1() -> None:
    assert scored([0, 0, 0, 0], [0, 0, 0, 0]) == Scores(pk=0, wd=0, f1=0)


def test_the_score_and_the_mean() -> None:
    assert Scores(pk=0.2, wd=0.4, f1=0.6).score == pytest.approx((2 * 0.6 + 0.8 + 0.6) / 4)
    assert mean([Scores(0, 0, 1), Scores(1, 0.5, 0)]) == Scores(0.5, 0.25, 0.5)
    with pytest.raises(ValueError, match="no dialogue"):
        mean([])


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.data())
def test_right_is_perfect_and_nothing_leaves_the_range(lengths: list[int], data: st.DataObject) -> None:
    gold = labels(lengths)
    found = [*data.draw(st.lists(st.integers(0, 1), min_size=len(gold) - 1, max_size=len(gold) - 1)), 0]
    right, other = scored(gold, gold), scored(gold, found)
    assert (right.pk, right.wd, right.f1) == (0, 0, 1 if len(lengths) > 1 else 0)
    assert 0 <= other.pk <= other.wd <= 1
    assert 0 <= other.f1 <= 1


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.data())
def test_nltk_counts_the_same(lengths: list[int], data: st.DataObject) -> None:
    gold = labels(lengths)
    found = data.draw(st.lists(st.integers(0, 1), min_size=len(gold), max_size=len(gold)))
    k = min(window_size(gold), len(gold))
    assert pk(gold, found, k) == pytest.approx(segmentation.pk(gold, found, k, boundary=1))
    assert window_diff(gold, found, k) == pytest.approx(segmentation.windowdiff(gold, found, k, boundary=1))
