"""Fading: the effective importance of gists in L2, computed anew from what is stored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Engine, text

from hmind.settings import UpkeepSettings

# From base_importance, last_used_at and the date, never from importance itself: a second run on
# a day finds nothing to change. Pages by primary key; a row that is locked is being used right
# now and has not faded.
_FADE = text("""
WITH page AS (
    SELECT tenant, user_id, id, greatest(
        CAST(:floor AS float8),
        base_importance * power(
            CAST(0.5 AS float8),
            greatest(0, CAST(:day AS date) - CAST(last_used_at AT TIME ZONE 'UTC' AS date))
                / CAST(:half_life_days AS float8)
        )
    ) AS faded
    FROM gists
    WHERE state = 'live' AND layer = 'L2'
      AND (tenant, user_id, id) > (CAST(:tenant AS text), CAST(:user_id AS text), CAST(:id AS uuid))
    ORDER BY tenant, user_id, id LIMIT :batch FOR UPDATE SKIP LOCKED
), changed AS (
    UPDATE gists SET importance = page.faded FROM page
    WHERE gists.tenant = page.tenant AND gists.user_id = page.user_id AND gists.id = page.id
      AND gists.importance <> page.faded
    RETURNING 1
)
SELECT (SELECT count(*) FROM changed) AS changed, tenant, user_id, id
FROM page ORDER BY tenant DESC, user_id DESC, id DESC LIMIT 1
""")


def decay(engine: Engine, settings: UpkeepSettings, now: datetime) -> int:
    """Sets importance = max(floor, base × 0.5^(days since last use / half-life)) in L2.

    Days are whole days of UTC. Gists of L4 never fade. Returns how many changed.
    """
    fixed: dict[str, Any] = {
        "day": now.astimezone(UTC).date(),
        "floor": settings.importance_floor,
        "half_life_days": settings.half_life_days,
        "batch": settings.batch_rows,
    }
    after: dict[str, Any] = {"tenant": "", "user_id": "", "id": "00000000-0000-0000-0000-000000000000"}
    changed = 0
    while True:
        with engine.begin() as connection:
            row = connection.execute(_FADE, fixed | after).one_or_none()
        if row is None:
            return changed
        changed += row.changed
        after = {"tenant": row.tenant, "user_id": row.user_id, "id": row.id}
