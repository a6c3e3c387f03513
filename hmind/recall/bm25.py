"""BM25 over short documents held in memory: facts and raw turns. Gists do the same sum in SQL.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
Lucene's idf = ln(1 + (N - df + 0.5) / (df + 0.5)), which is never negative. A term that no
document has weighs as one that a single document has, so what cannot be found counts against
everything that does not have it.

The sum is divided by the sum of the question's idf: 1 is a document of mean length that has
each of the question's terms once. More is cut off.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

from hmind.settings import RecallSettings


class KeywordIndex:
    """Documents as lists of terms, ready to be asked."""

    def __init__(self, documents: Sequence[Collection[str]], settings: RecallSettings) -> None:
        self._documents = [Counter(document) for document in documents]
        self._lengths = [len(document) for document in documents]
        self._mean_length = max(1.0, sum(self._lengths) / max(1, len(documents)))
        self._frequency = Counter(term for document in self._documents for term in document)
        self._k1, self._b = settings.bm25_k1, settings.bm25_b

    def scores(self, terms: Collection[str]) -> list[float]:
        """A number from 0 to 1 for each document, in their order."""
        idf = {term: self._idf(term) for term in set(terms)}
        best = math.fsum(idf.values())
        if best <= 0:
            return [0.0] * len(self._documents)
        return [
            min(1.0, self._sum(document, length, idf) / best)
            for document, length in zip(self._documents, self._lengths, strict=True)
        ]

    def _idf(self, term: str) -> float:
        frequency = max(1, self._frequency[term])
        return math.log(1 + max(0.0, len(self._documents) - frequency + 0.5) / (frequency + 0.5))

    def _sum(self, document: Counter[str], length: int, idf: dict[str, float]) -> float:
        damping = self._k1 * (1 - self._b + self._b * length / self._mean_length)
        return math.fsum(
            weight * document[term] * (self._k1 + 1) / (document[term] + damping)
            for term, weight in idf.items()
            if term in document
        )
