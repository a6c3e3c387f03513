"""The judgement: which way an event goes, and each of its facts. Pure, and explained.

Every decision carries what it was held against, so that `hmind why` can tell it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hmind.model import CandidateFact, EventState, FoundEvent
from hmind.settings import PromotionSettings


class FactOutcome(StrEnum):
    """What becomes of a candidate fact."""

    WRITE = "written"
    REVIEW = "review"
    SKIP = "skipped"


@dataclass(frozen=True, slots=True)
class Route:
    """Where an event goes.

    Attributes:
        state: flashbulb (L4), long_term (L2) or discarded.
        score: salience + boost, at most 1.
        threshold: what the score was held against.
        matched_values: the core values that gave the boost.
        facts: each candidate fact with its outcome, in order.
    """

    state: EventState
    salience: float
    boost: float
    score: float
    threshold: float
    reason: str
    matched_values: tuple[str, ...]
    facts: tuple[tuple[CandidateFact, FactOutcome], ...]

    def to_json(self) -> dict[str, Any]:
        """The decision as it is kept with its event."""
        return {
            "route": self.state.value,
            "salience": self.salience,
            "boost": self.boost,
            "matched_values": list(self.matched_values),
            "score": self.score,
            "threshold": self.threshold,
            "reason": self.reason,
            "facts": [
                {
                    "subject": fact.subject,
                    "predicate": fact.predicate,
                    "object": fact.object,
                    "confidence": fact.confidence,
                    "outcome": outcome.value,
                }
                for fact, outcome in self.facts
            ],
        }


class Promoter:
    """Routes events by salience, by who the user is, and facts by their confidence."""

    def __init__(self, settings: PromotionSettings) -> None:
        self._settings = settings

    def route(self, event: FoundEvent, core_values: Collection[str]) -> Route:
        """Decides about one event of a user with these core values."""
        settings = self._settings
        matched = _matched(event, core_values)
        boost = settings.core_value_boost if matched else 0.0
        score = round(min(1.0, event.salience + boost), 4)
        facts = tuple((fact, self.judge(fact)) for fact in event.facts)
        kept = any(outcome is not FactOutcome.SKIP for _, outcome in facts)
        if score >= settings.flashbulb_at:
            state, threshold, reason = EventState.FLASHBULB, settings.flashbulb_at, "salient"
        elif score < settings.discard_below and not kept:
            state, threshold, reason = EventState.DISCARDED, settings.discard_below, "below_threshold"
        else:
            state, threshold, reason = EventState.LONG_TERM, settings.flashbulb_at, "not_salient_enough_for_facts"
        return Route(state, event.salience, boost, score, threshold, reason, matched, facts)

    def judge(self, fact: CandidateFact) -> FactOutcome:
        """Written, asked or skipped, by confidence alone."""
        if fact.confidence >= self._settings.write_fact_at:
            return FactOutcome.WRITE
        return FactOutcome.REVIEW if fact.confidence >= self._settings.review_fact_at else FactOutcome.SKIP


def _matched(event: FoundEvent, core_values: Collection[str]) -> tuple[str, ...]:
    names = {name.casefold() for entity in event.entities for name in (entity.name, *entity.aliases)}
    return tuple(value for value in core_values if value.casefold() in names)
