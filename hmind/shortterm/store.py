"""L1: raw turns in Redis, one stream per session, unreadable 72 h after they were received.

Three things keep that promise: readers ask for younger ids only, every write trims the stream
by MINID, and a sweep trims sessions that fell silent. Key expiry is the last resort.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ResponseError

from hmind.model import Clock, Role, SessionRef, Turn, utc_now
from hmind.shortterm import keys
from hmind.storage.instants import from_micros, to_micros, to_millis

_APPEND = (Path(__file__).parent / "append.lua").read_text(encoding="utf-8")
NEWEST_PER_SESSION = 200
"""Turns of one session that a question looks at."""


class ShortTerm:
    """Reads and writes L1. Holds nothing itself; safe to share between threads."""

    def __init__(self, redis: Redis, ttl_ms: int, clock: Clock = utc_now) -> None:
        self._redis = redis
        self._ttl_ms = ttl_ms
        self._clock = clock
        self._append = redis.register_script(_APPEND)

    def append(self, pipe: Pipeline, turns: Iterable[Turn], wake_s: int = 0) -> list[SessionRef]:
        """Queues the writes of ``turns`` on ``pipe``, a command a session; a turn already there is left alone.

        The turns must be in the ledger (``seq`` and ``received_at`` are the ledger's). With ``wake_s``
        the answer of a command is 1 where its session has to be looked at and nobody was woken for it
        in so many seconds. Returns the sessions in the order of the commands.
        """
        by_session: dict[SessionRef, list[Turn]] = {}
        for turn in turns:
            by_session.setdefault(turn.session, []).append(turn)
        now = to_millis(self._clock())
        for session, its in by_session.items():
            args: list[Any] = [now, self._ttl_ms, session.session_id, wake_s]
            for turn in sorted(its, key=lambda t: t.received_at):
                args += [to_millis(turn.received_at), turn.turn_id, _encode(turn)]
            sessions = keys.sessions(session.tenant, session.user_id)
            where = [keys.turns(session), keys.seen(session), sessions, keys.wake(session)]
            self._append(keys=where, args=args, client=pipe)
        return list(by_session)

    def window(self, session: SessionRef, since: datetime) -> list[Turn]:
        """Turns of a session received at ``since`` or later, in order of (occurred_at, seq)."""
        start = max(to_millis(since), self._oldest_ms())
        entries: Any = self._redis.xrange(keys.turns(session), min=str(start))
        return _ordered(_decode(session, entries))

    def before(self, session: SessionRef, until: datetime, count: int) -> list[Turn]:
        """Up to ``count`` turns received before ``until``, the newest of them, in order."""
        entries: Any = self._redis.xrevrange(
            keys.turns(session), max=f"({to_millis(until)}-0", min=str(self._oldest_ms()), count=count
        )
        return _ordered(_decode(session, entries))

    def readable(self, tenant: str, user_id: str) -> list[Turn]:
        """The user's raw turns of all sessions, at most NEWEST_PER_SESSION each, in order."""
        oldest = self._oldest_ms()
        names: Any = self._redis.zrangebyscore(keys.sessions(tenant, user_id), oldest, "+inf")
        sessions = [SessionRef(tenant, user_id, name.decode()) for name in names]
        pipe = self._redis.pipeline(transaction=False)
        for session in sessions:
            pipe.xrevrange(keys.turns(session), min=str(oldest), count=NEWEST_PER_SESSION)
        found = zip(sessions, pipe.execute(), strict=True)
        return _ordered([turn for session, entries in found for turn in _decode(session, entries)])

    def trim(self) -> int:
        """Drops what outlived its time from every stream; returns the number of turns dropped."""
        oldest, dropped = str(self._oldest_ms()), 0
        for key in self._redis.scan_iter(keys.SCAN_TURNS, count=500):
            gone: Any = self._redis.xtrim(key, minid=oldest, approximate=False)
            dropped += gone
        return dropped

    def leave_the_disk(self) -> bool:
        """Has the server write its append-only file anew, so that dropped turns leave the disk as well.

        False where the server does not let us (a managed one has rules of its own) or is at it already.
        """
        try:
            self._redis.bgrewriteaof()
        except ResponseError:
            return False
        return True

    def _oldest_ms(self) -> int:
        return to_millis(self._clock() - timedelta(milliseconds=self._ttl_ms)) + 1


def _ordered(turns: Sequence[Turn]) -> list[Turn]:
    return sorted(turns, key=lambda turn: (turn.occurred_at, turn.seq))


def _encode(turn: Turn) -> bytes:
    return orjson.dumps(
        [
            turn.turn_id,
            turn.role,
            turn.speaker,
            turn.content,
            to_micros(turn.occurred_at),
            to_micros(turn.received_at),
            turn.seq,
        ]
    )


def _decode(session: SessionRef, entries: Iterable[tuple[bytes, dict[bytes, bytes]]]) -> list[Turn]:
    turns = []
    for _, fields in entries:
        turn_id, role, speaker, content, occurred, received, seq = orjson.loads(fields[b"t"])
        turns.append(
            Turn(
                session.tenant,
                session.user_id,
                session.session_id,
                turn_id,
                Role(role),
                speaker,
                content,
                from_micros(occurred),
                from_micros(received),
                seq,
            )
        )
    return turns
