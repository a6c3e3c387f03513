"""`hmind status`: how the pipeline stands, with one line of judgement first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import typer

from hmind.cli import screen
from hmind.cli.exits import Exit
from hmind.cli.options import AsJson, Tenant

if TYPE_CHECKING:
    from redis import Redis

    from hmind.intake.backlog import Backlog
    from hmind.memory.status import Status
    from hmind.settings import Settings

QUEUES = ("intake", "boundary", "analysis", "promotion", "upkeep")
CELERY_PREFIX = "hmind:celery:"
BEAT_LOCK = "hmind:beat::lock"
_PRIORITIES = ("", *(f"\x06\x16{step}" for step in (3, 6, 9)))

LAGGING_S = 120.0
"""Work that was due this long ago should have been taken by a sweep several times."""
STUCK_S = 1800.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything `hmind status` shows.

    Attributes:
        verdict: ``healthy``, ``idle``, ``lagging`` or ``stuck``.
        why: a sentence for each thing that is not as it should be, with what to do.
        queues: messages that wait in each of Celery's queues.
        beat: whether a Beat holds the lock of the schedule.
    """

    verdict: str
    why: tuple[str, ...]
    stream: Backlog
    queues: Mapping[str, int]
    beat: bool
    pipeline: Status


def status(tenant: Tenant = "", as_json: AsJson = False) -> None:
    """Show queues, open windows, segments and events by state, and the lag.

    Exit code 1 when the pipeline is stuck.
    """
    from hmind.cli.opened import opened
    from hmind.intake.backlog import backlog
    from hmind.memory.status import status as read

    with opened() as stores:
        now = datetime.now(UTC)
        pipeline = read(stores.engine, now, tenant or None)
        stream = backlog(stores.redis, stores.settings.intake, now)
        queues, beat = celery_queues(stores.redis), bool(stores.redis.exists(BEAT_LOCK))
    verdict, why = judge(stream, pipeline, beat)
    standing = Standing(verdict, why, stream, queues, beat, pipeline)
    if as_json:
        screen.print_json(standing)
    else:
        _show(standing, stores.settings)
    if verdict == "stuck":
        raise typer.Exit(Exit.FAILED)


def celery_queues(redis: Redis) -> dict[str, int]:
    """How many messages wait in each queue, over all of kombu's priorities."""
    client: Any = redis
    pipe = client.pipeline(transaction=False)
    for queue in QUEUES:
        for priority in _PRIORITIES:
            pipe.llen(f"{CELERY_PREFIX}{queue}{priority}")
    lengths = pipe.execute()
    size = len(_PRIORITIES)
    return {queue: sum(lengths[n * size : (n + 1) * size]) for n, queue in enumerate(QUEUES)}


def judge(stream: Backlog, pipeline: Status, beat: bool) -> tuple[str, tuple[str, ...]]:
    """The verdict and its reasons, worst first."""
    waits = stream.length or pipeline.windows_open or pipeline.working
    stuck: list[str] = []
    lagging: list[str] = []
    notes: list[str] = []
    if not stream.readers:
        told = "no worker is running: start `hmind up` in another terminal"
        (stuck if waits else notes).append(told)
    elif not beat:
        lagging.append("Beat is not running, so silence is noticed late: start it, see the Procfile")
    if stream.readers and stream.oldest_s > LAGGING_S:
        (stuck if stream.oldest_s > STUCK_S else lagging).append(
            f"the oldest turn waits for {screen.seconds(stream.oldest_s)}: start more intake workers"
        )
    for kind, late_s in sorted(pipeline.oldest_due_s.items()):
        if stream.readers and late_s > LAGGING_S:
            (stuck if late_s > STUCK_S else lagging).append(
                f"{kind} are late by up to {screen.seconds(late_s)}: is a worker for that queue running?"
            )
    if failed := pipeline.segments.get("failed", 0):
        notes.append(f"{failed:,} segments failed: their last_error names the cause")
    if dead := sum(pipeline.dead_letters.values()):
        notes.append(f"{dead:,} dead letters: see `hmind deadletters`")
    verdict = "stuck" if stuck else "lagging" if lagging else "healthy" if stream.readers else "idle"
    return verdict, (*stuck, *lagging, *notes)


def _show(standing: Standing, settings: Settings) -> None:
    out = screen.console()
    style = {"healthy": "good", "idle": "warn", "lagging": "warn", "stuck": "bad"}[standing.verdict]
    out.print(standing.verdict, style=style, end="")
    out.print(f": {'; '.join(standing.why)}" if standing.why else ": everything that is due is being done")
    table = screen.table("", "what", ("number", screen.RIGHT), ("", {"ratio": 1}))
    stream, pipeline = standing.stream, standing.pipeline
    oldest = f", the oldest for {screen.seconds(stream.oldest_s)}" if stream.length else ""
    table.add_row("turns in the stream", f"{stream.length:,}", f"{stream.pending:,} in hand{oldest}")
    table.add_row("intake workers", f"{stream.readers}", "" if stream.readers else "none asked lately")
    table.add_row("Beat", "yes" if standing.beat else "no", "")
    table.add_row("messages", f"{sum(standing.queues.values()):,}", _listed(standing.queues))
    table.add_row("windows open", f"{pipeline.windows_open:,}", _late(pipeline, "windows"))
    table.add_row("turns", f"{sum(pipeline.turns.values()):,}", _listed(pipeline.turns))
    table.add_row(
        "segments", f"{sum(pipeline.segments.values()):,}", _listed(pipeline.segments) + _late(pipeline, "segments")
    )
    table.add_row("events", f"{sum(pipeline.events.values()):,}", _listed(pipeline.events) + _late(pipeline, "events"))
    table.add_row("memories", f"{sum(pipeline.memories.values()):,}", _listed(pipeline.memories))
    table.add_row("reviews pending", f"{pipeline.reviews_pending:,}", "")
    table.add_row("dead letters", f"{sum(pipeline.dead_letters.values()):,}", _listed(pipeline.dead_letters))
    out.print(table)
    out.print(f"daily promotion at {settings.schedule.promote_at} {settings.schedule.timezone}", style="dim")


def _listed(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counted.items() if number)


def _late(pipeline: Status, kind: str) -> str:
    late_s = pipeline.oldest_due_s.get(kind)
    return f" (due since {screen.seconds(late_s)})" if late_s else ""
