"""How many turns a second come into L1 and the ledger: by the stream, and by one Celery task each.

Run: python -m benchmarks.intake. Both ways in one run, through the same intake worker process
and the embedded stores, from queues that were filled before the worker started. A turn counts
when it is in the ledger; the clock starts with the first and ends with the last.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
from celery import Celery
from redis import Redis
from sqlalchemy import Engine, text

from hmind import settings as settings_module
from hmind.bootstrap import Hmind
from hmind.local.services import stores
from hmind.local.supervisor import Supervisor, process_environment, read_procfile
from hmind.settings import Settings

ROOT = Path(__file__).parent.parent
STREAM_TURNS, TASK_TURNS = 100_000, 4_000
USERS, SESSIONS = 200, 400
SAID = "I went to the market this morning and met an old friend there, we talked about the garden. " * 2


def main() -> None:
    """Prints both rates and their ratio."""
    home = Path(tempfile.mkdtemp(prefix="hmind-bench-"))
    home.chmod(0o755)
    try:
        with stores(settings_module.load({"HMIND_HOME": str(home)})) as settings:
            app = Hmind(settings)
            app.migrate()
            by_stream = _by_stream(app, settings)
            _empty(app)
            by_task = _by_task(app, settings)
            app.close()
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print(f"stream            {by_stream:>8,.0f} turns/s   ({STREAM_TURNS:,} turns of {len(SAID)} characters)")
    print(f"a task per turn   {by_task:>8,.0f} turns/s   ({TASK_TURNS:,} turns)")
    print(f"ratio             {by_stream / by_task:>8.1f}")


def _by_stream(app: Hmind, settings: Settings) -> float:
    pipe = app.redis.pipeline(transaction=False)
    for n in range(STREAM_TURNS):
        pipe.xadd(settings.intake.stream, {"turn": orjson.dumps(_turn(n))})
        if n % 5_000 == 4_999:
            pipe.execute()
    return _drained(app.engine, settings, STREAM_TURNS)


def _by_task(app: Hmind, settings: Settings) -> float:
    producer = Celery("bench", broker=settings.stores.redis_url.get_secret_value())
    producer.conf.broker_transport_options = {"global_keyprefix": "hmind:celery:"}
    with producer, producer.connection_for_write() as connection, connection.Producer() as sender:
        for n in range(TASK_TURNS):
            producer.send_task("hmind.intake.accept", args=[[_turn(n)]], queue="intake", producer=sender)
    return _drained(app.engine, settings, TASK_TURNS)


def _turn(n: int) -> dict[str, str]:
    return {
        "user_id": f"user-{n % USERS}",
        "session_id": f"session-{n % SESSIONS}",
        "turn_id": f"turn-{n}",
        "content": SAID,
        "occurred_at": (datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=n)).isoformat(),
    }


def _drained(engine: Engine, settings: Settings, turns: int) -> float:
    """Turns a second of a fresh intake worker, from its first turn in the ledger to its last."""
    commands = {"intake": read_procfile(ROOT / "Procfile")["intake"]}
    environment = process_environment(settings, os.environ)
    logs = Path(tempfile.mkdtemp(prefix="hmind-bench-logs-"))
    with Supervisor(commands, environment, logs, cwd=ROOT):
        while not (first := _counted(engine)):
            time.sleep(0.005)
        started = time.perf_counter()
        while (now := _counted(engine)) < turns:
            time.sleep(0.02)
        took = time.perf_counter() - started
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM ledger")).scalar_one() == turns
    shutil.rmtree(logs)
    return (now - first) / took


def _counted(engine: Engine) -> int:
    # The sequence tells how many rows were made, at no cost; counting them would measure itself.
    with engine.connect() as connection:
        found: int = connection.execute(
            text("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ledger_seq_seq")
        ).scalar_one()
    return found


def _empty(app: Hmind) -> None:
    with app.engine.begin() as connection:
        connection.execute(text("TRUNCATE ledger, windows RESTART IDENTITY"))
    redis: Redis = app.redis
    redis.flushdb()


if __name__ == "__main__":
    main()
