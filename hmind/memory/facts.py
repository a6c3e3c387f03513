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

SINGLE_VALUED = frozenset({"name", "lives_in", "works_at", "works_as", "birthday", "age", "marital_status"})
"""Predicates with one value at a time: who says a new one ends the old one."""


class Written(StrEnum):
    """What came of writing a fact."""

    ADDED = "added"
    UPDATED = "updated"
    REPEATED = "repeated"
    HISTORICAL = "historical"


# What is over and what is true now are two facts, even of the same words.
_SAME = text("""
UPDATE facts SET confidence = greatest(confidence, :confidence), last_used_at = :now, use_count = use_count + 1
WHERE tenant = :tenant AND user_id = :user_id AND lower(subject) = lower(:subject) AND predicate = :predicate
  AND lower(object) = lower(:object) AND invalidated_at IS NULL AND event_id <> :event_id
  AND (valid_to IS NULL) = (CAST(:valid_to AS timestamptz) IS NULL)
""")

# By when it was told, not since when it is true: "I have lived here since 2019" corrects a later date.
# A fact was told by its own event and by each that repeated it, as their decisions tell.
_NEWER = text("""
SELECT facts.id, facts.valid_from, events.told_at
FROM facts JOIN events ON events.tenant = facts.tenant AND events.user_id = facts.user_id
WHERE facts.tenant = :tenant AND facts.user_id = :user_id
  AND lower(facts.subject) = lower(:subject) AND facts.predicate = :predicate AND lower(facts.object) <> lower(:object)
  AND facts.invalidated_at IS NULL AND facts.valid_to IS NULL
  AND events.told_at > (SELECT mine.told_at FROM events AS mine WHERE mine.id = :event_id)
  AND (events.id = facts.event_id OR EXISTS (
    SELECT 1 FROM jsonb_array_elements(events.decision -> 'facts') AS told
    WHERE told ->> 'outcome' = 'written' AND told ->> 'predicate' = facts.predicate
      AND lower(told ->> 'subject') = lower(facts.subject) AND lower(told ->> 'object') = lower(facts.object)
  ))
ORDER BY events.told_at, facts.id LIMIT 1
""")

_SUPERSEDE = text("""
UPDATE facts SET valid_to = greatest(valid_from, :valid_from), invalidated_at = :now, superseded_by = :id
WHERE tenant = :tenant AND user_id = :user_id AND lower(subject) = lower(:subject) AND predicate = :predicate
  AND lower(object) <> lower(:object) AND invalidated_at IS NULL
  AND (valid_to IS NULL OR valid_to > :valid_from)
""")


_ASKED = text("""
SELECT 1 FROM reviews JOIN events AS old ON old.id = reviews.event_id
WHERE reviews.tenant = :tenant AND reviews.user_id = :user_id AND reviews.digest = :digest
  AND old.state = 'replaced' AND old.segment_id = (SELECT segment_id FROM events WHERE id = :event_id)
LIMIT 1
""")


def write(connection: Connection, event: EventRef, fact: CandidateFact, now: datetime) -> Written:
    """Writes a fact under the caller's lock on its user.

    A fact of a single-valued predicate that was told before the live one (a late import) is kept
    as history and overturns nothing.
    """
    row = _row(event, fact)
    row["valid_from"] = fact.valid_from or event.occurred_at
    values = {**row, "now": now}
    if connection.execute(_SAME, values).rowcount:
        return Written.REPEATED
    outcome = Written.ADDED
    if fact.predicate in SINGLE_VALUED and fact.valid_to is None:
        newer = connection.execute(_NEWER, values).first()
        if newer is not None:
            outcome = Written.HISTORICAL
            since = newer.valid_from
            ended = since if since is not None and since > row["valid_from"] else newer.told_at
            row |= {"valid_to": max(ended, row["valid_from"]), "invalidated_at": now, "superseded_by": newer.id}
        elif connection.execute(_SUPERSEDE, values).rowcount:
            outcome = Written.UPDATED
    full = {**row, "recorded_at": now, "last_used_at": now}
    connection.execute(insert(FactRow).values(full).on_conflict_do_nothing())
    return outcome


def ask(connection: Connection, event: EventRef, fact: CandidateFact, now: datetime, days: float) -> None:
    """Puts a fact before a person; after ``days`` without an answer it lapses.

    One that an event asked about which this one replaced is not asked about again.
    """
    row = {
        **_row(event, fact),
        "digest": digest(fact.subject, fact.predicate, fact.object),
        "created_at": now,
        "expires_at": now + timedelta(days=days),
    }
    if not connection.execute(_ASKED, row).first():
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
