"""Telling what PostgreSQL will never take from what it could not take just now."""

from __future__ import annotations

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError

_TOO_LARGE = "54"
"""Class of SQLSTATE: program limit exceeded, such as a name too long for an index.
https://www.postgresql.org/docs/current/errcodes-appendix.html"""


def is_refusal(error: StatementError) -> bool:
    """Whether the values were at fault, so that the same statement would fail again."""
    if not isinstance(error, DBAPIError):
        return True  # they could not even be written down for the driver
    state: str | None = getattr(error.orig, "sqlstate", None)
    return isinstance(error, DataError | IntegrityError) or (state or "").startswith(_TOO_LARGE)


def kind(error: StatementError) -> str:
    """The class of what went wrong, as the driver calls it; never its text, which may quote values."""
    return type(error.orig or error).__name__
