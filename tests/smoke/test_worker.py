"""Smoke: pytest-celery drives a real worker over a real broker, also through SIGKILL and redelivery."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_celery import CeleryTestSetup
from sqlalchemy import text
from support.waiting import wait_for

from hmind.bootstrap import Hmind

VISIBILITY_S = 330
TALK = (
    ("user", "I moved from Lyon to Porto last Friday, and I am allergic to walnuts."),
    ("assistant", "Noted: Porto, and no walnuts."),
    ("user", "My sister Ines will visit me in Porto next week."),
    ("assistant", "How nice, enjoy it."),
    ("user", "Thanks for everything, goodbye!"),
    ("assistant", "Goodbye!"),
)
"""Long ago, and it ends with a farewell: it becomes memories without waiting for silence or for the night."""


def turns_of(user_id: str) -> list[dict[str, str]]:
    return [
        {
            "user_id": user_id,
            "session_id": "move",
            "turn_id": f"t{n}",
            "role": role,
            "content": content,
            "occurred_at": f"2025-03-04T10:0{n}:00Z",
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


@pytest.mark.parametrize("struck", ["before the ledger has the turns", "between ledger and short-term store"])
def test_a_worker_killed_at_work_and_restarted_has_done_everything_once(
    celery_setup: CeleryTestSetup, stores: Hmind, struck: str
) -> None:
    worker, valkey = celery_setup.worker, celery_setup.broker.container.client
    with stores.engine.connect() as holder:
        holder.execute(text("LOCK TABLE ledger IN EXCLUSIVE MODE"))
        send(celery_setup, turns_of("struck"))
        waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        wait_for(lambda: rows(stores, waiting), what="the worker's wait for the ledger")
        if struck == "between ledger and short-term store":
            valkey.client_pause(60_000, all=False)
            holder.rollback()
            wait_for(lambda: rows(stores, "SELECT 1 FROM ledger"), what="the turns in the ledger")

        worker.kill()

    valkey.client_unpause()
    assert worker.container.status == "exited"
    assert valkey.hlen("hmind:celery:unacked") == 1
    assert stores.shortterm.readable("default", "struck") == []
    worker.restart()
    wait_for(lambda: answers(celery_setup) == [worker.hostname()], within_s=60)
    # As if the visibility timeout had passed: the worker itself gives the message out again.
    for tag in valkey.zrange("hmind:celery:unacked_index", 0, -1):
        valkey.zincrby("hmind:celery:unacked_index", -VISIBILITY_S - 1, tag)
    send(celery_setup, turns_of("spared"))

    done = "SELECT count(*) FROM ledger WHERE state IN ('remembered', 'discarded')"
    wait_for(lambda: rows(stores, done) == [(2 * len(TALK),)], within_s=60, what="final states of all turns")
    wait_for(lambda: valkey.hlen("hmind:celery:unacked") == 0, what="acknowledgement of all messages")
    assert memories(stores, "struck") == memories(stores, "spared")
    assert [turn.turn_id for turn in stores.shortterm.readable("default", "struck")] == [
        t["turn_id"] for t in turns_of("")
    ]


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
    assert len(kept["segments"]) == 1
    assert kept["gists"], "nothing was remembered, so nothing could have been doubled"
    return kept
