"""Why memories were kept: for each event its boundary, its salience and what was decided."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text


@dataclass(frozen=True, slots=True)
class Because:
    """The way of one event, in short.

    Attributes:
        state: of the event: pool, flashbulb, long_term, discarded, expired, replaced.
        boundary, measured, boundary_threshold: why its segment closed; None when the segment's
            row is gone.
        salience_parts: in the order of their formula, see in_order.
        language: of the talk, ``zh`` or ``en``.
        decision: what the promoter decided with all its inputs; None while it waits in the pool.
    """

    event_id: str
    segment_id: str
    session_id: str
    occurred_at: datetime
    state: str
    salience: float
    salience_parts: Mapping[str, float]
    boundary: str | None
    measured: float | None
    boundary_threshold: float | None
    analyst: str | None
    decision: Mapping[str, Any] | None
    language: str


PARTS = ("intent", "density", "links", "use", "emotion", "detail", "clip")
"""The parts of a salience in the order of their formula, hmind.analysis.salience."""


def in_order(parts: Mapping[str, float]) -> dict[str, float]:
    """The parts of a salience as PARTS has them, those of another analyst after them by name.

    The database keeps them in an order of its own.
    """
    rank = {name: place for place, name in enumerate(PARTS)}
    return {name: parts[name] for name in sorted(parts, key=lambda name: (rank.get(name, len(rank)), name))}


_REASONS = text("""
SELECT events.id, events.segment_id, events.session_id, events.occurred_at, events.state, salience, salience_parts,
       decision, boundary, measured, threshold, analyst, language
FROM events LEFT JOIN segments
  ON segments.id = events.segment_id AND segments.tenant = events.tenant AND segments.user_id = events.user_id
WHERE events.tenant = :tenant AND events.user_id = :user_id AND events.id = ANY(CAST(:ids AS uuid[]))
""")


def reasons(connection: Connection, tenant: str, user_id: str, event_ids: Collection[str]) -> dict[str, Because]:
    """Why, by event id, for those events of the user that are known."""
    rows = connection.execute(_REASONS, {"tenant": tenant, "user_id": user_id, "ids": sorted(set(event_ids))})
    return {
        str(row.id): Because(
            event_id=str(row.id),
            segment_id=str(row.segment_id),
            session_id=row.session_id,
            occurred_at=row.occurred_at,
            state=row.state,
            salience=row.salience,
            salience_parts=in_order(row.salience_parts),
            boundary=row.boundary,
            measured=row.measured,
            boundary_threshold=row.threshold,
            analyst=row.analyst,
            decision=row.decision,
            language=row.language,
        )
        for row in rows
    }
