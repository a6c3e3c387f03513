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

# One statement, so one moment: a turn that came in between two of them would be judged by a row that
# does not know of it yet. Turns before a flush come first.
_READ = text("""
SELECT last_seq, flush_seq, last_occurred_at, last_received_at, held, turn.turn_id, turn.seq, turn.received_at
FROM windows LEFT JOIN LATERAL (
    SELECT turn_id, seq, occurred_at, received_at, coalesce(seq > flush_seq, false) AS after_flush FROM ledger
    WHERE ledger.tenant = windows.tenant AND ledger.user_id = windows.user_id
      AND ledger.session_id = windows.session_id AND ledger.state = 'waiting'
    ORDER BY after_flush, occurred_at, seq LIMIT :limit
) AS turn ON true
WHERE windows.tenant = :tenant AND windows.user_id = :user_id AND windows.session_id = :session_id
ORDER BY turn.after_flush, turn.occurred_at, turn.seq
""")

_LOCK = text("""
SELECT 1 FROM windows WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id FOR UPDATE
""")

# A turn or a flush that came in since the window was read keeps it due. Turns are counted too,
# because an intake that got its numbers first may commit last. Under _LOCK, which such an intake waits for.
_SETTLE = text("""
UPDATE windows SET due_at = :due_at, attempts = 0, last_error = NULL, flush_seq = NULL,
    held = held AND CAST(:due_at AS timestamptz) IS NOT NULL
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
  AND last_seq = :last_seq AND flush_seq IS NOT DISTINCT FROM CAST(:flush_seq AS bigint)
  AND :left = (
    SELECT count(*) FROM ledger
    WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id AND state = 'waiting'
  )
""")

_POSTPONE = text("""
UPDATE windows SET due_at = least(coalesce(due_at, :due_at), :due_at)
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
""")

_NOTE = text("""
UPDATE windows SET last_error = :why
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
""")

_EXPIRE = text("""
UPDATE ledger SET state = 'expired', reason = :reason, updated_at = :now
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
  AND turn_id = ANY(CAST(:turns AS text[])) AND state = 'waiting'
""")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A turn that is in no segment yet."""

    turn_id: str
    seq: int
    received_at: datetime


@dataclass(frozen=True, slots=True)
class Window:
    """A window as it was at one moment.

    Attributes:
        flush_seq: all turns up to this one belong to something that is over.
        waiting: the turns to judge, in order of (occurred_at, seq): those before the flush while
            there are any, else all that wait.
        whole: whether ``waiting`` is all of those, not only the first.
    """

    last_seq: int
    flush_seq: int | None
    last_occurred_at: datetime
    last_received_at: datetime
    held: bool
    waiting: tuple[Waiting, ...]
    whole: bool

    @property
    def flushed(self) -> bool:
        """Whether the turns in ``waiting`` belong to something that is over."""
        return self.flush_seq is not None and bool(self.waiting) and self.waiting[0].seq <= self.flush_seq


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


def read(connection: Connection, session: SessionRef, limit: int) -> Window | None:
    """The window of a session with the first ``limit`` turns to judge; None for an unknown session."""
    rows = connection.execute(_READ, {**_key(session), "limit": limit}).all()
    if not rows:
        return None
    row = rows[0]
    waiting = [Waiting(row.turn_id, row.seq, row.received_at) for row in rows if row.turn_id is not None]
    before = [turn for turn in waiting if row.flush_seq is not None and turn.seq <= row.flush_seq]
    judged = before or waiting
    return Window(
        row.last_seq,
        row.flush_seq,
        row.last_occurred_at,
        row.last_received_at,
        row.held,
        tuple(judged),
        len(judged) < limit,
    )


def settle(connection: Connection, session: SessionRef, window: Window, left: int, due_at: datetime | None) -> bool:
    """Sets when to look again (None: nothing waits); False if something came in since ``window`` was read.

    ``left`` turns of it still wait, none of them before a flush.
    """
    connection.execute(_LOCK, _key(session))
    seen = {"last_seq": window.last_seq, "flush_seq": window.flush_seq, "left": left, "due_at": due_at}
    return connection.execute(_SETTLE, {**_key(session), **seen}).rowcount > 0


def postpone(engine: Engine, session: SessionRef, until: datetime) -> None:
    """Looks again at ``until`` at the latest."""
    with engine.begin() as connection:
        connection.execute(_POSTPONE, {**_key(session), "due_at": until})


def note(engine: Engine, session: SessionRef, error: Exception) -> None:
    """Keeps the class of what went wrong; when to look again stays as it is."""
    with engine.begin() as connection:
        connection.execute(_NOTE, {**_key(session), "why": type(error).__name__})


def expire(connection: Connection, session: SessionRef, turns: Sequence[str], reason: str, now: datetime) -> None:
    """Ends turns whose text is gone before anything was made of them."""
    connection.execute(_EXPIRE, {**_key(session), "turns": list(turns), "reason": reason, "now": now})


def _key(session: SessionRef) -> dict[str, str]:
    return {"tenant": session.tenant, "user_id": session.user_id, "session_id": session.session_id}


def soon(now: datetime) -> datetime:
    """When a window that cannot be judged yet is looked at again."""
    return now + timedelta(seconds=5)
