"""What an import came to, without the times of the run itself, so that two runs can be compared."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, text

# Our clock's times, attempts and the order of intake differ from run to run; all else must not.
QUERIES = {
    "ledger": "SELECT user_id, session_id, turn_id, role, occurred_at, state, reason, segment_id FROM ledger",
    "segments": "SELECT id, boundary, measured, threshold, opened_at, closed_at, turn_count, rounds, state"
    " FROM segments",
    "events": "SELECT id, segment_id, ordinal, description, statements, entities, facts, salience, salience_parts,"
    " told_at, occurred_at, turn_ids, state, decision FROM events",
    "gists": "SELECT id, event_id, layer, text, keywords, embedding::text, source_turns, occurred_at, base_importance"
    " FROM gists",
    "entities": "SELECT id, name, type, aliases, mention_count, first_seen_at, last_seen_at FROM entities",
    "mentions": "SELECT entity_id, event_id, turn_ids, occurred_at FROM mentions",
    "facts": "SELECT id, event_id, subject, predicate, object, confidence, told_by, source_turns, valid_from, valid_to,"
    " invalidated_at IS NULL, superseded_by, use_count FROM facts",
    "reviews": "SELECT id, subject, predicate, object, confidence, state FROM reviews",
    "dead_letters": "SELECT field, reason FROM dead_letters",
}


def snapshot(engine: Engine) -> dict[str, list[str]]:
    """Each table's rows as sorted text."""
    with engine.connect() as connection:
        return {name: sorted(map(_told, connection.execute(text(query)))) for name, query in QUERIES.items()}


def _told(row: Any) -> str:
    return repr(tuple(row))
