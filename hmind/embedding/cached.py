"""An embedder that remembers the vectors of the last texts, and of the texts only a digest.

A live session's open window is judged again at each of its turns; only the new turn is then
embedded.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hmind.embedding.embedder import Embedder, Vectors


class CachedEmbedder:
    """``inner`` with a memory of ``rows`` vectors, the least recently used forgotten first.

    4,096 rows of 512 numbers are 8 MB. Vectors are the same as those of ``inner``.
    """

    def __init__(self, inner: Embedder, rows: int = 4096) -> None:
        self._inner = inner
        self._rows = rows
        self._kept: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dim(self) -> int:
        return self._inner.dim

    @property
    def topic_shift_below(self) -> float:
        return self._inner.topic_shift_below

    @property
    def unrelated_cos(self) -> float:
        return self._inner.unrelated_cos

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dim); only texts not seen lately are embedded."""
        return self._remembered(b"p", texts, self._inner.passages)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dim); only texts not seen lately are embedded."""
        return self._remembered(b"q", texts, self._inner.questions)

    def _remembered(self, kind: bytes, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        keys = [_digest(kind, text) for text in texts]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            # Copies, so that one kept row does not keep its whole batch.
            found |= {key: row.copy() for key, row in zip(missing, embed(list(missing.values())), strict=True)}
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > self._rows:
                self._kept.popitem(last=False)
        if not keys:
            return np.zeros((0, self.dim), dtype=np.float32)
        return np.stack([found[key] for key in keys])


def _digest(kind: bytes, text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, person=kind).digest()
