"""The step: gives a closed segment to the analyst and puts what it finds into the event pool.

The analyst is asked with no database session open. Writing twice is writing once: who marks the
segment analysed writes its events, in the same transaction, and nobody can mark it again.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from sqlalchemy import Engine, update
from sqlalchemy.exc import StatementError

from hmind.analysis.analyst import Analyst
from hmind.analysis.asking import ATTEMPTS, AWAY, FAILED, UNSTORABLE, Answer, Asking
from hmind.analysis.governor import Governor
from hmind.analysis.people_only import people_only
from hmind.analysis.writing import Analysed, discard, known, told, write_events
from hmind.errors import AnalystUnavailable
from hmind.memory import again, segments
from hmind.memory.pool import next_run
from hmind.memory.segments import Taken
from hmind.model import Clock, Known, Segment, SegmentState, utc_now
from hmind.settings import Settings
from hmind.storage.refusals import is_refusal, kind
from hmind.storage.schema import SegmentRow

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 3600


class AnalysisStep:
    """Runs the analyst; falls back to the offline one when the endpoint stays unusable, or its budget is spent."""

    def __init__(
        self, engine: Engine, analyst: Analyst, fallback: Analyst, settings: Settings, clock: Clock = utc_now
    ) -> None:
        self._engine = engine
        self._asking = Asking(analyst, fallback, Governor(engine, settings, clock))
        self._fallback = fallback
        self._settings = settings
        self._clock = clock
        self._lease_s = lease_s(settings)

    def analyze(self, segment_id: str) -> Analysed | None:
        """Analyses a segment that is due; None when another run has it or had it first, or it has to wait."""
        with self._engine.begin() as connection:
            taken = segments.take(connection, segment_id, self._clock(), self._lease_s)
            if taken is None:
                return None
            about = known(connection, taken.segment)
        if taken.attempts > 2 * self._settings.analysis.segment_attempts:
            return self._give_up(taken.segment, ATTEMPTS)
        try:
            answer = self._ask(taken, about)
        except AnalystUnavailable as error:
            if not self._is_known_away(taken.segment):
                self._wait(segment_id, taken.attempts, error)
                return None
            spent = (error.tokens_in, error.tokens_out)
            answer = self._asking.stand_in(taken.segment, about, AWAY, again=True, tokens=spent)
        return self._keep(taken.segment, about, answer)

    def _ask(self, taken: Taken, about: Known) -> Answer:
        if taken.attempts <= self._settings.analysis.segment_attempts:
            return self._asking.within_budget(taken.segment, about)
        log.warning("segment %s: given to the offline analyst after %d attempts", taken.segment.id, taken.attempts - 1)
        # Nobody wrote down why it had to wait: its worker died, or failed in a way of its own.
        return self._asking.stand_in(taken.segment, about, AWAY if taken.last_error else ATTEMPTS, again=True)

    def _is_known_away(self, segment: Segment) -> bool:
        """Whether the user's segments before this one waited in vain: a long talk would wait for each anew."""
        with self._engine.connect() as connection:
            return again.waits_for(connection, segment.session.tenant, segment.session.user_id, AWAY)

    def _wait(self, segment_id: str, attempts: int, error: AnalystUnavailable) -> None:
        wait_s = min(max(error.retry_after_s or 0.0, 10.0 * 2**attempts), LONGEST_WAIT_S)
        with self._engine.begin() as connection:
            connection.execute(
                update(SegmentRow)
                .where(SegmentRow.id == segment_id, SegmentRow.state == SegmentState.CLOSED)
                .values(
                    due_at=self._clock() + timedelta(seconds=wait_s),
                    last_error=str(error),
                    tokens_in=SegmentRow.tokens_in + error.tokens_in,
                    tokens_out=SegmentRow.tokens_out + error.tokens_out,
                )
            )

    def _keep(self, segment: Segment, about: Known, answer: Answer) -> Analysed | None:
        """Writes the answer, or the offline one where the store will not take it."""
        try:
            return self._write(segment, answer)
        except StatementError as error:
            if not is_refusal(error):
                raise
            why = kind(error)
        log.warning("segment %s: the store refused what %s found: %s", segment.id, answer.analysis.analyst, why)
        if answer.analysis.analyst == self._fallback.name:
            return self._give_up(segment, why)
        spent = (answer.tokens_in, answer.tokens_out)
        return self._keep(segment, about, self._asking.stand_in(segment, about, UNSTORABLE, again=True, tokens=spent))

    def _write(self, segment: Segment, answer: Answer) -> Analysed | None:
        now = self._clock()
        analysis = people_only(segment, answer.analysis)
        due_at = next_run(segment.turns[-1].occurred_at, self._settings.schedule)
        settings = self._settings.analysis
        comes_back = answer.again and settings.again_attempts > 0
        with self._engine.begin() as connection:
            mine = segments.end(
                connection,
                segment.id,
                SegmentState.ANALYSED,
                analyst=analysis.analyst,
                outcome=answer.outcome,
                outcome_reason=answer.reason,
                tokens_in=SegmentRow.tokens_in + answer.tokens_in,
                tokens_out=SegmentRow.tokens_out + answer.tokens_out,
                again_at=now + timedelta(seconds=settings.again_after_s) if comes_back else None,
                last_error=None,
            )
            if not mine:
                return None
            write_events(connection, segment, analysis, self._settings.promotion, now, due_at)
            return told(connection, segment, len(analysis.events), now)

    def _give_up(self, segment: Segment, why: str) -> Analysed | None:
        """Ends a segment that cannot be analysed, so that those after it can."""
        log.error("segment %s: given up: %s", segment.id, why)
        now = self._clock()
        ended = {"outcome": FAILED, "outcome_reason": why, "last_error": why}
        with self._engine.begin() as connection:
            if not segments.end(connection, segment.id, SegmentState.FAILED, **ended):
                return None
            discard(connection, segment, dict.fromkeys((t.turn_id for t in segment.turns), "analysis_failed"), now)
            return told(connection, segment, 0, now)


def lease_s(settings: Settings) -> float:
    """How long one segment can be in a living worker's hands, in seconds.

    With a language model: its smaller pieces begin within the time of all attempts of one call, and the last
    of them has as many attempts, each with the wait before it.
    """
    calls_s = 3 * settings.analysis.llm_attempts * settings.analysis.llm_timeout_s
    return settings.upkeep.lease_s + (calls_s if settings.analysis.llm_url else 0)
