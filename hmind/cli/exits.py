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
            return errors.StoreUnavailable(
                f"PostgreSQL does not answer ({type(error.orig).__name__}). Start it, or check HMIND_DATABASE_URL."
            )
    if any(base.__module__ == "redis.exceptions" and base.__name__ == "RedisError" for base in kind):
        return errors.StoreUnavailable(
            f"Redis does not answer ({type(error).__name__}). Start it, or check HMIND_REDIS_URL."
        )
    return None
