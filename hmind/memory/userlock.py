"""The lock on a user that makes writers of memories one after the other."""

from __future__ import annotations

from sqlalchemy import Connection, text

_LOCK_USER = text("SELECT pg_advisory_xact_lock(hashtextextended(:user, 0))")


def lock_user(connection: Connection, tenant: str, user_id: str) -> None:
    """Waits until nobody else writes this user's memories; held until the transaction ends."""
    connection.execute(_LOCK_USER, {"user": f"{tenant}\x1f{user_id}"})
