"""L1's promise: a raw turn is unreadable 72 hours after it was received, whatever else happens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from support.waiting import wait_for

from hmind.bootstrap import Hmind
from hmind.intake.wire import Delivery
from hmind.model import SessionRef
from hmind.settings import Settings
from hmind.shortterm import keys

START = datetime(2026, 11, 1, tzinfo=UTC)
SESSION = SessionRef("default", "u", "endless")


class Hand:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def app(settings: Settings, clock: Hand) -> Hmind:
    made = Hmind(settings, clock=clock)
    yield made
    made.close()


def say(app: Hmind, n: int) -> None:
    said = {"user_id": "u", "session_id": "endless", "turn_id": f"t{n}", "content": f"marked phrase {n}"}
    app.intake.accept([Delivery(said, str(n), app.clock())], "task")


def raw(app: Hmind) -> bytes:
    """Everything that lies in the user's keys, whatever its type."""
    found = b""
    for key in app.redis.scan_iter("hmind:{*"):
        found += key + (app.redis.dump(key) or b"")
        if app.redis.type(key) == b"stream":
            found += repr(app.redis.xrange(key)).encode()
    return found


def test_nothing_is_readable_after_72_hours_in_a_session_that_never_stops(app: Hmind, clock: Hand) -> None:
    for hour in range(24 * 5):
        clock.now = START + timedelta(hours=hour)
        say(app, hour)
        readable = [turn.turn_id for turn in app.shortterm.readable("default", "u")]
        oldest = max(0, hour - 71)
        assert readable == [f"t{n}" for n in range(oldest, hour + 1)]
        entries = app.redis.xrange(keys.turns(SESSION))
        assert len(entries) == hour + 1 - oldest
    assert b'marked phrase 47"' not in raw(app)
    assert b'marked phrase 48"' in raw(app)
    assert app.redis.zcard(keys.seen(SESSION)) <= 73


def test_the_reader_refuses_what_the_trim_has_not_reached(app: Hmind, clock: Hand) -> None:
    say(app, 1)
    clock.now = START + timedelta(hours=72) - timedelta(milliseconds=1)
    assert len(app.shortterm.window(SESSION, START)) == 1
    clock.now = START + timedelta(hours=72)
    assert app.shortterm.window(SESSION, START) == []
    assert app.shortterm.readable("default", "u") == []
    assert app.shortterm.before(SESSION, clock.now, 10) == []


def test_the_sweep_empties_a_session_that_fell_silent(app: Hmind, clock: Hand) -> None:
    say(app, 1)
    clock.now = START + timedelta(hours=71)
    say(app, 2)
    clock.now = START + timedelta(hours=72)
    assert app.shortterm.trim() == 1
    assert b"marked phrase 1" not in raw(app)
    assert b"marked phrase 2" in raw(app)


def test_every_key_of_a_user_expires_and_shares_one_slot(app: Hmind) -> None:
    say(app, 1)
    found = list(app.redis.scan_iter("hmind:{*"))
    assert len(found) == 4
    assert all(0 < app.redis.pttl(key) <= 72 * 3_600_000 for key in found)
    assert {key.split(b"{")[1].split(b"}")[0] for key in found} == {b"default/u"}


def test_order_is_the_speakers_clock_then_intake(app: Hmind, clock: Hand) -> None:
    times = {"late": 30, "first": 10, "tie-a": 20, "tie-b": 20}
    for name, minute in times.items():
        at = (START + timedelta(minutes=minute)).isoformat()
        said = {"user_id": "u", "session_id": "endless", "turn_id": name, "content": name, "occurred_at": at}
        clock.now += timedelta(seconds=1)
        app.intake.accept([Delivery(said, name, clock.now)], "task")
    assert [t.turn_id for t in app.shortterm.window(SESSION, START)] == ["first", "tie-a", "tie-b", "late"]


def test_a_clock_that_goes_back_does_not_lose_a_turn(app: Hmind, clock: Hand) -> None:
    clock.now = START + timedelta(minutes=5)
    say(app, 1)
    clock.now = START
    say(app, 2)
    assert {t.turn_id for t in app.shortterm.window(SESSION, START)} == {"t1", "t2"}


def test_what_was_dropped_leaves_the_disk_when_the_server_is_asked(app: Hmind) -> None:
    assert app.shortterm.leave_the_disk()
    wait_for(lambda: not app.redis.info("persistence")["aof_rewrite_in_progress"])
    assert app.redis.info("persistence")["aof_last_bgrewrite_status"] == "ok"
