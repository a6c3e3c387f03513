"""The ledger's first entry of a turn, the opening of its window, and the dead letters.

What becomes of a turn later is written by the steps that decide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

import orjson
from sqlalchemy import Connection, text
from sqlalchemy.dialects.postgresql import insert

from hmind.errors import BadTurn
from hmind.intake.wire import Delivery, name_in
from hmind.model import SessionRef, Turn
from hmind.storage.schema import DeadLetterRow

# One statement, so that no crash can leave a turn in the ledger without a window that is due.
# Rows go in sorted, so that two intakes lock them in the same order.
_ENTER = text("""
WITH incoming AS (
    SELECT * FROM ROWS FROM (jsonb_to_recordset(CAST(:turns AS jsonb)) AS (
        tenant text, user_id text, session_id text, turn_id text, role text,
        occurred_at timestamptz, received_at timestamptz
    )) WITH ORDINALITY AS t (tenant, user_id, session_id, turn_id, role, occurred_at, received_at, place)
),
entered AS (
    INSERT INTO ledger (tenant, user_id, session_id, turn_id, role, origin, occurred_at, received_at, state, updated_at)
    SELECT tenant, user_id, session_id, turn_id, role, :origin, occurred_at, received_at, 'waiting', received_at
    FROM incoming ORDER BY tenant, user_id, session_id, place
    ON CONFLICT (tenant, user_id, session_id, turn_id) DO UPDATE SET sightings = ledger.sightings + 1
    RETURNING tenant, user_id, session_id, turn_id, seq, occurred_at, received_at, state, (xmax = 0) AS is_new
),
opened AS (
    INSERT INTO windows (tenant, user_id, session_id, last_seq, last_occurred_at, last_received_at, due_at, held)
    SELECT tenant, user_id, session_id, max(seq), max(occurred_at), max(received_at),
           max(received_at) + make_interval(secs => :due_after_s), :held
    FROM entered WHERE is_new GROUP BY tenant, user_id, session_id ORDER BY tenant, user_id, session_id
    ON CONFLICT (tenant, user_id, session_id) DO UPDATE SET
        last_seq = greatest(windows.last_seq, excluded.last_seq),
        last_occurred_at = greatest(windows.last_occurred_at, excluded.last_occurred_at),
        last_received_at = greatest(windows.last_received_at, excluded.last_received_at),
        due_at = CASE WHEN windows.flush_seq IS NULL THEN excluded.due_at ELSE windows.due_at END,
        held = excluded.held,
        attempts = 0
)
SELECT tenant, user_id, session_id, turn_id, seq, occurred_at, received_at, state, is_new FROM entered
""")

_ENTERED = ("tenant", "user_id", "session_id", "turn_id", "role", "occurred_at", "received_at")

_FLUSH = text("""
UPDATE windows SET flush_seq = last_seq, due_at = :now
WHERE tenant = :tenant AND user_id = :user_id AND session_id = :session_id AND due_at IS NOT NULL
""")


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn's row after intake: new or known, and the clock and order that the ledger gave it."""

    key: tuple[str, str, str, str]
    seq: int
    occurred_at: datetime
    received_at: datetime
    state: str
    is_new: bool


def enter(connection: Connection, turns: Sequence[Turn], origin: str, due_after_s: float, held: bool) -> list[Entry]:
    """Enters turns (each key once); known ones are counted as seen again and returned as they are.

    ``due_after_s`` after now their windows are looked at; a ``held`` one not before, unless flushed.
    """
    rows = connection.execute(
        _ENTER,
        {
            # One JSON text: the driver takes a list of times apart element by element.
            "turns": orjson.dumps([{name: getattr(turn, name) for name in _ENTERED} for turn in turns]).decode(),
            "origin": origin,
            "due_after_s": due_after_s,
            "held": held,
        },
    )
    return [Entry((r[0], r[1], r[2], r[3]), *r[4:]) for r in rows]


def flush(connection: Connection, session: SessionRef, now: datetime) -> bool:
    """Notes that all turns so far of a session belong to something that is over."""
    where = {"tenant": session.tenant, "user_id": session.user_id, "session_id": session.session_id}
    return connection.execute(_FLUSH, {**where, "now": now}).rowcount > 0


def bury(connection: Connection, dead: Sequence[tuple[Delivery, BadTurn]], origin: str, now: datetime) -> None:
    """Keeps messages that cannot become turns, with the field at fault; the same one is kept once."""
    rows = [
        {
            "id": str(uuid5(NAMESPACE_URL, f"hmind:dead:{origin}:{delivery.id}")),
            "tenant": name_in(delivery, "tenant"),
            "user_id": name_in(delivery, "user_id"),
            "session_id": name_in(delivery, "session_id"),
            "turn_id": name_in(delivery, "turn_id"),
            "origin": origin,
            "field": fault.field,
            "reason": fault.reason,
            "payload": delivery.text,
            "received_at": now,
        }
        for delivery, fault in dead
    ]
    connection.execute(insert(DeadLetterRow).values(rows).on_conflict_do_nothing())
