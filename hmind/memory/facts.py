"""Writing facts (L4) and the reviews that ask a person about one.

Nothing is deleted. A repeated fact strengthens the one there; a new value of a predicate that can
have only one at a time ends the old one, which stays readable with its times.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import insert

from hmind.memory.gists import EventRef
from hmind.model import CandidateFact
from hmind.storage.schema import FactRow, ReviewRow

SINGLE_VALUED = frozenset({"name", "lives_in", "works_at", "occupation", "birthday", "age", "marital_status"})
"""Predicates with one value at a time: who says a new one ends the old one."""


class Written(StrEnum):
    """What came of writing a fact."""

    ADDED = "added"
    UPDATED = "updated"
    REPEATED = "repeated"
    HISTORICAL = "historical"


_SAME = text("""
UPDATE facts SET confidence = greatest(confidence, :confidence), last_used_at = :now, use_count = use_count + 1
WHERE tenant = :tenant AND user_id = :user_id AND lower(subject) = lower(:subject) AND predicate = :predicate
  AND (lower(object) = lower(:object) OR (:single AND position(lower(:object) IN lower(object)) > 0))
  AND invalidated_at IS NULL AND (event_id, id) <> (:event_id, :id)
""")

_NEWER = text("""
SELECT 1 FROM facts
WHERE tenant = :tenant AND user_id = :user_id AND lower(subject) = lower(:subject) AND predicate = :predicate
  AND lower(object) <> lower(:object) AND invalidated_at IS NULL AND valid_to IS NULL AND valid_from > :valid_from
LIMIT 1
""")

_SUPERSEDE = text("""
UPDATE facts SET valid_to = coalesce(valid_to, :valid_from), invalidated_at = :now, superseded_by = :id
WHERE tenant = :tenant AND user_id = :user_id AND lower(subject) = lower(:subject) AND predicate = :predicate
  AND lower(object) <> lower(:object) AND invalidated_at IS NULL
  AND (valid_from IS NULL OR valid_from <= :valid_from)
""")


def write(connection: Connection, event: EventRef, fact: CandidateFact, now: datetime) -> Written:
    """Writes a fact under the caller's lock on its user.

    Of a single-valued predicate, less of the same is a repeat: who lives in "Larimer Street, Denver"
    lives in "Denver". A fact older than the live one of a single-valued predicate (a late import) is kept as history
    and overturns nothing.
    """
    row = _row(event, fact)
    row["valid_from"] = fact.valid_from or event.occurred_at
    values = {**row, "now": now, "single": fact.predicate in SINGLE_VALUED and fact.valid_to is None}
    if connection.execute(_SAME, values).rowcount:
        return Written.REPEATED
    outcome, ended = Written.ADDED, fact.valid_to
    if fact.predicate in SINGLE_VALUED and fact.valid_to is None:
        if connection.execute(_NEWER, values).first():
            outcome = Written.HISTORICAL
        elif connection.execute(_SUPERSEDE, values).rowcount:
            outcome = Written.UPDATED
    late = {"invalidated_at": now} if outcome is Written.HISTORICAL else {}
    full = {**row, **late, "valid_to": ended, "recorded_at": now, "last_used_at": now}
    connection.execute(insert(FactRow).values(full).on_conflict_do_nothing())
    return outcome


def ask(connection: Connection, event: EventRef, fact: CandidateFact, now: datetime, days: float) -> None:
    """Puts a fact before a person; after ``days`` without an answer it lapses."""
    row = {
        **_row(event, fact),
        "digest": digest(fact.subject, fact.predicate, fact.object),
        "created_at": now,
        "expires_at": now + timedelta(days=days),
    }
    connection.execute(insert(ReviewRow).values(row).on_conflict_do_nothing())


def digest(subject: str, predicate: str, object_: str) -> str:
    """The same for the same fact in the same words, upper or lower case, wide or narrow, however spaced.

    SHA-256, hexadecimal; the words cannot be read from it.
    """
    told = (" ".join(unicodedata.normalize("NFKC", part).casefold().split()) for part in (subject, predicate, object_))
    return sha256("\x1f".join(told).encode()).hexdigest()


def _row(event: EventRef, fact: CandidateFact) -> dict[str, Any]:
    told: Mapping[str, str] = {"subject": fact.subject, "predicate": fact.predicate, "object": fact.object}
    key = "\x1f".join([event.event_id, *told.values()])
    return {
        "id": str(uuid5(NAMESPACE_URL, f"hmind:fact:{key}")),
        "tenant": event.tenant,
        "user_id": event.user_id,
        "event_id": event.event_id,
        "session_id": event.session_id,
        **told,
        "confidence": fact.confidence,
        "told_by": fact.told_by,
        "source_turns": list(fact.turn_ids),
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
    }
