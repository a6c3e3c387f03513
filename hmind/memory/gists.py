"""Writing gists: L2, and the gists of flashbulbs in L4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from hmind.embedding.embedder import Vectors
from hmind.model import Layer, Statement
from hmind.storage.schema import GistRow


@dataclass(frozen=True, slots=True)
class EventRef:
    """The event that memories come from."""

    tenant: str
    user_id: str
    session_id: str
    event_id: str
    occurred_at: datetime


def write(
    connection: Connection,
    event: EventRef,
    layer: Layer,
    statements: Sequence[Statement],
    keywords: Sequence[list[str]],
    vectors: Vectors,
    importance: float,
    now: datetime,
) -> int:
    """Writes one gist for each statement, once; returns how many were new.

    ``vectors`` has shape (len(statements), dim). Last use starts at ``now``: a memory of 2023
    that is imported today starts to fade today.
    """
    if not statements:
        return 0
    rows: list[dict[str, Any]] = [
        {
            "tenant": event.tenant,
            "user_id": event.user_id,
            "id": str(uuid5(NAMESPACE_URL, f"hmind:gist:{event.event_id}:{ordinal}")),
            "event_id": event.event_id,
            "ordinal": ordinal,
            "layer": layer.value,
            "session_id": event.session_id,
            "text": statement.text,
            "keywords": words,
            "embedding": vector,
            "source_turns": list(statement.turn_ids),
            "occurred_at": statement.occurred_at or event.occurred_at,
            "created_at": now,
            "base_importance": importance,
            "importance": importance,
            "last_used_at": now,
        }
        for ordinal, (statement, words, vector) in enumerate(zip(statements, keywords, vectors, strict=True))
    ]
    statement = insert(GistRow).values(rows).on_conflict_do_nothing().returning(GistRow.id)
    return len(connection.execute(statement).all())
