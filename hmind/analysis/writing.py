"""Putting what an analyst found into the event pool, and letting turns go, within the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import insert

from hmind.memory import segments
from hmind.memory.pool import event_row
from hmind.memory.profiles import core_values
from hmind.model import Analysis, Known, Segment
from hmind.settings import PromotionSettings
from hmind.storage.schema import EventRow

# What was found is known by the names it was found under, promoted or not, so that what an analyst
# knows follows from what was analysed before, and not from how far the promoter has come.
_KNOWN = text("""
SELECT name FROM entities WHERE tenant = :tenant AND user_id = :user_id
UNION
SELECT entity ->> 'name' FROM events, jsonb_array_elements(events.entities) AS entity
WHERE tenant = :tenant AND user_id = :user_id AND entities IS NOT NULL AND state <> 'replaced'
  AND segment_id <> :segment
ORDER BY 1
""")

_DUE = text("""
SELECT EXISTS (
    SELECT 1 FROM events WHERE tenant = :tenant AND user_id = :user_id AND state = 'pool' AND due_at <= :now
)
""")

_DISCARD = text("""
UPDATE ledger SET state = 'discarded', reason = :reason, updated_at = :now
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id
  AND turn_id = ANY(CAST(:turns AS text[])) AND state = 'segmented'
""")


@dataclass(frozen=True, slots=True)
class Analysed:
    """What came of a segment.

    Attributes:
        due: whether the user has events to be promoted now.
        next_segment: the user's next segment of the same kind, live or of an import; one that was looked
            at too early waits for this.
    """

    tenant: str
    user_id: str
    events: int
    due: bool
    next_segment: str | None


def known(connection: Connection, segment: Segment) -> Known:
    """What an analyst may know of the user before it reads the segment."""
    user = {"tenant": segment.session.tenant, "user_id": segment.session.user_id}
    names: Iterable[str] = connection.execute(_KNOWN, {**user, "segment": segment.id}).scalars()
    return Known(frozenset(names), core_values(connection, **user))


def write_events(
    connection: Connection,
    segment: Segment,
    analysis: Analysis,
    settings: PromotionSettings,
    now: datetime,
    due_at: datetime,
    first_ordinal: int = 0,
) -> None:
    """Puts the events into the pool, due at ``due_at`` or at once, and lets the discarded turns go."""
    rows = [
        event_row(segment, ordinal, event, now, due_at, settings)
        for ordinal, event in enumerate(analysis.events, start=first_ordinal)
    ]
    if rows:
        connection.execute(insert(EventRow).values(rows).on_conflict_do_nothing())
    discard(connection, segment, analysis.discarded, now)


def discard(connection: Connection, segment: Segment, reasons: Mapping[str, str], now: datetime) -> None:
    """Ends turns that nothing was decided about yet, each with its reason."""
    session = segment.session
    whose = {"tenant": session.tenant, "user_id": session.user_id, "session_id": session.session_id}
    by_reason: dict[str, list[str]] = {}
    for turn_id, reason in reasons.items():
        by_reason.setdefault(reason, []).append(turn_id)
    for reason, turns in sorted(by_reason.items()):
        connection.execute(_DISCARD, {**whose, "reason": reason, "turns": turns, "now": now})


def told(connection: Connection, segment: Segment, events: int, now: datetime) -> Analysed:
    """What follows: whether the promoter has work, and which segment waited for this one."""
    user = {"tenant": segment.session.tenant, "user_id": segment.session.user_id}
    due: bool = connection.execute(_DUE, {**user, "now": now}).scalar_one()
    following = segments.next_closed(connection, **user, after=segment.id, now=now)
    return Analysed(**user, events=events, due=due, next_segment=following)
