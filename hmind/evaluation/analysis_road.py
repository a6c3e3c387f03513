"""The road from turns to kept notes without any store: the product's own detector, analyst and promoter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from hmind.analysis.analyst import Analyst
from hmind.boundary.detection import CONTEXT_TURNS, segment_of
from hmind.boundary.detector import Detector, Tail
from hmind.model import Boundary, EventState, FoundEvent, Known, Segment, Turn
from hmind.promotion.promoter import Promoter
from hmind.settings import Settings

_OVER = Tail(Boundary.FLUSH, None, None)


@dataclass(frozen=True, slots=True)
class Judged:
    """One event and whether the promoter keeps it."""

    event: FoundEvent
    kept: bool


@dataclass(frozen=True, slots=True)
class Walked:
    """What came of one session."""

    name: str
    judged: tuple[Judged, ...]
    segments: int


class Road:
    """Takes the sessions of one conversation in their order, and remembers the names that were found."""

    def __init__(self, detector: Detector, analyst: Analyst, settings: Settings) -> None:
        self._detector = detector
        self._analyst = analyst
        self._promoter = Promoter(settings.promotion)
        self._min_rounds = settings.boundary.min_rounds

    def walk(self, talks: Sequence[tuple[str, Sequence[Turn]]]) -> Iterator[Walked]:
        """One result for each session, as soon as it is done.

        Raises:
            EmbeddingUnavailable: the boundary embedder did not answer.
        """
        names: set[str] = set()
        for name, turns in talks:
            judged: list[Judged] = []
            segments = list(self._segments(turns))
            for segment in segments:
                found = self._analyst.analyze(segment, Known(frozenset(names)))
                for event in found.events:
                    kept = self._promoter.route(event, ()).state is not EventState.DISCARDED
                    judged.append(Judged(event, kept))
                    names.update(entity.name for entity in event.entities)
            yield Walked(name, tuple(judged), len(segments))

    def _segments(self, turns: Sequence[Turn]) -> Iterator[Segment]:
        start = 0
        for cut in self._detector.cuts(turns, _OVER):
            yield segment_of(turns[start : cut.end], cut, self._min_rounds, partial(_before, turns, start))
            start = cut.end


def _before(turns: Sequence[Turn], start: int) -> Sequence[Turn]:
    return turns[max(0, start - CONTEXT_TURNS) : start]
