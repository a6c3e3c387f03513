"""Importing a file while workers are killed with SIGKILL."""

from __future__ import annotations

import itertools
import os
import signal
from pathlib import Path

from sqlalchemy import text

from hmind.bootstrap import Hmind
from hmind.importers.message import Reader
from hmind.importers.run import run
from hmind.settings import Settings
from support.waiting import wait_for
from support.workers import wait_until_final, working

SOON = {
    # What a worker had when it was killed is given out again after this, instead of a minute.
    "HMIND_UPKEEP_LEASE_S": "5",
    "HMIND_UPKEEP_RESCUE_AFTER_S": "1",
    "HMIND_SCHEDULE_RESCUE_S": "2",
    "HMIND_SCHEDULE_SILENCE_SWEEP_S": "2",
}


def import_with_kills(settings: Settings, reader: Reader, logs: Path, kills: int, within_s: float = 180) -> Hmind:
    """Imports and waits until every turn is final; meanwhile kills a worker ``kills`` times, stage after stage.

    Each kill waits for progress since the last, so that it hits a pipeline at work.
    """
    app = Hmind(settings)
    app.migrate()
    with working(settings, logs, environment=SOON, first_delay_s=0.1, healthy_after_s=0.0) as supervisor:
        imported = run(reader, app.intake, app.engine, app.redis, settings.intake)
        stages = itertools.cycle(("boundary", "analysis", "promotion", "intake", "boundary"))
        done = -1
        for _ in range(kills):
            done = _wait_for_progress(app, done, imported.accepted)
            stage = next(stages)
            pid = wait_for(lambda s=stage: supervisor.processes.get(s), within_s=30)
            os.kill(pid, signal.SIGKILL)
        wait_until_final(app.engine, imported.accepted, within_s=within_s)
        assert sum(supervisor.restarts.values()) >= kills
    return app


def _wait_for_progress(app: Hmind, done: int, turns: int) -> int:
    """How many turns have left the window, once that is more than before; not more than nearly all."""
    query = text("SELECT count(*) FROM ledger WHERE state <> 'waiting'")

    def moved() -> int | None:
        with app.engine.connect() as connection:
            now: int = connection.execute(query).scalar_one()
        return now if now > done or now >= turns else None

    return wait_for(moved, within_s=90)
