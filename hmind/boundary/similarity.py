"""How near what comes after a gap is to what came before it: what a curve promises, and the one of cosines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from hmind.embedding.embedder import Vectors

DECIMALS = 4
"""Cosines are rounded to so many: the same text embedded in another batch differs in the seventh,
and no decision shall hang on that."""

NO_EVIDENCE = 1.0
"""Where a side has no words: an emoji or a dot is never a new topic."""


class Curve(Protocol):
    """Something measured at each gap of a window; low where the topic changes. Gap ``g`` lies before turn ``g``.

    Attributes:
        below: a topic may shift where the measure is lower.
        behind: turns behind a gap that have to be there, or known not to come, before it is judged.
    """

    @property
    def below(self) -> float: ...
    @property
    def behind(self) -> int: ...

    def across(self, gap: int, start: int, end: int) -> float:
        """The measure at a gap, from the turns from ``start`` up to ``end`` (not included); 1 without evidence."""
        ...

    def opens(self, gap: int, start: int, end: int, may_open: Callable[[int], bool]) -> bool:
        """Whether a topic begins at the gap. ``may_open`` tells at which other gaps one could."""
        ...


class CosineCurve:
    """Cosines across the gaps of a window.

    Args:
        vectors: one row for each turn of the window.
        reach: turns looked at on each side of a gap.
        below: the cosine below which the topic changed.
    """

    def __init__(self, vectors: Vectors, reach: int, below: float) -> None:
        self._vectors = vectors
        self._reach = reach
        self.below = below
        self.behind = reach + 1

    def across(self, gap: int, start: int, end: int) -> float:
        """Cosine of the mean vectors of up to ``reach`` turns before and after ``gap``.

        Only turns from ``start`` up to ``end`` (not included) are looked at. A gap at either edge
        has nothing on one side, and so no evidence: 1.
        """
        if not start < gap < end:
            return NO_EVIDENCE
        before = self._vectors[max(start, gap - self._reach) : gap].sum(axis=0)
        after = self._vectors[gap : min(end, gap + self._reach)].sum(axis=0)
        lengths = float(np.linalg.norm(before)) * float(np.linalg.norm(after))
        return round(float(before @ after) / lengths, DECIMALS) if lengths else NO_EVIDENCE

    def opens(self, gap: int, start: int, end: int, may_open: Callable[[int], bool]) -> bool:  # noqa: ARG002
        """Whether the cosine is low and the curve has a local minimum here: the first one of a flat stretch."""
        here = self.across(gap, start, end)
        if here >= self.below:
            return False
        return self.across(gap - 1, start, end) > here <= self.across(gap + 1, start, end)
