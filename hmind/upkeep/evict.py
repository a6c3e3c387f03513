"""Letting go: gists of L2 that faded and are old leave recall."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Engine, text

from hmind.settings import UpkeepSettings
from hmind.upkeep.batches import in_batches

_EVICT = text("""
UPDATE gists SET state = 'evicted', evicted_at = :now
WHERE (tenant, user_id, id) IN (
    SELECT tenant, user_id, id FROM gists
    WHERE state = 'live' AND layer = 'L2' AND importance < :below AND created_at < :before
    LIMIT :batch FOR UPDATE SKIP LOCKED
)
""")


def evict(engine: Engine, settings: UpkeepSettings, now: datetime) -> int:
    """Evicts gists of L2 less important than ``evict_below`` that are kept for more than ``evict_after_days``.

    Age counts from when we wrote it, so an imported chat of long ago is not let go at once.
    Gists of L4 stay. Returns how many were evicted.
    """
    before = now - timedelta(days=settings.evict_after_days)
    parameters = {"now": now, "below": settings.evict_below, "before": before}
    return in_batches(engine, _EVICT, parameters, settings.batch_rows)
