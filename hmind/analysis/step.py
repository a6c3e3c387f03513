"""The step: gives a closed segment to the analyst and puts what it finds into the event pool.

The analyst is asked with no database session open. Writing twice is writing once: who marks the
segment analysed writes its events, in the same transaction, and nobody can mark it again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import StatementError

from hmind.analysis.analyst import Analyst
from hmind.analysis.people_only import people_only
from hmind.errors import AnalystMisbehaved, AnalystUnavailable
from hmind.memory import segments
from hmind.memory.pool import event_row, next_run
from hmind.memory.profiles import core_values
from hmind.model import Analysis, Clock, Known, Segment, SegmentState, utc_now
from hmind.settings import Settings
from hmind.storage.refusals import is_refusal, kind
from hmind.storage.schema import EventRow, SegmentRow

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 3600

# What was found is known by the names it was found under, promoted or not, so that what an analyst
# knows follows from what was analysed before, and not from how far the promoter has come.
_KNOWN = text("""
SELECT name FROM entities WHERE tenant = :tenant AND user_id = :user_id
UNION
SELECT entity ->> 'name' FROM events, jsonb_array_elements(events.entities) AS entity
WHERE tenant = :tenant AND user_id = :user_id AND entities IS NOT NULL
ORDER BY 1
""")

_DUE = text("""
SELECT EXISTS (
    SELECT 1 FROM events WHERE tenant = :tenant AND user_id = :user_id AND state = 'pool' AND due_at <= :now
)
""")

_DISCARD = text("""
UPDATE ledger SET state = 'discarded', reason = :reason, updated_at = :now
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
  AND turn_id = ANY(CAST(:turns AS text[])) AND state = 'segmented'
""")


@dataclass(frozen=True, slots=True)
class Analysed:
    """What came of a segment.

    Attributes:
        due: whether the user has events to be promoted now.
        next_segment: the user's next segment of the same kind, live or of an import; one that was looked
            at too early waits for this.
    """

    tenant: str
    user_id: str
    events: int
    due: bool
    next_segment: str | None


class AnalysisStep:
    """Runs the analyst; falls back to the offline one when the endpoint stays unusable."""

    def __init__(
        self, engine: Engine, analyst: Analyst, fallback: Analyst, settings: Settings, clock: Clock = utc_now
    ) -> None:
        self._engine = engine
        self._analyst = analyst
        self._fallback = fallback
        self._settings = settings
        self._clock = clock
        # As many calls as there are attempts, each with the wait before it: after that its worker is dead.
        calls_s = 2 * settings.analysis.llm_attempts * settings.analysis.llm_timeout_s
        self._lease_s = settings.upkeep.lease_s + (calls_s if settings.analysis.llm_url else 0)

    def analyze(self, segment_id: str) -> Analysed | None:
        """Analyses a segment that is due; None when another run has it or had it first, or it has to wait."""
        with self._engine.begin() as connection:
            taken = segments.take(connection, segment_id, self._clock(), self._lease_s)
            if taken is None:
                return None
            segment, attempts = taken
            known = self._known(connection, segment)
        if attempts > 2 * self._settings.analysis.segment_attempts:
            return self._give_up(segment, "attempts")
        try:
            analysis = self._ask(segment, known, attempts)
        except AnalystUnavailable as error:
            self._wait(segment_id, attempts, error)
            return None
        return self._keep(segment, known, analysis)

    def _ask(self, segment: Segment, known: Known, attempts: int) -> Analysis:
        if attempts > self._settings.analysis.segment_attempts:
            log.warning("segment %s: given to the offline analyst after %d attempts", segment.id, attempts - 1)
            return self._fallback.analyze(segment, known)
        try:
            return self._analyst.analyze(segment, known)
        except AnalystMisbehaved as error:
            log.warning("segment %s: %s Given to the offline analyst.", segment.id, error)
            return self._fallback.analyze(segment, known)

    def _known(self, connection: Connection, segment: Segment) -> Known:
        user = {"tenant": segment.session.tenant, "user_id": segment.session.user_id}
        names: Iterable[str] = connection.execute(_KNOWN, user).scalars()
        return Known(frozenset(names), core_values(connection, **user))

    def _wait(self, segment_id: str, attempts: int, error: AnalystUnavailable) -> None:
        wait_s = min(max(error.retry_after_s or 0.0, 10.0 * 2**attempts), LONGEST_WAIT_S)
        with self._engine.begin() as connection:
            connection.execute(
                update(SegmentRow)
                .where(SegmentRow.id == segment_id, SegmentRow.state == SegmentState.CLOSED)
                .values(due_at=self._clock() + timedelta(seconds=wait_s), last_error=str(error))
            )

    def _keep(self, segment: Segment, known: Known, analysis: Analysis) -> Analysed | None:
        """Writes the analysis, or the offline one where the store will not take it."""
        try:
            return self._write(segment, analysis)
        except StatementError as error:
            if not is_refusal(error):
                raise
            why = kind(error)
        log.warning("segment %s: the store refused what %s found: %s", segment.id, analysis.analyst, why)
        if analysis.analyst == self._fallback.name:
            return self._give_up(segment, why)
        return self._keep(segment, known, self._fallback.analyze(segment, known))

    def _write(self, segment: Segment, analysis: Analysis) -> Analysed | None:
        now = self._clock()
        settings = self._settings
        analysis = people_only(segment, analysis)
        due_at = next_run(segment.turns[-1].occurred_at, settings.schedule)
        rows = [
            event_row(segment, ordinal, event, now, due_at, settings.promotion)
            for ordinal, event in enumerate(analysis.events)
        ]
        with self._engine.begin() as connection:
            mine = segments.end(
                connection,
                segment.id,
                SegmentState.ANALYSED,
                analyst=analysis.analyst,
                outcome=analysis.outcome,
                tokens_in=analysis.tokens_in,
                tokens_out=analysis.tokens_out,
                last_error=None,
            )
            if not mine:
                return None
            if rows:
                connection.execute(insert(EventRow).values(rows).on_conflict_do_nothing())
            _discard(connection, segment, analysis.discarded, now)
            return _told(connection, segment, len(rows), now)

    def _give_up(self, segment: Segment, why: str) -> Analysed | None:
        """Ends a segment that cannot be analysed, so that those after it can."""
        log.error("segment %s: given up: %s", segment.id, why)
        now = self._clock()
        with self._engine.begin() as connection:
            if not segments.end(connection, segment.id, SegmentState.FAILED, last_error=why):
                return None
            _discard(connection, segment, dict.fromkeys((t.turn_id for t in segment.turns), "analysis_failed"), now)
            return _told(connection, segment, 0, now)


def _told(connection: Connection, segment: Segment, events: int, now: datetime) -> Analysed:
    user = {"tenant": segment.session.tenant, "user_id": segment.session.user_id}
    due: bool = connection.execute(_DUE, {**user, "now": now}).scalar_one()
    following = segments.next_closed(connection, **user, after=segment.id, now=now)
    return Analysed(**user, events=events, due=due, next_segment=following)


def _discard(connection: Connection, segment: Segment, reasons: Mapping[str, str], now: datetime) -> None:
    by_reason: dict[str, list[str]] = {}
    for turn_id, reason in reasons.items():
        by_reason.setdefault(reason, []).append(turn_id)
    for reason, turns in sorted(by_reason.items()):
        connection.execute(_DISCARD, {**_session(segment), "reason": reason, "turns": turns, "now": now})


def _session(segment: Segment) -> dict[str, str]:
    session = segment.session
    return {"tenant": session.tenant, "user_id": session.user_id, "session_id": session.session_id}
