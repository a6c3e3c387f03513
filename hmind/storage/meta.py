"""What a database was set up with: the memory embedder. Vectors of two models never mix."""

from __future__ import annotations

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from hmind.errors import SchemaMismatch
from hmind.storage.schema import MetaRow

_KEY = "memory_embedder"


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
