"""What of a long turn the boundary embedder sees: its head and its tail, where topics are taken up and left."""

from __future__ import annotations

from collections.abc import Iterable

HEAD_CELLS = 100
TAIL_CELLS = 40
IDEOGRAPH_CELLS = 5
"""One ideograph costs the embedder as much as about five letters, and says as much."""


def excerpt(text: str) -> str:
    """The text, or where it is longer, its head and its tail with an ellipsis between."""
    head = _fitting(text, HEAD_CELLS)
    if head == len(text):
        return text
    tail = _fitting(reversed(text), TAIL_CELLS)
    return text if head + tail >= len(text) else f"{text[:head]} … {text[-tail:]}"


def _fitting(chars: Iterable[str], cells: int) -> int:
    """How many of the first characters fit."""
    fitting = 0
    for char in chars:
        cells -= IDEOGRAPH_CELLS if char > "\u2e7f" else 1
        if cells < 0:
            break
        fitting += 1
    return fitting
