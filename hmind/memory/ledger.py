"""Reading the ledger: what became of every turn, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, func, select

from hmind.model import TurnState
from hmind.storage.schema import LedgerRow


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One turn ever accepted, without its text.

    Attributes:
        reason: why it was discarded or expired, e.g. ``small_talk``; None otherwise.
        sightings: how often intake saw it.
    """

    session_id: str
    turn_id: str
    role: str
    origin: str
    occurred_at: datetime
    received_at: datetime
    state: str
    reason: str | None
    segment_id: str | None
    sightings: int


@dataclass(frozen=True, slots=True)
class Fate:
    """How many turns ended in this state for this reason."""

    state: str
    reason: str | None
    turns: int


def ledger(
    engine: Engine,
    tenant: str,
    user_id: str,
    *,
    session_id: str | None = None,
    state: TurnState | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 100,
) -> list[LedgerEntry]:
    """The user's turns in the order they were said, at most ``limit``, the newest of them.

    Args:
        since, until: aware; only turns said at or after ``since`` and before ``until``.
    """
    query = select(
        LedgerRow.session_id,
        LedgerRow.turn_id,
        LedgerRow.role,
        LedgerRow.origin,
        LedgerRow.occurred_at,
        LedgerRow.received_at,
        LedgerRow.state,
        LedgerRow.reason,
        LedgerRow.segment_id,
        LedgerRow.sightings,
    ).where(LedgerRow.tenant == tenant, LedgerRow.user_id == user_id)
    if session_id is not None:
        query = query.where(LedgerRow.session_id == session_id)
    if state is not None:
        query = query.where(LedgerRow.state == state)
    if since is not None:
        query = query.where(LedgerRow.occurred_at >= since)
    if until is not None:
        query = query.where(LedgerRow.occurred_at < until)
    query = query.order_by(LedgerRow.occurred_at.desc(), LedgerRow.seq.desc()).limit(limit)
    with engine.connect() as connection:
        rows = connection.execute(query).all()
        return [LedgerEntry(**row._mapping) for row in reversed(rows)]


def fates(engine: Engine, tenant: str, user_id: str | None = None) -> list[Fate]:
    """Turns by state and reason, most first; of one user, or of all users of the tenant."""
    number = func.count()
    query = select(LedgerRow.state, LedgerRow.reason, number).where(LedgerRow.tenant == tenant)
    if user_id is not None:
        query = query.where(LedgerRow.user_id == user_id)
    query = query.group_by(LedgerRow.state, LedgerRow.reason).order_by(number.desc(), LedgerRow.state, LedgerRow.reason)
    with engine.connect() as connection:
        return [Fate(*row) for row in connection.execute(query)]


def counts(engine: Engine, tenant: str, user_id: str | None = None) -> dict[str, int]:
    """Turns by state, every state named; of one user, or of all users of the tenant."""
    found = dict.fromkeys((state.value for state in TurnState), 0)
    for fate in fates(engine, tenant, user_id):
        found[fate.state] = found.get(fate.state, 0) + fate.turns
    return found
