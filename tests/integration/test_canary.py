"""Text travels in stores, ids in messages: marked words go the whole road of real processes and are looked for after.

They may be found in PostgreSQL and in the L1 keys. Never in Flower, logs, events, or what the broker holds.
"""

from __future__ import annotations

import json
import os
import re
import socket
import threading
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from kombu import Connection, Exchange
from sqlalchemy import text
from support.canary import Canaries, redis_texts
from support.waiting import wait_for
from support.workers import FINAL, ROOT, STAGES

from hmind.bootstrap import Hmind
from hmind.local.supervisor import Supervisor, process_environment, read_procfile
from hmind.settings import Settings

CANARIES = Canaries(
    {
        "English content, by stream": "Zorblequist",
        "Chinese content, by stream": "紫藤犀牛糖",
        "speaker": "Quillwortham",
        "English content, by task": "Flumberdine",
        "Chinese content, by task": "骆驼钢琴月饼",
        "bad message, by stream": "Vexmarrowby",
        "bad message, by task": "Grindlethorpe",
        "wrong arguments of a task": "Snabberwick",
        "a task that does not exist": "Trundlebeck",
        "a message that cannot be read": "Wimblehatch",
        "a broken row": "Ozzleford",
    }
)
WORD = CANARIES.words
QUICK = {"HMIND_BOUNDARY_SILENCE_AFTER_S": "2", "HMIND_SCHEDULE_SILENCE_SWEEP_S": "1"}
PREFIX = {"global_keyprefix": "hmind:celery:"}
L1 = re.compile(r"hmind:\{[^}]*\}:l1:.*")

STREAM_TALK = [
    {"content": f"I have to tell you: I am allergic to {WORD['English content, by stream']}."},
    {"content": f"我叫林晓，我对{WORD['Chinese content, by stream']}过敏。"},
    {"content": "I moved to Porto last week.", "speaker": WORD["speaker"]},
    {"content": "Noted, take care!", "role": "assistant"},
]
TASK_TALK = [
    {"content": f"My sister {WORD['English content, by task']} lives in Lisbon and works as a nurse."},
    {"content": f"我昨天在上海买了{WORD['Chinese content, by task']}，我很喜欢它。"},
]
BAD = WORD["bad message, by stream"]
BAD_BY_STREAM = [
    f"no JSON but {BAD}",
    json.dumps([BAD]),
    json.dumps({"content": BAD}),
    json.dumps({"user_id": {"name": BAD}, "content": BAD}),
    json.dumps({"user_id": "ana", "content": BAD, "role": BAD}),
    json.dumps({"user_id": "ana", "content": BAD, "occurred_at": BAD}),
    json.dumps({"user_id": "ana", "content": BAD, "occurred_at": "2025-01-01T00:00:00", "timezone": BAD}),
    json.dumps({"user_id": "ana", "content": {BAD: BAD}}),
]
BAD = WORD["bad message, by task"]
BAD_BY_TASK = [BAD, [BAD], {"content": BAD}, {"user_id": "ben", "content": BAD, "role": BAD}, {BAD: BAD}]
BROKEN = WORD["a broken row"]
BROKEN_TURNS = [
    [{"turn_id": "t", "role": BROKEN, "speaker": "u", "content": "x", "occurred_at": 0, "received_at": 0, "seq": 1}],
    [{BROKEN: BROKEN}],
    [BROKEN],
]


@dataclass
class Road:
    """The running processes and what was seen on the way."""

    hmind: Hmind
    foreign: Celery
    flower: str
    logs: Path
    events: list[dict[str, Any]] = field(default_factory=list)
    in_the_queue: dict[str, set[str]] = field(default_factory=dict)
    at_work: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.hmind.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(query))]

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.flower + path, timeout=30) as answer:
            return str(answer.read().decode())

    def tasks(self) -> dict[str, dict[str, Any]]:
        return dict(json.loads(self.get("/api/tasks?limit=10000")))

    def send(self, *args: Any, task: str = "hmind.intake.accept", queue: str = "intake", **kwargs: Any) -> None:
        """As a producer would that takes no care of what Celery shows of arguments."""
        self.foreign.send_task(task, args=args, kwargs=kwargs, queue=queue)


