"""Exit codes of every command, and which error leads to which. docs/cli.md is their reference."""

from __future__ import annotations

import sys
from enum import IntEnum

from hmind import errors


class Exit(IntEnum):
    """What a script learns. 65 and above are those of BSD's sysexits.h."""

    OK = 0
    FAILED = 1
    USAGE = 2
    BAD_INPUT = 65
    UNAVAILABLE = 69
    TRY_LATER = 75
    SETTINGS = 78
    INTERRUPTED = 130


_CODES: tuple[tuple[type[errors.HmindError], Exit], ...] = (
    (errors.BadTurn, Exit.BAD_INPUT),
    (errors.ImportRefused, Exit.BAD_INPUT),
    (errors.BadLabels, Exit.BAD_INPUT),
    (errors.StoreUnavailable, Exit.UNAVAILABLE),
    (errors.Retryable, Exit.TRY_LATER),
    (errors.SettingsError, Exit.SETTINGS),
    (errors.SchemaMismatch, Exit.SETTINGS),
)


class TryLater(errors.Retryable):
    """<what does not move>. <what to start>."""


def code_of(error: errors.HmindError) -> Exit:
    """The exit code that tells of this error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), Exit.FAILED)


def as_ours(error: Exception) -> errors.HmindError | None:
    """A store's error that reached the command line, as one of ours; None for what is a fault of the program."""
    if isinstance(error, errors.HmindError):
        return error
    # Only if a command has loaded them: importing both costs more than most commands take.
    kind = type(error).__mro__
    if "sqlalchemy.exc" in sys.modules:
        from sqlalchemy.exc import InterfaceError, OperationalError

        if isinstance(error, OperationalError | InterfaceError):
            # Without a statement it failed while connecting, and its words are about that alone.
            told = error.orig if error.statement is None else type(error.orig).__name__
            return errors.StoreUnavailable(
                f"PostgreSQL does not answer ({_line(told)}). Start it, or check HMIND_DATABASE_URL."
            )
    if any(base.__module__ == "redis.exceptions" and base.__name__ == "RedisError" for base in kind):
        connecting = any(base.__name__ in ("ConnectionError", "TimeoutError") for base in kind)
        told = _line(error) if connecting else type(error).__name__
        return errors.StoreUnavailable(f"Redis does not answer ({told}). Start it, or check HMIND_REDIS_URL.")
    return None


def _line(told: object) -> str:
    return next(iter(str(told).strip().splitlines()), "no reason given").strip().removesuffix(".").replace(". ", ": ")
