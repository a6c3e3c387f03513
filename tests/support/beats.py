"""Real Beat processes, and the ticks that they have sent to the queues of a broker without workers."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from redis import Redis

from hmind.local.supervisor import Supervisor, process_environment, read_procfile
from hmind.settings import Settings

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Tick:
    """One message: which process sent it, and when it expires."""

    pid: int
    expires: str


@contextmanager
def beats(settings: Settings, log_dir: Path, names: tuple[str, ...], **environment: str) -> Iterator[Supervisor]:
    """As many Beats as names, each with the Procfile's command."""
    command = shlex.join(shlex.split(read_procfile(ROOT / "Procfile")["beat"]))
    env = process_environment(settings, os.environ) | environment
    supervisor = Supervisor(dict.fromkeys(names, command), env, log_dir, cwd=ROOT, first_delay_s=600, grace_s=5)
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.stop()


def ticks(redis: Redis, queue: str, task: str) -> list[Tick]:
    """The ticks that wait in a queue, oldest first."""
    found = []
    for raw in reversed(redis.lrange(f"hmind:celery:{queue}", 0, -1)):
        headers = json.loads(raw)["headers"]
        if headers["task"] == task:
            found.append(Tick(int(headers["origin"].partition("@")[0].removeprefix("gen")), headers["expires"]))
    return found
