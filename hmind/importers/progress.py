"""How far the pipeline is with some sessions: what an import, or the demo, waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, text

from hmind.model import SessionRef, TurnState


@dataclass(frozen=True, slots=True)
class Progress:
    """How sessions stand.

    Attributes:
        turns: by state.
        segments: by state.
        events: by state; ``due`` are those of the pool that wait for a worker now, and ``pool``
            those that rest until their day's run.
    """

    turns: Mapping[str, int]
    segments: Mapping[str, int]
    events: Mapping[str, int]

    @property
    def waiting(self) -> int:
        """Turns that no boundary has closed yet."""
        return self.turns.get(TurnState.WAITING.value, 0)

    @property
    def in_work(self) -> int:
        """Segments and events that a worker should have in hand."""
        return self.segments.get("closed", 0) + self.events.get("due", 0)

    @property
    def drained(self) -> bool:
        """Whether nothing is left to do before the daily run."""
        return not (self.waiting or self.in_work)

    @property
    def resting(self) -> int:
        """Turns whose event rests in the pool until its day's run."""
        return self.turns.get(TurnState.SEGMENTED.value, 0) if self.drained else 0

    @property
    def settled(self) -> int:
        """Turns in a final state."""
        unsettled = {TurnState.WAITING.value, TurnState.SEGMENTED.value}
        return sum(number for state, number in self.turns.items() if state not in unsettled)


_OF_SESSIONS = """
WITH named AS (
    SELECT * FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:sessions AS text[]))
        AS s (tenant, user_id, session_id)
)
"""
_COUNTS = text(
    _OF_SESSIONS
    + """
SELECT 'turns' AS kind, state, count(*) FROM ledger JOIN named USING (tenant, user_id, session_id) GROUP BY state
UNION ALL
SELECT 'segments', state, count(*) FROM segments JOIN named USING (tenant, user_id, session_id) GROUP BY state
UNION ALL
SELECT 'events', CASE WHEN state = 'pool' AND (due_at <= :now OR attempts > 0) THEN 'due' ELSE state END AS state,
    count(*) FROM events JOIN named USING (tenant, user_id, session_id) GROUP BY 2
"""
)


def progress(engine: Engine, sessions: Sequence[SessionRef], now: datetime) -> Progress:
    """How these sessions stand at ``now``."""
    counted: dict[str, dict[str, int]] = {"turns": {}, "segments": {}, "events": {}}
    asked = {
        "tenants": [session.tenant for session in sessions],
        "users": [session.user_id for session in sessions],
        "sessions": [session.session_id for session in sessions],
        "now": now,
    }
    with engine.connect() as connection:
        for row in connection.execute(_COUNTS, asked):
            counted[row[0]][row[1]] = row[2]
    return Progress(**counted)
