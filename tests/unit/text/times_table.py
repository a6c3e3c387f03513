"""How the tables of time expressions are written and read. The tables are in test_times_*.py."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from hmind.text.times import resolve

WEDNESDAY = datetime(2024, 5, 15, 14, 0, tzinfo=UTC)
"""When the sentences of the tables are said, unless they say otherwise."""


def read(text: str, at: datetime = WEDNESDAY, zone: tzinfo = UTC) -> str:
    """Start and grain of every time in ``text``, as "2024-05-14 day; 2024-05-15 18:00 hour".

    Local to ``zone``. The clock is left out where it is midnight.
    """
    return "; ".join(f"{_stamp(found.start.astimezone(zone))} {found.grain}" for found in resolve(text, at, zone))


def _stamp(when: datetime) -> str:
    return when.strftime("%Y-%m-%d" if (when.hour, when.minute) == (0, 0) else "%Y-%m-%d %H:%M")
