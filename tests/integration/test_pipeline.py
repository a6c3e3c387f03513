"""The whole road with real processes: turns in, boundaries, events, memories, recall."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from celery import Celery
from sqlalchemy import text
from support.waiting import wait_for
from support.workers import states, wait_until_final, working

from hmind.bootstrap import Hmind
from hmind.settings import Settings

QUICK = {"HMIND_BOUNDARY_SILENCE_AFTER_S": "3", "HMIND_SCHEDULE_SILENCE_SWEEP_S": "1"}
DAYS_AGO = datetime.now(UTC) - timedelta(days=9)

TALK = [
    ("user", "Hi there!"),
    ("assistant", "Hello! How are you today?"),
    ("user", "I have to tell you: the doctor said I am allergic to peanuts."),
    ("assistant", "I am sorry to hear that. Was it a surprise?"),
    ("user", "Yes. My brother Marco drove me to Saint Anne's Hospital yesterday after dinner."),
    ("assistant", "Good that he was there."),
    ("user", "Thanks for listening, goodbye!"),
    ("assistant", "Take care, bye!"),
]


@pytest.fixture(scope="module")
def app(module_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hmind]:
    made = Hmind(module_settings)
    made.migrate()
    with working(module_settings, tmp_path_factory.mktemp("logs"), environment=QUICK):
        yield made
    made.close()


def push(app: Hmind, user: str, session: str, talk: list[tuple[str, str]], at: datetime, flush: bool = True) -> None:
    for n, (role, content) in enumerate(talk):
        turn = {"user_id": user, "session_id": session, "role": role, "content": content}
        turn["occurred_at"] = (at + timedelta(seconds=n)).isoformat()
        app.redis.xadd("hmind:turns", {"turn": json.dumps(turn)})
    if flush:
        app.redis.xadd("hmind:turns", {"flush": json.dumps({"user_id": user, "session_id": session})})


def rows(app: Hmind, query: str, **values: object) -> list[tuple]:
    with app.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query), values)]


def test_turns_become_memories_and_are_recalled_with_their_sources(app: Hmind) -> None:
    push(app, "ana", "monday", TALK, DAYS_AGO)

    ended = wait_until_final(app.engine, len(TALK), "ana")

    assert ended.get("remembered", 0) >= 2
    assert ended.get("discarded", 0) >= 3
    assert rows(app, "SELECT boundary, turn_count FROM segments WHERE user_id = 'ana'") == [("closing_phrase", 8)]
    facts = rows(app, "SELECT subject, predicate, object FROM facts WHERE user_id = 'ana' AND predicate ~ 'allerg'")
    assert [(subject, "peanut" in object_) for subject, _, object_ in facts] == [("user", True)]
    entities = rows(app, "SELECT name FROM entities WHERE user_id = 'ana'")
    assert ("Marco",) in entities
    [best, *_] = app.recall.ask("Which hospital did her brother take her to?", "default", "ana", limit=3)
    assert best.source_turns
    assert "Saint Anne" in best.text


def test_the_same_turns_again_add_nothing(app: Hmind) -> None:
    tables = ("ledger", "segments", "events", "gists", "facts", "entities", "mentions", "reviews")
    push(app, "ben", "s", TALK, DAYS_AGO)
    wait_until_final(app.engine, len(TALK), "ben")
    before = {t: rows(app, f"SELECT count(*) FROM {t} WHERE user_id = 'ben'") for t in tables}

    push(app, "ben", "s", TALK, DAYS_AGO)
    seen = "SELECT min(sightings) FROM ledger WHERE user_id = 'ben'"
    wait_for(lambda: rows(app, seen) == [(2,)], within_s=20)

    wait_until_final(app.engine, len(TALK), "ben")
    assert {t: rows(app, f"SELECT count(*) FROM {t} WHERE user_id = 'ben'") for t in tables} == before


def test_a_silent_session_is_closed_by_the_sweep(app: Hmind) -> None:
    push(app, "cleo", "live", TALK[2:5], datetime.now(UTC) - timedelta(seconds=60), flush=False)

    def closed() -> list[tuple]:
        return rows(app, "SELECT boundary, measured >= 3, threshold FROM segments WHERE user_id = 'cleo'")

    assert wait_for(closed, within_s=40) == [("silence", True, 3.0)]


def test_a_list_of_turns_comes_in_by_celery(app: Hmind) -> None:
    producer = Celery("someone-else", broker=app.settings.stores.redis_url.get_secret_value())
    producer.conf.broker_transport_options = {"global_keyprefix": "hmind:celery:"}
    turns = [
        {
            "user_id": "dora",
            "session_id": "s",
            "content": text,
            "occurred_at": (DAYS_AGO).isoformat(),
            "turn_id": str(n),
        }
        for n, (_, text) in enumerate(TALK[:3])
    ]
    with producer:
        producer.send_task("hmind.intake.accept", args=[[*turns, "no turn", {"content": "nobody"}]], queue="intake")

    wait_for(lambda: sum(states(app.engine, "dora").values()) == 3, within_s=30)
    query = "SELECT field, origin FROM dead_letters ORDER BY field"
    dead = wait_for(lambda: rows(app, query), within_s=20)
    assert dead == [("turn", "task"), ("user_id", "task")]


def test_two_users_in_one_session_id_stay_apart(app: Hmind) -> None:
    push(app, "eve", "shared", [("user", "My name is Eve and I live in Lisbon.")], DAYS_AGO)
    push(app, "finn", "shared", [("user", "My name is Finn and I live in Oslo.")], DAYS_AGO)
    wait_until_final(app.engine, 1, "eve")
    wait_until_final(app.engine, 1, "finn")

    told = " ".join(r.text for r in app.recall.ask("Where do I live?", "default", "eve"))
    assert "Lisbon" in told
    assert "Oslo" not in told


def test_logs_are_readable_and_name_the_stages(app: Hmind, tmp_path_factory: pytest.TempPathFactory) -> None:
    logs = next(Path(tmp_path_factory.getbasetemp()).glob("logs*"))
    assert "hmind.boundary.detect" in (logs / "boundary.log").read_text()
    assert "peanuts" not in "".join(log.read_text() for log in logs.glob("*.log"))
