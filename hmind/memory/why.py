"""The whole way of a memory: turns, boundary, analysis, decision, and what was written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, text

from hmind.memory import naming
from hmind.memory.naming import Named
from hmind.memory.reasons import in_order
from hmind.memory.wording import language_of, sentence


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """A turn of the segment as the ledger knows it.

    Attributes:
        content, speaker: only while the segment still holds its text, else None.
        in_event: whether the event rests on it.
    """

    turn_id: str
    role: str
    occurred_at: datetime
    state: str
    reason: str | None
    speaker: str | None
    content: str | None
    in_event: bool


@dataclass(frozen=True, slots=True)
class BoundarySeen:
    """Why the window closed, what was measured and what it was held against; and who read the segment.

    Attributes:
        outcome: of the analyst that was wanted: ``complete``, ``partial`` or ``failed``.
        outcome_reason: a fixed word for what is missing, or None.
        again_at: when the wanted analyst is asked again, or None when it is not.
        again_attempts: how often it was asked again.
    """

    segment_id: str
    reason: str
    measured: float | None
    threshold: float | None
    opened_at: datetime
    closed_at: datetime
    rounds: int
    state: str
    analyst: str | None
    outcome: str | None
    outcome_reason: str | None = None
    again_at: datetime | None = None
    again_attempts: int = 0


@dataclass(frozen=True, slots=True)
class EventSeen:
    """What the analyst found and what was decided.

    Attributes:
        description: None once the pool dropped its text.
        decision: the promoter's, with all its inputs; None while the event waits.
    """

    event_id: str
    description: str | None
    state: str
    salience: float
    salience_parts: Mapping[str, float]
    emotion: str
    language: str
    occurred_at: datetime
    decision: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Written:
    """A row that was written from the event: kind, id, what it says, and how it stands.

    ``text`` is None for a review whose text was dropped.
    """

    kind: str
    id: str
    text: str | None
    state: str


@dataclass(frozen=True, slots=True)
class Way:
    """From turns to memories, by one event; ``event`` is None where a segment gave none.

    ``boundary`` is None when the row of the segment is gone.
    """

    session_id: str
    turns: tuple[TurnSeen, ...]
    boundary: BoundarySeen | None
    event: EventSeen | None
    written: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """What an id names, and every way that led to it, oldest first.

    Only an entity (one way for each event that mentions it) and a segment (one for each of
    its events) can have several.
    """

    kind: str
    id: str
    tenant: str
    user_id: str
    ways: tuple[Way, ...]


_EVENTS_OF = {
    "fact": text("SELECT event_id FROM facts WHERE tenant = :tenant AND user_id = :user_id AND id = :id"),
    "gist": text("SELECT event_id FROM gists WHERE tenant = :tenant AND user_id = :user_id AND id = :id"),
    "review": text("SELECT event_id FROM reviews WHERE tenant = :tenant AND user_id = :user_id AND id = :id"),
    "entity": text("SELECT event_id FROM mentions WHERE tenant = :tenant AND user_id = :user_id AND entity_id = :id"),
    "event": text("SELECT id FROM events WHERE tenant = :tenant AND user_id = :user_id AND id = :id"),
    "segment": text("SELECT id FROM events WHERE tenant = :tenant AND user_id = :user_id AND segment_id = :id"),
}
_EVENTS = text("""
SELECT id, session_id, segment_id, description, state, salience, salience_parts, emotion, language, occurred_at,
       turn_ids, decision
FROM events WHERE tenant = :tenant AND user_id = :user_id AND id = ANY(CAST(:ids AS uuid[]))
ORDER BY occurred_at, ordinal, id
""")
_SEGMENTS = text("""
SELECT id, session_id, boundary, measured, threshold, opened_at, closed_at, rounds, turns, state, analyst, outcome,
       outcome_reason, again_at, again_attempts
FROM segments WHERE tenant = :tenant AND user_id = :user_id AND id = ANY(CAST(:ids AS uuid[]))
""")
_TURNS = text("""
SELECT segment_id, turn_id, role, occurred_at, state, reason FROM ledger
WHERE tenant = :tenant AND user_id = :user_id AND segment_id = ANY(CAST(:ids AS uuid[]))
ORDER BY occurred_at, seq
""")
_WRITTEN = text("""
SELECT event_id, 'fact' AS kind, id, NULL AS text, subject, predicate, object, valid_from, valid_to,
       CASE WHEN invalidated_at IS NULL THEN 'live' ELSE 'invalidated' END AS state
