"""That memories were of use: refreshes last use, off the reading path."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from sqlalchemy import CursorResult, Engine, text

TOUCH_GISTS = text("""
UPDATE gists SET last_used_at = :now, use_count = use_count + 1
WHERE tenant = :tenant AND user_id = :user_id AND id IN (
    SELECT id FROM gists
    WHERE tenant = :tenant AND user_id = :user_id AND id = ANY(CAST(:ids AS uuid[])) AND last_used_at < :now
    ORDER BY id FOR UPDATE SKIP LOCKED
)
""")
TOUCH_FACTS = text("""
UPDATE facts SET last_used_at = :now, use_count = use_count + 1
WHERE id IN (
    SELECT id FROM facts
    WHERE tenant = :tenant AND user_id = :user_id AND id = ANY(CAST(:ids AS uuid[])) AND last_used_at < :now
    ORDER BY id FOR UPDATE SKIP LOCKED
)
""")
"""Rows that somebody else is touching right now are skipped: that use counts already. The time in
the condition makes a repeated message change nothing."""


def touch(engine: Engine, tenant: str, user_id: str, ids: Collection[str], now: datetime) -> int:
    """Notes that the user's gists and facts called ``ids`` were of use at ``now``.

    Other ids (entities, raw turns, ids that are none) are left out, so the ids of a whole
    answer can be given. The same call again changes nothing. Returns the number of rows changed.
    """
    known = [one for one in ids if _is_uuid(one)]
    if not known:
        return 0
    parameters = {"tenant": tenant, "user_id": user_id, "ids": known, "now": now}
    changed = 0
    with engine.begin() as connection:
        for statement in (TOUCH_GISTS, TOUCH_FACTS):
            result = connection.execute(statement, parameters)
            assert isinstance(result, CursorResult)
            changed += result.rowcount
    return changed


def _is_uuid(text_: str) -> bool:
    try:
        return str(UUID(text_)) == text_.lower()
    except ValueError:
        return False
