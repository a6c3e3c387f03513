"""Segments that another analyst stood in for: finding and taking them, and putting new events for the old.

All of a replacement happens within the caller's one transaction, under the lock on the user, so that
whoever is killed leaves the old or the new, never some of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text

from hmind.memory import segments
from hmind.model import Segment

_WAITS = "state = 'analysed' AND again_at <= :now AND turns IS NOT NULL"

_DUE = text(f"SELECT id FROM segments WHERE {_WAITS} ORDER BY again_at, id LIMIT :limit")  # noqa: S608 - our own words

_WAITS_FOR = text("""
SELECT EXISTS (
    SELECT 1 FROM segments WHERE tenant = :tenant AND user_id = :user_id
      AND again_at IS NOT NULL AND outcome_reason = :reason AND turns IS NOT NULL
)
""")

# The next try is set on taking: it is the growing delay, and the lease should this worker die.
_TAKE = text(f"""
UPDATE segments SET again_attempts = again_attempts + 1,
    again_at = :now + interval '1 second' * greatest(
        CAST(:lease_s AS float8), least(86400, CAST(:after_s AS float8) * power(4, least(again_attempts + 1, 10)))
    )
WHERE id = :id AND {_WAITS}
RETURNING again_attempts, again_at
""")  # noqa: S608 - our own words

_LATER = text("""
UPDATE segments SET again_at = CAST(:at AS timestamptz), last_error = :error,
    outcome_reason = coalesce(:reason, outcome_reason),
    tokens_in = tokens_in + :tokens_in, tokens_out = tokens_out + :tokens_out
WHERE id = :id AND state = 'analysed' AND again_at IS NOT NULL
""")

# Whoever is second finds again_at empty and writes nothing.
_END = text("""
UPDATE segments SET analyst = :analyst, outcome = :outcome, outcome_reason = :reason, again_at = NULL,
    last_error = NULL, tokens_in = tokens_in + :tokens_in, tokens_out = tokens_out + :tokens_out
FROM (SELECT id, analyst, outcome_reason FROM segments WHERE id = :id FOR UPDATE) AS before
WHERE segments.id = before.id AND segments.state = 'analysed' AND segments.again_at IS NOT NULL
RETURNING before.analyst, before.outcome_reason
""")

_OLD = text("SELECT id, state, ordinal FROM events WHERE segment_id = :segment ORDER BY ordinal FOR UPDATE")

# What was decided stays to be read: facts that were written still rest on it.
_REPLACE = text("""
UPDATE events SET state = 'replaced', last_error = NULL,
    decision = coalesce(decision, jsonb_build_object('route', 'replaced', 'reason', 'analysed_again'))
        || jsonb_build_object('replaced', jsonb_build_object(
            'by', CAST(:by AS text), 'instead_of', CAST(:instead_of AS text),
            'because', CAST(:because AS text), 'at', CAST(:now AS timestamptz)))
WHERE id = ANY(CAST(:events AS uuid[])) AND state <> 'replaced'
""")

_GISTS = text("""
DELETE FROM gists WHERE tenant = :tenant AND user_id = :user_id AND event_id = ANY(CAST(:events AS uuid[]))
""")

_MENTIONS = text("""
DELETE FROM mentions WHERE tenant = :tenant AND user_id = :user_id AND event_id = ANY(CAST(:events AS uuid[]))
RETURNING entity_id
""")

_COUNT_AGAIN = text("""
UPDATE entities SET mention_count = told.number, first_seen_at = told.first, last_seen_at = told.last
FROM (
    SELECT entity_id, count(*) AS number, min(occurred_at) AS first, max(occurred_at) AS last
    FROM mentions WHERE entity_id = ANY(CAST(:entities AS uuid[])) GROUP BY entity_id
) AS told
WHERE entities.id = told.entity_id AND tenant = :tenant AND user_id = :user_id
""")

_UNMENTIONED = text("""
DELETE FROM entities WHERE tenant = :tenant AND user_id = :user_id AND id = ANY(CAST(:entities AS uuid[]))
  AND NOT EXISTS (SELECT 1 FROM mentions WHERE mentions.entity_id = entities.id)
""")

# A turn that a fact rests on is remembered, whatever the other analyst makes of it.
_TURNS = text("""
UPDATE ledger SET reason = NULL, updated_at = :now,
    state = CASE WHEN turn_id = ANY(ARRAY(
        SELECT unnest(source_turns) FROM facts
        WHERE tenant = :tenant AND user_id = :user_id AND event_id = ANY(CAST(:events AS uuid[]))
        UNION ALL
        SELECT unnest(source_turns) FROM reviews
        WHERE tenant = :tenant AND user_id = :user_id AND event_id = ANY(CAST(:events AS uuid[]))
          AND state NOT IN ('rejected', 'expired')
    )) THEN 'remembered' ELSE 'segmented' END
