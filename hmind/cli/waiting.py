"""Waiting until the pipeline has worked off some sessions, and noticing when nobody works."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from redis import Redis
from sqlalchemy import Engine

from hmind.cli.exits import TryLater
from hmind.importers.progress import Progress, progress
from hmind.intake.backlog import backlog
from hmind.model import SessionRef
from hmind.settings import Settings

POLL_S = 0.5
NO_WORKER_S = 30.0
"""Without a reader of the stream, and without a change, this long: nobody works."""
STILL_S = 300.0
"""Without a change this long although workers are there. A language model may be slow over a segment."""

NO_WORKER = "No worker is running: start `hmind up` in another terminal. What was sent is safe and waits."


def workers_answer(redis: Redis, settings: Settings, within_s: float) -> bool:
    """Whether a worker reads the turn stream, now or soon."""
    deadline = time.monotonic() + within_s
    while True:
        if backlog(redis, settings.intake, datetime.now(UTC)).readers:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.1)


def until_drained(
    engine: Engine,
    redis: Redis,
    settings: Settings,
    sessions: Sequence[SessionRef],
    tell: Callable[[Progress], None],
    still_s: float = STILL_S,
) -> Progress:
    """Waits until nothing of these sessions is left to do; ``tell`` hears how they stand.

    ``still_s`` without any change is long enough to give up although workers are there.

    Raises:
        TryLater: no worker is running, or none of those that run moves anything.
    """
    last, moved_at = None, time.monotonic()
    while True:
        now = progress(engine, sessions, datetime.now(UTC))
        tell(now)
        if now.drained:
            return now
        if now != last:
            last, moved_at = now, time.monotonic()
        still = time.monotonic() - moved_at
        if still > NO_WORKER_S and not workers_answer(redis, settings, 0):
            raise TryLater(NO_WORKER)
        if still > still_s:
            raise TryLater(
                f"Nothing has moved for {still_s:.0f} s. Look at `hmind status`; what was sent is safe and waits."
            )
        time.sleep(POLL_S)
