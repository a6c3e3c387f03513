"""Intake: what becomes of good and bad messages, through real PostgreSQL and Valkey."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from hmind.bootstrap import Hmind
from hmind.intake.wire import Delivery
from hmind.model import SessionRef
from hmind.settings import Settings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

# Imports nothing of H-Mind: what any program in any language would send.
FOREIGN_PRODUCER = """
import socket, sys
url, entries = sys.argv[1], sys.stdin.buffer.read().split(b"\\n")
address, _, number = url.rpartition("@")[2].partition("/")
host, _, port = address.partition(":")
password = url.partition("//:")[2].partition("@")[0]
talk = socket.create_connection((host, int(port)))
def send(*words):
    words = [w if isinstance(w, bytes) else w.encode() for w in words]
    talk.sendall(b"*%d\\r\\n" % len(words) + b"".join(b"$%d\\r\\n%s\\r\\n" % (len(w), w) for w in words))
    return talk.recv(4096)
if password:
    assert send("AUTH", password) == b"+OK\\r\\n"
assert send("SELECT", number or "0") == b"+OK\\r\\n"
for entry in entries:
    field, _, value = entry.partition(b" ")
    assert send("XADD", "hmind:turns", "*", field, value).startswith(b"$")
"""


@pytest.fixture
def app(settings: Settings) -> Hmind:
    made = Hmind(settings, clock=lambda: NOW)
    yield made
    made.close()


def send(settings: Settings, *entries: str) -> None:
    url = settings.stores.redis_url.get_secret_value()
    done = subprocess.run(
        [sys.executable, "-I", "-c", FOREIGN_PRODUCER, url],
        input="\n".join(entries).encode("utf-8", errors="surrogatepass"),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def ledger(app: Hmind) -> list[tuple]:
    with app.engine.connect() as connection:
        query = "SELECT user_id, session_id, turn_id, state, sightings FROM ledger ORDER BY seq"
        return [tuple(row) for row in connection.execute(text(query))]


def dead(app: Hmind) -> list[tuple]:
    with app.engine.connect() as connection:
        query = "SELECT field, reason, user_id FROM dead_letters ORDER BY field, reason"
        return [tuple(row) for row in connection.execute(text(query))]


def turn(n: int, **fields: object) -> str:
    message = {"user_id": "maya", "session_id": "s", "turn_id": f"t{n}", "content": f"turn {n}"}
    return "turn " + json.dumps({**message, "occurred_at": (NOW - timedelta(minutes=n)).isoformat()} | fields)


def test_a_foreign_program_feeds_the_stream(app: Hmind, settings: Settings) -> None:
    send(settings, turn(2), turn(1, content="我今天去了医院。"), turn(1))

    receipt = app.stream("test").step()

    assert (receipt.accepted, receipt.duplicate, receipt.dead) == (2, 1, 0)
    assert receipt.touched == (SessionRef("default", "maya", "s"),)
    assert ledger(app) == [("maya", "s", "t2", "waiting", 1), ("maya", "s", "t1", "waiting", 1)]
    kept = app.shortterm.readable("default", "maya")
    assert [(t.turn_id, t.content) for t in kept] == [("t2", "turn 2"), ("t1", "我今天去了医院。")]
    assert app.redis.xlen("hmind:turns") == 0
    assert app.redis.xpending("hmind:turns", "hmind")["pending"] == 0


BAD = {
    "turn not json": ("turn", "is not JSON"),
    "turn [1, 2]": ("turn", "is a JSON list, not an object with user_id and content"),
    'turn {"content": "who said it?"}': ("user_id", "is missing"),
    'turn {"user_id": "  ", "content": "x"}': ("user_id", "is missing"),
    'turn {"user_id": {"a": 1}, "content": "x"}': ("user_id", "is a JSON dict, not a string"),
    'turn {"user_id": "u", "content": "x", "occurred_at": "last tuesday"}': (
        "occurred_at",
        "is neither ISO 8601 nor Unix seconds or milliseconds",
    ),
    'turn {"user_id": "u", "content": "x", "occurred_at": "2027-11-30T12:00:00Z"}': (
        "occurred_at",
        "lies in the future; is it in seconds, and is the clock right?",
    ),
    'turn {"user_id": "u", "content": "x", "occurred_at": "2026-01-01T00:00:00", "timezone": "Mars/Base"}': (
        "timezone",
        "is no IANA time zone such as Asia/Shanghai",
    ),
    'turn {"user_id": "u", "content": "x", "role": "boss"}': ("role", "is none of user, assistant, system, tool"),
    'turn {"user_id": "u", "content": ""}': ("content", "is empty"),
    'turn {"user_id": "u", "content": "\\u0000 \\u200b"}': ("content", "is empty"),
    'turn {"user_id": "u"}': ("content", "is missing"),
    'turn {"user_id": "u", "content": "' + "x" * 300_000 + '"}': (
        "content",
        "has 300000 characters, at most 100000 are taken",
    ),
    'turn {"user_id": "u", "session_id": "' + "s" * 3000 + '", "content": "x"}': (
        "session_id",
        "has 3000 characters, at most 256 are taken",
    ),
    "something else": ("turn", "is not JSON"),
    'flush {"session_id": "s"}': ("user_id", "is missing"),
}


def test_bad_messages_are_buried_with_the_field_and_good_ones_beside_them_land(app: Hmind, settings: Settings) -> None:
    good = [turn(n) for n in range(1, 100)]
    mixed = list(good)
    for place, bad in enumerate(BAD):
        mixed.insert(place * 6, bad)
    send(settings, *mixed)

    receipt = app.stream("test").step()

    assert (receipt.accepted, receipt.dead) == (99, len(BAD))
    assert len(app.shortterm.readable("default", "maya")) == 99
    assert sorted((field, reason) for field, reason, _ in dead(app)) == sorted(BAD.values())
    assert app.redis.xlen("hmind:turns") == 0


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ('"\\u0000hi\\u0000 there"', "hi there"),
        ('"half \\ud83d of a pair"', "half  of a pair"),
        ('"\U0001f600"', "\U0001f600"),
        ('[{"type": "text", "text": "see this"}, {"type": "image_url"}]', "see this"),
    ],
)
def test_dirty_texts_are_cleaned(app: Hmind, settings: Settings, content: str, kept: str) -> None:
    send(settings, 'turn {"user_id": "u", "content": ' + content + "}")
    assert app.stream("test").step().accepted == 1
    assert [t.content for t in app.shortterm.readable("default", "u")] == [kept]


def test_derived_ids_make_the_same_turn_one_turn(app: Hmind) -> None:
    message = {"user_id": "u", "content": "hello", "occurred_at": 1_796_000_000}
    later = {**message, "occurred_at": 1_796_000_001}
    deliveries = [Delivery(m, str(n), NOW) for n, m in enumerate([message, message, later])]
    first = app.intake.accept(deliveries, "task")
    again = app.intake.accept(deliveries, "task")
    assert (first.accepted, first.duplicate) == (2, 1)
    assert (again.accepted, again.duplicate) == (0, 3)
    assert len(app.shortterm.readable("default", "u")) == 2


def test_without_a_time_a_redelivery_is_known_and_the_same_words_said_again_are_not_lost(app: Hmind) -> None:
    ok = {"user_id": "u", "content": "ok"}
    app.intake.accept([Delivery(ok, "1-0", NOW - timedelta(seconds=9))], "stream")
    app.intake.accept([Delivery(ok, "1-0", NOW - timedelta(seconds=9)), Delivery(ok, "2-0", NOW)], "stream")
    assert len(ledger(app)) == 2


def test_naive_times_are_read_in_the_producers_zone(app: Hmind) -> None:
    message = {"user_id": "u", "content": "早上好", "occurred_at": "2026-11-30 08:00", "timezone": "Asia/Shanghai"}
    app.intake.accept([Delivery(message, "1", NOW)], "task")
    [kept] = app.shortterm.readable("default", "u")
    assert kept.occurred_at == datetime(2026, 11, 30, 0, tzinfo=UTC)


def test_a_crash_between_the_two_stores_loses_nothing(app: Hmind, settings: Settings) -> None:
    send(settings, turn(1), turn(2))
    broken = app.stream("dies")

    class PulledPlug(BaseException):
        pass

    def die(*_: object) -> None:
        raise PulledPlug

    app.shortterm.append, whole = die, app.shortterm.append
    with pytest.raises(PulledPlug):
        broken.step()
    app.shortterm.append = whole
    assert len(ledger(app)) == 2
    assert app.shortterm.readable("default", "maya") == []

    # Another consumer takes the entries over once they have been idle.
    patient = settings.model_copy(update={"intake": settings.intake.model_copy(update={"reclaim_after_s": 0.001})})
    heir = Hmind(patient, clock=lambda: NOW)
    receipt = heir.stream("heir").step()
    heir.close()
    assert receipt.flushed == ()
    assert (receipt.accepted, receipt.duplicate) == (0, 2)
    assert receipt.touched == (SessionRef("default", "maya", "s"),)
    assert [t.turn_id for t in app.shortterm.readable("default", "maya")] == ["t2", "t1"]
    assert app.redis.xlen("hmind:turns") == 0


def test_users_with_the_same_session_never_meet(app: Hmind) -> None:
    for user in ("a", "b"):
        said = {"user_id": user, "session_id": "chat", "turn_id": "1", "content": f"I am {user}"}
        app.intake.accept([Delivery(said, user, NOW)], "task")
    assert [t.content for t in app.shortterm.readable("default", "a")] == ["I am a"]
    assert [t.content for t in app.shortterm.readable("default", "b")] == ["I am b"]
    assert app.shortterm.readable("other", "a") == []


def test_names_cannot_leave_their_place_in_a_key(app: Hmind) -> None:
    for user, session in (("a}:l1:x", "s"), ("a", "x}:l1:s"), ("{b}", "*"), ("a/b", "c")):
        said = {"user_id": user, "session_id": session, "content": "hi"}
        app.intake.accept([Delivery(said, user + session, NOW)], "task")
    assert len(app.shortterm.readable("default", "a}:l1:x")) == 1
    assert len(app.shortterm.readable("default", "a")) == 1
    assert len(app.shortterm.readable("default", "a/b")) == 1


def test_an_entry_that_breaks_intake_is_buried_and_the_others_land(app: Hmind, settings: Settings) -> None:
    send(settings, *(turn(n) for n in range(1, 8)))
    stream, whole = app.stream("test"), app.shortterm.append

    def breaks_on_the_fifth(pipe: object, turns: list, wake_s: int) -> list:
        if any(each.turn_id == "t5" for each in turns):
            raise ZeroDivisionError("a bug that nobody foresaw")
        return whole(pipe, turns, wake_s)

    app.shortterm.append = breaks_on_the_fifth
    receipt = stream.step()

    assert receipt.dead == 1
    assert sorted(t.turn_id for t in app.shortterm.readable("default", "maya")) == ["t1", "t2", "t3", "t4", "t6", "t7"]
    assert dead(app) == [("turn", "broke intake: ZeroDivisionError", "maya")]
    assert app.redis.xlen("hmind:turns") == 0
