"""The import: gives a file's turns to intake in batches and closes each session after its last turn.

Nothing is kept of how far it came: running it again changes nothing, because every turn is
recognised, so that is how it is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import orjson
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Engine, text

from hmind.errors import BadTurn, ImportRefused, StoreUnavailable
from hmind.importers.message import Message, Reader
from hmind.intake.accept import Intake
from hmind.intake.wire import Delivery, turn_from
from hmind.model import Clock, SessionRef, utc_now
from hmind.settings import Intake as IntakeSettings

BATCH = 500

# What a flush does not apply to, intake would pass over too.
_OPEN = text("""
SELECT tenant, user_id, session_id FROM windows
JOIN unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:sessions AS text[]))
    AS named (tenant, user_id, session_id) USING (tenant, user_id, session_id)
WHERE due_at IS NOT NULL
""")


@dataclass(frozen=True, slots=True)
class DeadLine:
    """A message that became a dead letter: its place in the file, the field at fault and why."""

    place: str
    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """How far an import is, or what it came to.

    Attributes:
        sessions: those that came to their end so far.
        dead_lines: where the dead letters stand, in order; as many as ``dead`` at most.
    """

    read: int = 0
    accepted: int = 0
    duplicate: int = 0
    dead: int = 0
    sessions: tuple[SessionRef, ...] = ()
    dead_lines: tuple[DeadLine, ...] = ()


def run(
    reader: Reader,
    intake: Intake,
    engine: Engine,
    redis: Redis,
    settings: IntakeSettings,
    *,
    tell: Callable[[Imported], None] = lambda _: None,
    clock: Clock = utc_now,
) -> Imported:
    """Imports a file. ``tell`` hears of every batch.

    Raises:
        ImportRefused: nothing at the file's beginning is a turn; nothing was imported.
        StoreUnavailable: a store does not answer; what was told of is safe, the rest is not in yet.
    """
    so_far = Imported()
    for batch in _batches(reader.messages()):
        if not so_far.read:
            _refuse_what_is_no_turn(batch, settings, clock)
        # Held: a session that comes whole is judged when it is whole.
        receipt = intake.accept([message.delivery for message in batch], "import", hold=True)
        over = [message.session for message in batch if message.last and message.session]
        send_flushes(redis, settings.stream, _still_open(engine, over))
        dead_lines = _dead_lines(batch, settings, clock) if receipt.dead else []
        so_far = Imported(
            read=so_far.read + len(batch),
            accepted=so_far.accepted + receipt.accepted,
            duplicate=so_far.duplicate + receipt.duplicate,
            dead=so_far.dead + receipt.dead,
            sessions=(*so_far.sessions, *over),
            dead_lines=(*so_far.dead_lines, *dead_lines),
        )
        tell(so_far)
    return so_far


def send_flushes(redis: Redis, stream: str, sessions: list[SessionRef]) -> None:
    """Says through the turn stream that these sessions are over, so that a worker closes them.

    Raises:
        StoreUnavailable: Redis does not answer.
    """
    if not sessions:
        return
    pipe = redis.pipeline(transaction=False)
    for session in sessions:
        named = {"tenant": session.tenant, "user_id": session.user_id, "session_id": session.session_id}
        pipe.xadd(stream, {"flush": orjson.dumps(named)})
    try:
        pipe.execute()
    except RedisError as error:
        raise StoreUnavailable(
            f"Redis does not answer ({type(error).__name__}). Start it, or check HMIND_REDIS_URL, and do it again."
        ) from None


def _still_open(engine: Engine, sessions: list[SessionRef]) -> list[SessionRef]:
    """Those of the sessions in which turns wait: a file that was imported before has none."""
    if not sessions:
        return []
    asked = {
        "tenants": [session.tenant for session in sessions],
        "users": [session.user_id for session in sessions],
        "sessions": [session.session_id for session in sessions],
    }
    with engine.connect() as connection:
        rows = connection.execute(_OPEN, asked)
        return [SessionRef(row.tenant, row.user_id, row.session_id) for row in rows]


def _refuse_what_is_no_turn(batch: list[Message], settings: IntakeSettings, clock: Clock) -> None:
    """A wrong format makes every line something else; faulty turns are dead letters, each for itself."""
    faults = [_fault(message.delivery, settings, clock) for message in batch]
    if all(fault is not None and fault.field == "turn" for fault in faults):
        raise ImportRefused(
            f"None of the first {len(batch):,} lines is a turn ({batch[0].place}: {faults[0]}). Nothing was imported; "
            "without --format the content decides how it is read."
        )


def _batches(messages: Iterator[Message]) -> Iterator[list[Message]]:
    while batch := list(islice(messages, BATCH)):
        yield batch


def _dead_lines(batch: list[Message], settings: IntakeSettings, clock: Clock) -> Iterator[DeadLine]:
    """Intake tells how many were bad; reading them once more tells which."""
    for message in batch:
        if fault := _fault(message.delivery, settings, clock):
            yield DeadLine(message.place, fault.field, fault.reason)


def _fault(delivery: Delivery, settings: IntakeSettings, clock: Clock) -> BadTurn | None:
    try:
        turn_from(delivery, settings, clock())
    except BadTurn as fault:
        return fault
    return None
