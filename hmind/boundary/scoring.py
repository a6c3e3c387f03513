"""Pk, WindowDiff and F1 of boundaries against a gold segmentation. Pure; as NLTK and the papers count.

A segmentation of ``n`` turns is a list of ``n`` labels: 1 on the last turn of a segment, 0 on all
others and on the last turn of all, which ends a segment in any case and so says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Labels = Sequence[int]


@dataclass(frozen=True, slots=True)
class Scores:
    """How well boundaries were found, for one dialogue or as the mean over many.

    Attributes:
        pk: share of windows whose two ends are wrongly held to lie in one segment, or in two; lower is better.
        wd: WindowDiff, share of windows with another number of boundaries than gold; lower is better.
        f1: F1 of the boundaries at their exact places; 0 where none was found rightly.
    """

    pk: float
    wd: float
    f1: float

    @property
    def score(self) -> float:
        """One figure from the three, 0 to 1: (2 F1 + (1 - Pk) + (1 - WD)) / 4."""
        return (2 * self.f1 + (1 - self.pk) + (1 - self.wd)) / 4


def labels(lengths: Sequence[int]) -> list[int]:
    """The labels of segments with these lengths.

    Raises:
        ValueError: a segment without a turn.
    """
    if any(length < 1 for length in lengths):
        raise ValueError("a segment has at least one turn")
    marked = [int(place == length - 1) for length in lengths for place in range(length)]
    return [*marked[:-1], 0] if marked else []


def window_size(gold: Labels) -> int:
    """The k of Pk and WindowDiff: half the mean length of a gold segment, at least 2."""
    return max(2, round(len(gold) / (sum(gold) + 1) / 2))


def pk(gold: Labels, found: Labels, k: int) -> float:
    """Share of the windows of ``k`` labels in which one side has a boundary and the other none.

    Beeferman, Berger and Lafferty 1999, counted as ``nltk.metrics.segmentation.pk``. 0 where the
    dialogue is shorter than a window.
    """
    return _share(bool(one) != bool(other) for one, other in _windows(gold, found, k))


def window_diff(gold: Labels, found: Labels, k: int) -> float:
    """Share of the windows of ``k`` labels with another number of boundaries.

    Pevzner and Hearst 2002, counted as ``nltk.metrics.segmentation.windowdiff``. 0 where the
    dialogue is shorter than a window.
    """
    return _share(one != other for one, other in _windows(gold, found, k))


def f1(gold: Labels, found: Labels) -> float:
    """Harmonic mean of precision and recall of the boundaries; 0 where none is right."""
    right = sum(one and other for one, other in zip(gold, found, strict=True))
    return 2 * right / (sum(gold) + sum(found)) if right else 0.0


def scored(gold: Labels, found: Labels) -> Scores:
    """All three for one dialogue, with the window size of its gold segmentation.

    Raises:
        ValueError: the two are not equally long.
    """
    k = window_size(gold)
    return Scores(pk(gold, found, k), window_diff(gold, found, k), f1(gold, found))


def mean(scores: Sequence[Scores]) -> Scores:
    """The mean over dialogues, each counting the same however long it is.

    Raises:
        ValueError: there are none.
    """
    if not scores:
        raise ValueError("no dialogue, no mean")
    number = len(scores)
    return Scores(
        sum(each.pk for each in scores) / number,
        sum(each.wd for each in scores) / number,
        sum(each.f1 for each in scores) / number,
    )


def _windows(gold: Labels, found: Labels, k: int) -> list[tuple[int, int]]:
    """Number of boundaries in each window of ``k`` labels, gold and found."""
    if len(gold) != len(found):
        raise ValueError(f"{len(gold)} gold labels and {len(found)} found ones cannot be compared")
    return [(sum(gold[at : at + k]), sum(found[at : at + k])) for at in range(len(gold) - k + 1)]


def _share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else 0.0
