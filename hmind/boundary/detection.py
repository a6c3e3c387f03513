"""The step: reads a session's open window, asks the detector, closes segments.

One at a time per session by a lock; correct without it, because a turn can be assigned to a
segment once only. No database session is held while the detector embeds.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from redis import Redis
from redis.exceptions import LockError
from sqlalchemy import Engine

from hmind.boundary import windows
from hmind.boundary.detector import Cut, Detector, Tail
from hmind.boundary.rounds import count_rounds
from hmind.boundary.windows import Window
from hmind.errors import HmindError
from hmind.memory import segments
from hmind.model import Boundary, Clock, Segment, SessionRef, Turn, utc_now
from hmind.settings import Settings
from hmind.shortterm import keys
from hmind.shortterm.store import ShortTerm

log = logging.getLogger(__name__)

TURNS_AT_ONCE = 2000
"""Turns of one window that are judged at once; a longer one is worked off in order."""
CONTEXT_TURNS = 6
PASSES = 1000
"""Looks of one run; a session that is still not worked off goes on at its next."""
LOST_AFTER = timedelta(minutes=10)
"""A turn in the ledger whose text is not in L1 this long after intake will not come any more."""


class _Overtaken(Exception):
    """Another run assigned one of these turns first; what is left is looked at anew."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look at a window closed, and whether there is nothing more to see."""

    closed: tuple[str, ...] = ()
    done: bool = True


@dataclass(frozen=True, slots=True)
class _Texts:
    """A window's turns that still have their text, and those received since the first of them, closed ones too."""

    turns: list[Turn]
    around: list[Turn]