@pytest.fixture(scope="module")
def road(module_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Road]:
    """The words have gone all the way, and whatever was to fail has failed."""
    logs, port = tmp_path_factory.mktemp("logs"), _free_port()
    commands = read_procfile(ROOT / "Procfile")
    commands["flower"] = commands["flower"].replace("--port=5555", f"--port={port}")
    env = process_environment(module_settings, os.environ) | QUICK | {"FLOWER_UNAUTHENTICATED_API": "true"}
    foreign = Celery("foreign", broker=module_settings.stores.redis_url.get_secret_value())
    foreign.conf.update(broker_transport_options=PREFIX, task_ignore_result=True)
    hmind = Hmind(module_settings)
    hmind.migrate()
    made = Road(hmind, foreign, f"http://127.0.0.1:{port}", logs)
    supervisor = Supervisor(commands, env, logs, cwd=ROOT, grace_s=10)
    made.send([_turn("ben", n, turn) for n, turn in enumerate(TASK_TALK)])
    made.in_the_queue = CANARIES.in_places(redis_texts(hmind.redis))
    with listening(made), hmind.engine.connect() as holder:
        holder.execute(text("LOCK TABLE ledger IN EXCLUSIVE MODE"))
        supervisor.start()
        try:
            wait_for(lambda: answering(made) == set(STAGES) and is_up(made), within_s=90, every_s=0.5)
            made.at_work = wait_for(lambda: active(made), within_s=30, every_s=0.5, what="intake at work, in Flower")
            holder.rollback()
            travel(made)
            missing: list[str] = []
            try:
                wait_for(lambda: has_arrived(made, missing), within_s=60, every_s=0.5)
            except AssertionError:
                pytest.fail("; ".join(missing))
            yield made
        finally:
            supervisor.stop()
    hmind.close()


def travel(road: Road) -> None:
    """Sends all words but those that were already in the queue."""
    for n, turn in enumerate(STREAM_TALK):
        message = json.dumps(_turn("ana", n, turn), ensure_ascii=n % 2 == 0)
        road.hmind.redis.xadd("hmind:turns", {"turn": message})
    for message in BAD_BY_STREAM:
        road.hmind.redis.xadd("hmind:turns", {"turn": message})
    road.send(BAD_BY_TASK)
    wrong, missing = WORD["wrong arguments of a task"], WORD["a task that does not exist"]
    road.send(wrong, wrong, wrong)
    road.send(**{wrong: wrong})
    road.send([{"user_id": "ben", "content": missing}], task="hmind.intake.acept")
    with Connection(road.foreign.conf.broker_url, transport_options=PREFIX) as connection:
        producer = connection.Producer()
        unreadable = WORD["a message that cannot be read"]
        known = {"task": "hmind.intake.accept", "id": str(uuid.uuid4())}
        for body, content_type, headers in (
            (f"- {unreadable}", "application/x-yaml", {}),
            (f'{{"{unreadable}":', "application/json", {}),
            (json.dumps({"task": "hmind.intake.acept", "args": [[unreadable]]}), "application/json", {}),
            (json.dumps([unreadable]), "application/json", {}),
            (json.dumps([unreadable]), "application/json", known),
            (f'["{unreadable}', "application/json", known),
            (f"{unreadable} €".encode("cp1252"), "application/json", known),
            (f"- {unreadable}", "application/x-yaml", known),
            (json.dumps([[[]], {}, {}]), "application/json", known | {"eta": unreadable}),
            (json.dumps([[[]], {}, {}]), "application/json", {"task": [unreadable], "id": 1}),
        ):
            producer.publish(
                body,
                exchange=Exchange(""),
                routing_key="intake",
                content_type=content_type,
                content_encoding="utf-8",
                headers=headers,
            )
    for turns in BROKEN_TURNS:
        road.broken.append(str(uuid.uuid4()))
        with road.hmind.engine.begin() as connection:
            connection.execute(
                _SEGMENT, {"id": road.broken[-1], "user_id": road.broken[-1], "turns": json.dumps(turns)}
            )
        road.send(road.broken[-1], task="hmind.analysis.analyze", queue="analysis")


_SEGMENT = text("""
INSERT INTO segments (id, tenant, user_id, session_id, boundary, opened_at, closed_at, turn_count, rounds, turns,
                      context, state, due_at, created_at)
VALUES (:id, 'default', :user_id, 's', 'flush', now(), now(), 1, 1, CAST(:turns AS jsonb), '[]', 'closed', now(), now())
""")


def what_is_missing(road: Road) -> list[str]:
    """What has not come to its end yet: turns, bad ones to bury, failures that Flower is to know, messages."""
    redis = road.hmind.redis
    turns, bad, failures = (
        len(STREAM_TALK) + len(TASK_TALK),
        len(BAD_BY_STREAM) + len(BAD_BY_TASK),
        len(BROKEN_TURNS) + 2,
    )
    states = [state for (state,) in road.rows("SELECT state FROM ledger")]
    ((buried,),) = road.rows("SELECT count(*) FROM dead_letters")
    failed = [task["name"] for task in road.tasks().values() if task["state"] == "FAILURE"]
    unread = redis.llen("hmind:celery:intake") + redis.hlen("hmind:celery:unacked")
    missing = {
        f"turns are {states}": len(states) == turns and set(states) <= FINAL,
        f"{buried} of {bad} bad messages are buried": buried == bad,
        f"{failed} failed, not {failures}": len(failed) >= failures,
        "the stream is not drained": redis.xlen("hmind:turns") == 0,
        f"{unread} messages are unread": unread == 0,
    }
    return [what for what, is_done in missing.items() if not is_done]


