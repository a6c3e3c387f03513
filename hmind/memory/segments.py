"""Segments: closing them, taking one for analysis, and reading one back. Analysing again is in again.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Connection, select, text, update
from sqlalchemy.dialects.postgresql import insert

from hmind.model import Boundary, Role, Segment, SegmentState, SessionRef, Turn
from hmind.storage.instants import from_micros, to_micros
from hmind.storage.schema import SegmentRow

# A turn goes to one segment only: the state is part of the condition.
_ASSIGN = text("""
UPDATE ledger SET state = 'segmented', segment_id = :segment, updated_at = :now
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
  AND turn_id = ANY(CAST(:turns AS text[])) AND state = 'waiting'
""")


def segment_id(session: SessionRef, turns: Sequence[Turn]) -> str:
    """The id of a segment: the same turns give the same id, so closing twice is closing once."""
    told = [session.tenant, session.user_id, session.session_id, turns[0].turn_id, turns[-1].turn_id]
    return str(uuid5(NAMESPACE_URL, "hmind:segment:" + "\x1f".join(told)))


# Oldest first: what an analyst may know of a user must not depend on which worker was faster. An
# import's segments also wait for its sessions that are not closed yet.
_TAKE = text("""
UPDATE segments AS mine SET attempts = attempts + 1, due_at = :lease_until
WHERE id = :id AND state = 'closed' AND due_at <= :now
  AND NOT EXISTS (
    SELECT 1 FROM segments AS earlier
    WHERE earlier.tenant = mine.tenant AND earlier.user_id = mine.user_id AND earlier.backfill = mine.backfill
      AND earlier.state = 'closed' AND (earlier.opened_at, earlier.id) < (mine.opened_at, mine.id)
  )
  AND NOT (mine.backfill AND EXISTS (
    SELECT 1 FROM windows JOIN ledger USING (tenant, user_id, session_id)
    WHERE windows.tenant = mine.tenant AND windows.user_id = mine.user_id AND windows.held
      AND windows.due_at IS NOT NULL AND ledger.state = 'waiting' AND ledger.occurred_at < mine.opened_at
  ))
RETURNING attempts, last_error
""")

_NEXT = text("""
SELECT id FROM segments
WHERE tenant = :tenant AND user_id = :user_id AND state = 'closed' AND due_at <= :now
  AND backfill = (SELECT backfill FROM segments WHERE id = :after)
ORDER BY opened_at, id LIMIT 1
""")


@dataclass(frozen=True, slots=True)
class Taken:
    """A segment in hand.

    Attributes:
        attempts: how often it was taken, this time included.
        last_error: why it had to wait the last time; None where nobody said so.
    """

    segment: Segment
    attempts: int
    last_error: str | None = None


def close(connection: Connection, segment: Segment, rounds: int, backfill: bool, now: datetime) -> bool:
    """Writes a segment and assigns its turns; False, with nothing kept, if another run took any of them.

    The caller rolls back on False.
    """
    session = segment.session
    assigned = connection.execute(
        _ASSIGN,
        {
            "segment": segment.id,
            "now": now,
            "tenant": session.tenant,
            "user_id": session.user_id,
            "session_id": session.session_id,
            "turns": [turn.turn_id for turn in segment.turns],
        },
    )
    if assigned.rowcount != len(segment.turns):
        return False
    row = {
        "id": segment.id,
        "tenant": session.tenant,
        "user_id": session.user_id,
        "session_id": session.session_id,
        "boundary": segment.boundary.value,
        "measured": segment.measured,
        "threshold": segment.threshold,
        "opened_at": segment.turns[0].occurred_at,
        "closed_at": segment.turns[-1].occurred_at,
        "turn_count": len(segment.turns),
        "rounds": rounds,
        "backfill": backfill,
        "turns": [turn_to_json(turn) for turn in segment.turns],
        "context": [turn_to_json(turn) for turn in segment.context],
        "state": SegmentState.CLOSED.value,
        "due_at": now,
        "created_at": now,
    }
    connection.execute(insert(SegmentRow).values(row).on_conflict_do_nothing())
    return True


def take(connection: Connection, id: str, now: datetime, lease_s: float) -> Taken | None:
    """A closed segment to analyse, or None when there is nothing to do.

    There is nothing to do with one that is not due, or whose user has an earlier one. It is due
    again ``lease_s`` later, should the worker that took it die.
    """
    values = {"id": id, "now": now, "lease_until": now + timedelta(seconds=lease_s)}
    taken = connection.execute(_TAKE, values).one_or_none()
    if taken is None:
        return None
    segment = read(connection, id)
    return None if segment is None else Taken(segment, taken.attempts, taken.last_error)


def end(connection: Connection, id: str, state: SegmentState, **columns: Any) -> bool:
    """Ends a closed segment and keeps what is known of its analysis; False if another run has ended it."""
    ended = connection.execute(
        update(SegmentRow)
        .where(SegmentRow.id == id, SegmentRow.state == SegmentState.CLOSED)
        .values(state=state, due_at=None, **columns)
    )
    return ended.rowcount > 0


def next_closed(connection: Connection, tenant: str, user_id: str, after: str, now: datetime) -> str | None:
    """The user's oldest segment that is due, of those that had to wait for ``after``: live ones, or an import's."""
    values = {"tenant": tenant, "user_id": user_id, "after": after, "now": now}
    found = connection.execute(_NEXT, values).scalar_one_or_none()
    return None if found is None else str(found)


def read(connection: Connection, id: str) -> Segment | None:
    """A segment with its text, or None when it is unknown or its text was dropped."""
    row = connection.execute(select(SegmentRow.__table__).where(SegmentRow.id == id)).mappings().one_or_none()
    if row is None or row["turns"] is None:
        return None
    session = SessionRef(row["tenant"], row["user_id"], row["session_id"])
    return Segment(
        id=row["id"],
        session=session,
        turns=tuple(turn_from_json(session, turn) for turn in row["turns"]),
        boundary=Boundary(row["boundary"]),
        measured=row["measured"],
        threshold=row["threshold"],
        context=tuple(turn_from_json(session, turn) for turn in row["context"] or ()),
    )


def turn_to_json(turn: Turn) -> dict[str, Any]:
    """A turn inside a segment's row; the session is the row's."""
    return {
        "turn_id": turn.turn_id,
        "role": turn.role.value,
        "speaker": turn.speaker,
        "content": turn.content,
        "occurred_at": to_micros(turn.occurred_at),
        "received_at": to_micros(turn.received_at),
        "seq": turn.seq,
    }


def turn_from_json(session: SessionRef, fields: dict[str, Any]) -> Turn:
    """The inverse of turn_to_json."""
    return Turn(
        session.tenant,
        session.user_id,
        session.session_id,
        fields["turn_id"],
        Role(fields["role"]),
        fields["speaker"],
        fields["content"],
        from_micros(fields["occurred_at"]),
        from_micros(fields["received_at"]),
        fields["seq"],
    )