class Detection:
    """Closes what is over in a session."""

    def __init__(
        self,
        engine: Engine,
        redis: Redis,
        shortterm: ShortTerm,
        detector: Detector,
        settings: Settings,
        clock: Clock = utc_now,
    ) -> None:
        self._engine = engine
        self._redis = redis
        self._shortterm = shortterm
        self._detector = detector
        self._settings = settings
        self._clock = clock

    def detect(self, session: SessionRef, because: Boundary | None = None) -> list[str]:
        """Closes every segment that is certain, and returns their ids.

        ``because`` closes the rest of the window too, for that reason (the daily sweep).
        """
        lease_s = self._settings.upkeep.lease_s
        lock = self._redis.lock(keys.detecting(session), timeout=lease_s, blocking=False)
        if not lock.acquire():
            windows.postpone(self._engine, session, windows.soon(self._clock()))
            return []
        closed: list[str] = []
        try:
            for _ in range(PASSES):
                look = self._look(session, because)
                closed += look.closed
                if look.done:
                    break
        except HmindError as error:
            windows.note(self._engine, session, error)
            raise
        finally:
            try:
                lock.release()
            except LockError:
                log.warning("a detection took longer than its lock of %d s", lease_s)
        return closed

    def _look(self, session: SessionRef, because: Boundary | None) -> _Look:
        now = self._clock()
        with self._engine.begin() as connection:
            window = windows.read(connection, session, TURNS_AT_ONCE)
            if window is None:
                return _Look()
            if not window.waiting:
                # Not settled: something came in just now.
                return _Look(done=windows.settle(connection, session, window, 0, None))
        texts = self._texts(session, window, now)
        if texts is None:
            return _Look()
        cuts = self._detector.cuts(texts.turns, self._tail(window, because, now)) if texts.turns else []
        try:
            return self._close(session, window, texts, cuts, now)
        except _Overtaken:
            return _Look(done=False)

    def _texts(self, session: SessionRef, window: Window, now: datetime) -> _Texts | None:
        """The window's turns from L1, or None when some are not there yet and it has to wait."""
        around = self._shortterm.window(session, min(turn.received_at for turn in window.waiting))
        found = {turn.turn_id: turn for turn in around}
        missing = [turn for turn in window.waiting if turn.turn_id not in found]
        if any(now - turn.received_at < LOST_AFTER for turn in missing):
            # In the ledger and not yet in L1: intake is between its two writes, or will be given it again.
            windows.postpone(self._engine, session, windows.soon(now))
            return None
        if missing:
            ttl = timedelta(hours=self._settings.shortterm.ttl_h)
            old = [turn.turn_id for turn in missing if now - turn.received_at >= ttl]
            lost = [turn.turn_id for turn in missing if now - turn.received_at < ttl]
            with self._engine.begin() as connection:
                windows.expire(connection, session, old, "raw_ttl", now)
                windows.expire(connection, session, lost, "text_lost", now)
            if lost:
                log.error("%d turns of one session were lost from Redis before they were read", len(lost))
        return _Texts([found[turn.turn_id] for turn in window.waiting if turn.turn_id in found], around)

    def _tail(self, window: Window, because: Boundary | None, now: datetime) -> Tail | None:
        """Why the end of what was read is known to be over, or None while it is not."""
        if not window.whole:
            return None
        if window.flushed:
            return Tail(Boundary.FLUSH, None, None)
        if because is not None:
            return Tail(because, None, None)
        limit = self._settings.boundary.silence_after_s
        if window.held and (now - window.last_received_at).total_seconds() < self._settings.boundary.import_settle_s:
            return None
        silent = (now - window.last_occurred_at).total_seconds()
        idle = (now - window.last_received_at).total_seconds()
        return Tail(Boundary.SILENCE, round(silent, 1), limit) if min(silent, idle) >= limit else None

    def _close(self, session: SessionRef, window: Window, texts: _Texts, cuts: list[Cut], now: datetime) -> _Look:
        starts = [0, *(cut.end for cut in cuts)]
        closing = [self._segment(session, texts, start, cut) for start, cut in zip(starts, cuts, strict=False)]
        settings = self._settings.boundary
        wait_s = settings.import_settle_s if window.held else settings.silence_after_s
        left = len(texts.turns) - starts[-1]
        done = False
        with self._engine.begin() as connection:
            for segment in closing:
                if not segments.close(connection, segment, count_rounds(segment.turns), window.held, now):
                    raise _Overtaken
            if left and window.whole:
                # The rest stays open. Not settled: something came in just now.
                done = windows.settle(connection, session, window, left, now + timedelta(seconds=wait_s))
        return _Look(tuple(segment.id for segment in closing), done)

    def _segment(self, session: SessionRef, texts: _Texts, start: int, cut: Cut) -> Segment:
        its = texts.turns[start : cut.end]
        least = self._settings.boundary.min_rounds
        return segment_of(its, cut, least, lambda: self._before(session, its[0], texts.around))

    def _before(self, session: SessionRef, first: Turn, around: list[Turn]) -> list[Turn]:
        """The last turns before ``first``; the same whether they were closed at this look or at one before."""
        oldest = min(turn.received_at for turn in around)
        known = [*self._shortterm.before(session, oldest, CONTEXT_TURNS), *around]
        earlier = [turn for turn in known if (turn.occurred_at, turn.seq) < (first.occurred_at, first.seq)]
        return sorted(earlier, key=lambda turn: (turn.occurred_at, turn.seq))[-CONTEXT_TURNS:]


def segment_of(turns: Sequence[Turn], cut: Cut, min_rounds: int, before: Callable[[], Sequence[Turn]]) -> Segment:
    """The segment of these turns, which ``cut`` ends; one of fewer than ``min_rounds`` has those ``before`` as context.

    Args:
        before: the last turns before the segment, at most CONTEXT_TURNS; asked only when they are wanted.
    """
    session = turns[0].session
    context = tuple(before()) if count_rounds(turns) < min_rounds else ()
    id_ = segments.segment_id(session, turns)
    return Segment(id_, session, tuple(turns), cut.boundary, cut.measured, cut.threshold, context)
