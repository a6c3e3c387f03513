"""Reading the dead letters, and giving their payloads in again once the cause is mended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Engine, delete, select

from hmind.intake.wire import Delivery
from hmind.storage.schema import DeadLetterRow


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that could not become a turn.

    Attributes:
        payload: what was sent; None once its 72 hours are over.
    """

    id: str
    tenant: str | None
    user_id: str | None
    session_id: str | None
    turn_id: str | None
    origin: str
    field: str
    reason: str
    payload: str | None
    received_at: datetime


_COLUMNS = tuple(getattr(DeadLetterRow, name) for name in DeadLetter.__dataclass_fields__)


def dead_letters(engine: Engine, *, user_id: str | None = None, limit: int = 100) -> list[DeadLetter]:
    """The newest dead letters, newest first; of one user where the message still named one."""
    query = select(*_COLUMNS).order_by(DeadLetterRow.received_at.desc(), DeadLetterRow.id).limit(limit)
    if user_id is not None:
        query = query.where(DeadLetterRow.user_id == user_id)
    with engine.connect() as connection:
        return [DeadLetter(**row._mapping) for row in connection.execute(query)]


def to_retry(engine: Engine, id_: str | None = None) -> list[DeadLetter]:
    """Those that still have their payload: all, or the one whose id begins with ``id_`` (hex digits)."""
    query = select(*_COLUMNS).where(DeadLetterRow.payload.is_not(None)).order_by(DeadLetterRow.received_at)
    if id_ is not None:
        digits = id_.replace("-", "").lower()
        if not digits or not set(digits) <= set("0123456789abcdef") or len(digits) > 32:
            return []
        low, high = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
        query = query.where(DeadLetterRow.id.between(str(low), str(high)))
    with engine.connect() as connection:
        return [DeadLetter(**row._mapping) for row in connection.execute(query)]


def delivery_of(letter: DeadLetter) -> Delivery:
    """The letter as it is given to intake again, under the id of its first time."""
    return Delivery(letter.payload or "", f"retry:{letter.id}", letter.received_at)


def remove(engine: Engine, letters: Sequence[DeadLetter]) -> None:
    """Removes letters whose payloads became turns."""
    with engine.begin() as connection:
        connection.execute(delete(DeadLetterRow).where(DeadLetterRow.id.in_([letter.id for letter in letters])))
