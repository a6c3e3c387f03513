"""Instants as integers: microseconds for keeping, milliseconds for Redis Stream ids."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_micros(instant: datetime) -> int:
    """Microseconds since 1970, exact."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def from_micros(micros: int) -> datetime:
    """The inverse of to_micros; aware, UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def to_millis(instant: datetime) -> int:
    """Milliseconds since 1970, rounded down."""
    return to_micros(instant) // 1000
