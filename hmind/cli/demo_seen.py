"""What came of the demo's talk, read from the stores once the pipeline has drained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, text

from hmind.memory.ledger import LedgerEntry, ledger
from hmind.memory.reading import Memories, memories
from hmind.memory.reasons import in_order

if TYPE_CHECKING:
    from hmind.bootstrap import Hmind
    from hmind.model import Recollection

MOST = 100_000

_SEGMENTS = text("""
SELECT segments.user_id, segments.session_id, boundary, measured, threshold,
       array_agg(ledger.turn_id ORDER BY ledger.occurred_at, ledger.seq) AS turn_ids, turns
FROM segments JOIN ledger ON ledger.segment_id = segments.id
WHERE segments.tenant = :tenant AND ledger.tenant = :tenant
GROUP BY segments.id ORDER BY opened_at
""")
_EVENTS = text("""
SELECT user_id, state, salience, salience_parts, turn_ids, description, decision FROM events
WHERE tenant = :tenant ORDER BY occurred_at, ordinal
""")
_DEAD = text("SELECT count(*) FROM dead_letters")


@dataclass(frozen=True, slots=True)
class SegmentSeen:
    """A segment: why it closed and its turns, in order."""

    user_id: str
    session_id: str
    boundary: str
    measured: float | None
    threshold: float | None
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventSeen:
    """An event and what was decided about it."""

    user_id: str
    state: str
    salience: float
    salience_parts: Mapping[str, float]
    turn_ids: tuple[str, ...]
    description: str
    decision: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything that the demo shows and checks.

    Attributes:
        turns: ledger entries by user.
        said: text of the turns, by their id.
        answers: for each question of the demo, in its order.
    """

    turns: Mapping[str, Sequence[LedgerEntry]]
    said: Mapping[str, str]
    segments: Sequence[SegmentSeen]
    events: Sequence[EventSeen]
    kept: Mapping[str, Memories]
    dead_letters: int
    answers: Sequence[Sequence[Recollection]]


def see(hmind: Hmind, demo: Mapping[str, Any], tenant: str) -> Seen:
    """Reads it all, and asks the demo's questions."""
    engine = hmind.engine
    segments, said = _segments(engine, tenant)
    with engine.connect() as connection:
        dead: int = connection.execute(_DEAD).scalar_one()
        events = [
            EventSeen(
                row.user_id,
                row.state,
                row.salience,
                in_order(row.salience_parts),
                tuple(row.turn_ids),
                row.description or "",
                row.decision or {},
            )
            for row in connection.execute(_EVENTS, {"tenant": tenant})
        ]
    users = demo["log"]["users"]
    return Seen(
        turns={user: ledger(engine, tenant, user, limit=MOST) for user in users},
        said=said,
        segments=segments,
        events=events,
        kept={user: memories(engine, tenant, user, limit=MOST) for user in users},
        dead_letters=dead,
        answers=[
            hmind.recall.ask(asked["question"], tenant, asked["user"], now=asked["now"], limit=max(5, asked["within"]))
            for asked in demo["question"]
        ],
    )


def _segments(engine: Engine, tenant: str) -> tuple[list[SegmentSeen], dict[str, str]]:
    found: list[SegmentSeen] = []
    said: dict[str, str] = {}
    with engine.connect() as connection:
        for row in connection.execute(_SEGMENTS, {"tenant": tenant}):
            found.append(
                SegmentSeen(row.user_id, row.session_id, row.boundary, row.measured, row.threshold, tuple(row.turn_ids))
            )
            said |= {turn["turn_id"]: turn["content"] for turn in row.turns or ()}
    return found, said
