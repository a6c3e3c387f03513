"""The step: takes a user's due events out of the pool and writes what they are worth.

Vectors are computed before the transaction. Within it a lock on the user makes two promoters one
after the other, and an event that is not in the pool any more is passed over.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, select, text, update
from sqlalchemy.exc import StatementError

from hmind.embedding.embedder import Embedder, Vectors
from hmind.errors import HmindError
from hmind.memory import entities, facts, gists
from hmind.memory.gists import EventRef
from hmind.memory.pool import event_from_row
from hmind.memory.profiles import core_values
from hmind.memory.userlock import lock_user
from hmind.model import Clock, EventState, FoundEvent, Layer, utc_now
from hmind.promotion.promoter import FactOutcome, Promoter, Route
from hmind.settings import Settings
from hmind.storage.refusals import is_refusal, kind
from hmind.storage.schema import EventRow
from hmind.text.tokens import keywords

log = logging.getLogger(__name__)

EVENTS_AT_ONCE = 20

_TAKEN = text("""
SELECT 1 FROM events WHERE tenant = :tenant AND user_id = :user_id AND state = 'pool'
  AND attempts > 0 AND last_error IS NULL AND due_at > :now LIMIT 1
""")

# Remembered wins: a turn that one event kept stays remembered when another lets it go.
_END = text("""
UPDATE ledger SET state = :state, reason = :reason, updated_at = :now
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
  AND turn_id = ANY(CAST(:turns AS text[])) AND state IN ('segmented', 'discarded', 'expired')
""")

_PUT_BACK = text("""
UPDATE events SET last_error = :error,
    due_at = :now + least(30 * power(2, least(attempts, 10)), 21600) * interval '1 second'
