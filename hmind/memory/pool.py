"""The event pool's rows: from what an analyst found, and back; and when each is due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from zoneinfo import ZoneInfo

from hmind.model import (
    CandidateFact,
    EntityType,
    EventState,
    FoundEntity,
    FoundEvent,
    Segment,
    Statement,
)
from hmind.settings import PromotionSettings, ScheduleSettings


def next_run(after: datetime, schedule: ScheduleSettings) -> datetime:
    """The first daily promotion after an instant. For an imported chat that lies in the past: it is due."""
    zone = ZoneInfo(schedule.timezone)
    hour, minute = (int(part) for part in schedule.promote_at.split(":"))
    run = after.astimezone(zone).replace(hour=hour, minute=minute, second=0, microsecond=0)
    return run if run > after else run + timedelta(days=1)


def event_row(
    segment: Segment,
    ordinal: int,
    event: FoundEvent,
    now: datetime,
    due_at: datetime,
    promotion: PromotionSettings,
) -> dict[str, Any]:
    """The row of an event; one salient enough is due now."""
    session = segment.session
    return {
        "id": str(uuid5(NAMESPACE_URL, f"hmind:event:{segment.id}:{ordinal}")),
        "tenant": session.tenant,
        "user_id": session.user_id,
        "session_id": session.session_id,
        "segment_id": segment.id,
        "ordinal": ordinal,
        "description": event.description,
        "statements": [_statement_to_json(statement) for statement in event.statements],
        "entities": [_entity_to_json(entity) for entity in event.entities],
        "facts": [fact_to_json(fact) for fact in event.facts],
        "salience": event.salience,
        "salience_parts": dict(event.salience_parts),
        "emotion": event.emotion,
        "language": event.language,
        "told_at": segment.turns[0].occurred_at,
        "occurred_at": event.occurred_at,
        "occurred_until": event.occurred_until,
        "turn_ids": list(event.turn_ids),
        "state": EventState.POOL.value,
        "due_at": now if event.salience >= promotion.at_once_at else due_at,
        "created_at": now,
        "expires_at": now + timedelta(days=promotion.pool_days),
    }


def event_from_row(row: Mapping[str, Any]) -> FoundEvent:
    """The inverse of event_row, for an event whose text is still in the pool."""
    return FoundEvent(
        description=row["description"],
        statements=tuple(
            Statement(s["text"], tuple(s["turn_ids"]), _instant(s["occurred_at"])) for s in row["statements"]
        ),
        salience=row["salience"],
        salience_parts=row["salience_parts"],
        occurred_at=row["occurred_at"],
        turn_ids=tuple(row["turn_ids"]),
        occurred_until=row["occurred_until"],
        entities=tuple(
            FoundEntity(e["name"], EntityType(e["type"]), tuple(e["turn_ids"]), tuple(e["aliases"]))
            for e in row["entities"]
        ),
        facts=tuple(fact_from_json(fact) for fact in row["facts"]),
        language=row["language"],
        emotion=row["emotion"],
    )


def fact_to_json(fact: CandidateFact) -> dict[str, Any]:
    """A candidate fact inside its event's row."""
    return {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "confidence": fact.confidence,
        "turn_ids": list(fact.turn_ids),
        "told_by": fact.told_by,
        "valid_from": _iso(fact.valid_from),
        "valid_to": _iso(fact.valid_to),
    }


def fact_from_json(fields: Mapping[str, Any]) -> CandidateFact:
    """The inverse of fact_to_json."""
    return CandidateFact(
        fields["subject"],
        fields["predicate"],
        fields["object"],
        fields["confidence"],
        tuple(fields["turn_ids"]),
        fields["told_by"],
        _instant(fields["valid_from"]),
        _instant(fields["valid_to"]),
    )


def _statement_to_json(statement: Statement) -> dict[str, Any]:
    return {
        "text": statement.text,
        "turn_ids": list(statement.turn_ids),
        "occurred_at": _iso(statement.occurred_at),
    }


def _entity_to_json(entity: FoundEntity) -> dict[str, Any]:
    return {
        "name": entity.name,
        "type": entity.type.value,
        "turn_ids": list(entity.turn_ids),
        "aliases": list(entity.aliases),
    }


def _iso(instant: datetime | None) -> str | None:
    return instant.isoformat() if instant else None


def _instant(told: str | None) -> datetime | None:
    return datetime.fromisoformat(told) if told else None
