"""Bringing a database to the schema of this version, and telling which one it has."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from hmind.errors import SchemaMismatch
from hmind.storage.engine import connect

_LOCK = 0x686D696E64  # "hmind": one migration at a time, whoever starts it


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config


def upgrade(database_url: str) -> None:
    """Runs the missing migrations. Two at once wait for each other; a second run does nothing."""
    engine = connect(database_url)
    try:
        with engine.connect() as connection:
            connection.execute(text("SET statement_timeout = 0; SET lock_timeout = 0"))
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _LOCK})
            connection.commit()
            try:
                config = _config()
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
                connection.commit()
            finally:
                connection.rollback()
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _LOCK})
                connection.commit()
    finally:
        engine.dispose()


def needed() -> str:
    """The revision that this version of H-Mind needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def current(connection: Connection) -> str | None:
    """The revision of the database, or None for an empty one."""
    return MigrationContext.configure(connection).get_current_revision()


def check(connection: Connection) -> None:
    """Refuses a database that is behind this version.

    One that is ahead is fine: migrations keep workers one version back working.

    Raises:
        SchemaMismatch: the tables are missing or older than needed.
    """
    has = current(connection)
    if has is None:
        raise SchemaMismatch("The database has no H-Mind tables yet. Run `hmind migrate`.")
    known = [script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()]
    if has in known and has != known[0]:
        raise SchemaMismatch(f"The database is at schema {has}, this version needs {known[0]}. Run `hmind migrate`.")
