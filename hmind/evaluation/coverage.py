"""Decides whether a text tells what an annotated sentence tells: by meaning and by shared words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmind.embedding.embedder import Embedder, Vectors
from hmind.evaluation.locomo import GoldEvent
from hmind.text import sentences
from hmind.text.tokens import keywords

TELLS_AT = 0.8
"""Sum of cosine and shared weight from which a text tells the event.

170 pairs of an event and a kept note were judged by hand, the best note of 90 events and 80 of the next
best: the rule agreed on .85 of them (kappa .70), precision .90, recall .86; from .75 to .90 the
agreement was the same within .01.
"""


@dataclass(frozen=True, slots=True)
class Told:
    """A text and who said what it was drawn from."""

    text: str
    speakers: frozenset[str]


class Matcher:
    """Compares annotated events with notes or turns of their session.

    score = highest cosine of the event with the text or one of its sentences, each with the speaker's name
          + share of the event's content words that the text has, weighted by their rarity.

    Names of the speakers do not count as words; instead a text counts only where the event's speaker
    said it, or is named in it.

    Args:
        embedder: vectors that spread from 0 to 1, such as those of ``use``.
        background: texts from which the rarity of words is learned.
    """

    def __init__(self, embedder: Embedder, background: Iterable[str]) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        counted = Counter[str]()
        total = 0
        for text in background:
            total += 1
            counted.update(set(keywords(text)))
        self._seen, self._total = counted, total

    def tells(self, gold: Sequence[GoldEvent], texts: Sequence[Told]) -> NDArray[np.bool_]:
        """Shape (gold, texts): whether the text tells the event.

        Raises:
            EmbeddingUnavailable: the embedder did not answer.
        """
        told = np.zeros((len(gold), len(texts)), dtype=np.bool_)
        if not gold or not texts:
            return told
        names = {event.speaker for event in gold}.union(*(text.speakers for text in texts))
        called = {word for name in names for word in keywords(name)}
        words = [set(keywords(text.text)) for text in texts]
        wanted = [[_by(text, event.speaker) for text in texts] for event in gold]
        self._embed([*(event.text for event in gold), *(part for row in wanted for parts in row for part in parts)])
        for row, event in enumerate(gold):
            asked = set(keywords(event.text)) - called
            vector = self._vectors[event.text]
            for column, parts in enumerate(wanted[row]):
                if parts:
                    near = max(float(vector @ self._vectors[part]) for part in parts)
                    told[row, column] = near + self._shared(asked, words[column]) >= TELLS_AT
        return told

    def _shared(self, asked: set[str], words: set[str]) -> float:
        weight = {word: math.log(1 + self._total / (1 + self._seen[word])) for word in asked}
        return sum(weight[word] for word in asked & words) / (sum(weight.values()) or 1.0)

    def _embed(self, texts: Sequence[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            rows: Vectors = self._embedder.passages(new)
            self._vectors.update(zip(new, rows, strict=True))


def _by(text: Told, speaker: str) -> list[str]:
    """The text and its sentences, each naming the speaker; none where the speaker has nothing to do with it."""
    if speaker not in text.speakers and speaker not in text.text:
        return []
    parts = dict.fromkeys([text.text, *sentences.split(text.text)])
    return [part if speaker in part else f"{speaker}: {part}" for part in parts]
