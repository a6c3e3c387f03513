"""Resolves what people say about time, in Chinese and English, against the moment they said it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo


@dataclass(frozen=True, slots=True)
class ResolvedTime:
    """One time expression of a text.

    Attributes:
        start, end: aware, UTC; ``end`` is exclusive.
        grain: minute, hour, day, week, month, season, year; ``recent`` for a vague window.
        text, span: the words, and where they stand in the text (start, end of the slice).
        direction: -1 when it is over at the moment of speaking, 1 when it is yet to come, else 0.
    """

    start: datetime
    end: datetime
    grain: str
    text: str
    span: tuple[int, int]
    direction: int


def resolve(text: str, at: datetime, zone: tzinfo = UTC) -> list[ResolvedTime]:
    """Every time expression of ``text``, in order, resolved against ``at`` in the speaker's ``zone``."""
    return []