WHERE id = ANY(CAST(:ids AS uuid[])) AND state = 'pool'
""")

_USERS_DUE = text("""
SELECT tenant, user_id FROM events WHERE state = 'pool' AND due_at <= :now
GROUP BY tenant, user_id ORDER BY min(due_at) LIMIT :limit
""")


@dataclass(frozen=True, slots=True)
class Promoted:
    """What a run wrote, by kind; ``more`` tells that it stopped with events still due."""

    flashbulb: int = 0
    long_term: int = 0
    discarded: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True)
class _Prepared:
    ref: EventRef
    event: FoundEvent
    words: list[list[str]]
    vectors: Vectors


class PromotionStep:
    """Promotes what is due."""

    def __init__(
        self, engine: Engine, embedder: Embedder, promoter: Promoter, settings: Settings, clock: Clock = utc_now
    ) -> None:
        self._engine = engine
        self._embedder = embedder
        self._promoter = promoter
        self._settings = settings
        self._clock = clock

    def users_due(self, limit: int) -> list[tuple[str, str]]:
        """Users with events that are due, those that wait longest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(_USERS_DUE, {"now": self._clock(), "limit": limit})
            return [(row[0], row[1]) for row in rows]

    def promote(self, tenant: str, user_id: str, at_most_s: float | None = None) -> Promoted:
        """Promotes the due events of a user, in the order in which they were told.

        After ``at_most_s`` it stops between two batches, so that a user with years to promote does
        not keep the others waiting.
        """
        until = None if at_most_s is None else time.monotonic() + at_most_s
        counts = {EventState.FLASHBULB: 0, EventState.LONG_TERM: 0, EventState.DISCARDED: 0}
        while rows := self._take(tenant, user_id):
            try:
                prepared = self._prepare(rows)
            except HmindError as error:
                with self._engine.begin() as connection:
                    _put_back(connection, [row["id"] for row in rows], type(error).__name__, self._clock())
                raise
            with self._engine.begin() as connection:
                lock_user(connection, tenant, user_id)
                values = core_values(connection, tenant, user_id)
                still = self._still_pooled(connection, prepared)
                for item in prepared:
                    if item.ref.event_id in still and (state := self._try(connection, item, values)):
                        counts[state] += 1
            if until is not None and time.monotonic() >= until:
                break
        more = bool(rows)
        return Promoted(counts[EventState.FLASHBULB], counts[EventState.LONG_TERM], counts[EventState.DISCARDED], more)

    def _take(self, tenant: str, user_id: str) -> list[dict[str, Any]]:
        """Due events in the order in which they were told, each due again later should this worker die.

        None while another run has some of this user's: facts follow one another in time.
        """
        now, lease = self._clock(), timedelta(seconds=self._settings.upkeep.lease_s)
        due = (
            select(EventRow.id)
            .where(EventRow.tenant == tenant, EventRow.user_id == user_id)
            .where(EventRow.state == EventState.POOL, EventRow.due_at <= now)
            .order_by(EventRow.told_at, EventRow.segment_id, EventRow.ordinal)
            .limit(EVENTS_AT_ONCE)
        )
        with self._engine.begin() as connection:
            lock_user(connection, tenant, user_id)
            if connection.execute(_TAKEN, {"tenant": tenant, "user_id": user_id, "now": now}).first():
                return []
            taken = connection.execute(
                update(EventRow)
                .where(EventRow.id.in_(due.scalar_subquery()))
                .values(attempts=EventRow.attempts + 1, due_at=now + lease, last_error=None)
                .returning(EventRow.__table__)
            ).mappings()
            return sorted(
                (dict(row) for row in taken), key=lambda row: (row["told_at"], row["segment_id"], row["ordinal"])
            )

    def _prepare(self, rows: Sequence[dict[str, Any]]) -> list[_Prepared]:
        events = [event_from_row(row) for row in rows]
        texts = [statement.text for event in events for statement in event.statements]
        vectors = self._embedder.passages(texts)
        prepared, start = [], 0
        for row, event in zip(rows, events, strict=True):
            end = start + len(event.statements)
            ref = EventRef(row["tenant"], row["user_id"], row["session_id"], row["id"], row["occurred_at"])
            words = [keywords(statement.text) for statement in event.statements]
            prepared.append(_Prepared(ref, event, words, vectors[start:end]))
            start = end
        return prepared

    def _still_pooled(self, connection: Connection, prepared: Sequence[_Prepared]) -> set[str]:
        ids = [item.ref.event_id for item in prepared]
        found = connection.execute(
            select(EventRow.id).where(EventRow.id.in_(ids), EventRow.state == EventState.POOL).with_for_update()
        )
        return set(found.scalars())

    def _try(self, connection: Connection, item: _Prepared, values: Sequence[str]) -> EventState | None:
        """Writes one event; one that the store refuses stays in the pool and does not stop the others."""
        try:
            with connection.begin_nested():
                return self._write(connection, item, values)
        except StatementError as error:
            if not is_refusal(error):
                raise
            log.error("event %s: not promoted: %s", item.ref.event_id, kind(error))
            _put_back(connection, [item.ref.event_id], kind(error), self._clock())
            return None

    def _write(self, connection: Connection, item: _Prepared, values: Sequence[str]) -> EventState:
        now = self._clock()
        route = self._promoter.route(item.event, values)
        decision = route.to_json()
        if route.state is not EventState.DISCARDED:
            layer = Layer.L4 if route.state is EventState.FLASHBULB else Layer.L2
            decision["gists"] = gists.write(
                connection, item.ref, layer, item.event.statements, item.words, item.vectors, route.score, now
            )
            decision["entities"] = entities.write(connection, item.ref, item.event.entities)
            for told, (fact, outcome) in zip(decision["facts"], route.facts, strict=True):
                if outcome is FactOutcome.WRITE:
                    told["change"] = facts.write(connection, item.ref, fact, now).value
                elif outcome is FactOutcome.REVIEW:
                    facts.ask(connection, item.ref, fact, now, self._settings.promotion.review_days)
        self._end(connection, item, route, decision, now)
        return route.state

    def _end(
        self, connection: Connection, item: _Prepared, route: Route, decision: dict[str, Any], now: datetime
    ) -> None:
        connection.execute(
            update(EventRow)
            .where(EventRow.id == item.ref.event_id)
            .values(state=route.state.value, decision=decision, last_error=None)
        )
        gone = route.state is EventState.DISCARDED
        connection.execute(
            _END,
            {
                "tenant": item.ref.tenant,
                "user_id": item.ref.user_id,
                "session_id": item.ref.session_id,
                "turns": list(item.event.turn_ids),
                "state": "discarded" if gone else "remembered",
                "reason": route.reason if gone else None,
                "now": now,
            },
        )


def _put_back(connection: Connection, event_ids: Sequence[str], why: str, now: datetime) -> None:
    """Lets events be tried again, after a time that doubles; ``why`` is the class of what went wrong."""
    connection.execute(_PUT_BACK, {"ids": list(event_ids), "error": why, "now": now})
