"""Real worker and Beat processes, as the Procfile starts them, on a test's own stores."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, text

from hmind.local.supervisor import Supervisor, process_environment, read_procfile
from hmind.settings import Settings
from support.waiting import wait_for

ROOT = Path(__file__).parent.parent.parent
STAGES = ("intake", "boundary", "analysis", "promotion")
FINAL = {"remembered", "discarded", "expired", "dead_lettered"}


@contextmanager
def working(
    settings: Settings,
    log_dir: Path,
    names: tuple[str, ...] = (*STAGES, "beat"),
    environment: Mapping[str, str] | None = None,
    **options: float,
) -> Iterator[Supervisor]:
    """The named processes of the Procfile, until the block ends. ``environment``: settings to override."""
    commands = read_procfile(ROOT / "Procfile")
    supervisor = Supervisor(
        {name: commands[name] for name in names},
        process_environment(settings, os.environ) | dict(environment or {}),
        log_dir,
        cwd=ROOT,
        **options,
    )
    supervisor.start()
    try:
        yield supervisor
    finally:
        supervisor.stop()


def states(engine: Engine, user_id: str | None = None) -> dict[str, int]:
    """Turns of the ledger by state."""
    query = "SELECT state, count(*) FROM ledger WHERE user_id = coalesce(:user_id, user_id) GROUP BY state"
    with engine.connect() as connection:
        return {row[0]: row[1] for row in connection.execute(text(query), {"user_id": user_id})}


def wait_until_final(engine: Engine, turns: int, user_id: str | None = None, within_s: float = 90) -> dict[str, int]:
    """The turns by state, once ``turns`` are in the ledger and each is in a final state."""

    def final() -> dict[str, int] | None:
        now = states(engine, user_id)
        return now if sum(now.values()) >= turns and set(now) <= FINAL else None

    return wait_for(final, within_s=within_s, every_s=0.2, what=f"{turns} turns in a final state")
