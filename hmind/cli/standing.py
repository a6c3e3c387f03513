"""`hmind status`: how the pipeline stands, with one line of judgement first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import typer

from hmind.cli import screen
from hmind.cli.exits import Exit
from hmind.cli.options import AsJson, Tenant

if TYPE_CHECKING:
    from redis import Redis
    from sqlalchemy import Engine

    from hmind.intake.backlog import Backlog
    from hmind.memory.status import Analyses, Status
    from hmind.memory.usage import Usage
    from hmind.settings import Settings

QUEUES = ("intake", "boundary", "analysis", "promotion", "upkeep")
CELERY_PREFIX = "hmind:celery:"
BEAT_LOCK = "hmind:beat::lock"
_PRIORITIES = ("", *(f"\x06\x16{step}" for step in (3, 6, 9)))

LAGGING_S = 120.0
"""Work that was due this long ago should have been taken by a sweep several times."""
STUCK_S = 1800.0


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the language model cost on a day of schedule.timezone, and what it may cost; a budget of 0 is none.

    ``spent`` is that of one tenant where ``hmind status`` was asked for one; budgets hold for all.
    """

    day: date
    spent: Usage
    budget: int
    user_budget: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything `hmind status` shows.

    Attributes:
        verdict: ``healthy``, ``idle``, ``lagging`` or ``stuck``.
        why: a sentence for each thing that is not as it should be, with what to do.
        queues: messages that wait in each of Celery's queues.
        tokens: what the language model cost today, None without one.
        beat: whether a Beat holds the lock of the schedule.
    """

    verdict: str
    why: tuple[str, ...]
    stream: Backlog
    queues: Mapping[str, int]
    beat: bool
    pipeline: Status
    tokens: Tokens | None = None


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
        tokens = _tokens(stores.engine, stores.settings, now, tenant or None)
    verdict, why = judge(stream, pipeline, beat, tokens)
    standing = Standing(verdict, why, stream, queues, beat, pipeline, tokens)
    if as_json:
        screen.print_json(standing)
    else:
        _show(standing, stores.settings)
    if verdict == "stuck":
        raise typer.Exit(Exit.FAILED)


def _tokens(engine: Engine, settings: Settings, now: datetime, tenant: str | None) -> Tokens | None:
    from hmind.memory import usage

    if not settings.analysis.llm_url:
        return None
    day = now.astimezone(ZoneInfo(settings.schedule.timezone)).date()
    with engine.connect() as connection:
        spent = usage.of_day(connection, day, tenant)
    return Tokens(day, spent, settings.analysis.llm_tokens_per_day, settings.analysis.llm_user_tokens_per_day)


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


def judge(stream: Backlog, pipeline: Status, beat: bool, tokens: Tokens | None = None) -> tuple[str, tuple[str, ...]]:
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
    if tokens is not None and tokens.budget and tokens.spent.tokens >= tokens.budget:
        notes.append(f"today's {tokens.budget:,} tokens are spent: the offline analyst reads until tomorrow")
    elif tokens is not None and tokens.user_budget and tokens.spent.most_of_a_user >= tokens.user_budget:
        notes.append(f"a user has spent today's {tokens.user_budget:,} tokens: the offline analyst reads for them")
    if pipeline.read_again:
        one = pipeline.read_again == 1
        notes.append(
            f"{pipeline.read_again:,} {'segment waits' if one else 'segments wait'} to be read again by the language "
            f"model, which failed {'it' if one else 'them'}"
        )
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
    for read in pipeline.analyses:
        table.add_row(f"  read by {read.analyst or 'nobody'}", f"{read.segments:,}", _how_read(read))
    if pipeline.read_again:
        table.add_row("  to be read again", f"{pipeline.read_again:,}", "")
    if (tokens := standing.tokens) is not None:
        table.add_row("tokens today", f"{tokens.spent.tokens:,}", _budgets(tokens))
    table.add_row("events", f"{sum(pipeline.events.values()):,}", _listed(pipeline.events) + _late(pipeline, "events"))
    table.add_row("memories", f"{sum(pipeline.memories.values()):,}", _listed(pipeline.memories))
    table.add_row("reviews pending", f"{pipeline.reviews_pending:,}", "")
    table.add_row("dead letters", f"{sum(pipeline.dead_letters.values()):,}", _listed(pipeline.dead_letters))
    out.print(table)
    out.print(f"daily promotion at {settings.schedule.promote_at} {settings.schedule.timezone}", style="dim")


def _how_read(read: Analyses) -> str:
    told = f"{read.outcome}: {read.reason}" if read.reason else read.outcome
    return told.replace("_", " ")


def _budgets(tokens: Tokens) -> str:
    told = f"of {tokens.budget:,}" if tokens.budget else "no limit"
    told += f"; at most {tokens.spent.most_of_a_user:,} of a user"
    if tokens.user_budget:
        told += f", who may have {tokens.user_budget:,}"
    if tokens.spent.estimated:
        told += f"; {tokens.spent.estimated:,} estimated"
    return told


def _listed(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counted.items() if number)


def _late(pipeline: Status, kind: str) -> str:
    late_s = pipeline.oldest_due_s.get(kind)
    return f" (due since {screen.seconds(late_s)})" if late_s else ""
