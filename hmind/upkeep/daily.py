"""Everything that expires, in the order in which one thing follows from another."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine

from hmind.settings import Settings
from hmind.upkeep import expire, texts


def expire_all(engine: Engine, settings: Settings, now: datetime) -> dict[str, int]:
    """Ends what is over at ``now``, then drops the texts of it; returns rows changed by what was done."""
    batch = settings.upkeep.batch_rows
    return {
        "turns": expire.expire_raw(engine, settings.shortterm, batch, now),
        "events": expire.expire_pool(engine, batch, now),
        "reviews": expire.expire_reviews(engine, batch, now),
        "segment_texts": texts.drop_segment_texts(engine, settings.analysis, batch, now),
        "event_texts": texts.drop_event_texts(engine, batch, now),
        "review_texts": texts.drop_review_texts(engine, settings.promotion, batch, now),
        "dead_letter_texts": texts.drop_dead_payloads(engine, settings.shortterm, batch, now),
    }
