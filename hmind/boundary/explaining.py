"""What the detector saw in a window, told for a person: the curve, gap by gap, and each boundary's reason in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hmind.boundary.detector import Cut, Detector, Held, Tail
from hmind.model import Boundary, Turn

NARROW_FROM = 0.7
"""An embedder whose topics shift below such a cosine puts nearly everything above it."""

_HELD = {
    Held.EDGE: "too near the edge of the segment",
    Held.ANSWER: "answers a question",
    Held.FAREWELL: "says goodbye",
    Held.RIVAL: "the next gap is the better place",
}


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap before turn ``before``.

    Attributes:
        before: index of the turn after the gap, in the window.
        value: coherence or cosine across it, at most 1; None where a silence lies, or in a talk too
            short to hold a shift. 1 also where a side has no words.
        held: in words, why it is no shift although the value is below the threshold; else "".
    """

    before: int
    value: float | None
    held: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """A window as the detector sees it.

    Attributes:
        cuts: the ends of its segments, in order.
        gaps: one between each two turns, in order.
        measure: what the values are: ``coherence`` or ``cosine``.
        below: a topic may shift where the value is lower.
        embedder: whose vectors were judged.
    """

    cuts: tuple[Cut, ...]
    gaps: tuple[Gap, ...]
    measure: str
    below: float
    embedder: str


def explain(detector: Detector, window: Sequence[Turn], tail: Tail | None) -> Explained:
    """The cuts of a window and the curve that led to them.

    Args:
        window, tail: as ``Detector.cuts`` takes them.

    Raises:
        EmbeddingUnavailable: the embedder did not answer.
    """
    read = detector.read(window, tail)
    seen = {across.gap: across for across in read.gaps}
    gaps = []
    for before in range(1, len(window)):
        across = seen.get(before)
        value = across.value if across else None
        held = _HELD[across.held] if across and across.held else ""
        gaps.append(Gap(before, value, held))
    return Explained(tuple(read.cuts), tuple(gaps), detector.measure, read.below, detector.embedder)


def reason(cut: Cut, measure: str) -> str:
    """Why a segment ended, in words, e.g. ``silence 12 min >= 5 min``, ``topic shift coherence .31 < .50``."""
    if cut.boundary is Boundary.SILENCE and cut.measured is not None and cut.threshold is not None:
        return f"silence {duration(cut.measured)} ≥ {duration(cut.threshold)}"
    if cut.boundary is Boundary.TOPIC_SHIFT and cut.measured is not None and cut.threshold is not None:
        return f"topic shift {measure} {number(cut.measured, cut.threshold)} < {number(cut.threshold, cut.threshold)}"
    if cut.boundary is Boundary.MAX_ROUNDS and cut.measured is not None and cut.threshold is not None:
        return f"{cut.measured:.0f} rounds > {cut.threshold:.0f}, split at the weakest gap"
    return {Boundary.FLUSH: "end of the session", Boundary.DAILY: "end of the day"}.get(
        cut.boundary, cut.boundary.value.replace("_", " ")
    )


def number(value: float, below: float) -> str:
    """A cosine or coherence, e.g. ``.31``; with three decimals where the threshold says that all lie close together."""
    shown = f"{value:.3f}" if below >= NARROW_FROM else f"{value:.2f}"
    return shown.replace("0.", ".", 1) if shown.startswith(("0.", "-0.")) else shown


def duration(seconds: float) -> str:
    """A duration with its unit: ``40 s``, ``12 min``, ``5.1 h``, ``3.0 days``."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"
