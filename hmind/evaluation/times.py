"""How well time expressions are read: the share of a labelled table that the product's own reader gets right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hmind.errors import BadLabels
from hmind.text.times import ResolvedTime, resolve

_LONGEST_MOMENT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Expected:
    """When an expression is, aware.

    Attributes:
        start: the earliest that it may begin. end: the latest that it may end, exclusive.
        contains: what it must hold; None asks for exactly ``start`` to ``end``, or, where ``end`` is None
            too, for a moment that begins at ``start`` and takes an hour at most.
    """

    start: datetime
    end: datetime | None = None
    contains: datetime | None = None

    def holds(self, found: ResolvedTime) -> bool:
        """Whether ``found`` is that time."""
        if self.end is None:
            return found.start == self.start and found.end - found.start <= _LONGEST_MOMENT
        if self.contains is None:
            return (found.start, found.end) == (self.start, self.end)
        return self.start <= found.start <= self.contains < found.end <= self.end


@dataclass(frozen=True, slots=True)
class Expression:
    """A line of the table. ``expected`` is None where no time is meant ("every Friday")."""

    id: str
    language: str
    text: str
    at: datetime
    zone: ZoneInfo
    expected: Expected | None
    held_out: bool

    def right(self) -> bool:
        """Whether the reader finds what is expected in the text, and nothing else."""
        found = resolve(self.text, self.at, self.zone)
        if self.expected is None:
            return not found
        return len(found) == 1 and self.expected.holds(found[0])


@dataclass(frozen=True, slots=True)
class TimeFigures:
    """What was measured on a table.

    Attributes:
        accuracy: share of the lines read right. languages: the same by language. held_out: the same of
            the lines set aside when the rules were written, or None where there are none.
        wrong: ids of the lines read wrong.
    """

    n: int
    accuracy: float
    languages: Mapping[str, float]
    held_out: float | None
    wrong: tuple[str, ...]


def measure_times(path: Path) -> TimeFigures:
    """Resolves each line of a table and compares it with what is expected.

    A line is right when exactly one time is found and it is the expected one: to the second at both
    ends for days, weeks and months; within bounds and around a given moment for what is vague ("in
    late October"); from the given minute on for a clock time.

    Raises:
        BadLabels: a line is none of the table, or the table is empty.
    """
    lines = read(path)
    if not lines:
        raise BadLabels(f"{path}, line 1: is no time expression with id, lang, text, at, zone and expected.")
    right = {line.id: line.right() for line in lines}

    def share(some: Sequence[Expression]) -> float:
        return sum(right[line.id] for line in some) / len(some)

    aside = [line for line in lines if line.held_out]
    return TimeFigures(
        n=len(lines),
        accuracy=share(lines),
        languages={
            name: share([line for line in lines if line.language == name])
            for name in sorted({line.language for line in lines})
        },
        held_out=share(aside) if aside else None,
        wrong=tuple(name for name, is_right in right.items() if not is_right),
    )


def read(path: Path) -> list[Expression]:
    """The lines of a table: ``{id, lang, text, at, zone, expected, held_out}``.

    ``expected`` is one of ``{day}``, ``{start, end}``, ``{moment}`` and ``{within: [start, end], contains}``,
    all on the clock of the zone and without offset, or null.

    Raises:
        BadLabels: a line that is none, or an id that stands twice.
    """
    lines: dict[str, Expression] = {}
    with path.open(encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            if not row.strip():
                continue
            try:
                line = _line(json.loads(row))
                if line.id in lines:
                    raise ValueError("an id stands twice")
            except (ValueError, KeyError, TypeError):
                raise BadLabels(
                    f"{path}, line {number}: is no time expression with id, lang, text, at, zone and expected."
                ) from None
            lines[line.id] = line
    return list(lines.values())


def _line(values: dict[str, Any]) -> Expression:
    zone, at = ZoneInfo(values["zone"]), datetime.fromisoformat(values["at"])
    if at.tzinfo is None:
        raise ValueError("at is naive")
    expected = None if values["expected"] is None else _expected(values["expected"], zone)
    return Expression(
        str(values["id"]),
        str(values["lang"]),
        str(values["text"]),
        at,
        zone,
        expected,
        bool(values.get("held_out", False)),
    )


def _expected(values: dict[str, Any], zone: ZoneInfo) -> Expected:
    def utc(local: str) -> datetime:
        return datetime.fromisoformat(local).replace(tzinfo=zone).astimezone(UTC)

    if "day" in values:
        following = date.fromisoformat(values["day"]) + timedelta(days=1)
        return Expected(utc(values["day"]), utc(following.isoformat()))
    if "moment" in values:
        return Expected(utc(values["moment"]))
    if "within" in values:
        first, last = values["within"]
        return Expected(utc(first), utc(last), utc(values["contains"]))
    return Expected(utc(values["start"]), utc(values["end"]))
