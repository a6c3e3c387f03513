"""Writing entities (L3) and their mentions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import NAMESPACE_URL, uuid5

from sqlalchemy import Connection, text

from hmind.memory.gists import EventRef
from hmind.model import FoundEntity

# A name already known as an alias is that entity, and so is one whose alias is already known as a name.
# Two that share no more than an alias ("the doctor") are two.
_RESOLVE = text("""
SELECT id FROM (
    SELECT id, name_key, CASE
        WHEN name_key = :key THEN 0
        WHEN :key = ANY (SELECT lower(alias) FROM unnest(aliases) AS alias) THEN 1
        WHEN name_key = ANY (CAST(:alias_keys AS text[])) THEN 2
    END AS distance
    FROM entities WHERE tenant = :tenant AND user_id = :user_id
) AS named
WHERE distance IS NOT NULL ORDER BY distance, name_key LIMIT 1
""")

_CREATE = text("""
INSERT INTO entities (id, tenant, user_id, name, name_key, type, first_seen_at, last_seen_at)
VALUES (:id, :tenant, :user_id, :name, :key, :type, :at, :at) ON CONFLICT (tenant, user_id, name_key) DO NOTHING
""")

_MENTION = text("""
INSERT INTO mentions (entity_id, event_id, tenant, user_id, session_id, turn_ids, occurred_at)
VALUES (:id, :event_id, :tenant, :user_id, :session_id, :turns, :at) ON CONFLICT (entity_id, event_id) DO NOTHING
""")

# Counts and times follow from the mentions that are new, so that a second run changes nothing.
_COUNT = text("""
UPDATE entities SET mention_count = mention_count + 1, first_seen_at = least(first_seen_at, :at),
    last_seen_at = greatest(last_seen_at, :at),
    aliases = ARRAY(
        SELECT alias FROM (
            SELECT DISTINCT ON (lower(alias)) alias FROM unnest(aliases || CAST(:aliases AS text[]))
                WITH ORDINALITY AS told (alias, place)
            WHERE lower(alias) <> name_key ORDER BY lower(alias), place
        ) AS known ORDER BY alias
    )
WHERE id = :id
""")


def write(connection: Connection, event: EventRef, entities: Sequence[FoundEntity]) -> int:
    """Writes the entities of an event and that it mentions them; returns how many mentions were new."""
    found: dict[str, list[FoundEntity]] = {}
    for entity in sorted(entities, key=lambda e: e.name.casefold()):
        found.setdefault(_resolve(connection, event, entity), []).append(entity)
    new = 0
    for id_, same in found.items():
        values = {
            "id": id_,
            "event_id": event.event_id,
            "tenant": event.tenant,
            "user_id": event.user_id,
            "session_id": event.session_id,
            "turns": list(dict.fromkeys(turn_id for entity in same for turn_id in entity.turn_ids)),
            "aliases": [name for entity in same for name in (entity.name, *entity.aliases)],
            "at": event.occurred_at,
        }
        if connection.execute(_MENTION, values).rowcount:
            connection.execute(_COUNT, values)
            new += 1
    return new


def _resolve(connection: Connection, event: EventRef, entity: FoundEntity) -> str:
    """The id of the entity that is meant, which is there afterwards."""
    key = entity.name.casefold()
    values = {
        "id": str(uuid5(NAMESPACE_URL, f"hmind:entity:{event.tenant}\x1f{event.user_id}\x1f{key}")),
        "tenant": event.tenant,
        "user_id": event.user_id,
        "name": entity.name,
        "key": key,
        "alias_keys": [alias.casefold() for alias in entity.aliases],
        "type": entity.type.value,
        "at": event.occurred_at,
    }
    known: str | None = connection.execute(_RESOLVE, values).scalar_one_or_none()
    if known is None:
        connection.execute(_CREATE, values)
    return str(known or values["id"])
