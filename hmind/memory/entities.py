"""Writing entities (L3) and their mentions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Connection, text

from hmind.memory.gists import EventRef
from hmind.model import FoundEntity

# Counts and times follow from the mentions that are new, so that a second run changes nothing.
# A name already known as an alias is that entity.
_RESOLVE = text("""
SELECT id FROM entities WHERE tenant = :tenant AND user_id = :user_id
  AND (name_key = :key OR :key = ANY (SELECT lower(alias) FROM unnest(aliases) AS alias))
ORDER BY name_key = :key DESC LIMIT 1
""")

_CREATE = text("""
INSERT INTO entities (id, tenant, user_id, name, name_key, type, first_seen_at, last_seen_at)
VALUES (:id, :tenant, :user_id, :name, :key, :type, :at, :at) ON CONFLICT (tenant, user_id, name_key) DO NOTHING
""")

_MENTION = text("""
INSERT INTO mentions (entity_id, event_id, tenant, user_id, session_id, turn_ids, occurred_at)
VALUES (:id, :event_id, :tenant, :user_id, :session_id, :turns, :at) ON CONFLICT (entity_id, event_id) DO NOTHING
""")

_COUNT = text("""
UPDATE entities SET mention_count = mention_count + 1, first_seen_at = least(first_seen_at, :at),
    last_seen_at = greatest(last_seen_at, :at),
    aliases = ARRAY(SELECT DISTINCT a FROM unnest(aliases || CAST(:aliases AS text[])) AS a ORDER BY a)
WHERE id = :id
""")


def write(connection: Connection, event: EventRef, entities: Sequence[FoundEntity]) -> int:
    """Writes the entities of an event and that it mentions them; returns how many mentions were new."""
    new = 0
    for entity in sorted(entities, key=lambda e: e.name.casefold()):
        key = entity.name.casefold()
        values = {
            "id": str(uuid5(NAMESPACE_URL, f"hmind:entity:{event.tenant}\x1f{event.user_id}\x1f{key}")),
            "tenant": event.tenant,
            "user_id": event.user_id,
            "session_id": event.session_id,
            "event_id": event.event_id,
            "name": entity.name,
            "key": key,
            "type": entity.type.value,
            "turns": list(entity.turn_ids),
            "aliases": list(entity.aliases),
            "at": event.occurred_at,
        }
        known: str | None = connection.execute(_RESOLVE, values).scalar_one_or_none()
        if known is None:
            connection.execute(_CREATE, values)
        else:
            values["id"] = known
        if connection.execute(_MENTION, values).rowcount:
            connection.execute(_COUNT, values)
            new += 1
    return new
