"""The one way in: deliveries become turns in the ledger and in L1, or dead letters.

The order makes a crash harmless. First the ledger (PostgreSQL, one statement), then L1 and the
transport's acknowledgement in one Redis transaction. A delivery that comes again finds its turn
in the ledger still waiting, and L1 takes each turn once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeout
from sqlalchemy import Engine
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, OperationalError

from hmind.errors import BadTurn, StoreUnavailable
from hmind.intake import ledger, wire
from hmind.intake.wire import Delivery
from hmind.model import Clock, SessionRef, Turn, TurnState, utc_now
from hmind.settings import Settings
from hmind.shortterm.store import ShortTerm

WAKE_S = 30
"""A wake-up that nobody has read after this long was lost; the next turn sends another."""

Acknowledge = Callable[[Pipeline], Any]
"""Adds the transport's acknowledgement to the transaction that writes L1."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a batch.

    Attributes:
        touched: sessions whose windows have to be looked at, and nobody was woken for them yet.
        flushed: sessions that were said to be over.
    """

    accepted: int = 0
    duplicate: int = 0
    dead: int = 0
    touched: tuple[SessionRef, ...] = ()
    flushed: tuple[SessionRef, ...] = ()
    faults: tuple[BadTurn, ...] = ()

    def and_then(self, other: Receipt) -> Receipt:
        """Both batches as one."""
        return Receipt(
            self.accepted + other.accepted,
            self.duplicate + other.duplicate,
            self.dead + other.dead,
            self.touched + other.touched,
            self.flushed + other.flushed,
            self.faults + other.faults,
        )


class Intake:
    """Accepts deliveries in batches, from whatever transport. Safe to share between threads."""

    def __init__(
        self, engine: Engine, redis: Redis, shortterm: ShortTerm, settings: Settings, clock: Clock = utc_now
    ) -> None:
        self._engine = engine
        self._redis = redis
        self._shortterm = shortterm
        self._settings = settings
        self._clock = clock

    def accept(
        self,
        deliveries: Sequence[Delivery],
        origin: str,
        *,
        hold: bool = False,
        flushes: Sequence[Delivery] = (),
        acknowledge: Acknowledge | None = None,
    ) -> Receipt:
        """Takes a batch in and acknowledges it when every turn is safe.

        Args:
            origin: ``stream``, ``task`` or ``import``; kept in the ledger.
            hold: leave the windows alone until they are flushed (an import brings a session whole).
            flushes: messages that name a session which is over, as of this batch's end.

        Raises:
            StoreUnavailable: nothing was acknowledged; the same batch can be given again.
        """
        now = self._clock()
        turns, dead = self._read(deliveries)
        over: list[SessionRef] = []
        for delivery in flushes:
            try:
                over.append(wire.session_from(delivery, self._settings.intake))
            except BadTurn as fault:
                dead.append((delivery, fault))
        unique = list({(t.tenant, t.user_id, t.session_id, t.turn_id): t for t in reversed(turns)}.values())[::-1]
        try:
            entries, refused = self._enter(unique, origin, hold)
            if dead or over:
                with self._engine.begin() as connection:
                    if dead:
                        ledger.bury(connection, dead, origin, now)
                    for session in over:
                        ledger.flush(connection, session, now)
        except (OperationalError, InterfaceError) as error:
            raise StoreUnavailable(
                f"PostgreSQL does not answer: {type(error.orig).__name__}. The batch waits."
            ) from None
        touched = self._keep(unique, entries, acknowledge, 0 if hold else WAKE_S)
        fresh = [entry for entry in entries if entry.is_new]
        faults = [fault for _, fault in dead] + refused
        return Receipt(
            accepted=len(fresh),
            duplicate=len(turns) - len(fresh) - len(refused),
            dead=len(faults),
            touched=touched,
            flushed=tuple(over),
            faults=tuple(faults),
        )

    def bury(self, delivery: Delivery, fault: BadTurn, origin: str, acknowledge: Acknowledge) -> Receipt:
        """Puts a message straight to the dead letters and acknowledges it."""
        with self._engine.begin() as connection:
            ledger.bury(connection, [(delivery, fault)], origin, self._clock())
        self._keep([], [], acknowledge, 0)
        return Receipt(dead=1, faults=(fault,))

    def _read(self, deliveries: Sequence[Delivery]) -> tuple[list[Turn], list[tuple[Delivery, BadTurn]]]:
        now, turns, dead = self._clock(), [], []
        for delivery in deliveries:
            try:
                turns.append(wire.turn_from(delivery, self._settings.intake, now))
            except BadTurn as fault:
                dead.append((delivery, fault))
        return turns, dead

    def _enter(self, turns: Sequence[Turn], origin: str, hold: bool) -> tuple[list[ledger.Entry], list[BadTurn]]:
        """Enters turns; one that the store will not take is parted from the rest by halving."""
        if not turns:
            return [], []
        boundary = self._settings.boundary
        due_after_s = boundary.import_settle_s if hold else boundary.silence_after_s
        try:
            with self._engine.begin() as connection:
                return ledger.enter(connection, turns, origin, due_after_s, hold), []
        except (DataError, IntegrityError) as error:
            if len(turns) == 1:
                fault = BadTurn("turn", f"the ledger refused it: {type(error.orig).__name__}")
                turn = turns[0]
                buried = Delivery({"user_id": turn.user_id, "turn_id": turn.turn_id}, turn.turn_id, turn.received_at)
                with self._engine.begin() as connection:
                    ledger.bury(connection, [(buried, fault)], origin, turn.received_at)
                return [], [fault]
            middle = len(turns) // 2
            left, bad_left = self._enter(turns[:middle], origin, hold)
            right, bad_right = self._enter(turns[middle:], origin, hold)
            return left + right, bad_left + bad_right

    def _keep(
        self, turns: Sequence[Turn], entries: Sequence[ledger.Entry], acknowledge: Acknowledge | None, wake_s: int
    ) -> tuple[SessionRef, ...]:
        """Writes L1 and acknowledges, as one; returns the sessions for which somebody has to be woken.

        Known turns that still wait are among them: a crash may have come before their L1 was written.
        """
        known = {entry.key: entry for entry in entries}
        pipe = self._redis.pipeline(transaction=True)
        waiting = []
        for turn in turns:
            entry = known.get((turn.tenant, turn.user_id, turn.session_id, turn.turn_id))
            if entry is not None and entry.state == TurnState.WAITING:
                waiting.append(
                    replace(turn, seq=entry.seq, received_at=entry.received_at, occurred_at=entry.occurred_at)
                )
        sessions = self._shortterm.append(pipe, waiting, wake_s)
        if acknowledge is not None:
            acknowledge(pipe)
        if not len(pipe):
            return ()
        try:
            answers = pipe.execute()
        except (RedisConnectionError, RedisTimeout) as error:
            raise StoreUnavailable(f"Redis does not answer: {type(error).__name__}. The batch waits.") from None
        return tuple(session for session, wake in zip(sessions, answers, strict=False) if wake)
