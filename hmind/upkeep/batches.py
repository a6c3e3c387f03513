"""Running a statement in batches, each in a transaction of its own, so that no lock is held for long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Engine, TextClause


def in_batches(engine: Engine, statement: TextClause, parameters: Mapping[str, Any], batch_rows: int) -> int:
    """Runs ``statement`` until it changes nothing; returns how many rows it changed in all.

    The statement takes at most ``:batch`` rows, skips those that somebody else has locked, and
    changes each such that it does not find it again.
    """
    changed = 0
    while True:
        with engine.begin() as connection:
            rows = connection.execute(statement, {**parameters, "batch": batch_rows}).rowcount
        if rows == 0:
            return changed
        changed += rows
