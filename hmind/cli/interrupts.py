"""Ctrl-C and its kin, so that a command that started something always stops it again."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _State:
    """Whether a section must not be broken just now, and whether a signal came in it."""

    unbroken = False
    came = False


@contextmanager
def ending_by_signal() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP end the block by KeyboardInterrupt, once.

    While the block is being left, further signals are ignored: what was started must be stopped.
    """

    def end(_number: int, _frame: FrameType | None) -> None:
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        if _State.unbroken:
            _State.came = True
        else:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def unbroken() -> Iterator[None]:
    """A signal that comes in this section takes effect at its end, not between starting and noting a process."""
    _State.unbroken = True
    try:
        yield
    finally:
        _State.unbroken = False
    if _State.came:
        _State.came = False
        raise KeyboardInterrupt
