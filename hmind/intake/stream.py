"""The Redis Stream that producers write to, read as one consumer of a group.

An entry bears ``turn`` (JSON of one turn) or ``flush`` (JSON that names a session which is over).
It is acknowledged and deleted in the transaction that writes its turn to L1. What another
consumer took and did not finish is taken over with XAUTOCLAIM.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as RedisTimeout

from hmind.errors import BadTurn, StoreUnavailable
from hmind.intake.accept import Acknowledge, Intake, Receipt
from hmind.intake.wire import Delivery
from hmind.settings import Intake as IntakeSettings
from hmind.storage.instants import from_micros

log = logging.getLogger(__name__)

Entry = tuple[bytes, dict[bytes, bytes]]


class TurnStream:
    """One consumer of the stream. Not for two threads at once."""

    def __init__(self, redis: Redis, intake: Intake, settings: IntakeSettings, consumer: str) -> None:
        self._redis = redis
        self._intake = intake
        self._settings = settings
        self._consumer = consumer
        self._reclaim_at = 0.0

    def step(self) -> Receipt | None:
        """Reads and accepts one batch; None when nothing came within ``block_s``.

        Raises:
            StoreUnavailable: a store does not answer; what was read stays pending and comes again.
        """
        try:
            entries = self._abandoned() or self._fresh()
        except (RedisConnectionError, RedisTimeout) as error:
            raise StoreUnavailable(f"Redis does not answer: {type(error).__name__}. Reading goes on.") from None
        return self._accept(entries) if entries else None

    def _accept(self, entries: Sequence[Entry]) -> Receipt:
        """Accepts a batch; an entry that breaks it is found by halving and buried, the others land."""
        try:
            return self._intake_of(entries)
        except StoreUnavailable:
            raise
        except Exception as error:
            if len(entries) == 1:
                log.error("an entry of the turn stream broke intake: %s", type(error).__name__)
                return self._bury(entries[0], BadTurn("turn", f"broke intake: {type(error).__name__}"))
        middle = len(entries) // 2
        first, second = self._accept(entries[:middle]), self._accept(entries[middle:])
        return first.and_then(second)

    def _bury(self, entry: Entry, fault: BadTurn) -> Receipt:
        delivery = Delivery(entry[1].get(b"turn", b""), entry[0].decode(), _received(entry[0]))
        return self._intake.bury(delivery, fault, "stream", self._acknowledgement([entry]))

    def _intake_of(self, entries: Sequence[Entry]) -> Receipt:
        deliveries, flushes = [], []
        for entry_id, fields in entries:
            if b"flush" in fields:
                flushes.append(Delivery(fields[b"flush"], entry_id.decode(), _received(entry_id)))
            else:
                # An entry without ``turn`` is buried with the reason that it is not JSON.
                deliveries.append(Delivery(fields.get(b"turn", b""), entry_id.decode(), _received(entry_id)))
        return self._intake.accept(deliveries, "stream", flushes=flushes, acknowledge=self._acknowledgement(entries))

    def _acknowledgement(self, entries: Sequence[Entry]) -> Acknowledge:
        ids = [entry_id for entry_id, _ in entries]

        def acknowledge(pipe: Pipeline) -> None:
            pipe.xack(self._settings.stream, self._settings.group, *ids)
            pipe.xdel(self._settings.stream, *ids)

        return acknowledge

    def _fresh(self) -> list[Entry]:
        read: Any = self._within_group(
            lambda: self._redis.xreadgroup(
                self._settings.group,
                self._consumer,
                {self._settings.stream: ">"},
                count=self._settings.batch_turns,
                block=int(self._settings.block_s * 1000),
            )
        )
        if not read:
            return []
        # RESP2 answers with pairs, RESP3 with a map.
        batches = read.values() if isinstance(read, dict) else [batch for _, batch in read]
        return [entry for batch in batches for entry in _flat(batch)]

    def _abandoned(self) -> list[Entry]:
        """Entries that a dead consumer left, looked for every few seconds while there are none."""
        if time.monotonic() < self._reclaim_at:
            return []
        answer: Any = self._within_group(
            lambda: self._redis.xautoclaim(
                self._settings.stream,
                self._settings.group,
                self._consumer,
                min_idle_time=int(self._settings.reclaim_after_s * 1000),
                count=self._settings.batch_turns,
            )
        )
        entries: list[Entry] = [(entry_id, fields) for entry_id, fields in answer[1] if fields]
        if not entries:
            self._reclaim_at = time.monotonic() + self._settings.reclaim_after_s / 3
        return entries

    def _within_group(self, call: Any) -> Any:
        """Calls; where the group is not there yet (a new or emptied server), makes it and calls again."""
        try:
            return call()
        except ResponseError as error:
            if "NOGROUP" not in str(error):
                raise
        try:
            self._redis.xgroup_create(self._settings.stream, self._settings.group, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise
        return call()


def _flat(batch: Any) -> list[Entry]:
    return [entry for item in batch for entry in (item if isinstance(item, list) else [item])]


def _received(entry_id: bytes) -> datetime:
    """When the entry came in; those of one millisecond a microsecond apart, so that they keep their order."""
    millis, _, place = entry_id.partition(b"-")
    return from_micros(int(millis) * 1000 + min(int(place), 999))
