"""The score of a recollection and its parts. One formula for all layers, numbers from settings.

    score = vector + keyword + event + time + importance + layer, where
    vector     = vector_weight  * nearness       nearness = (cos - unrelated) / (1 - unrelated), 0 to 1
    keyword    = keyword_weight * bm25           bm25.py, 0 to 1
    event      = event_weight * max(0, support - own)
                 own = vector + keyword of the gist, support = the most that another gist of its event
                 has of these, times event_fade for each place that it lies further away than the next
    time       = time_weight / (1 + days / time_scale_days)
    importance = -(vector + keyword + event + time) * importance_weight * (1 - importance of the memory)
    layer      = the bonus of its layer

so a hit lifts what was said around it, which often holds the answer without the words of the
question, by a share of what separates them: never above itself. The importance of a memory is a
factor on what it earned, written as what it costs. What answers neither by vector nor by keyword
and stands beside nothing that does is no answer, however recent, and has no score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from hmind.model import Layer
from hmind.settings import RecallSettings

_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for one memory, each from 0 to 1, before any weight but for ``support``.

    Attributes:
        occurred_at: aware; None is as if it happened infinitely long ago.
        importance: effective importance of a gist, confidence of a fact; None where nobody
            has judged it yet (a raw turn, an entity).
        support: what the best neighbour in the same event earned by vector and keyword, faded.
    """

    vector: float
    keyword: float
    occurred_at: datetime | None
    importance: float | None
    support: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """A total and its summands; ``parts`` add up to ``total``."""

    total: float
    parts: dict[str, float]


class Scorer:
    """Weighs evidence as of one moment."""

    def __init__(self, settings: RecallSettings, now: datetime) -> None:
        self._settings = settings
        self._now = now
        self._bonus = {
            Layer.L1: settings.bonus_l1,
            Layer.L2: settings.bonus_l2,
            Layer.L3: settings.bonus_l3,
            Layer.L4: settings.bonus_l4,
        }

    def score(self, layer: Layer, evidence: Evidence) -> Score | None:
        """The score by the formula above, or None when nothing connects memory and question."""
        if evidence.vector <= 0 and evidence.keyword <= 0 and evidence.support <= 0:
            return None
        settings = self._settings
        vector = settings.vector_weight * evidence.vector
        keyword = settings.keyword_weight * evidence.keyword
        judged = settings.unjudged_importance if evidence.importance is None else evidence.importance
        earned = {
            "vector": vector,
            "keyword": keyword,
            "event": settings.event_weight * max(0.0, evidence.support - vector - keyword),
            "time": settings.time_weight * self._recency(evidence.occurred_at),
        }
        parts = earned | {
            "importance": -sum(earned.values()) * settings.importance_weight * (1 - _unit(judged)),
            "layer": self._bonus[layer],
        }
        return Score(math.fsum(parts.values()), parts)

    def _recency(self, occurred_at: datetime | None) -> float:
        """1 now or later, a half after ``time_scale_days``."""
        if occurred_at is None:
            return 0.0
        days = max(0.0, (self._now - occurred_at).total_seconds() / _DAY_S)
        return 1 / (1 + days / self._settings.time_scale_days)


def below_unrelated(unrelated_cos: float) -> float:
    """Where cosines count from before anything was measured: a quarter of the way below unrelated.

    The embedder's figure is a mean over languages; across two languages all is further apart.
    """
    return unrelated_cos - (1 - unrelated_cos) / 4


def nearness(cosine: float | None, unrelated_cos: float) -> float:
    """Cosine counted from what two unrelated sentences have, 0 to 1; 0 for None and NaN."""
    if cosine is None or math.isnan(cosine):
        return 0.0
    return _unit((cosine - unrelated_cos) / (1 - unrelated_cos))


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
