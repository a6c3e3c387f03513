"""Talks whose text is still there, to measure an embedder on. Reads only, of one tenant at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Engine, text

from hmind.memory.segments import turn_from_json
from hmind.model import SessionRef, Turn
from hmind.shortterm.store import ShortTerm

_CLOSED = text("""
SELECT user_id, session_id, turns FROM segments
WHERE tenant = :tenant AND turns IS NOT NULL
  AND (cardinality(CAST(:users AS text[])) = 0 OR user_id = ANY(CAST(:users AS text[])))
ORDER BY closed_at DESC LIMIT :limit
""")
_OPEN = text("""
SELECT DISTINCT user_id FROM windows
WHERE tenant = :tenant AND due_at IS NOT NULL
  AND (cardinality(CAST(:users AS text[])) = 0 OR user_id = ANY(CAST(:users AS text[])))
LIMIT :limit
""")

SEGMENTS_READ = 3000
"""The newest so many segments, and the open windows of so many users."""


def talks(
    engine: Engine, shortterm: ShortTerm, tenant: str, users: Sequence[str], silence_s: float
) -> list[list[Turn]]:
    """What was said lately in one tenant, by these users or, with none named, by all: from segments and from L1.

    Args:
        silence_s: two turns of a session that are so far apart belong to two talks.
    """
    asked = {"tenant": tenant, "users": list(users), "limit": SEGMENTS_READ}
    with engine.connect() as connection:
        closed = connection.execute(_CLOSED, asked).all()
        speaking: list[str] = list(connection.execute(_OPEN, asked).scalars())
    turns: dict[SessionRef, dict[str, Turn]] = {}
    for row in closed:
        session = SessionRef(tenant, row.user_id, row.session_id)
        for fields in row.turns:
            turn = turn_from_json(session, fields)
            turns.setdefault(session, {})[turn.turn_id] = turn
    for user_id in speaking:
        for turn in shortterm.readable(tenant, user_id):
            turns.setdefault(turn.session, {})[turn.turn_id] = turn
    return [talk for each in turns.values() for talk in at_silences(each.values(), silence_s)]


def at_silences(turns: Iterable[Turn], silence_s: float) -> list[list[Turn]]:
    """The turns of a session in order of (occurred_at, seq), parted where a silence lies."""
    parted: list[list[Turn]] = []
    for turn in sorted(turns, key=lambda turn: (turn.occurred_at, turn.seq)):
        if parted and (turn.occurred_at - parted[-1][-1].occurred_at).total_seconds() < silence_s:
            parted[-1].append(turn)
        else:
            parted.append([turn])
    return parted
