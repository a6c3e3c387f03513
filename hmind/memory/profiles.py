"""The profile of a user, as far as promotion and analysis need it: the core values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from hmind.storage.schema import ProfileRow


def core_values(connection: Connection, tenant: str, user_id: str) -> tuple[str, ...]:
    """What matters most to a user: names of people, places, things or causes; empty if never told."""
    found = connection.execute(
        select(ProfileRow.core_values).where(ProfileRow.tenant == tenant, ProfileRow.user_id == user_id)
    ).scalar_one_or_none()
    return tuple(found or ())


def set_core_values(connection: Connection, tenant: str, user_id: str, values: Sequence[str], now: datetime) -> None:
    """Replaces the core values of a user."""
    row = {"tenant": tenant, "user_id": user_id, "core_values": list(dict.fromkeys(values)), "updated_at": now}
    statement = insert(ProfileRow).values(row)
    changed = {"core_values": statement.excluded.core_values, "updated_at": statement.excluded.updated_at}
    connection.execute(statement.on_conflict_do_update(index_elements=["tenant", "user_id"], set_=changed))
