"""What a database was set up with: the memory embedder, whose vectors never mix with another's, and calibrations."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from hmind.errors import SchemaMismatch
from hmind.storage.schema import MetaRow

_KEY = "memory_embedder"
_CALIBRATION = "calibration:"


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured of an embedder.

    Attributes:
        embedder: its name.
        threshold: the cosine below which a topic may shift; None where only ``unrelated_cos`` was measured.
        unrelated_cos: mean cosine of two texts that have nothing to do with each other.
        source: what it was measured on, e.g. ``labelled: a, b`` or ``chat``. No text of a user.
        texts: how many turns that were.
        lookahead_turns: the setting under which the threshold was measured.
    """

    embedder: str
    threshold: float | None
    unrelated_cos: float
    source: str
    measured_at: datetime
    texts: int
    lookahead_turns: int


def record_embedder(connection: Connection, name: str, dim: int) -> None:
    """Notes the memory embedder of a new database; an existing note is kept."""
    row = {"key": _KEY, "value": {"name": name, "dim": dim}}
    connection.execute(insert(MetaRow).values(row).on_conflict_do_nothing())


def check_embedder(connection: Connection, name: str, dim: int) -> None:
    """Refuses to mix vectors.

    Raises:
        SchemaMismatch: the database was filled by another embedder.
    """
    value = connection.execute(select(MetaRow.value).where(MetaRow.key == _KEY)).scalar_one_or_none()
    if value is None:
        raise SchemaMismatch("The database does not say which embedder fills it. Run `hmind migrate`.")
    if (value["name"], value["dim"]) != (name, dim):
        raise SchemaMismatch(
            f"The memories were embedded by {value['name']} ({value['dim']} dimensions), the settings say {name} "
            f"({dim}). Set embedding.memory back, or run `hmind reembed` to compute all vectors anew."
        )


def replace_embedder(connection: Connection, name: str, dim: int) -> None:
    """Notes another memory embedder; the caller has computed all vectors anew."""
    row = {"key": _KEY, "value": {"name": name, "dim": dim}}
    statement = insert(MetaRow).values(row)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["key"], set_={"value": statement.excluded.value})
    )


def record_calibration(connection: Connection, measured: Calibration) -> None:
    """Keeps what was measured of an embedder, in place of what was measured before.

    A threshold is kept when only ``unrelated_cos`` was measured anew.
    """
    value = {name: each for name, each in asdict(measured).items() if name != "embedder"}
    value["measured_at"] = measured.measured_at.isoformat()
    if measured.threshold is None and (before := calibration(connection, measured.embedder)):
        value |= {"threshold": before.threshold, "lookahead_turns": before.lookahead_turns}
    statement = insert(MetaRow).values({"key": _CALIBRATION + measured.embedder, "value": value})
    connection.execute(
        statement.on_conflict_do_update(index_elements=["key"], set_={"value": statement.excluded.value})
    )


def calibration(connection: Connection, embedder: str) -> Calibration | None:
    """What was last measured of the embedder of this name, or None."""
    key = _CALIBRATION + embedder
    value = connection.execute(select(MetaRow.value).where(MetaRow.key == key)).scalar_one_or_none()
    if value is None:
        return None
    return Calibration(embedder, **{**value, "measured_at": datetime.fromisoformat(value["measured_at"])})
