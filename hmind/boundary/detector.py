"""Decides where the segments of a window end. Pure: no store, no clock, no settings but its own.

It reads from left to right. What it decides about a gap depends only on the turns from the start
of the segment to a few turns behind the gap, and it decides nothing before those are there. So
the same turns give the same segments however they trickle in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from hmind.boundary.asking import ends_asking
from hmind.boundary.closing import ClosingPhrases
from hmind.boundary.coherence import Coherence, CoherenceCurve
from hmind.boundary.excerpt import excerpt
from hmind.boundary.farewell import GOES_ON, Farewell, Farewells
from hmind.boundary.openers import Openers
from hmind.boundary.rounds import LONGEST_TURNS, count_rounds, round_starts
from hmind.boundary.similarity import CosineCurve, Curve
from hmind.embedding.embedder import Embedder, Vectors
from hmind.model import Boundary, Turn
from hmind.settings import BoundarySettings

CRUMB_TURNS = 2
"""A topic shift leaves at least so many turns on each side."""

ALL_REASONS = frozenset(Boundary)


@dataclass(frozen=True, slots=True)
class Cut:
    """The end of one segment.

    Attributes:
        end: index after the segment's last turn, in the window.
        measured: seconds of silence, coherence (or, without the model, cosine) of the shift, number of rounds;
            else None.
        threshold: what ``measured`` was held against, or None.
    """

    end: int
    boundary: Boundary
    measured: float | None
    threshold: float | None


@dataclass(frozen=True, slots=True)
class Tail:
    """Why the end of the window is known to be over: silence, the daily sweep, a flush."""

    boundary: Boundary
    measured: float | None
    threshold: float | None


class Held(StrEnum):
    """Why no topic shift is seen at a gap although the measure is below the threshold."""

    EDGE = "edge"
    ANSWER = "answer"
    FAREWELL = "farewell"
    RIVAL = "rival"


@dataclass(frozen=True, slots=True)
class Across:
    """What was measured at one gap, and what held it, where something did; no value where nothing could shift."""

    gap: int
    value: float | None
    held: Held | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """What the detector made of a window: its cuts, and each gap without a silence up to the last turn judged."""

    cuts: list[Cut]
    gaps: list[Across]
    below: float


@dataclass(frozen=True, slots=True)
class _Block:
    """Turns without a silence between them. ``because`` is None while more may come."""

    start: int
    end: int
    because: Tail | None

    @property
    def over(self) -> bool:
        return self.because is not None


@dataclass(frozen=True, slots=True)
class Words:
    """What is said where something ends or begins."""

    closing: ClosingPhrases
    opening: Openers


class Detector:
    """Finds boundaries. The same window gives the same cuts, always.

    Args:
        coherence: judges topic shifts, where it was learned with this embedder's vectors; else, and
            with None, the cosine rule does.
        reasons: what may close a segment, besides the tail that ``cuts`` is given.
    """

    def __init__(
        self,
        settings: BoundarySettings,
        embedder: Embedder,
        words: Words,
        coherence: Coherence | None = None,
        reasons: frozenset[Boundary] = ALL_REASONS,
    ) -> None:
        self._settings = settings
        self._embedder = embedder
        self._words = words
        self._below = settings.topic_shift_below_cos or embedder.topic_shift_below
        self._coherence = coherence if coherence and coherence.embedder == embedder.name else None
        self._reasons = reasons

    def cuts(self, window: Sequence[Turn], tail: Tail | None) -> list[Cut]:
        """The ends of the segments, in order.

        Args:
            window: the turns after the last boundary, in order of (occurred_at, seq).
            tail: why nothing will follow, or None. With None only what is certain is returned
                and the rest stays open; with a tail the last cut is the end of the window. It bears
                the tail's reason, or ``closing_phrase`` where the window ends in a farewell.

        Raises:
            EmbeddingUnavailable: the embedder did not answer.
        """
        blocks = list(self._blocks(window, tail))
        return self._cuts(self._reading(window, blocks), blocks)

    def read(self, window: Sequence[Turn], tail: Tail | None) -> Read:
        """The same cuts, with what was measured at each gap. For people to look at (explaining.py).

        Raises:
            EmbeddingUnavailable: the embedder did not answer.
        """
        blocks = list(self._blocks(window, tail))
        reading = self._reading(window, blocks)
        cuts = self._cuts(reading, blocks)
        starts = {0, *(cut.end for cut in cuts)}
        gaps: list[Across] = []
        for block in blocks:
            start = block.start
            for gap in range(block.start + 1, block.end):
                gaps.append(reading.across(gap, start, block))
                start = gap if gap in starts else start
        return Read(cuts, gaps, reading.curve.below)

    @property
    def measure(self) -> str:
        """What judges topic shifts: ``coherence`` or ``cosine``."""
        return "cosine" if self._coherence is None else "coherence"

    @property
    def embedder(self) -> str:
        """Name of the embedder whose vectors are judged."""
        return self._embedder.name

    def _reading(self, window: Sequence[Turn], blocks: Sequence[_Block]) -> _Reading:
        return _Reading(
            window,
            self._words.closing,
            Farewells(window, self._words.closing),
            self._curve(window, self._vectors(window, blocks)),
            self._settings,
            self._reasons,
        )

    @staticmethod
    def _cuts(reading: _Reading, blocks: Sequence[_Block]) -> list[Cut]:
        found: list[Cut] = []
        for block in blocks:
            start = block.start
            while start < block.end:
                cut = reading.next_cut(start, block)
                if cut is None:
                    return found
                found.append(cut)
                start = cut.end
        return found

    def _blocks(self, window: Sequence[Turn], tail: Tail | None) -> Iterator[_Block]:
        start, limit = 0, self._settings.silence_after_s
        for index in range(1, len(window)) if Boundary.SILENCE in self._reasons else ():
            silent = (window[index].occurred_at - window[index - 1].occurred_at).total_seconds()
            if silent >= limit:
                yield _Block(start, index, Tail(Boundary.SILENCE, silent, limit))
                start = index
        if window:
            yield _Block(start, len(window), tail)

    def _curve(self, window: Sequence[Turn], vectors: Vectors) -> Curve:
        if self._coherence is None:
            return CosineCurve(vectors, self._settings.lookahead_turns, self._below)
        return CoherenceCurve(self._coherence, window, vectors, self._words.closing, self._words.opening)

    def _vectors(self, window: Sequence[Turn], blocks: Sequence[_Block]) -> Vectors:
        """One row for each turn; zeros where a block is too short to hold a shift."""
        rows = np.zeros((len(window), self._embedder.dim), dtype=np.float32)
        needed = [
            index
            for block in blocks
            if block.end - block.start >= 2 * CRUMB_TURNS
            for index in range(block.start, block.end)
        ]
        if needed:
            rows[needed] = self._embedder.passages([excerpt(window[index].content) for index in needed])
        return rows


@dataclass(frozen=True, slots=True)
class _Reading:
    """One window while it is read."""

    turns: Sequence[Turn]
    phrases: ClosingPhrases
    farewells: Farewells
    curve: Curve
    settings: BoundarySettings
    reasons: frozenset[Boundary]

    def next_cut(self, start: int, block: _Block) -> Cut | None:
        """The end of the segment that begins at ``start``; None where it cannot be known yet."""
        full = self._full(start, block.end)
        for gap in range(start + 1, block.end + 1):
            farewell = self._farewell(gap - 1, block)
            if not farewell.certain:
                return None
            if farewell.end is not None and farewell.end <= full:
                return Cut(farewell.end, Boundary.CLOSING_PHRASE, None, None)
            if gap == block.end:
                return _by(block.because, gap)
            if not block.over and gap + self.curve.behind > block.end:
                return None
            if self._shifts(gap, start, block.end):
                measured = self.curve.across(gap, start, block.end)
                return Cut(gap, Boundary.TOPIC_SHIFT, measured, self.curve.below)
            if gap == full:
                limit = self.settings.max_rounds
                return Cut(self._weakest(start, full, block.end), Boundary.MAX_ROUNDS, float(limit + 1), float(limit))
        return None

    def across(self, gap: int, start: int, block: _Block) -> Across:
        """The measure at a gap of the segment that begins at ``start``, and what keeps it from being a shift."""
        if block.end - block.start < 2 * CRUMB_TURNS:
            return Across(gap, None)
        value = self.curve.across(gap, start, block.end)
        if value >= self.curve.below or self._shifts(gap, start, block.end):
            return Across(gap, value)
        if gap - start < CRUMB_TURNS or block.end - gap < CRUMB_TURNS:
            return Across(gap, value, Held.EDGE)
        if self._answers(gap):
            return Across(gap, value, Held.ANSWER)
        return Across(gap, value, Held.FAREWELL if self.farewells.closes(gap) else Held.RIVAL)

    def _farewell(self, last: int, block: _Block) -> Farewell:
        if Boundary.CLOSING_PHRASE not in self.reasons:
            return GOES_ON
        return self.farewells.at(last, block.end, block.over)

    def _full(self, start: int, end: int) -> int:
        """Index of the turn that opens a round too many; ``end`` when none does."""
        if Boundary.MAX_ROUNDS not in self.reasons:
            return end
        most = self.settings.max_rounds
        starts = round_starts(self.turns[start : min(end, start + most * LONGEST_TURNS + 1)])
        return start + starts[most] if len(starts) > most else end

    def _shifts(self, gap: int, start: int, end: int) -> bool:
        """Whether a new topic begins at the gap."""
        if Boundary.TOPIC_SHIFT not in self.reasons:
            return False

        def may_open(at: int) -> bool:
            return self._may_open(at, start, end)

        return may_open(gap) and self.curve.opens(gap, start, end, may_open)

    def _may_open(self, gap: int, start: int, end: int) -> bool:
        """Whether the turn after the gap could begin a topic. An answer begins none, nor does a farewell."""
        if gap - start < CRUMB_TURNS or end - gap < CRUMB_TURNS:
            return False
        return not self._answers(gap) and not self.farewells.closes(gap)

    def _answers(self, gap: int) -> bool:
        """Whether the turn after the gap answers a question of the turn before, other than "anything else?"."""
        before, after = self.turns[gap - 1], self.turns[gap]
        if before.speaker == after.speaker or not ends_asking(before.content):
            return False
        return not self.phrases.offers(before.content)

    def _weakest(self, start: int, full: int, end: int) -> int:
        """The gap with the lowest measure that leaves enough rounds on both sides."""
        least = self.settings.min_rounds
        enough = [
            gap
            for gap in range(start + 1, full)
            if count_rounds(self.turns[start:gap]) >= least and count_rounds(self.turns[gap:full]) >= least
        ]
        fitting = [gap for gap in enough if not self._answers(gap)] or enough
        return min(fitting, key=lambda gap: (self.curve.across(gap, start, end), -gap), default=full)


def _by(because: Tail | None, end: int) -> Cut | None:
    return Cut(end, because.boundary, because.measured, because.threshold) if because else None
