"""Smoke: pytest-celery drives a real worker over a real broker, also through SIGKILL and redelivery."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_celery import CeleryTestSetup
from sqlalchemy import text
from support.waiting import wait_for

from hmind.bootstrap import Hmind

LONG_S = 900
"""Longer than the visibility timeout of the broker, the silence and every lease."""
TALK = (
    ("user", "I moved from Lyon to Porto last Friday, and I am allergic to walnuts."),
    ("assistant", "Noted: Porto, and no walnuts."),
    ("user", "My sister Ines will visit me in Porto next week."),
    ("assistant", "How nice, enjoy it."),
    ("user", "Thanks for everything, goodbye!"),
    ("assistant", "Goodbye!"),
    ("user", "Hello again! My aunt Paula has sold her bakery in Faro."),
    ("assistant", "Hello! What will she do now?"),
)
"""Up to the farewell, behind which somebody begins anew, it becomes memories without silence or the night."""


def turns_of(user_id: str) -> list[dict[str, str]]:
    return [
        {
            "user_id": user_id,
            "session_id": "move",
            "turn_id": f"t{n}",
            "role": role,
            "content": content,
            "occurred_at": f"2025-03-04T10:00:0{n}Z",
        }
        for n, (role, content) in enumerate(TALK)
    ]


def send(setup: CeleryTestSetup, turns: list[dict[str, str]]) -> None:
    setup.app.send_task("hmind.intake.accept", args=[turns], queue="intake")


def rows(stores: Hmind, query: str, **values: Any) -> list[tuple[Any, ...]]:
    with stores.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query), values)]


def answers(setup: CeleryTestSetup) -> list[str]:
    return [name for reply in setup.app.control.ping(timeout=1) for name in reply]


def test_a_turn_sent_as_a_task_lands_in_the_ledger_and_in_the_short_term(
    celery_setup: CeleryTestSetup, stores: Hmind
) -> None:
    assert celery_setup.ready(control=True)
    assert wait_for(lambda: answers(celery_setup)) == [celery_setup.worker.hostname()]

    send(celery_setup, turns_of("mira")[:1])

    ledger = "SELECT user_id, session_id, turn_id, origin, state FROM ledger"
    assert wait_for(lambda: rows(stores, ledger)) == [("mira", "move", "t0", "task", "waiting")]
    (turn,) = wait_for(lambda: stores.shortterm.readable("default", "mira"))
    assert (turn.turn_id, turn.content) == ("t0", TALK[0][1])
    celery_setup.worker.assert_log_exists("hmind.intake.accept", timeout=5)


@pytest.mark.parametrize("table", ["ledger", "gists"])
def test_a_worker_killed_at_work_and_restarted_has_done_everything_once(
    celery_setup: CeleryTestSetup, stores: Hmind, table: str
) -> None:
    worker, valkey = celery_setup.worker, celery_setup.broker.container.client
    with stores.engine.connect() as holder:
        holder.execute(text(f"LOCK TABLE {table} IN EXCLUSIVE MODE"))
        send(celery_setup, turns_of("struck"))
        waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        wait_for(lambda: rows(stores, waiting), within_s=30, what=f"the worker's wait for {table}")
        if table == "ledger":
            # On to where the ledger has the turns and the short-term store has not.
            valkey.client_pause(60_000, all=False)
            holder.rollback()
            wait_for(lambda: rows(stores, "SELECT 1 FROM ledger"), what="the turns in the ledger")

        worker.kill()

    # What the dead worker has sent and the paused server not yet read dies too.
    valkey.client_kill_filter(_type="normal", skipme=True)
    valkey.client_unpause()
    assert worker.container.status == "exited"
    assert valkey.hlen("hmind:celery:unacked") == 1
    assert bool(stores.shortterm.readable("default", "struck")) == (table == "gists")
    assert rows(stores, "SELECT 1 FROM gists") == []

    worker.restart()
    wait_for(lambda: answers(celery_setup) == [worker.hostname()], within_s=60)
    let_time_pass(celery_setup, stores)
    send(celery_setup, turns_of("spared"))

    wait_for(lambda: is_done(celery_setup, stores, 2 * len(TALK)), within_s=45, every_s=1, what="the end of all turns")
    assert memories(stores, "struck") == memories(stores, "spared")
    kept = [turn.turn_id for turn in stores.shortterm.readable("default", "struck")]
    assert kept == [turn["turn_id"] for turn in turns_of("struck")]


def let_time_pass(setup: CeleryTestSetup, stores: Hmind) -> None:
    """As if it were LONG_S later: leases are over, and the worker itself gives the message out again."""
    valkey = setup.broker.container.client
    for tag in valkey.zrange("hmind:celery:unacked_index", 0, -1):
        valkey.zincrby("hmind:celery:unacked_index", -LONG_S, tag)
    with stores.engine.begin() as connection:
        for table in ("windows", "segments", "events"):
            connection.execute(text(f"UPDATE {table} SET due_at = due_at - :long"), {"long": timedelta(seconds=LONG_S)})


def tick(setup: CeleryTestSetup) -> None:
    """What Beat sends every few seconds."""
    for task, queue in (("hmind.boundary.silence_sweep", "boundary"), ("hmind.upkeep.rescue", "upkeep")):
        setup.app.send_task(task, queue=queue, expires=1)


def is_done(setup: CeleryTestSetup, stores: Hmind, turns: int) -> bool:
    """Whether all turns have come to their end, and all messages too."""
    states = [state for (state,) in rows(stores, "SELECT state FROM ledger")]
    unread = setup.broker.container.client.hlen("hmind:celery:unacked")
    if len(states) == turns and set(states) <= {"remembered", "discarded"} and not unread:
        return True
    tick(setup)
    return False


def memories(stores: Hmind, user_id: str) -> dict[str, list[tuple[Any, ...]]]:
    """What is kept of a user, in an order of its own, without ids and times of writing."""
    queries = {
        "ledger": "SELECT turn_id, role, state, reason FROM ledger",
        "segments": "SELECT boundary, turn_count, rounds, state FROM segments",
        "events": "SELECT description, salience, state FROM events",
        "gists": "SELECT layer, text, source_turns FROM gists",
        "entities": "SELECT name, type, mention_count FROM entities",
        "facts": "SELECT subject, predicate, object, confidence FROM facts",
        "reviews": "SELECT subject, predicate, object, confidence FROM reviews",
    }
    kept = {name: sorted(rows(stores, f"{query} WHERE user_id = :u", u=user_id)) for name, query in queries.items()}
    assert len(kept["ledger"]) == len(TALK)
    assert kept["segments"]
    assert kept["gists"], "nothing was remembered, so nothing could have been doubled"
    return kept
