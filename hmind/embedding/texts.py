"""What every embedder does to texts before its model sees them, and to vectors after."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hmind.embedding.embedder import Vectors


def readable(text: str, max_chars: int) -> str:
    """The head of ``text`` that a model can read: no NUL, no lone surrogate, no outer blanks."""
    head = text[: max_chars * 2].strip()[:max_chars]
    return head.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()


def has_words(text: str) -> bool:
    """Whether a letter, a digit or an ideograph is in it."""
    return any(char.isalnum() for char in text)


def embed(texts: Sequence[str], dim: int, encode: Callable[[list[str]], Vectors]) -> Vectors:
    """Rows of ``encode`` for the texts that are not empty, zero rows for the others.

    Each distinct text is encoded once. ``encode`` is not called when nothing is left to encode.
    """
    rows = np.zeros((len(texts), dim), dtype=np.float32)
    distinct = list(dict.fromkeys(text for text in texts if text))
    if not distinct:
        return rows
    vectors = unit(np.asarray(encode(distinct), dtype=np.float32))
    place = {text: index for index, text in enumerate(distinct)}
    for index, text in enumerate(texts):
        if text:
            rows[index] = vectors[place[text]]
    return rows


def unit(vectors: Vectors) -> Vectors:
    """The rows scaled to length 1; rows without any length, or not finite, become zero."""
    finite = np.where(np.isfinite(vectors).all(axis=1, keepdims=True), vectors, np.float32(0))
    lengths = np.linalg.norm(finite, axis=1, keepdims=True)
    scaled: Vectors = np.divide(finite, lengths, out=np.zeros_like(finite), where=lengths > 0)
    return scaled
