"""Gathers kept turns into events: neighbours belong together. No meaning is compared but shared words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hmind.analysis import smalltalk
from hmind.analysis.reading import Reading

APART = timedelta(minutes=30)
"""A pause that parts two events of one segment."""
MOST_TURNS = 8
"""Kept turns after which an event is cut where it holds together least."""
IDLE_TURNS = 3
"""People's turns without content, in a row, that part two events."""


def group(readings: Sequence[Reading]) -> list[list[Reading]]:
    """Runs of kept readings, in order; every kept reading is in exactly one."""
    runs: list[list[Reading]] = []
    idle = 0
    for reading in readings:
        if reading.reason:
            idle += reading.turn.by_person
            continue
        apart = bool(runs) and reading.turn.occurred_at - runs[-1][-1].turn.occurred_at > APART
        if not runs or apart or idle >= IDLE_TURNS:
            runs.append([])
        runs[-1].append(reading)
        idle = 0
    return [part for run in runs for part in _cut(run)]


def _cut(run: list[Reading]) -> list[list[Reading]]:
    """``run`` in parts of at most MOST_TURNS, cut where the words before and after have least in common."""
    if len(run) <= MOST_TURNS:
        return [run]
    words = [_words(reading) for reading in run]
    best, weakest = len(run) // 2, 2.0
    for at in range(2, len(run) - 1):
        left, right = words[at - 2] | words[at - 1], words[at] | (words[at + 1] if at + 1 < len(run) else set())
        shared = len(left & right) / (1 + min(len(left), len(right)))
        off_middle = abs(2 * at - len(run)) / len(run)
        if shared + 0.2 * off_middle < weakest:
            best, weakest = at, shared + 0.2 * off_middle
    if run[best].question is not None and run[best].question is run[best - 1] and best > 1:
        best -= 1
    return [*_cut(run[:best]), *_cut(run[best:])]


def _words(reading: Reading) -> set[str]:
    return set(
        smalltalk.content_words(" ".join(line.text for line in reading.lines) + " " + reading.caption, reading.language)
    )
