"""What an LLM left over, read by another analyst, so that no turn is lost by a bad answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from hmind.analysis.analyst import Analyst
from hmind.model import FoundEvent, Known, Segment, Turn


def read_rest(
    segment: Segment, left: Collection[int], analyst: Analyst, known: Known
) -> tuple[tuple[FoundEvent, ...], dict[str, str]]:
    """What ``analyst`` finds in the turns with the numbers ``left``, and which it lets go.

    Turns that stand together, and what agents say between them, are read together; the rest of the
    segment is their context.
    """
    events: list[FoundEvent] = []
    discarded: dict[str, str] = {}
    for start, end in _runs(segment, left):
        analysis = analyst.analyze(_part(segment, start, end), known)
        events.extend(analysis.events)
        discarded.update(analysis.discarded)
    return tuple(events), discarded


def _runs(segment: Segment, left: Collection[int]) -> Iterator[tuple[int, int]]:
    """Where each run of turns begins and ends, as a slice."""
    start, end = -1, -1
    for at, turn in enumerate(segment.turns):
        if at + 1 in left:
            start, end = (at if start < 0 else start), at + 1
        elif turn.by_person and start >= 0:
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def _part(segment: Segment, start: int, end: int) -> Segment:
    """The turns from ``start`` to ``end`` after what was said before them."""
    turns, before = segment.turns[start:end], (*segment.context, *segment.turns[:start])
    return replace(segment, turns=turns, context=(*_unheard(segment, end, (*before, *turns)), *before))


def _unheard(segment: Segment, end: int, heard: Collection[Turn]) -> tuple[Turn, ...]:
    """A turn of each person who speaks only later: whose memory it is depends on who speaks in the segment."""
    names = {turn.speaker for turn in heard if turn.by_person}
    later = {turn.speaker: turn for turn in segment.turns[end:] if turn.by_person and turn.speaker not in names}
    return tuple(later.values())
