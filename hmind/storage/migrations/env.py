"""How Alembic runs here: on the connection that hmind.storage.migrate hands over."""

from typing import Any

from alembic import context

from hmind.storage.schema import Base


def _is_ours(name: str | None, kind: str, _parents: Any) -> bool:
    # Partitions are made by the migration, the models know their parent only.
    return kind != "table" or not (name or "").startswith("gists_")


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    include_name=_is_ours,
    compare_server_default=False,
)
with context.begin_transaction():
    context.run_migrations()
