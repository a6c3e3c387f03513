"""Asking the analyst that is wanted, within the budget, and who stands in when that does not work."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from hmind.analysis.analyst import Analyst
from hmind.analysis.governor import Governor
from hmind.errors import AnalystMisbehaved, AnalystUnavailable
from hmind.model import Analysis, Known, Segment

log = logging.getLogger(__name__)

FAILED = "failed"
AWAY, ATTEMPTS, UNSTORABLE = "away", "attempts", "unstorable"

_NOT_READ = frozenset({"too_long", "rejected"})
"""Faults of a question that no model has read, so that it cost nothing."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An analysis, and how the analyst that was wanted did.

    Attributes:
        outcome: ``complete`` or ``partial`` of the one that was wanted, ``failed`` when another stood in.
        reason: a fixed word for what is missing; None when nothing is.
        again: whether the wanted one should be asked again.
        tokens_in, tokens_out: what was spent, on an answer that was none too.
    """

    analysis: Analysis
    outcome: str
    reason: str | None = None
    again: bool = False
    tokens_in: int = 0
    tokens_out: int = 0


class Asking:
    """Asks ``analyst``; ``fallback`` stands in for it. Without a language model both are of one name."""

    def __init__(self, analyst: Analyst, fallback: Analyst, governor: Governor) -> None:
        self._analyst = analyst
        self._fallback = fallback
        self._governor = governor
        self.is_costly = analyst.name != fallback.name

    def refuses(self, segment: Segment) -> str | None:
        """Which budget is spent, if one is."""
        return self._governor.refuses(segment) if self.is_costly else None

    def wanted(self, segment: Segment, known: Known) -> Answer:
        """The answer of the analyst that is wanted, and what it cost noted, failures included.

        Raises:
            AnalystUnavailable, AnalystMisbehaved: it gave none.
        """
        try:
            analysis = self._analyst.analyze(segment, known)
        except (AnalystUnavailable, AnalystMisbehaved) as error:
            if self.is_costly:
                self._note_failure(segment, error)
            raise
        if self.is_costly:
            self._governor.note(segment, analysis.tokens_in, analysis.tokens_out, analysis)
        return Answer(
            analysis,
            analysis.outcome,
            analysis.why or None,
            tokens_in=analysis.tokens_in,
            tokens_out=analysis.tokens_out,
        )

    def within_budget(self, segment: Segment, known: Known) -> Answer:
        """The answer of the wanted one, or of the other when a budget is spent or the answer was none.

        Raises:
            AnalystUnavailable: asking again later may help.
        """
        if budget := self.refuses(segment):
            return self.stand_in(segment, known, budget, again=False)
        try:
            return self.wanted(segment, known)
        except AnalystMisbehaved as error:
            log.warning("segment %s: %s Given to the offline analyst.", segment.id, error)
            spent = (error.tokens_in, error.tokens_out)
            return self.stand_in(segment, known, error.kind, again=True, tokens=spent)

    def stand_in(
        self, segment: Segment, known: Known, reason: str, *, again: bool, tokens: tuple[int, int] = (0, 0)
    ) -> Answer:
        """The other analyst's answer, marked with why the wanted one has none."""
        analysis = self._fallback.analyze(segment, known)
        if not self.is_costly:
            return Answer(analysis, analysis.outcome)
        return Answer(analysis, FAILED, reason, again, *tokens)

    def _note_failure(self, segment: Segment, error: AnalystUnavailable | AnalystMisbehaved) -> None:
        if error.tokens_in or error.tokens_out:
            self._governor.note(segment, error.tokens_in, error.tokens_out)
        elif isinstance(error, AnalystMisbehaved) and error.kind not in _NOT_READ:
            self._governor.note_estimate(segment)
