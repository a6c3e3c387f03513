"""Analysing again: gives a segment that another analyst stood in for to the one that was wanted.

What the other found is replaced only by an answer that is one, and in one transaction.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Engine
from sqlalchemy.exc import StatementError

from hmind.analysis.analyst import Analyst
from hmind.analysis.asking import UNSTORABLE, Answer, Asking
from hmind.analysis.governor import Governor
from hmind.analysis.people_only import people_only
from hmind.analysis.step import lease_s
from hmind.analysis.writing import Analysed, known, told, write_events
from hmind.errors import AnalystMisbehaved, AnalystUnavailable
from hmind.memory import again
from hmind.memory.again import Taken
from hmind.memory.pool import next_run
from hmind.memory.userlock import lock_user
from hmind.model import Clock, utc_now
from hmind.settings import Settings
from hmind.storage.refusals import is_refusal, kind

log = logging.getLogger(__name__)

DAY_S = 86_400.0
AWAY_S = 3600.0
"""An endpoint that does not answer is asked at least this often: it costs nothing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking again.

    Attributes:
        away: the endpoint did not answer, so that the others need not be tried now.
        replaced: the new analysis, where it took the place of the old one.
    """

    away: bool = False
    replaced: Analysed | None = None


class AnalysisAgain:
    """Asks the wanted analyst again about segments that it failed, while their text is there."""

    def __init__(
        self, engine: Engine, analyst: Analyst, fallback: Analyst, settings: Settings, clock: Clock = utc_now
    ) -> None:
        self._engine = engine
        self._governor = Governor(engine, settings, clock)
        self._asking = Asking(analyst, fallback, self._governor)
        self._settings = settings
        self._clock = clock

    def due(self, limit: int) -> list[str]:
        """Ids of segments that may be asked about now, longest due first; none without a language model."""
        if not self._asking.is_costly:
            return []
        with self._engine.connect() as connection:
            return again.due(connection, self._clock(), limit)

    def analyze(self, segment_id: str) -> Asked:
        """Asks about a segment that is due; changes nothing when it is not, or when another run was first."""
        if not self._asking.is_costly:
            return Asked()
        settings = self._settings.analysis
        with self._engine.begin() as connection:
            taken = again.take(connection, segment_id, self._clock(), lease_s(self._settings), settings.again_after_s)
            if taken is None:
                return Asked()
            about = known(connection, taken.segment)
        if self._asking.refuses(taken.segment):
            with self._engine.begin() as connection:
                again.put_off(connection, segment_id, self._governor.next_day())
            return Asked()
        try:
            answer = self._asking.wanted(taken.segment, about)
        except AnalystUnavailable as error:
            self._wait(taken, error)
            return Asked(away=True)
        except AnalystMisbehaved as error:
            self._leave(taken, str(error), error.kind, (error.tokens_in, error.tokens_out))
            return Asked()
        return Asked(replaced=self._keep(taken, answer))

    def _wait(self, taken: Taken, error: AnalystUnavailable) -> None:
        """Until the next try, or until the endpoint wants to be asked, if that is later.

        This does not end the tries: an endpoint may be away for longer than all of them take.
        """
        now, asked_s = self._clock(), min(error.retry_after_s or 0.0, DAY_S)
        at = max(min(taken.next_at, now + timedelta(seconds=AWAY_S)), now + timedelta(seconds=asked_s))
        tokens = (error.tokens_in, error.tokens_out)
        with self._engine.begin() as connection:
            again.put_off(connection, taken.segment.id, at, error=str(error), tokens=tokens)

    def _leave(self, taken: Taken, error: str, reason: str, tokens: tuple[int, int]) -> None:
        """Leaves what the other analyst found, until the next try or, after the last, for good."""
        log.warning("segment %s: asked again in vain: %s", taken.segment.id, reason)
        last = taken.attempts >= self._settings.analysis.again_attempts
        at = None if last else taken.next_at
        with self._engine.begin() as connection:
            again.put_off(connection, taken.segment.id, at, error=error, reason=reason, tokens=tokens)

    def _keep(self, taken: Taken, answer: Answer) -> Analysed | None:
        try:
            return self._replace(taken, answer)
        except StatementError as error:
            if not is_refusal(error):
                raise
            why = kind(error)
        self._leave(taken, why, UNSTORABLE, (answer.tokens_in, answer.tokens_out))
        return None

    def _replace(self, taken: Taken, answer: Answer) -> Analysed | None:
        now = self._clock()
        segment = taken.segment
        analysis = people_only(segment, answer.analysis)
        with self._engine.begin() as connection:
            lock_user(connection, segment.session.tenant, segment.session.user_id)
            left = again.replace(
                connection,
                segment,
                analyst=analysis.analyst,
                outcome=answer.outcome,
                reason=answer.reason,
                tokens=(answer.tokens_in, answer.tokens_out),
                now=now,
            )
            if left is None:
                return None
            due_at = now if left.promoted else next_run(segment.turns[-1].occurred_at, self._settings.schedule)
            write_events(connection, segment, analysis, self._settings.promotion, now, due_at, left.next_ordinal)
            replaced = told(connection, segment, len(analysis.events), now)
        log.info("segment %s: analysed again by %s", segment.id, analysis.analyst)
        return replaced
