"""Whether a turn asks something, by its marks and last words. No more than that: what it asks is not looked at."""

from __future__ import annotations

import re

READ_CHARS = 200

_LAST = re.compile(r"[?？吗呢么嘛]\W*$")
_MARK = re.compile(r"[?？]")


def ends_asking(text: str) -> bool:
    """Whether the turn ends in a question, which the next one then answers."""
    return _LAST.search(text[-80:]) is not None


def asks(text: str) -> bool:
    """Whether there is a question mark in the turn's end, also before its last sentence."""
    return _MARK.search(text[-READ_CHARS:]) is not None
