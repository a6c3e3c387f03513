"""Dropping what users said from where it was kept for a while: segments, the pool, reviews, dead letters."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Engine, text

from hmind.settings import AnalysisSettings, PromotionSettings, ShortTerm
from hmind.upkeep.batches import in_batches

_SEGMENTS = text("""
WITH old AS (
    SELECT id, state FROM segments
    WHERE turns IS NOT NULL AND created_at <= :before
    ORDER BY created_at, id LIMIT :batch FOR UPDATE SKIP LOCKED
), unread AS (
    UPDATE ledger SET state = 'expired', reason = 'segment_expired', updated_at = :now
    FROM old
    WHERE old.state = 'closed' AND ledger.segment_id = old.id AND ledger.state = 'segmented'
)
UPDATE segments SET turns = NULL, context = NULL, again_at = NULL,
    state = CASE WHEN segments.state = 'closed' THEN 'failed' ELSE segments.state END,
    last_error = CASE WHEN segments.state = 'closed' THEN 'text_expired' ELSE last_error END,
    due_at = CASE WHEN segments.state = 'closed' THEN NULL ELSE due_at END
FROM old WHERE segments.id = old.id
""")
"""A segment that no analyst read in all that time has nothing left to read: it ends, and says so."""

_EVENTS = text("""
UPDATE events SET description = NULL, statements = NULL, entities = NULL, facts = NULL,
    decision = CASE WHEN jsonb_typeof(decision -> 'facts') = 'array' THEN jsonb_set(decision, '{facts}', (
        SELECT coalesce(jsonb_agg(
            CASE WHEN told ->> 'outcome' = 'written' THEN told ELSE told - 'subject' - 'object' END ORDER BY place
        ), '[]')
        FROM jsonb_array_elements(decision -> 'facts') WITH ORDINALITY AS item (told, place)
    )) ELSE decision END
WHERE id IN (
    SELECT id FROM events WHERE state <> 'pool' AND statements IS NOT NULL AND expires_at <= :now
    ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED
)
""")
"""What was written may stay in the decision that tells of it; what was skipped or asked may not."""

_REVIEWS = text("""
UPDATE reviews SET subject = NULL, object = NULL
WHERE id IN (
    SELECT id FROM reviews
    WHERE state IN ('rejected', 'expired') AND object IS NOT NULL AND decided_at <= :before
    ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED
)
""")
"""What was never believed may not stay; the digest of it does, so that the same words are not asked about again."""

_DEAD_LETTERS = text("""
UPDATE dead_letters SET payload = NULL
WHERE id IN (
    SELECT id FROM dead_letters WHERE payload IS NOT NULL AND received_at <= :before
    ORDER BY id LIMIT :batch FOR UPDATE SKIP LOCKED
)
""")


def drop_segment_texts(engine: Engine, settings: AnalysisSettings, batch_rows: int, now: datetime) -> int:
    """Empties segments ``segment_text_days`` after they closed; returns how many."""
    parameters = {"now": now, "before": now - timedelta(days=settings.segment_text_days)}
    return in_batches(engine, _SEGMENTS, parameters, batch_rows)


def drop_event_texts(engine: Engine, batch_rows: int, now: datetime) -> int:
    """Empties decided events whose day in the pool is over; returns how many."""
    return in_batches(engine, _EVENTS, {"now": now}, batch_rows)


def drop_review_texts(engine: Engine, settings: PromotionSettings, batch_rows: int, now: datetime) -> int:
    """Empties reviews that were rejected or lapsed ``pool_days`` ago, as the pool its events; returns how many."""
    return in_batches(engine, _REVIEWS, {"before": now - timedelta(days=settings.pool_days)}, batch_rows)


def drop_dead_payloads(engine: Engine, settings: ShortTerm, batch_rows: int, now: datetime) -> int:
    """Empties dead letters as old as a raw turn may get; their reason stays. Returns how many."""
    return in_batches(engine, _DEAD_LETTERS, {"before": now - timedelta(hours=settings.ttl_h)}, batch_rows)
