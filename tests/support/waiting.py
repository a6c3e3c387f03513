"""Waiting for a condition, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(condition: Callable[[], T], within_s: float = 10.0, every_s: float = 0.02, what: str = "") -> T:
    """The first true value that ``condition`` returns.

    Raises:
        AssertionError: none came ``within_s`` seconds.
    """
    deadline = time.monotonic() + within_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what or condition} did not come true within {within_s} s; last value: {value!r}")
        time.sleep(every_s)