FROM facts WHERE tenant = :tenant AND user_id = :user_id AND event_id = ANY(CAST(:ids AS uuid[]))
UNION ALL
SELECT event_id, 'review', id, NULL, subject, predicate, object, valid_from, valid_to, state
FROM reviews WHERE tenant = :tenant AND user_id = :user_id AND event_id = ANY(CAST(:ids AS uuid[]))
UNION ALL
SELECT event_id, 'gist', id, text, NULL, NULL, NULL, NULL, NULL, state
FROM gists WHERE tenant = :tenant AND user_id = :user_id AND event_id = ANY(CAST(:ids AS uuid[]))
UNION ALL
SELECT mentions.event_id, 'entity', entities.id, name, NULL, NULL, NULL, NULL, NULL, type
FROM mentions JOIN entities ON entities.id = mentions.entity_id AND entities.tenant = :tenant
  AND entities.user_id = :user_id
WHERE mentions.tenant = :tenant AND mentions.user_id = :user_id AND mentions.event_id = ANY(CAST(:ids AS uuid[]))
ORDER BY kind, id
""")


def why(engine: Engine, tenant: str, id_: str, user_id: str | None = None) -> Why:
    """How what ``id_`` names came about. The beginning of an id is enough, see naming.find.

    Raises:
        UnknownId: nothing in the tenant (or of that user) has this id, or more than one thing.
    """
    with engine.connect() as connection:
        named = naming.find(connection, tenant, id_, user_id)
        whose = {"tenant": tenant, "user_id": named.user_id}
        found = connection.execute(_EVENTS_OF[named.kind], whose | {"id": named.id})
        event_ids = [str(row[0]) for row in found]
        return Why(named.kind, named.id, tenant, named.user_id, _ways(connection, whose, named, event_ids))


def _ways(connection: Connection, whose: dict[str, str], named: Named, event_ids: Sequence[str]) -> tuple[Way, ...]:
    events = connection.execute(_EVENTS, whose | {"ids": event_ids}).all()
    segment_ids = list({str(event.segment_id) for event in events} or ({named.id} if named.kind == "segment" else ()))
    found = connection.execute(_SEGMENTS, whose | {"ids": segment_ids}).all()
    segments = {str(segment.id): segment for segment in found}
    turns: dict[str, list[Any]] = {}
    for turn in connection.execute(_TURNS, whose | {"ids": segment_ids}):
        turns.setdefault(str(turn.segment_id), []).append(turn)
    told_by = {str(event.id): event for event in events}
    written: dict[str, list[Written]] = {}
    for row in connection.execute(_WRITTEN, whose | {"ids": event_ids}):
        said = _said(row, told_by.get(str(row.event_id)))
        written.setdefault(str(row.event_id), []).append(Written(row.kind, str(row.id), said, row.state))
    if not events:
        return tuple(
            Way(segment.session_id, _turns(turns.get(id_, []), segment, ()), _boundary(segment), None, ())
            for id_, segment in segments.items()
        )
    return tuple(
        Way(
            session_id=event.session_id,
            turns=_turns(turns.get(str(event.segment_id), []), segments.get(str(event.segment_id)), event.turn_ids),
            boundary=_boundary(segments.get(str(event.segment_id))),
            event=_event(event),
            written=tuple(written.get(str(event.id), ())),
        )
        for event in events
    )


def _said(row: Any, event: Any) -> str | None:
    """What a written row says; facts and reviews are worded in the language of their event."""
    if row.subject is None or row.object is None:
        text_: str | None = row.text
        return text_
    return sentence(
        row.subject,
        row.predicate,
        row.object,
        language_of(row.object, event.language if event else None),
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        told_at=event.occurred_at if event else None,
    )


def _turns(rows: Sequence[Any], segment: Any, in_event: Sequence[str]) -> tuple[TurnSeen, ...]:
    texts = {told["turn_id"]: told for told in (segment.turns if segment is not None else None) or ()}
    return tuple(
        TurnSeen(
            turn_id=row.turn_id,
            role=row.role,
            occurred_at=row.occurred_at,
            state=row.state,
            reason=row.reason,
            speaker=texts.get(row.turn_id, {}).get("speaker"),
            content=texts.get(row.turn_id, {}).get("content"),
            in_event=row.turn_id in in_event,
        )
        for row in rows
    )


def _boundary(segment: Any) -> BoundarySeen | None:
    if segment is None:
        return None
    return BoundarySeen(
        segment_id=str(segment.id),
        reason=segment.boundary,
        measured=segment.measured,
        threshold=segment.threshold,
        opened_at=segment.opened_at,
        closed_at=segment.closed_at,
        rounds=segment.rounds,
        state=segment.state,
        analyst=segment.analyst,
        outcome=segment.outcome,
        outcome_reason=segment.outcome_reason,
        again_at=segment.again_at,
        again_attempts=segment.again_attempts,
    )


def _event(event: Any) -> EventSeen:
    return EventSeen(
        event_id=str(event.id),
        description=event.description,
        state=event.state,
        salience=event.salience,
        salience_parts=in_order(event.salience_parts),
        emotion=event.emotion,
        language=event.language,
        occurred_at=event.occurred_at,
        decision=event.decision,
    )
