"""`hmind ingest` and `hmind flush`: turns into the stream, as any producer would send them."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmind.cli.options import AsJson, Tenant
from hmind.errors import BadTurn

if TYPE_CHECKING:
    from redis import Redis

    from hmind.settings import Settings

AT_ONCE = 500
_NOBODY = "No worker is running: it waits in the stream. Start `hmind up` in another terminal."


def ingest(
    text: Annotated[list[str] | None, typer.Argument(help="What was said. Left out: JSON lines on stdin.")] = None,
    user: Annotated[str, typer.Option("--user", "-u", help="Whose memory.")] = "",
    session: Annotated[str, typer.Option("--session", "-s", help="The conversation; main where left out.")] = "",
    tenant: Tenant = "",
    role: Annotated[str, typer.Option(help="user, assistant, system or tool.")] = "",
    speaker: Annotated[str, typer.Option(help="The speaker's name.")] = "",
    turn_id: Annotated[str, typer.Option(help="Your id of the message; derived where left out.")] = "",
    at: Annotated[str, typer.Option(help="When it was said, ISO 8601; now where left out.")] = "",
    timezone: Annotated[str, typer.Option(help="IANA zone of --at without an offset; UTC where left out.")] = "",
    as_json: AsJson = False,
) -> None:
    """Send one turn, or JSON lines from stdin. Workers do the rest.

    Options given with JSON lines fill in what a line leaves out.
    """
    from hmind.settings import load

    settings = load()
    given = {
        "user_id": user,
        "session_id": session,
        "tenant": tenant,
        "role": role,
        "speaker": speaker,
        "timezone": timezone,
    }
    given = {name: value for name, value in given.items() if value}
    if text:
        more = {name: value for name, value in {"turn_id": turn_id, "occurred_at": at}.items() if value}
        _one(settings, {**given, **more, "content": " ".join(text)}, as_json)
    elif sys.stdin.isatty():
        raise typer.BadParameter("say something, or give JSON lines on stdin: hmind ingest < turns.jsonl")
    else:
        _lines(settings, given, as_json)


def flush(
    user: Annotated[str, typer.Option("--user", "-u", help="Whose conversation.")],
    session: Annotated[str, typer.Option("--session", "-s", help="The conversation; main where left out.")] = "",
    tenant: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Say that a conversation is over, so that it is judged now and not after five minutes."""
    from hmind.cli import screen
    from hmind.cli.opened import opened_redis
    from hmind.importers.run import send_flushes
    from hmind.intake.wire import Delivery, session_from
    from hmind.settings import load

    settings = load()
    fields = {name: value for name, value in (("user_id", user), ("session_id", session), ("tenant", tenant)) if value}
    ref = session_from(Delivery(fields, "flush", datetime.now(UTC)), settings.intake)
    with opened_redis(settings) as redis:
        send_flushes(redis, settings.intake.stream, [ref])
        alone = _nobody_reads(redis, settings)
    if as_json:
        screen.print_json({"flushed": ref, "worker_running": not alone})
    else:
        screen.console().print(f"Flushed session {ref.session_id} of {ref.user_id}.")
        _warn(alone)


def _one(settings: Settings, payload: dict[str, Any], as_json: bool) -> None:
    import orjson

    from hmind.cli import screen
    from hmind.cli.opened import opened_redis
    from hmind.intake.wire import Delivery, turn_from

    now = datetime.now(UTC)
    turn_from(Delivery(payload, "not sent yet", now), settings.intake, now)
    with opened_redis(settings) as redis:
        answer: Any = redis.xadd(settings.intake.stream, {"turn": orjson.dumps(payload)})
        alone = _nobody_reads(redis, settings)
    entry = answer.decode()
    received = datetime.fromtimestamp(int(entry.split("-")[0]) / 1000, UTC)
    turn = turn_from(Delivery(payload, entry, received), settings.intake, max(now, received))
    if as_json:
        told = {"turn_id": turn.turn_id, "session": turn.session, "occurred_at": turn.occurred_at, "entry": entry}
        screen.print_json({**told, "worker_running": not alone})
    else:
        screen.console().print(f"Sent turn {turn.turn_id} to session {turn.session_id} of {turn.user_id}.")
        _warn(alone)


def _lines(settings: Settings, given: dict[str, str], as_json: bool) -> None:
    from hmind.cli import screen
    from hmind.cli.opened import opened_redis

    sent, foreign = 0, 0

    def readable(line: bytes) -> bool:
        nonlocal foreign
        try:
            line.decode()
        except UnicodeDecodeError:
            foreign += 1
            return False
        return bool(line.strip())

    with opened_redis(settings) as redis:
        lines = (_completed(line.strip(), given) for line in sys.stdin.buffer if readable(line))
        while batch := list(islice(lines, AT_ONCE)):
            pipe = redis.pipeline(transaction=False)
            for line in batch:
                pipe.xadd(settings.intake.stream, {"turn": line})
            pipe.execute()
            sent += len(batch)
        alone = _nobody_reads(redis, settings)
    if as_json:
        screen.print_json({"sent": sent, "not_utf8": foreign, "worker_running": not alone})
    else:
        screen.console().print(f"Sent {sent:,} turn{'s'[: sent != 1]}. `hmind status` tells how they fare.")
        _warn(alone)
    if foreign:
        raise BadTurn(
            "turn", f"{foreign:,} lines are not UTF-8 and were not sent; convert them, for example with iconv"
        )
    if not sent:
        raise BadTurn("turn", "stdin held no line")


def _completed(line: bytes, given: dict[str, str]) -> bytes:
    """The line with what it leaves out; as it is where it is no object, for intake to judge."""
    import orjson

    try:
        fields = orjson.loads(line) if given else None
    except orjson.JSONDecodeError:
        return line
    if not isinstance(fields, dict):
        return line
    return orjson.dumps(fields | {name: value for name, value in given.items() if fields.get(name) in (None, "")})


def _nobody_reads(redis: Redis, settings: Settings) -> bool:
    from hmind.intake.backlog import backlog

    return backlog(redis, settings.intake, datetime.now(UTC)).readers == 0


def _warn(alone: bool) -> None:
    from hmind.cli import screen

    if alone:
        screen.console(stderr=True).print(_NOBODY, style="warn")
