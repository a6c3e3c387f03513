"""What ends on its day: raw turns without a boundary, the event pool, reviews that nobody answered.

Texts are dropped in texts.py.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Engine, text

from hmind.settings import ShortTerm
from hmind.upkeep.batches import in_batches

_POOL = text("""
WITH due AS (
    SELECT id FROM events WHERE state = 'pool' AND expires_at <= :now
    ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED
), ended AS (
    UPDATE events SET state = 'expired',
        decision = jsonb_build_object('route', 'expired', 'reason', 'pool_expired', 'salience', salience)
    FROM due WHERE events.id = due.id
    RETURNING events.id, tenant, user_id, session_id, turn_ids
), turns AS (
    UPDATE ledger SET state = 'expired', reason = 'pool_expired', updated_at = :now
    FROM ended
    WHERE ledger.tenant = ended.tenant AND ledger.user_id = ended.user_id AND ledger.session_id = ended.session_id
      AND ledger.turn_id = ANY(ended.turn_ids) AND ledger.state = 'segmented'
)
SELECT id FROM ended
""")
"""Only turns that nothing was decided about end with it: one that another event made remembered stays."""

_RAW = text("""
WITH late AS (
    SELECT tenant, user_id, session_id, turn_id FROM ledger
    WHERE state = 'waiting' AND received_at <= :before
    ORDER BY received_at LIMIT :batch FOR UPDATE SKIP LOCKED
)
UPDATE ledger SET state = 'expired', reason = 'raw_ttl', updated_at = :now
FROM late
WHERE ledger.tenant = late.tenant AND ledger.user_id = late.user_id
  AND ledger.session_id = late.session_id AND ledger.turn_id = late.turn_id
RETURNING ledger.tenant, ledger.user_id, ledger.session_id
""")
_LOCK_WINDOWS = text("""
SELECT 1 FROM windows
WHERE (tenant, user_id, session_id) IN (
    SELECT * FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:sessions AS text[]))
)
ORDER BY tenant, user_id, session_id FOR UPDATE
""")
"""Locked before it is asked what still waits: a turn that comes in meanwhile opens its window after us."""

_CLOSE_WINDOWS = text("""
UPDATE windows SET due_at = NULL, flush_seq = NULL, attempts = 0, last_error = NULL, held = false
WHERE (tenant, user_id, session_id) IN (
    SELECT * FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:sessions AS text[]))
) AND NOT EXISTS (
    SELECT FROM ledger
    WHERE ledger.tenant = windows.tenant AND ledger.user_id = windows.user_id
      AND ledger.session_id = windows.session_id AND ledger.state = 'waiting'
)
""")
_REVIEWS = text("""
UPDATE reviews SET state = 'expired', decided_at = :now
WHERE id IN (
    SELECT id FROM reviews WHERE state = 'pending' AND expires_at <= :now
    ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED
)
""")


def expire_pool(engine: Engine, batch_rows: int, now: datetime) -> int:
    """Ends events that waited in the pool past their day, and their turns; returns how many events."""
    ended = 0
    while True:
        with engine.begin() as connection:
            rows = connection.execute(_POOL, {"now": now, "batch": batch_rows}).all()
        if not rows:
            return ended
        ended += len(rows)


def expire_raw(engine: Engine, settings: ShortTerm, batch_rows: int, now: datetime) -> int:
    """Ends turns that still wait when their text is no longer readable; closes windows left empty.

    A turn received exactly ``ttl_h`` ago is over. Returns how many turns.
    """
    parameters = {"now": now, "before": now - timedelta(hours=settings.ttl_h), "batch": batch_rows}
    ended = 0
    while True:
        with engine.begin() as connection:
            rows = connection.execute(_RAW, parameters).all()
            sessions = sorted({(row.tenant, row.user_id, row.session_id) for row in rows})
            if not sessions:
                return ended
            tenants, users, names = (list(column) for column in zip(*sessions, strict=True))
            whose = {"tenants": tenants, "users": users, "sessions": names}
            connection.execute(_LOCK_WINDOWS, whose)
            connection.execute(_CLOSE_WINDOWS, whose)
        ended += len(rows)


def expire_reviews(engine: Engine, batch_rows: int, now: datetime) -> int:
    """Lets candidate facts lapse that nobody decided about in time; returns how many."""
    return in_batches(engine, _REVIEWS, {"now": now}, batch_rows)