def has_arrived(road: Road, last: list[str]) -> bool:
    last[:] = what_is_missing(road)
    return not last


def answering(road: Road) -> set[str]:
    return {name.partition("@")[0] for reply in road.foreign.control.ping(timeout=0.5) for name in reply}


def is_up(road: Road) -> bool:
    try:
        return road.get("/healthcheck") == "OK"
    except OSError:
        return False


def active(road: Road) -> dict[str, str] | None:
    """What Flower shows of the intake worker while it has turns in hand; None while it has none."""
    (name,) = [name for name in json.loads(road.get("/api/workers?refresh=1")) if name.startswith("intake@")]
    quoted = urllib.parse.quote(name)
    about = road.get(f"/api/workers?refresh=1&workername={quoted}")
    if not any(task["name"] == "hmind.intake.accept" for task in json.loads(about)[name].get("active") or ()):
        return None
    pages = {"/api/workers of the busy worker": about, "/worker of the busy worker": road.get(f"/worker/{quoted}")}
    return pages | {"inspect active": json.dumps(road.foreign.control.inspect(timeout=2).active())}


@contextmanager
def listening(road: Road) -> Iterator[None]:
    """Catches every event of the workers, as a monitor would."""
    over = threading.Event()

    def listen() -> None:
        with road.foreign.connection_for_read() as connection:
            receiver = road.foreign.events.Receiver(connection, handlers={"*": road.events.append})
            while not over.is_set():
                try:
                    receiver.capture(limit=None, timeout=0.5, wakeup=False)
                except TimeoutError:
                    continue

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _turn(user_id: str, n: int, turn: dict[str, str]) -> dict[str, str]:
    return {"user_id": user_id, "session_id": "s", "role": "user", "occurred_at": f"2025-03-04T10:00:0{n}Z"} | turn


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("user_id", "question", "way"),
    [
        ("ana", "What is she allergic to?", "English content, by stream"),
        ("ana", "她对什么过敏？", "Chinese content, by stream"),
        ("ana", "Who moved to Porto?", "speaker"),
        ("ben", "Who lives in Lisbon?", "English content, by task"),
        ("ben", "他在上海买了什么？", "Chinese content, by task"),
    ],
)
def test_the_words_have_become_memories(road: Road, user_id: str, question: str, way: str) -> None:
    found = road.hmind.recall.ask(question, "default", user_id, layers={"L2", "L4"})
    assert way in CANARIES.in_text(" ".join(f"{one.text} {one.details}" for one in found))


def test_the_search_finds_the_words_where_they_may_be(road: Road) -> None:
    by_task = {"English content, by task", "Chinese content, by task"}
    assert road.in_the_queue == {"hmind:celery:intake": by_task}
    in_l1 = CANARIES.in_places((key, held) for key, held in redis_texts(road.hmind.redis) if L1.fullmatch(key))
    by_stream = {"English content, by stream", "Chinese content, by stream", "speaker"}
    assert in_l1 == {"hmind:{default/ana}:l1:s": by_stream, "hmind:{default/ben}:l1:s": by_task}
    (buried,) = road.rows("SELECT string_agg(payload, ' ') FROM dead_letters")
    assert CANARIES.in_text(buried[0]) == {"bad message, by stream", "bad message, by task"}


def test_no_word_is_left_with_the_broker(road: Road) -> None:
    held = [(key, held) for key, held in redis_texts(road.hmind.redis) if not L1.fullmatch(key)]
    assert {"hmind:celery:_kombu.binding.upkeep"} <= {key for key, _ in held}
    assert CANARIES.in_places(held) == {}


def test_no_word_is_in_flower(road: Road) -> None:
    tasks = road.tasks()
    workers = list(json.loads(road.get("/api/workers?refresh=1")))
    assert {name.partition("@")[0] for name in workers} == set(STAGES)
    named = {task["name"] for task in tasks.values()}
    assert {"hmind.intake.accept", "hmind.boundary.detect", "hmind.analysis.analyze"} <= named
    assert {"hmind.promotion.promote", "hmind.boundary.silence_sweep"} <= named

    pages = all_pages(road)
    assert "hmind.intake.accept" in pages["/tasks/datatable?" + _TABLE]
    assert CANARIES.in_places(pages.items()) == {}


