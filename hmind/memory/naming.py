"""Finding what an id, or the beginning of one, names."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, text

from hmind.errors import UnknownId

SHORTEST_PREFIX = 6
"""Hex digits of an id that are enough when no other begins with them."""

_LENGTH = 32

# Each by range over its id, so that an index finds it. Two per kind are enough to tell that
# the beginning is ambiguous.
_NAMED = text("""
(SELECT 'fact' AS kind, id, user_id FROM facts WHERE tenant = :tenant AND id BETWEEN :low AND :high
   AND (CAST(:user_id AS text) IS NULL OR user_id = :user_id) LIMIT 2)
UNION ALL
(SELECT 'gist', id, user_id FROM gists WHERE tenant = :tenant AND id BETWEEN :low AND :high
   AND (CAST(:user_id AS text) IS NULL OR user_id = :user_id) LIMIT 2)
UNION ALL
(SELECT 'entity', id, user_id FROM entities WHERE tenant = :tenant AND id BETWEEN :low AND :high
   AND (CAST(:user_id AS text) IS NULL OR user_id = :user_id) LIMIT 2)
UNION ALL
(SELECT 'review', id, user_id FROM reviews WHERE tenant = :tenant AND id BETWEEN :low AND :high
   AND (CAST(:user_id AS text) IS NULL OR user_id = :user_id) LIMIT 2)
UNION ALL
(SELECT 'event', id, user_id FROM events WHERE tenant = :tenant AND id BETWEEN :low AND :high
   AND (CAST(:user_id AS text) IS NULL OR user_id = :user_id) LIMIT 2)
UNION ALL
(SELECT 'segment', id, user_id FROM segments WHERE tenant = :tenant AND id BETWEEN :low AND :high
   AND (CAST(:user_id AS text) IS NULL OR user_id = :user_id) LIMIT 2)
""")


@dataclass(frozen=True, slots=True)
class Named:
    """What an id names: fact, gist, entity, review, event or segment, and whose it is."""

    kind: str
    id: str
    user_id: str


def find(connection: Connection, tenant: str, id_: str, user_id: str | None = None) -> Named:
    """What ``id_`` names within the tenant; the first six hex digits do when they are unambiguous.

    Args:
        user_id: narrows it to one user, which is faster where there are very many gists.

    Raises:
        UnknownId: it is no id, names nothing, or more than one thing begins with it.
    """
    digits = id_.strip().lower().replace("-", "")
    if not set(digits) <= set("0123456789abcdef") or not SHORTEST_PREFIX <= len(digits) <= _LENGTH:
        raise UnknownId(f"The id is none: give at least its first {SHORTEST_PREFIX} hex digits.")
    bounds = {"low": UUID(digits.ljust(_LENGTH, "0")), "high": UUID(digits.ljust(_LENGTH, "f"))}
    rows = connection.execute(_NAMED, {"tenant": tenant, "user_id": user_id} | bounds).all()
    if not rows:
        raise UnknownId(f"{digits}: nothing in this tenant has an id that begins so. See `hmind memories`.")
    if len(rows) > 1:
        raise UnknownId(f"{digits}: more than one id begins so. Give more of its digits.")
    return Named(rows[0].kind, str(rows[0].id), rows[0].user_id)
