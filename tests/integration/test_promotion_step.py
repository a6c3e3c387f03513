"""The promotion step on real stores: where events go, what their facts and names come to, and that all happens once."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from servers.embeddings_server import serving
from support.chat import NOW, Chat, MovedClock
from support.snapshot import snapshot

from hmind.analysis.step import AnalysisStep
from hmind.bootstrap import Hmind
from hmind.embedding.embedder import Vectors
from hmind.embedding.endpoint import EndpointEmbedder
from hmind.errors import EmbeddingUnavailable
from hmind.memory.profiles import set_core_values
from hmind.model import (
    Analysis,
    CandidateFact,
    EntityType,
    FoundEntity,
    FoundEvent,
    Known,
    Segment,
    Statement,
)
from hmind.promotion.promoter import Promoter
from hmind.promotion.step import Promoted, PromotionStep

AGO = NOW - timedelta(days=30)
DAY = timedelta(days=1)
NOTHING = Promoted(0, 0, 0)

Make = Callable[[Segment], FoundEvent]


@dataclass(frozen=True)
class Scripted:
    """An analyst that finds what a test says; what it does not mention is small talk."""

    makes: Sequence[Make]
    name: str = "scripted-1"
    asked: list[Known] = field(default_factory=list)

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        self.asked.append(known)
        events = tuple(make(segment) for make in self.makes)
        used = {turn_id for event in events for turn_id in event.turn_ids}
        gone = {turn.turn_id: "small_talk" for turn in segment.turns if turn.turn_id not in used}
        return Analysis(events, gone, self.name)


def event(
    text: str = "Ana went hiking.",
    *,
    salience: float = 0.5,
    turns: Sequence[int] = (1,),
    entities: Sequence[FoundEntity] = (),
    facts: Sequence[CandidateFact] = (),
    statements: Sequence[str] | None = None,
) -> Make:
    """An event about turns by their number in the segment."""

    def make(segment: Segment) -> FoundEvent:
        ids = tuple(segment.turns[number - 1].turn_id for number in turns)
        return FoundEvent(
            description=text,
            statements=tuple(Statement(told, ids) for told in (statements or [text])),
            salience=salience,
            salience_parts={"intent": salience},
            occurred_at=segment.turns[0].occurred_at,
            turn_ids=ids,
            entities=tuple(FoundEntity(e.name, e.type, ids, e.aliases) for e in entities),
            # Like the entities they rest on the turns of this segment, whatever those are called.
            facts=tuple(replace(one, turn_ids=ids) for one in facts),
        )

    return make


def fact(predicate: str, object_: str, confidence: float = 0.9, **changes: Any) -> CandidateFact:
    told = {"subject": "user", "turn_ids": ("t1",), "told_by": "Ana"} | changes
    return CandidateFact(predicate=predicate, object=object_, confidence=confidence, **told)


def named(name: str, *aliases: str, type_: EntityType = EntityType.PERSON) -> FoundEntity:
    return FoundEntity(name, type_, ("t1",), aliases)


def pool(chat: Chat, *makes: Make, at: datetime = AGO, lines: int = 1, analyst: Scripted | None = None) -> str:
    """Puts events into the pool by the road that they take; the id of their segment."""
    chat.say(*[f"Ana: line {n}" for n in range(lines)], at=at)
    chat.flush()
    [segment_id] = chat.detect()
    analyst = analyst or Scripted(makes)
    done = AnalysisStep(chat.app.engine, analyst, analyst, chat.app.settings, chat.clock).analyze(segment_id)
    assert done is not None
    return segment_id


def promote(chat: Chat) -> Promoted:
    return chat.app.promotion.promote("default", chat.user_id)


def facts(chat: Chat, columns: str) -> list[tuple[Any, ...]]:
    return chat.rows(f"SELECT {columns} FROM facts WHERE user_id = :user_id ORDER BY valid_from, predicate, object")


def entities(chat: Chat) -> list[tuple[str, list[str], int]]:
    query = "SELECT name, aliases, mention_count FROM entities WHERE user_id = :user_id ORDER BY name"
    return [(row[0], row[1], row[2]) for row in chat.rows(query)]


def decisions(chat: Chat) -> list[dict[str, Any]]:
    query = "SELECT decision FROM events WHERE user_id = :user_id ORDER BY told_at, ordinal"
    return [row[0] for row in chat.rows(query)]


def states(chat: Chat) -> list[str]:
    query = "SELECT state FROM events WHERE user_id = :user_id ORDER BY told_at, ordinal"
    return [row[0] for row in chat.rows(query)]


# Where an event goes


def test_by_its_score_an_event_becomes_a_flashbulb_a_gist_or_nothing(chat: Chat) -> None:
    for n, salience in enumerate((0.75, 0.7499, 0.1, 0.0999)):
        pool(chat, event(f"Event {n}.", salience=salience), at=AGO + n * DAY)
    assert promote(chat) == Promoted(flashbulb=1, long_term=2, discarded=1)
    assert states(chat) == ["flashbulb", "long_term", "long_term", "discarded"]
    assert chat.fates() == {
        "t1": "remembered",
        "t2": "remembered",
        "t3": "remembered",
        "t4": "discarded below_threshold",
    }
    gists = "SELECT text, layer, base_importance, importance, source_turns, occurred_at FROM gists"
    assert chat.rows(f"{gists} WHERE user_id = :user_id ORDER BY text") == [
        ("Event 0.", "L4", 0.75, 0.75, ["t1"], AGO),
        ("Event 1.", "L2", 0.7499, 0.7499, ["t2"], AGO + DAY),
        ("Event 2.", "L2", 0.1, 0.1, ["t3"], AGO + 2 * DAY),
    ]
    told = [(one["route"], one["score"], one["threshold"], one["reason"]) for one in decisions(chat)]
    assert told == [
        ("flashbulb", 0.75, 0.75, "salient"),
        ("long_term", 0.7499, 0.75, "not_salient_enough_for_facts"),
        ("long_term", 0.1, 0.75, "not_salient_enough_for_facts"),
        ("discarded", 0.0999, 0.1, "below_threshold"),
    ]
    assert [one.get("gists") for one in decisions(chat)] == [1, 1, 1, None]
    assert promote(chat) == NOTHING


def test_what_a_user_holds_dear_tips_the_scale_and_the_decision_says_so(chat: Chat) -> None:
    with chat.app.engine.begin() as connection:
        set_core_values(connection, "default", chat.user_id, ["clara", "Old Harbour", "chess"], NOW)
    pool(
        chat,
        event(salience=0.6, entities=[named("Clara")]),
        event(salience=0.55, entities=[named("Porto Antigo", "old harbour", type_=EntityType.PLACE)]),
        event(salience=0.6, entities=[named("Clarabelle")]),
        event(salience=0.5, entities=[named("Chess")]),
    )
    promote(chat)
    assert states(chat) == ["flashbulb", "flashbulb", "long_term", "long_term"]
    told = [(one["salience"], one["boost"], one["score"], one["matched_values"]) for one in decisions(chat)]
    assert told == [
        (0.6, 0.2, 0.8, ["clara"]),
        (0.55, 0.2, 0.75, ["Old Harbour"]),
        (0.6, 0.0, 0.6, []),
        (0.5, 0.2, 0.7, ["chess"]),
    ]


def test_only_what_is_due_is_promoted(chat: Chat, clock: MovedClock) -> None:
    pool(chat, event("Now.", salience=0.95), event("Tonight."), at=NOW)
    assert promote(chat) == Promoted(flashbulb=1)
    assert states(chat) == ["flashbulb", "pool"]
    clock.now = datetime(2026, 12, 1, 2, 29, 59, tzinfo=UTC)
    assert promote(chat) == NOTHING
    clock.forward(1)
    assert ("default", chat.user_id) in chat.app.promotion.users_due(1000)
    assert promote(chat) == Promoted(long_term=1)
    assert ("default", chat.user_id) not in chat.app.promotion.users_due(1000)


def test_a_turn_of_two_events_is_remembered_if_one_is_kept(chat: Chat) -> None:
    kept, gone = event("Kept.", turns=(1, 2)), event("Gone.", salience=0.01, turns=(2, 3))
    pool(chat, kept, gone, lines=3)
    pool(chat, gone, kept, lines=3, at=AGO + DAY)
    promote(chat)
    expected = {"t1": "remembered", "t2": "remembered", "t3": "discarded below_threshold"}
    assert chat.fates() == expected | {"t4": "remembered", "t5": "remembered", "t6": "discarded below_threshold"}


def test_small_talk_with_a_fact_in_it_is_kept(chat: Chat) -> None:
    pool(chat, event(salience=0.01, facts=[fact("likes", "plums", 0.6)]))
    assert promote(chat) == Promoted(long_term=1)


# Facts


def test_by_its_confidence_a_fact_is_written_asked_or_skipped(chat: Chat) -> None:
    told = {"plums": 0.82, "pears": 0.8199, "figs": 0.55, "quinces": 0.5499}
    pool(chat, event(facts=[fact("likes", object_, confidence) for object_, confidence in told.items()]))
    promote(chat)
    assert facts(chat, "object, confidence, told_by, source_turns, valid_from, valid_to") == [
        ("plums", 0.82, "Ana", ["t1"], AGO, None)
    ]
    asked = "SELECT object, state, expires_at FROM reviews WHERE user_id = :user_id ORDER BY object"
    assert chat.rows(asked) == [("figs", "pending", NOW + 14 * DAY), ("pears", "pending", NOW + 14 * DAY)]
    assert [(one["object"], one["outcome"], one.get("change")) for one in decisions(chat)[0]["facts"]] == [
        ("plums", "written", "added"),
        ("pears", "review", None),
        ("figs", "review", None),
        ("quinces", "skipped", None),
    ]


def test_a_fact_told_again_is_made_stronger(chat: Chat, clock: MovedClock) -> None:
    pool(chat, event(facts=[fact("likes", "plums", 0.85)]))
    promote(chat)
    clock.forward(3600)
    pool(chat, event(facts=[fact("likes", "Plums", 0.95)]), at=AGO + DAY)
    pool(chat, event(facts=[fact("likes", "plums", 0.83)]), at=AGO + 2 * DAY)
    promote(chat)
    assert facts(chat, "object, confidence, use_count, last_used_at") == [("plums", 0.95, 2, clock.now)]
    assert [one["facts"][0]["change"] for one in decisions(chat)] == ["added", "repeated", "repeated"]


def test_a_new_name_ends_the_old_one(chat: Chat) -> None:
    pool(chat, event(facts=[fact("name", "Alex")]))
    pool(chat, event(facts=[fact("name", "Taylor"), fact("likes", "plums")]), at=AGO + DAY)
    pool(chat, event(facts=[fact("name", "Clara", subject="sister"), fact("likes", "figs")]), at=AGO + 2 * DAY)
    promote(chat)
    [taylor] = chat.rows("SELECT id FROM facts WHERE user_id = :user_id AND object = 'Taylor'")
    names = chat.rows("""
        SELECT object, valid_from, valid_to, invalidated_at, superseded_by FROM facts
        WHERE user_id = :user_id AND predicate = 'name' ORDER BY valid_from
    """)
    assert names == [
        ("Alex", AGO, AGO + DAY, NOW, taylor[0]),
        ("Taylor", AGO + DAY, None, None, None),
        ("Clara", AGO + 2 * DAY, None, None, None),
    ]
    assert len(live(chat, "likes")) == 2, "one may like two things"
    assert decisions(chat)[1]["facts"][0]["change"] == "updated"


def test_what_an_import_tells_late_is_history_and_overturns_nothing(chat: Chat) -> None:
    pool(chat, event(facts=[fact("lives_in", "Porto")]), at=AGO)
    promote(chat)
    pool(chat, event(facts=[fact("lives_in", "Braga")]), at=AGO - 900 * DAY)
    promote(chat)
    [porto] = chat.rows("SELECT id FROM facts WHERE user_id = :user_id AND object = 'Porto'")
    assert facts(chat, "object, valid_from, valid_to, invalidated_at, superseded_by") == [
        ("Braga", AGO - 900 * DAY, AGO, NOW, porto[0]),
        ("Porto", AGO, None, None, None),
    ]
    assert [one["facts"][0]["change"] for one in decisions(chat)] == ["historical", "added"]


def test_what_was_told_again_since_is_not_overturned_by_what_was_told_in_between(chat: Chat) -> None:
    for days in (0, 20):
        pool(chat, event(facts=[fact("lives_in", "Porto")]), at=AGO + days * DAY)
    promote(chat)
    pool(chat, event(facts=[fact("lives_in", "Braga")]), at=AGO + 10 * DAY)
    promote(chat)
    assert live(chat, "lives_in") == ["Porto"]
    [braga] = chat.rows("SELECT valid_from, valid_to FROM facts WHERE user_id = :user_id AND object = 'Braga'")
    assert braga == (AGO + 10 * DAY, AGO + 20 * DAY)


def test_what_is_told_last_counts_also_when_it_is_true_since_long(chat: Chat) -> None:
    pool(chat, event(facts=[fact("works_at", "the harbour")]), at=AGO)
    pool(chat, event(facts=[fact("works_at", "the library", valid_from=AGO - 900 * DAY)]), at=AGO + DAY)
    promote(chat)
    assert live(chat, "works_at") == ["the library"]
    [old] = chat.rows("SELECT valid_from, valid_to FROM facts WHERE user_id = :user_id AND object = 'the harbour'")
    assert old == (AGO, AGO), "it never was"


def test_what_is_over_stays_true_of_its_time(chat: Chat) -> None:
    past = {"valid_from": AGO - 900 * DAY, "valid_to": AGO - 500 * DAY}
    pool(chat, event(facts=[fact("lives_in", "Braga", **past)]), at=AGO)
    pool(chat, event(facts=[fact("lives_in", "Porto")]), at=AGO + DAY)
    pool(chat, event(facts=[fact("lives_in", "Braga")]), at=AGO + 2 * DAY)
    promote(chat)
    assert facts(chat, "object, valid_from, valid_to, invalidated_at IS NULL") == [
        ("Braga", AGO - 900 * DAY, AGO - 500 * DAY, True),
        ("Porto", AGO + DAY, AGO + 2 * DAY, False),
        ("Braga", AGO + 2 * DAY, None, True),
    ]


def live(chat: Chat, predicate: str) -> list[str]:
    query = """
        SELECT object FROM facts WHERE user_id = :user_id AND predicate = :predicate
          AND invalidated_at IS NULL AND valid_to IS NULL ORDER BY object
    """
    return [row[0] for row in chat.rows(query, predicate=predicate)]


# Entities


def test_one_thing_under_several_names_is_one_entity(chat: Chat) -> None:
    pool(chat, event(entities=[named("Bob"), named("Porto", type_=EntityType.PLACE)]), at=AGO)
    pool(chat, event(entities=[named("Robert Silva", "Bob", "Bobby")]), at=AGO + DAY)
    pool(chat, event(entities=[named("BOBBY"), named("robert silva")]), at=AGO + 2 * DAY)
    promote(chat)
    assert entities(chat) == [("Bob", ["Bobby", "Robert Silva"], 3), ("Porto", [], 1)]


def test_who_shares_no_more_than_an_alias_is_somebody_else(chat: Chat) -> None:
    pool(chat, event(entities=[named("Dr. Lima", "the doctor"), named("Dr. Reis", "the doctor")]))
    promote(chat)
    assert entities(chat) == [("Dr. Lima", ["the doctor"], 1), ("Dr. Reis", ["the doctor"], 1)]


def test_mentions_know_their_turns_and_times(chat: Chat) -> None:
    pool(chat, event(entities=[named("Clara")], turns=(1, 3)), event(entities=[named("Clara")], turns=(2,)), lines=3)
    pool(chat, event(entities=[named("Clara")]), at=AGO - 5 * DAY)
    pool(chat, event(entities=[named("Clara")], salience=0.01), at=AGO + DAY)
    promote(chat)
    mentions = "SELECT turn_ids, occurred_at FROM mentions WHERE user_id = :user_id ORDER BY occurred_at, turn_ids"
    assert chat.rows(mentions) == [(["t4"], AGO - 5 * DAY), (["t1", "t3"], AGO), (["t2"], AGO)]
    times = "SELECT mention_count, first_seen_at, last_seen_at FROM entities WHERE user_id = :user_id"
    assert chat.rows(times) == [(3, AGO - 5 * DAY, AGO)]


def test_users_with_the_same_names_never_meet(app: Hmind, clock: MovedClock, chat: Chat) -> None:
    other = Chat(app, clock, chat.user_id + "-other")
    for one, name in ((chat, "Alex"), (other, "Taylor")):
        pool(one, event(entities=[named("Clara")], facts=[fact("name", name)]))
    assert promote(chat) == Promoted(long_term=1)
    assert states(other) == ["pool"]
    promote(other)
    for one, name in ((chat, "Alex"), (other, "Taylor")):
        assert entities(one) == [("Clara", [], 1)]
        assert live(one, "name") == [name]


def test_what_an_analyst_knows_does_not_depend_on_how_far_the_promoter_has_come(
    app: Hmind, clock: MovedClock, chat: Chat
) -> None:
    known = []
    for user_id, promoted in ((chat.user_id, True), (chat.user_id + "-slow", False)):
        one = Chat(app, clock, user_id)
        pool(one, event(entities=[named("Bob"), named("Clara")]))
        pool(one, event(entities=[named("Robert Silva", "Bob"), named("CLARA")]), at=AGO + DAY)
        if promoted:
            promote(one)
        analyst = Scripted([])
        pool(one, at=AGO + 2 * DAY, analyst=analyst)
        known += [what.entity_names for what in analyst.asked]
    assert known == [{"Bob", "Clara", "Robert Silva", "CLARA"}] * 2


# Once, whatever happens


def test_running_twice_changes_nothing(chat: Chat) -> None:
    pool(chat, event(entities=[named("Clara", "sister")], facts=[fact("name", "Alex"), fact("likes", "figs", 0.6)]))
    pool(chat, event(entities=[named("Clara")], facts=[fact("name", "Taylor")]), at=AGO + DAY)
    promote(chat)
    before = snapshot(chat.app.engine)
    assert promote(chat) == NOTHING
    assert snapshot(chat.app.engine) == before

    chat.rows(
        "UPDATE events SET state = 'pool', due_at = now() - interval '1 year' WHERE user_id = :user_id RETURNING 1"
    )
    assert promote(chat) == Promoted(long_term=2)
    after = snapshot(chat.app.engine)
    assert {table for table in before if before[table] != after[table]} <= {"events"}, "only what the decision tells"


def test_two_promoters_at_once_write_once_and_in_order(chat: Chat) -> None:
    count = 50
    for n in range(count):
        pool(
            chat,
            event(f"Event {n}.", entities=[named("Clara")], facts=[fact("name", f"Name {n}")]),
            at=AGO + n * DAY / 9,
        )
    start = threading.Barrier(3)

    def run() -> Promoted:
        start.wait()
        return promote(chat)

    with ThreadPoolExecutor(3) as threads:
        runs = [one.result() for one in [threads.submit(run) for _ in range(3)]]
    runs.append(promote(chat))
    assert sum(one.long_term for one in runs) == count
    assert entities(chat) == [("Clara", [], count)]
    names = chat.rows("""
        SELECT old.object, old.valid_to, new.object, new.valid_from FROM facts AS old LEFT JOIN facts AS new
          ON new.id = old.superseded_by WHERE old.user_id = :user_id ORDER BY old.valid_from
    """)
    assert [(old, new) for old, _, new, _ in names[:-1]] == [(f"Name {n}", f"Name {n + 1}") for n in range(count - 1)]
    assert all(ended == began for _, ended, _, began in names)
    assert names[-1][:3] == (f"Name {count - 1}", None, None)
    assert chat.rows("SELECT max(attempts) FROM events WHERE user_id = :user_id") == [(1,)]


class PulledPlug(BaseException):
    """A worker that dies."""


class Dying:
    """An embedder whose process dies."""

    name, dim, topic_shift_below, unrelated_cos = "dying", 384, 0.0, 0.0

    def passages(self, texts: Sequence[str]) -> Vectors:
        raise PulledPlug

    questions = passages


def step(chat: Chat, embedder: Any) -> PromotionStep:
    settings = chat.app.settings
    return PromotionStep(chat.app.engine, embedder, Promoter(settings.promotion), settings, chat.clock)


def test_what_a_dead_worker_had_is_taken_again_and_nothing_overtakes_it(chat: Chat, clock: MovedClock) -> None:
    pool(chat, event(facts=[fact("name", "Alex")]))
    with pytest.raises(PulledPlug):
        step(chat, Dying()).promote("default", chat.user_id)
    pool(chat, event(facts=[fact("name", "Taylor")]), at=AGO + DAY)
    assert promote(chat) == NOTHING
    clock.forward(chat.app.settings.upkeep.lease_s - 1)
    assert promote(chat) == NOTHING
    clock.forward(1)
    assert promote(chat) == Promoted(long_term=2)
    assert live(chat, "name") == ["Taylor"]


def test_an_embedder_that_fails_puts_events_back_for_longer_and_longer(chat: Chat, clock: MovedClock) -> None:
    words = "Ana planted a lemon tree."
    pool(chat, event(words), event())
    with serving(chat.app.memory_embedder) as server:
        endpoint = EndpointEmbedder(server.url, "e5", 384, first_wait_s=0.001, max_wait_s=0.002)
        failing = step(chat, endpoint)
        server.faults = ["500"] * 12
        delays = []
        for attempt in (1, 2, 3):
            with pytest.raises(EmbeddingUnavailable) as caught:
                failing.promote("default", chat.user_id)
            assert words not in str(caught.value)
            rows = chat.rows("SELECT state, attempts, last_error, due_at FROM events WHERE user_id = :user_id")
            assert {row[:3] for row in rows} == {("pool", attempt, "EmbeddingUnavailable")}
            [due] = {row[3] for row in rows}
            delays.append((due - clock.now).total_seconds())
            clock.now = due - timedelta(seconds=1)
            assert failing.promote("default", chat.user_id) == NOTHING
            clock.now = due
        assert delays == [60, 120, 240]
        assert chat.rows("SELECT count(*) FROM gists WHERE user_id = :user_id") == [(0,)]
        assert failing.promote("default", chat.user_id) == Promoted(long_term=2)
    assert chat.rows("SELECT DISTINCT last_error FROM events WHERE user_id = :user_id") == [(None,)]


def test_an_event_that_the_store_refuses_does_not_stop_the_others(chat: Chat, clock: MovedClock) -> None:
    """A name may be longer than an index takes: 1,000 ideographs are 3,000 bytes that nothing makes shorter."""
    draw = random.Random(7)
    long = "".join(chr(draw.randrange(0x4E00, 0x9FA5)) for _ in range(1000))
    pool(
        chat,
        event("Before.", facts=[fact("name", "Alex")]),
        event("Refused.", entities=[named("Clara")], facts=[fact("likes", long)]),
        event("After.", entities=[named("Clara")], facts=[fact("name", "Taylor")]),
    )
    assert promote(chat) == Promoted(long_term=2)
    assert states(chat) == ["long_term", "pool", "long_term"]
    assert live(chat, "name") == ["Taylor"]
    assert live(chat, "likes") == []
    assert entities(chat) == [("Clara", [], 1)], "nothing of it was kept"
    delays = []
    for attempt in (1, 2, 3):
        row = "SELECT attempts, last_error, due_at FROM events WHERE user_id = :user_id AND state = 'pool'"
        [(attempts, error, due)] = chat.rows(row)
        assert (attempts, error) == (attempt, "ProgramLimitExceeded")
        delays.append((due - clock.now).total_seconds())
        clock.now = due
        assert promote(chat) == NOTHING
    assert delays == [60, 120, 240]


def test_a_user_with_much_to_promote_lets_the_others_come_in_between(chat: Chat) -> None:
    for n in range(25):
        pool(chat, event(f"Event {n}.", salience=0.5), at=AGO + n * DAY)
    first = chat.app.promotion.promote("default", chat.user_id, at_most_s=0.0)
    assert (first.long_term, first.more) == (20, True)
    second = chat.app.promotion.promote("default", chat.user_id)
    assert (second.long_term, second.more) == (5, False)
