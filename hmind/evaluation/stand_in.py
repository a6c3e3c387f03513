"""The analyst that is measured, as the product uses it: where it gives no answer, the offline one stands in."""

from __future__ import annotations

from collections.abc import Callable

from hmind.analysis.analyst import Analyst
from hmind.analysis.offline import OfflineAnalyst
from hmind.errors import AnalystMisbehaved, AnalystUnavailable
from hmind.model import Analysis, Known, Segment


class StoodInFor:
    """An Analyst that always answers, and counts.

    Args:
        tell: is told of each segment how many it makes.

    Attributes:
        segments: asked about so far.
        calls: of a language model, pieces asked again included; 0 offline.
        tokens: in and out of all calls, those without an answer included.
        fell_back: segments that the offline analyst read, since the one that was asked gave no answer.
    """

    def __init__(self, analyst: Analyst, tell: Callable[[int], None] = lambda _segments: None) -> None:
        self._analyst = analyst
        self._tell = tell
        self._offline = OfflineAnalyst()
        self.segments = self.calls = self.tokens = self.fell_back = 0

    @property
    def name(self) -> str:
        """Of the one that is asked."""
        return self._analyst.name

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        """The answer, or the offline one."""
        self.segments += 1
        self._tell(self.segments)
        try:
            found = self._analyst.analyze(segment, known)
            self._count(found)
            return found
        except (AnalystUnavailable, AnalystMisbehaved) as error:
            self._count(error)
        self.fell_back += 1
        return self._offline.analyze(segment, known)

    def _count(self, spent: Analysis | AnalystUnavailable | AnalystMisbehaved) -> None:
        self.calls += spent.calls
        self.tokens += spent.tokens_in + spent.tokens_out
