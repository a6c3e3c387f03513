"""What the vectors around a gap say about whether the talk goes on. Numbers only, no words and no decision."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from hmind.embedding.embedder import Vectors

BEFORE = 6
"""Turns before a gap that are looked at, fewer at the start of a segment."""
AFTER = 2
"""Turns after it."""

MISSING = 0.2
"""Stands for a cosine of which one side has no words: about that of two turns of one topic."""
_NOTHING = 1e-9

NAMES = (
    "near_1_1",
    "near_1_2",
    "near_2_1",
    "near_2_2",
    "near_3_2",
    "near_6_2",
    "over_before",
    "over_after",
    "within_before",
    "within_after",
)
"""``near_b_a``: cosine of the mean of b turns before the gap and of a turns after it. ``over_before`` and
``over_after``: of the two turns around the turn just before, or just after, the gap, since the same person
often takes up the own thread again. ``within_...``: of the two turns on one side, to hold the others against."""

_WINDOWS = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (6, 2))

Masks = NDArray[np.float64]


def evidence(vectors: Vectors, gap: int, start: int, end: int) -> NDArray[np.float64]:
    """One number for each of NAMES, about the gap before turn ``gap``.

    Args:
        vectors: one row of length 1 (or 0) for each turn of the window.
        start, end: only turns from ``start`` up to ``end`` (not included) exist; start < gap < end.
    """
    low, high = max(start, gap - BEFORE), min(end, gap + AFTER)
    rows = vectors[low:high].astype(np.float64)
    products = rows @ rows.T
    one, other = _sides(gap - low, high - low)
    lengths = ((one @ products) * one).sum(axis=1) * ((other @ products) * other).sum(axis=1)
    across = ((one @ products) * other).sum(axis=1)
    there = lengths > _NOTHING
    return np.where(there, across / np.sqrt(np.where(there, lengths, 1)), MISSING)


@functools.cache
def _sides(at: int, size: int) -> tuple[Masks, Masks]:
    """For each of NAMES the turns on one side and on the other, of ``size`` turns with the gap before ``at``."""
    sides = [(range(max(0, at - before), at), range(at, min(size, at + after))) for before, after in _WINDOWS]
    sides.append((range(at - 2, at - 1) if at >= 2 else range(at - 1, at), range(at, at + 1)))
    sides.append((range(at - 1, at), range(at + 1, at + 2) if at + 1 < size else range(at, at + 1)))
    sides.append((range(at - 2, at - 1), range(at - 1, at)) if at >= 2 else (range(0), range(0)))
    sides.append((range(at, at + 1), range(at + 1, at + 2)) if at + 1 < size else (range(0), range(0)))
    masks = np.zeros((2, len(sides), size))
    for row, pair in enumerate(sides):
        for side, turns in enumerate(pair):
            masks[side, row, list(turns)] = 1
    return masks[0], masks[1]
