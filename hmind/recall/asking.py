"""One question being asked: everything that every layer needs to look for its answer."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from pgvector import HalfVector

from hmind.embedding.embedder import Vectors
from hmind.model import Layer
from hmind.recall.question import Question
from hmind.recall.score import Evidence, Score, Scorer, nearness
from hmind.settings import RecallSettings


@dataclass(frozen=True)
class Asking:
    """A question of one user at one moment.

    Attributes:
        vector: of the question, shape (dim,); empty until it is embedded.
        unrelated_cos: cosines count from there.
    """

    tenant: str
    user_id: str
    question: Question
    unrelated_cos: float
    now: datetime
    settings: RecallSettings
    vector: Vectors = field(default_factory=lambda: np.empty(0, dtype=np.float32))

    @property
    def whose(self) -> dict[str, str]:
        """The parameters that scope every statement."""
        return {"tenant": self.tenant, "user_id": self.user_id}

    @property
    def vector_text(self) -> str:
        """The vector as PostgreSQL reads a halfvec."""
        return str(HalfVector(self.vector).to_text())

    def against(self, measured: float | None) -> Asking:
        """The same asking, with unrelated memories where they were measured to be, if lower."""
        if measured is None or math.isnan(measured) or measured >= self.unrelated_cos:
            return self
        return replace(self, unrelated_cos=measured)

    def score(
        self,
        layer: Layer,
        *,
        cosine: float | None,
        keyword: float,
        occurred_at: datetime | None,
        importance: float | None,
        support: float = 0.0,
    ) -> Score | None:
        """What a memory earns, or None when nothing connects it to the question; see score.py."""
        evidence = Evidence(nearness(cosine, self.unrelated_cos), keyword, occurred_at, importance, support)
        return Scorer(self.settings, self.now).score(layer, evidence)
