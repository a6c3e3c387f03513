"""Fresh databases on the embedded PostgreSQL, each a copy of one that was migrated once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg
from sqlalchemy import make_url

from hmind.storage import migrate

TEMPLATE = "hmind_template"


@dataclass
class Databases:
    """Makes and drops databases beside the one of ``server_url``."""

    server_url: str
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def make_template(self) -> None:
        """The migrated database that the fresh ones are copied from."""
        self._run(f"CREATE DATABASE {TEMPLATE}")
        migrate.upgrade(self.url_of(TEMPLATE))

    @contextmanager
    def fresh(self, template: str = TEMPLATE) -> Iterator[str]:
        """URL of a database of its own, dropped afterwards; ``template0`` for an empty one."""
        name = f"test_{next(self._numbers)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.url_of(name)
        finally:
            self._run(f"DROP DATABASE {name} WITH (FORCE)")

    def url_of(self, name: str) -> str:
        return make_url(self.server_url).set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        dsn = make_url(self.server_url).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(statement)