WHERE tenant = :tenant AND user_id = :user_id AND segment_id = :segment
  AND state IN ('segmented', 'remembered', 'discarded', 'expired')
""")


@dataclass(frozen=True, slots=True)
class Taken:
    """A segment in hand.

    Attributes:
        attempts: how often it was given to the wanted analyst again, this time included.
        next_at: when it is due again, should nothing come of this.
    """

    segment: Segment
    attempts: int
    next_at: datetime


@dataclass(frozen=True, slots=True)
class Replaced:
    """What the old events leave to the new ones.

    Attributes:
        next_ordinal: where the new ones start.
        promoted: whether the promoter had decided about any of the old ones.
    """

    next_ordinal: int
    promoted: bool


def due(connection: Connection, now: datetime, limit: int) -> list[str]:
    """Ids of segments that may be given to the wanted analyst again, those that are due longest first."""
    return [str(row.id) for row in connection.execute(_DUE, {"now": now, "limit": limit})]


def waits_for(connection: Connection, tenant: str, user_id: str, reason: str) -> bool:
    """Whether a segment of the user, which failed for this reason, waits to be analysed again."""
    found: bool = connection.execute(_WAITS_FOR, {"tenant": tenant, "user_id": user_id, "reason": reason}).scalar_one()
    return found


def take(connection: Connection, id: str, now: datetime, lease_s: float, after_s: float) -> Taken | None:
    """A segment to analyse again, or None when it is not due, has no text any more, or another run has it.

    It is due again after ``after_s`` times 4 for each try, at most a day, and not before ``lease_s``.
    """
    values = {"id": id, "now": now, "lease_s": lease_s, "after_s": after_s}
    taken = connection.execute(_TAKE, values).one_or_none()
    segment = None if taken is None else segments.read(connection, id)
    return None if taken is None or segment is None else Taken(segment, taken.again_attempts, taken.again_at)


def put_off(
    connection: Connection,
    id: str,
    at: datetime | None,
    *,
    error: str | None = None,
    reason: str | None = None,
    tokens: tuple[int, int] = (0, 0),
) -> None:
    """Leaves a segment as it is until ``at``, or for good (None); ``tokens``, in and out, were spent on it."""
    values = {"id": id, "at": at, "error": error, "reason": reason, "tokens_in": tokens[0], "tokens_out": tokens[1]}
    connection.execute(_LATER, values)


def replace(
    connection: Connection,
    segment: Segment,
    *,
    analyst: str,
    outcome: str,
    reason: str | None,
    tokens: tuple[int, int],
    now: datetime,
) -> Replaced | None:
    """Ends the old events of a segment and takes back what they wrote; None if another run was first.

    The caller holds the lock on the user and writes the new events. Gists and mentions go, with
    entities that nothing else mentions; facts and reviews stay. The turns wait for a decision again.
    """
    before = connection.execute(
        _END,
        {
            "id": segment.id,
            "analyst": analyst,
            "outcome": outcome,
            "reason": reason,
            "tokens_in": tokens[0],
            "tokens_out": tokens[1],
        },
    ).one_or_none()
    if before is None:
        return None
    old = connection.execute(_OLD, {"segment": segment.id}).all()
    whose = {"tenant": segment.session.tenant, "user_id": segment.session.user_id}
    events = [str(row.id) for row in old]
    told = {"by": analyst, "instead_of": before.analyst, "because": before.outcome_reason}
    connection.execute(_REPLACE, {**told, "events": events, "now": now})
    connection.execute(_GISTS, {**whose, "events": events})
    _forget_mentions(connection, whose, events)
    connection.execute(_TURNS, {**whose, "events": events, "segment": segment.id, "now": now})
    return Replaced(
        next_ordinal=max((row.ordinal for row in old), default=-1) + 1,
        promoted=any(row.state not in ("pool", "replaced") for row in old),
    )


def _forget_mentions(connection: Connection, whose: dict[str, str], events: Sequence[str]) -> None:
    found: Iterable[object] = connection.execute(_MENTIONS, {**whose, "events": events}).scalars()
    entities = sorted({str(id_) for id_ in found})
    if entities:
        connection.execute(_COUNT_AGAIN, {**whose, "entities": entities})
        connection.execute(_UNMENTIONED, {**whose, "entities": entities})
