"""Saying turns to intake for one user, by a clock that a test moves, and looking at what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text

from hmind.bootstrap import Hmind
from hmind.intake.accept import Receipt
from hmind.intake.wire import Delivery
from hmind.model import Boundary, SessionRef
from hmind.settings import Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
"""Where the clock of most tests stands at first."""


@dataclass
class MovedClock:
    """Stands still until it is moved."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Seen:
    """A segment as it is stored: turn ids of itself and of its context."""

    boundary: str
    turns: tuple[str, ...]
    measured: float | None
    threshold: float | None
    context: tuple[str, ...]


@dataclass
class Chat:
    """One session of one user. Turns are called t1, t2 ... in the order in which they are sent."""

    app: Hmind
    clock: MovedClock
    user_id: str
    session_id: str = "s"
    sent: int = field(default=0)

    @property
    def session(self) -> SessionRef:
        return SessionRef("default", self.user_id, self.session_id)

    def say(self, *lines: str, at: datetime | None = None, apart_s: float = 20, hold: bool = False) -> None:
        """Sends ``Speaker: words`` lines at once; ``Agent`` is the assistant.

        Without ``at`` they are said from now on and the clock moves to the last of them.
        """
        start = at or self.clock.now
        times = [start + timedelta(seconds=apart_s * place) for place in range(len(lines))]
        if at is None:
            self.clock.now = times[-1]
        self.send(list(zip(times, lines, strict=True)), hold=hold)

    def send(self, said: Sequence[tuple[datetime, str]], hold: bool = False) -> Receipt:
        """Sends lines with their times; what was sent before is never sent again."""
        deliveries = [self._delivery(moment, line, self.sent + n) for n, (moment, line) in enumerate(said, start=1)]
        self.sent += len(said)
        return self.app.intake.accept(deliveries, "task", hold=hold)

    def flush(self) -> None:
        """Says that the session is over."""
        over = Delivery({"user_id": self.user_id, "session_id": self.session_id}, "flush", self.clock.now)
        self.app.intake.accept([], "task", flushes=[over])

    def detect(self, because: Boundary | None = None) -> list[str]:
        return self.app.detection.detect(self.session, because)

    def segments(self) -> list[Seen]:
        """The session's segments in order of time."""
        query = """
            SELECT boundary, turns, measured, threshold, context FROM segments
            WHERE user_id = :user_id AND session_id = :session_id ORDER BY opened_at, closed_at, id
        """
        return [
            Seen(boundary, tuple(t["turn_id"] for t in turns), measured, threshold, tuple(t["turn_id"] for t in before))
            for boundary, turns, measured, threshold, before in self.rows(query)
        ]

    def ends(self) -> list[tuple[str, str, str]]:
        """Of each segment its reason, first and last turn."""
        return [(seen.boundary, seen.turns[0], seen.turns[-1]) for seen in self.segments()]

    def fates(self) -> dict[str, str]:
        """What became of each turn: its state, and its reason where there is one."""
        query = """
            SELECT turn_id, concat_ws(' ', state, reason) FROM ledger
            WHERE user_id = :user_id AND session_id = :session_id ORDER BY occurred_at, seq
        """
        return {row[0]: row[1] for row in self.rows(query)}

    def waiting(self) -> list[str]:
        return [turn_id for turn_id, fate in self.fates().items() if fate == "waiting"]

    def window(self, column: str) -> Any:
        """A column of the session's window."""
        [row] = self.rows(f"SELECT {column} FROM windows WHERE user_id = :user_id AND session_id = :session_id")
        return row[0]

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        """Rows of a query that may name ``:user_id`` and ``:session_id``."""
        named = {"user_id": self.user_id, "session_id": self.session_id} | values
        with self.app.engine.begin() as connection:
            return [tuple(row) for row in connection.execute(text(query), named)]

    def _delivery(self, moment: datetime, line: str, number: int) -> Delivery:
        speaker, _, content = line.partition(": ")
        role = "assistant" if speaker == "Agent" else "user"
        said = {"user_id": self.user_id, "session_id": self.session_id, "turn_id": f"t{number}"}
        said |= {"role": role, "speaker": speaker, "content": content, "occurred_at": moment.isoformat()}
        return Delivery(said, f"{self.user_id}-{number}", self.clock.now)


def changed(settings: Settings, section: str, **values: Any) -> Settings:
    """The settings with some values of one section replaced."""
    return settings.model_copy(update={section: getattr(settings, section).model_copy(update=values)})
