"""All that is kept of one user, for a person to look at, each with why. Recall answers questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, text

from hmind.memory.reasons import Because, reasons
from hmind.memory.wording import language_of, sentence


@dataclass(frozen=True, slots=True)
class KeptFact:
    """A fact (L4). ``invalidated_at`` is set once another took its place or a late one came too late.

    ``text`` says it as a sentence, in the language it was told in.
    """

    id: str
    text: str
    subject: str
    predicate: str
    object: str
    confidence: float
    told_by: str
    source_turns: tuple[str, ...]
    session_id: str
    valid_from: datetime | None
    valid_to: datetime | None
    recorded_at: datetime
    invalidated_at: datetime | None
    superseded_by: str | None
    because: Because | None


@dataclass(frozen=True, slots=True)
class KeptGist:
    """A gist of L2, or of L4 when its event was promoted. ``importance`` is the effective one."""

    id: str
    layer: str
    text: str
    state: str
    importance: float
    occurred_at: datetime
    source_turns: tuple[str, ...]
    session_id: str
    because: Because | None


@dataclass(frozen=True, slots=True)
class KeptEntity:
    """An entity (L3). ``because`` is the latest event that mentions it."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    because: Because | None


@dataclass(frozen=True, slots=True)
class PendingReview:
    """A candidate fact that waits for a person until ``expires_at``; ``text`` as that of a fact."""

    id: str
    text: str
    subject: str
    predicate: str
    object: str
    confidence: float
    told_by: str
    source_turns: tuple[str, ...]
    session_id: str
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime
    because: Because | None


@dataclass(frozen=True, slots=True)
class Memories:
    """What is kept of a user: newest facts and gists first, entities by mentions, reviews by urgency."""

    facts: tuple[KeptFact, ...]
    gists: tuple[KeptGist, ...]
    entities: tuple[KeptEntity, ...]
    reviews: tuple[PendingReview, ...]


_FACTS = text("""
SELECT id, event_id, subject, predicate, object, confidence, told_by, source_turns, session_id,
       valid_from, valid_to, recorded_at, invalidated_at, superseded_by
FROM facts WHERE tenant = :tenant AND user_id = :user_id AND (:history OR invalidated_at IS NULL)
ORDER BY recorded_at DESC, id LIMIT :limit
""")
_GISTS = text("""
SELECT id, event_id, layer, text, state, importance, occurred_at, source_turns, session_id
FROM gists WHERE tenant = :tenant AND user_id = :user_id AND (:history OR state = 'live')
ORDER BY occurred_at DESC, id LIMIT :limit
""")
_ENTITIES = text("""
SELECT id, name, type, aliases, mention_count, first_seen_at, last_seen_at, (
    SELECT event_id FROM mentions
    WHERE tenant = :tenant AND user_id = :user_id AND entity_id = entities.id
    ORDER BY occurred_at DESC, event_id LIMIT 1
) AS event_id
FROM entities WHERE tenant = :tenant AND user_id = :user_id
ORDER BY mention_count DESC, last_seen_at DESC, id LIMIT :limit
""")
_REVIEWS = text("""
SELECT id, event_id, subject, predicate, object, confidence, told_by, source_turns, session_id, expires_at,
       valid_from, valid_to
FROM reviews WHERE tenant = :tenant AND user_id = :user_id AND state = 'pending'
ORDER BY expires_at, id LIMIT :limit
""")


def memories(engine: Engine, tenant: str, user_id: str, *, limit: int = 200, history: bool = False) -> Memories:
    """What is kept of a user, at most ``limit`` of each kind.

    Args:
        history: also facts that no longer hold and gists that were merged or evicted.
    """
    asked = {"tenant": tenant, "user_id": user_id, "limit": limit, "history": history}
    with engine.connect() as connection:
        facts = _rows(connection, _FACTS, asked)
        gists = _rows(connection, _GISTS, asked)
        entities = _rows(connection, _ENTITIES, asked)
        reviews = _rows(connection, _REVIEWS, asked)
        events = {row["event_id"] for rows in (facts, gists, entities, reviews) for row in rows if row["event_id"]}
        why = reasons(connection, tenant, user_id, events)
    return Memories(
        facts=tuple(KeptFact(**_worded(_with(row, why))) for row in facts),
        gists=tuple(KeptGist(**_with(row, why)) for row in gists),
        entities=tuple(KeptEntity(**_with(row, why)) for row in entities),
        reviews=tuple(PendingReview(**_worded(_with(row, why))) for row in reviews),
    )


def _rows(connection: Connection, statement: Any, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = connection.execute(statement, {name: asked[name] for name in statement.compile().params})
    return [{name: _plain(name, value) for name, value in row._mapping.items()} for row in rows]


def _plain(name: str, value: Any) -> Any:
    """Ids as text, arrays as tuples."""
    if isinstance(value, list):
        return tuple(value)
    is_id = name in ("id", "event_id", "superseded_by") and value is not None
    return str(value) if is_id else value


def _with(row: dict[str, Any], why: Mapping[str, Because]) -> dict[str, Any]:
    rest = {name: value for name, value in row.items() if name != "event_id"}
    return rest | {"because": why.get(row["event_id"])}


def _worded(row: dict[str, Any]) -> dict[str, Any]:
    why: Because | None = row["because"]
    told = sentence(
        row["subject"],
        row["predicate"],
        row["object"],
        language_of(row["object"], why.language if why else None),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        told_at=why.occurred_at if why else None,
    )
    return row | {"text": told}
