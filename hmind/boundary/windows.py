"""The rows that say which windows are open and when each has to be looked at next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, text

from hmind.model import SessionRef

# Leases grow with the attempts, so that one bad window cannot keep the workers busy.
_TAKE_DUE = text("""
UPDATE windows SET due_at = :now + least(60 * power(2, least(attempts, 6)), 3600) * interval '1 second',
    attempts = attempts + 1
WHERE (tenant, user_id, session_id) IN (
    SELECT tenant, user_id, session_id FROM windows WHERE due_at <= :now
    ORDER BY due_at LIMIT :limit FOR UPDATE SKIP LOCKED
)
RETURNING tenant, user_id, session_id
""")

_OPEN_SINCE = text("""
SELECT tenant, user_id, session_id FROM windows
WHERE due_at IS NOT NULL AND NOT held AND EXISTS (
    SELECT 1 FROM ledger
    WHERE ledger.tenant = windows.tenant AND ledger.user_id = windows.user_id
      AND ledger.session_id = windows.session_id AND ledger.state = 'waiting' AND ledger.received_at < :before
)
ORDER BY tenant, user_id, session_id
""")

_READ = text("""
SELECT last_seq, flush_seq, last_occurred_at, last_received_at, held FROM windows
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
""")

_WAITING = text("""
SELECT turn_id, seq, received_at FROM ledger
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id AND state = 'waiting'
ORDER BY occurred_at, seq LIMIT :limit
""")

# last_seq in the condition: a turn that came in since keeps its window open.
_SETTLE = text("""
UPDATE windows SET due_at = :due_at, attempts = 0, last_error = NULL,
    flush_seq = CASE WHEN :flushed THEN NULL ELSE flush_seq END,
    held = held AND CAST(:due_at AS timestamptz) IS NOT NULL
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id AND last_seq = :seen
""")

_POSTPONE = text("""
UPDATE windows SET due_at = least(coalesce(due_at, :due_at), :due_at), last_error = coalesce(:why, last_error)
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
""")

_EXPIRE = text("""
UPDATE ledger SET state = 'expired', reason = :reason, updated_at = :now
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
  AND turn_id = ANY(CAST(:turns AS text[])) AND state = 'waiting'
""")


@dataclass(frozen=True, slots=True)
class Window:
    """An open window's row. ``flush_seq``: all turns up to this one belong to something that is over."""

    last_seq: int
    flush_seq: int | None
    last_occurred_at: datetime
    last_received_at: datetime
    held: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A turn that is in no segment yet."""

    turn_id: str
    seq: int
    received_at: datetime


def take_due(engine: Engine, now: datetime, limit: int) -> list[SessionRef]:
    """Sessions whose window is due, each given to one caller and due again later if nothing comes of it."""
    with engine.begin() as connection:
        return [
            SessionRef(row.tenant, row.user_id, row.session_id)
            for row in connection.execute(_TAKE_DUE, {"now": now, "limit": limit})
        ]


def open_since(engine: Engine, before: datetime) -> list[SessionRef]:
    """Sessions with a turn that waits since before ``before``; imports under way are left out."""
    with engine.connect() as connection:
        return [
            SessionRef(row.tenant, row.user_id, row.session_id)
            for row in connection.execute(_OPEN_SINCE, {"before": before})
        ]


def read(connection: Connection, session: SessionRef, limit: int) -> tuple[Window | None, list[Waiting]]:
    """The window's row and its first ``limit`` waiting turns, in order."""
    row = connection.execute(_READ, _key(session)).one_or_none()
    waiting = connection.execute(_WAITING, {**_key(session), "limit": limit})
    window = None
    if row is not None:
        window = Window(row.last_seq, row.flush_seq, row.last_occurred_at, row.last_received_at, row.held)
    return window, [Waiting(t.turn_id, t.seq, t.received_at) for t in waiting]


def settle(
    connection: Connection, session: SessionRef, seen: int, due_at: datetime | None, flushed: bool = False
) -> bool:
    """Sets when to look again (None: nothing waits); False if a turn came in since ``seen``."""
    values = {**_key(session), "seen": seen, "due_at": due_at, "flushed": flushed}
    return connection.execute(_SETTLE, values).rowcount > 0


def postpone(engine: Engine, session: SessionRef, until: datetime, why: str | None = None) -> None:
    """Looks again at ``until`` at the latest. ``why`` is the class of an error, never a text."""
    with engine.begin() as connection:
        connection.execute(_POSTPONE, {**_key(session), "due_at": until, "why": why})


def expire(connection: Connection, session: SessionRef, turns: Sequence[str], reason: str, now: datetime) -> None:
    """Ends turns whose text is gone before anything was made of them."""
    connection.execute(_EXPIRE, {**_key(session), "turns": list(turns), "reason": reason, "now": now})


def _key(session: SessionRef) -> dict[str, str]:
    return {"tenant": session.tenant, "user_id": session.user_id, "session_id": session.session_id}


def soon(now: datetime) -> datetime:
    """When a window that cannot be judged yet is looked at again."""
    return now + timedelta(seconds=5)
