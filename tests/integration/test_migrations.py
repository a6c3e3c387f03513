"""Schema 0002 on a database that 0001 filled, twice; and what workers one version back do goes on working on it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, text
from support.databases import Databases

from hmind.storage import engine as engines
from hmind.storage import migrate
from hmind.storage.schema import Base

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SEGMENT = "11111111-1111-4111-8111-111111111111"
EVENT = "22222222-2222-4222-8222-222222222222"

# As version 0.1 wrote them: no column of later ones is named.
INSERT_SEGMENT = text("""
INSERT INTO segments (id, tenant, user_id, session_id, boundary, measured, threshold, opened_at, closed_at, turn_count,
    rounds, backfill, turns, context, state, due_at, created_at)
VALUES (:id, 'default', 'ana', 's', 'silence', 400, 300, :now, :now, 1, 1, false, '[{"turn_id": "t1"}]', '[]',
    'closed', :now, :now)
""")
TAKE = text("""
UPDATE segments SET attempts = attempts + 1, due_at = :now WHERE id = :id AND state = 'closed' RETURNING attempts
""")
END = text("""
UPDATE segments SET state = 'analysed', due_at = NULL, analyst = 'offline-1', outcome = 'complete', tokens_in = 0,
    tokens_out = 0, last_error = NULL
WHERE id = :id AND state = 'closed'
""")
INSERT_EVENT = text("""
INSERT INTO events (id, tenant, user_id, session_id, segment_id, ordinal, description, statements, entities, facts,
    salience, salience_parts, emotion, language, told_at, occurred_at, turn_ids, state, due_at, created_at, expires_at)
VALUES (:event, 'default', 'ana', 's', :id, 0, 'Something.', '[]', '[]', '[]', 0.5, '{}', '', 'en', :now, :now,
    '{t1}', 'pool', :now, :now, :now)
""")
DROP_TEXT = text("UPDATE segments SET turns = NULL, context = NULL WHERE id = :id")


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of version 0001."""
    with databases.fresh("template0") as made:
        engine = engines.connect(made)
        with engine.connect() as connection:
            config = migrate._config()
            config.attributes["connection"] = connection
            command.upgrade(config, "0001")
            connection.commit()
        engine.dispose()
        yield made


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    made = engines.connect(url)
    yield made
    made.dispose()


def work_of_the_version_before(connection: Connection) -> None:
    told = {"id": SEGMENT, "event": EVENT, "now": NOW}
    connection.execute(INSERT_SEGMENT, told)
    assert connection.execute(TAKE, told).scalar_one() == 1
    assert connection.execute(END, told).rowcount == 1
    connection.execute(INSERT_EVENT, told)


def row(engine: Engine, columns: str) -> tuple[Any, ...]:
    with engine.connect() as connection:
        return tuple(connection.execute(text(f"SELECT {columns} FROM segments")).one())


def test_a_filled_database_is_brought_up_and_keeps_what_it_has(url: str, engine: Engine) -> None:
    with engine.begin() as connection:
        work_of_the_version_before(connection)
    before = row(engine, "to_jsonb(segments)")[0]
    migrate.upgrade(url)
    after = row(engine, "to_jsonb(segments)")[0]
    assert after == before | {"outcome_reason": None, "again_at": None, "again_attempts": 0}
    with engine.connect() as connection:
        assert migrate.current(connection) == migrate.needed()
        migrate.check(connection)
        assert connection.execute(text("SELECT count(*) FROM llm_usage")).scalar_one() == 0


def test_a_second_run_changes_nothing(url: str, engine: Engine) -> None:
    with engine.begin() as connection:
        work_of_the_version_before(connection)
    migrate.upgrade(url)
    before = row(engine, "to_jsonb(segments)")
    migrate.upgrade(url)
    assert row(engine, "to_jsonb(segments)") == before


def test_workers_of_the_version_before_go_on_working(url: str, engine: Engine) -> None:
    migrate.upgrade(url)
    with engine.begin() as connection:
        work_of_the_version_before(connection)
        connection.execute(DROP_TEXT, {"id": SEGMENT})
    told = "state, outcome, outcome_reason, again_at, again_attempts"
    assert row(engine, told) == ("analysed", "complete", None, None, 0)


def test_the_tables_are_those_of_the_models(url: str, engine: Engine) -> None:
    migrate.upgrade(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        found = [change for change in compare_metadata(context, Base.metadata) if "gists_" not in str(change)]
    named = [change for change in found if "segments" in str(change) or "llm_usage" in str(change)]
    assert named == []
