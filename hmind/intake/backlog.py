"""How the turn stream stands: what waits, and whether anybody reads it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from hmind.settings import Intake


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits in the stream.

    Attributes:
        length: entries that no worker has finished.
        pending: of these, how many a worker has in hand (or had, when it died).
        oldest_s: age of the oldest, in seconds; 0 where none waits.
        readers: workers that asked for turns a moment ago.
    """

    length: int
    pending: int
    oldest_s: float
    readers: int


def backlog(redis: Redis, settings: Intake, now: datetime) -> Backlog:
    """How the stream stands at ``now``. Works on a server where nobody has sent or read yet.

    Raises:
        RedisError: the server does not answer.
    """
    client: Any = redis
    length = client.xlen(settings.stream)
    oldest = client.xrange(settings.stream, count=1)
    sent_ms = int(oldest[0][0].split(b"-")[0]) if oldest else None
    try:
        pending = client.xpending(settings.stream, settings.group)["pending"]
        consumers = client.xinfo_consumers(settings.stream, settings.group)
    except ResponseError:  # no stream or no group yet
        pending, consumers = 0, []
    # A reader that waits asks again every block_s; one that writes a batch may take longer. A server that
    # was started a moment ago says of every consumer it ever knew that it asked just then.
    up_ms = (client.info("server")["uptime_in_seconds"] - 2) * 1000
    alive_ms = min(max(10.0, 5 * settings.block_s) * 1000, up_ms)
    return Backlog(
        length=length,
        pending=pending,
        oldest_s=max(0.0, now.timestamp() - sent_ms / 1000) if sent_ms else 0.0,
        readers=sum(1 for consumer in consumers if consumer["idle"] < alive_ms),
    )
