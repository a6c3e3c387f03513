"""How near what comes after a gap is to what came before it."""

from __future__ import annotations

import numpy as np

from hmind.embedding.embedder import Vectors

DECIMALS = 4
"""Cosines are rounded to so many: the same text embedded in another batch differs in the seventh,
and no decision shall hang on that."""

NO_EVIDENCE = 1.0
"""Where a side has no words: an emoji or a dot is never a new topic."""


class Curve:
    """Similarities across the gaps of a window. Gap ``g`` lies before turn ``g``.

    Args:
        vectors: one row for each turn of the window.
        reach: turns looked at on each side of a gap.
    """

    def __init__(self, vectors: Vectors, reach: int) -> None:
        self._vectors = vectors
        self._reach = reach

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

    def dips(self, gap: int, start: int, end: int) -> bool:
        """Whether the curve has a local minimum at ``gap``: the first one of a flat stretch."""
        here = self.across(gap, start, end)
        return self.across(gap - 1, start, end) > here <= self.across(gap + 1, start, end)