def all_pages(road: Road) -> dict[str, str]:
    """Whatever Flower has to show, by path."""
    if not road.pages:
        tasks, workers = road.tasks(), json.loads(road.get("/api/workers?refresh=1"))
        paths = ["/", "/workers", "/tasks", "/broker", "/metrics", "/api/tasks?limit=10000", "/api/task/types"]
        paths += ["/api/workers?refresh=1", "/api/queues/length", "/tasks/datatable?" + _TABLE]
        paths += [f"/{kind}/{task}" for task in tasks for kind in ("api/task/info", "task")]
        paths += [f"/worker/{urllib.parse.quote(name)}" for name in workers]
        road.pages = {path: road.get(path) for path in paths}
    return road.pages


_TABLE = urllib.parse.urlencode(
    {
        "draw": 1,
        "start": 0,
        "length": 10_000,
        "search[value]": "",
        "order[0][column]": 0,
        "columns[0][data]": "name",
        "order[0][dir]": "asc",
    }
)


def test_no_word_is_in_flower_while_the_worker_has_it_in_hand(road: Road) -> None:
    assert all("hmind.intake.accept" in page for page in road.at_work.values())
    assert CANARIES.in_places(road.at_work.items()) == {}


def test_no_password_is_shown(road: Road) -> None:
    stores = road.hmind.settings.stores
    urls = (stores.redis_url.get_secret_value(), stores.database_url.get_secret_value())
    secrets = {urllib.parse.unquote(urllib.parse.urlsplit(url).password or "") for url in urls} - {""}
    assert secrets, "the stores of these tests have passwords"
    logs = {log.name: log.read_text(errors="replace") for log in road.logs.iterdir()}
    shown = all_pages(road) | road.at_work | logs
    assert [place for place, page in shown.items() for secret in secrets if secret in page] == []


def test_no_word_is_in_an_event(road: Road) -> None:
    kinds = {event["type"] for event in road.events}
    assert {"task-received", "task-started", "task-succeeded", "task-failed", "worker-heartbeat"} <= kinds
    assert CANARIES.in_places((event["type"], json.dumps(event, default=repr)) for event in road.events) == {}


def test_no_word_is_in_a_log(road: Road) -> None:
    logs = {log.name: log.read_text(errors="replace") for log in road.logs.iterdir()}
    assert set(logs) >= {f"{name}.log" for name in (*STAGES, "beat", "flower")}
    assert "hmind.intake.accept" in logs["intake.log"]
    (data,) = road.rows("SHOW data_directory")
    homes = [folder for folder in Path(data[0]).parents if (folder / "postgres.log").exists()]
    stores = {log.name: log.read_text(errors="replace") for log in (*homes[0].glob("*.log"),)}
    assert set(stores) >= {"postgres.log", "valkey.log"}
    assert CANARIES.in_places([*logs.items(), *stores.items()]) == {}


def test_a_failure_tells_where_and_not_what(road: Road) -> None:
    failed = [task for task in road.tasks().values() if task["state"] == "FAILURE"]
    broken = [task for task in failed if task["name"] == "hmind.analysis.analyze"]
    assert len(broken) >= len(BROKEN_TURNS)
    assert {task["exception"] for task in broken} == {
        "TaskFailed('ValueError')",
        "TaskFailed('KeyError')",
        "TaskFailed('TypeError')",
    }
    assert all("turn_from_json" in task["traceback"] for task in broken)
    assert CANARIES.in_places((task["uuid"], json.dumps(task)) for task in failed) == {}
    told = (road.logs / "intake.log").read_text()
    assert "hmind.intake.acept" in told, "a name that nobody knows is told, since it is most likely a typing mistake"


def test_no_word_is_where_rows_say_what_became_of_work(road: Road) -> None:
    kept = {
        "ledger": "SELECT to_jsonb(ledger) FROM ledger",
        "windows": "SELECT to_jsonb(windows) FROM windows",
        "segments": "SELECT last_error, outcome FROM segments",
        "events": "SELECT last_error FROM events",
        "dead letters": "SELECT field, reason FROM dead_letters",
    }
    assert CANARIES.in_places((name, repr(road.rows(query))) for name, query in kept.items()) == {}


@pytest.mark.parametrize(
    "dress",
    [
        json.dumps,
        lambda word: json.dumps(json.dumps({"a": word})),
        urllib.parse.quote,
        lambda word: "".join(f"&#{ord(character)};" for character in word),
        lambda word: repr(word.encode()),
        lambda word: str(__import__("base64").b64encode(json.dumps([[{"content": word}]]).encode())),
        str.upper,
    ],
)
@pytest.mark.parametrize("way", ["English content, by stream", "Chinese content, by stream"])
def test_the_search_sees_through_clothes(dress: Callable[[str], str], way: str) -> None:
    assert CANARIES.in_text(f"before {dress(WORD[way])} after") == {way}
    assert CANARIES.in_text(f"before {dress('harmless')} after") == set()
