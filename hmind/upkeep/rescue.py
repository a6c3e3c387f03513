"""Finding work that was due and has not moved: a lost message, a dead worker. Changes nothing.

The caller sends it again. Sending twice is harmless: a worker takes a row by moving its due time.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Engine, text

from hmind.model import SessionRef

_SEGMENTS = text("""
SELECT id FROM segments WHERE state = 'closed' AND due_at <= :before ORDER BY due_at, id LIMIT :limit
""")
_USERS = text("""
SELECT tenant, user_id FROM events WHERE state = 'pool' AND due_at <= :before
GROUP BY tenant, user_id ORDER BY min(due_at), tenant, user_id LIMIT :limit
""")
_WINDOWS = text("""
SELECT tenant, user_id, session_id FROM windows WHERE due_at <= :before
ORDER BY due_at, tenant, user_id, session_id LIMIT :limit
""")


def overdue_segments(engine: Engine, now: datetime, after_s: float, limit: int) -> list[str]:
    """Ids of closed segments that no analyst took ``after_s`` after they were due, longest first."""
    with engine.connect() as connection:
        return [str(row.id) for row in connection.execute(_SEGMENTS, _bounds(now, after_s, limit))]


def overdue_users(engine: Engine, now: datetime, after_s: float, limit: int) -> list[tuple[str, str]]:
    """(tenant, user_id) of users with events that no promoter took in that time, longest first."""
    with engine.connect() as connection:
        return [(row.tenant, row.user_id) for row in connection.execute(_USERS, _bounds(now, after_s, limit))]


def overdue_windows(engine: Engine, now: datetime, after_s: float, limit: int) -> list[SessionRef]:
    """Sessions whose window nobody looked at in that time, longest first."""
    with engine.connect() as connection:
        return [
            SessionRef(row.tenant, row.user_id, row.session_id)
            for row in connection.execute(_WINDOWS, _bounds(now, after_s, limit))
        ]


def _bounds(now: datetime, after_s: float, limit: int) -> dict[str, object]:
    return {"before": now - timedelta(seconds=after_s), "limit": limit}
