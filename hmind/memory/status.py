"""Numbers about the whole pipeline for `hmind status`, from PostgreSQL alone. No text, no user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, text


@dataclass(frozen=True, slots=True)
class Analyses:
    """How many segments were read by ``analyst`` with this outcome, and for which reason."""

    analyst: str
    outcome: str
    reason: str | None
    segments: int


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand.

    Attributes:
        turns, segments, events: how many by state.
        memories: how many live ones by kind: ``gists_L2``, ``gists_L4``, ``facts``, ``entities``.
        dead_letters: how many by the field at fault.
        windows_open: sessions with turns that no boundary has closed.
        analyses: how many segments by who read them and how the analyst that was wanted did.
        read_again: segments that wait to be read again by the language model, which failed them.
        oldest_due_s: for how many seconds the most overdue window, segment and event waits,
            by kind; kinds where nothing is overdue are absent. Workers that keep up stay
            below the period of their sweep.
    """

    turns: Mapping[str, int]
    segments: Mapping[str, int]
    events: Mapping[str, int]
    memories: Mapping[str, int]
    dead_letters: Mapping[str, int]
    windows_open: int
    reviews_pending: int
    oldest_due_s: Mapping[str, float]
    analyses: tuple[Analyses, ...] = ()
    read_again: int = 0

    @property
    def working(self) -> int:
        """Segments and events on their way; 0 together with no open window means drained."""
        return self.segments.get("closed", 0) + self.events.get("pool", 0)


_COUNTS = text("""
SELECT 'turns' AS kind, state AS name, count(*) AS number FROM ledger
WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant GROUP BY state
UNION ALL
SELECT 'segments', state, count(*) FROM segments
WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant GROUP BY state
UNION ALL
SELECT 'events', state, count(*) FROM events
WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant GROUP BY state
UNION ALL
SELECT 'memories', 'gists_' || layer, count(*) FROM gists
WHERE state = 'live' AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant) GROUP BY layer
UNION ALL
SELECT 'memories', 'facts', count(*) FROM facts
WHERE invalidated_at IS NULL AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
UNION ALL
SELECT 'memories', 'entities', count(*) FROM entities WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant
UNION ALL
SELECT 'dead_letters', field, count(*) FROM dead_letters
WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant GROUP BY field
UNION ALL
SELECT 'single', 'read_again', count(*) FROM segments
WHERE again_at IS NOT NULL AND turns IS NOT NULL AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
UNION ALL
SELECT 'single', 'windows_open', count(*) FROM windows
WHERE due_at IS NOT NULL AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
UNION ALL
SELECT 'single', 'reviews_pending', count(*) FROM reviews
WHERE state = 'pending' AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
""")
_ANALYSES = text("""
SELECT coalesce(analyst, '') AS analyst, outcome, outcome_reason AS reason, count(*) AS segments FROM segments
WHERE outcome IS NOT NULL AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
GROUP BY analyst, outcome, outcome_reason ORDER BY count(*) DESC, 1, 2, 3
""")
_OLDEST = text("""
SELECT 'windows' AS kind, min(due_at) AS due_at FROM windows
WHERE due_at <= :now AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
UNION ALL
SELECT 'segments', min(due_at) FROM segments
WHERE state = 'closed' AND due_at <= :now AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
UNION ALL
SELECT 'events', min(greatest(due_at, created_at)) FROM events
WHERE state = 'pool' AND due_at <= :now AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
""")


def status(engine: Engine, now: datetime, tenant: str | None = None) -> Status:
    """How things stand at ``now``; of one tenant, or of all."""
    counted: dict[str, dict[str, int]] = {
        kind: {} for kind in ("turns", "segments", "events", "memories", "dead_letters", "single")
    }
    with engine.connect() as connection:
        for row in connection.execute(_COUNTS, {"tenant": tenant}):
            counted[row.kind][row.name] = row.number
        oldest = {
            row.kind: (now - row.due_at).total_seconds()
            for row in connection.execute(_OLDEST, {"tenant": tenant, "now": now})
            if row.due_at is not None
        }
        analyses = tuple(Analyses(**row._mapping) for row in connection.execute(_ANALYSES, {"tenant": tenant}))
    single = counted.pop("single")
    return Status(
        **counted,
        windows_open=single["windows_open"],
        reviews_pending=single["reviews_pending"],
        oldest_due_s=oldest,
        analyses=analyses,
        read_again=single["read_again"],
    )
