"""Segments that the language model failed: marked, read by the offline analyst, and read again when it answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from servers.openai_server import OpenAIServer, Request, Response, completion, failure
from support.again import GOOD, TALK, answer, closed, event, good, modelled
from support.chat import NOW, Chat, MovedClock
from support.snapshot import snapshot

from hmind.analysis.again import AnalysisAgain, Asked
from hmind.analysis.llm import LlmAnalyst
from hmind.analysis.offline import OfflineAnalyst
from hmind.bootstrap import Hmind
from hmind.embedding.embedder import Vectors
from hmind.memory.why import why
from hmind.model import Analysis, Known, Segment
from hmind.promotion.promoter import Promoter
from hmind.promotion.step import PromotionStep
from hmind.settings import Settings
from hmind.upkeep import daily

AFTER_S, DAY_S = 600, 86_400


@pytest.fixture(scope="module")
def endpoint() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def server(endpoint: OpenAIServer) -> OpenAIServer:
    """The endpoint with nothing scripted."""
    endpoint.script.clear()
    return endpoint


@pytest.fixture(scope="module")
def app(module_settings: Settings, endpoint: OpenAIServer, clock: MovedClock) -> Iterator[Hmind]:
    with modelled(module_settings, endpoint, clock, segment_attempts=1, again_attempts=3) as made:
        yield made


def column(chat: Chat, segment_id: str, name: str) -> Any:
    [row] = chat.rows(f"SELECT {name} FROM segments WHERE id = :id", id=segment_id)
    return row[0]


def standing(chat: Chat, segment_id: str) -> str:
    told = "concat_ws(' ', state, analyst, outcome, outcome_reason, again_attempts)"
    return str(column(chat, segment_id, told))


def waits_s(chat: Chat, segment_id: str) -> float | None:
    at = column(chat, segment_id, "again_at")
    return None if at is None else (at - chat.clock.now).total_seconds()


def failed(chat: Chat, server: OpenAIServer, *lines: str, said: Response | None = None) -> str:
    """A segment that the offline analyst read, since the model did not answer, or answered ``said``."""
    segment_id = closed(chat, *lines)
    if said is not None:
        server.then(said)
        assert chat.app.analysis.analyze(segment_id) is not None
        return segment_id
    server.then(failure(503))
    if chat.app.analysis.analyze(segment_id) is None:
        chat.clock.now = column(chat, segment_id, "due_at")
        assert chat.app.analysis.analyze(segment_id) is not None
    return segment_id


def promoted(chat: Chat) -> None:
    """Lets the day's promotion come and promotes what the user has."""
    chat.clock.forward(DAY_S)
    chat.app.promotion.promote("default", chat.user_id)


def again(chat: Chat, segment_id: str) -> Asked:
    """Lets the time until the next try pass and asks again."""
    at = column(chat, segment_id, "again_at")
    chat.clock.now = max(chat.clock.now, at)
    assert segment_id in chat.app.again.due(1000)
    return chat.app.again.analyze(segment_id)


def events(chat: Chat) -> list[tuple[int, str]]:
    return chat.rows("SELECT ordinal, state FROM events WHERE user_id = :user_id ORDER BY told_at, ordinal")


def gists(chat: Chat) -> set[str]:
    return {row[0] for row in chat.rows("SELECT text FROM gists WHERE user_id = :user_id AND state = 'live'")}


def entities(chat: Chat) -> dict[str, int]:
    """How often each is mentioned, by its own count; held against the mentions there are."""
    rows = chat.rows("""
        SELECT name, mention_count, (SELECT count(*) FROM mentions WHERE entity_id = entities.id)
        FROM entities WHERE user_id = :user_id
    """)
    assert all(count == there for _, count, there in rows)
    return {name: count for name, count, _ in rows}


def recalled(chat: Chat, question: str) -> list[str]:
    return [item.text for item in chat.app.recall.ask(question, "default", chat.user_id)]


# An endpoint that was away and comes back


def test_what_the_offline_analyst_found_is_replaced_when_the_endpoint_is_back(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    assert standing(chat, segment_id) == "analysed offline-1 failed away 0"
    assert waits_s(chat, segment_id) == AFTER_S
    promoted(chat)
    before = gists(chat)
    old = events(chat)
    assert before
    assert "Clara" in entities(chat)

    server.then(good())
    asked = again(chat, segment_id)
    assert asked.replaced is not None
    assert (asked.replaced.events, asked.replaced.due) == (2, True)
    assert standing(chat, segment_id) == "analysed llm:qwen-test complete 1"
    assert waits_s(chat, segment_id) is None
    assert events(chat) == [
        *[(ordinal, "replaced") for ordinal, _ in old],
        (len(old), "pool"),
        (len(old) + 1, "pool"),
    ]
    assert gists(chat) == set()
    chat.app.promotion.promote("default", chat.user_id)
    assert gists(chat) == {told["description"] for told in GOOD}
    assert entities(chat) == {"Porto": 1, "Clara": 1, "Steinway": 1}
    assert GOOD[1]["description"] in recalled(chat, "Who carried the piano?")
    assert not before & set(recalled(chat, "Who carried the piano?"))
    fates = chat.fates()
    assert (fates["t2"], fates["t4"]) == ("remembered", "remembered")
    assert (fates["t1"], fates["t3"], fates["t5"]) == (
        "discarded small_talk",
        "discarded agent_talk",
        "discarded agent_talk",
    )


def test_only_the_first_of_a_users_segments_waits_for_an_endpoint_that_is_away(
    chat: Chat, server: OpenAIServer
) -> None:
    first, second, third = (closed(chat) for _ in range(3))
    server.then(failure(503), failure(503), good())
    assert chat.app.analysis.analyze(first) is None
    chat.clock.now = column(chat, first, "due_at")
    for segment_id in (first, second, third):
        assert chat.app.analysis.analyze(segment_id) is not None
    assert standing(chat, second) == "analysed offline-1 failed away 0"
    assert standing(chat, third) == "analysed llm:qwen-test complete 0", "each is asked about once"


def test_again_and_again_changes_nothing(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    promoted(chat)
    server.then(good())
    assert again(chat, segment_id).replaced is not None
    chat.app.promotion.promote("default", chat.user_id)
    before = snapshot(chat.app.engine)
    for _ in range(2):
        chat.clock.forward(DAY_S)
        assert segment_id not in chat.app.again.due(1000)
        assert chat.app.again.analyze(segment_id) == Asked()
        chat.app.promotion.promote("default", chat.user_id)
    assert snapshot(chat.app.engine) == before


def test_workers_at_once_ask_once(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    chat.clock.forward(AFTER_S)
    start = threading.Barrier(4)
    server.then(*[good()] * 4)
    asked_before = len(server.requests)

    def analyze() -> Asked:
        start.wait()
        return chat.app.again.analyze(segment_id)

    with ThreadPoolExecutor(4) as pool:
        runs = [run.result() for run in [pool.submit(analyze) for _ in range(4)]]
    assert sum(run.replaced is not None for run in runs) == 1
    assert len(server.requests) == asked_before + 1


def test_who_is_late_with_an_answer_changes_nothing(chat: Chat, server: OpenAIServer, clock: MovedClock) -> None:
    segment_id = failed(chat, server)
    after = []

    def answer_after_another_worker(request: Request) -> Response:
        clock.now = column(chat, segment_id, "again_at")
        server.then(good())
        assert chat.app.again.analyze(segment_id).replaced is not None
        after.append(snapshot(chat.app.engine))
        return answer(event("Something else.", 1), t2="other", t3="other", t4="other", t5="other")

    server.then(answer_after_another_worker)
    assert again(chat, segment_id) == Asked()
    assert [snapshot(chat.app.engine)] == after


def test_an_endpoint_that_stays_away_is_asked_each_hour_for_as_long_as_the_text_lives(
    chat: Chat, server: OpenAIServer, clock: MovedClock
) -> None:
    segment_id = failed(chat, server)
    before = snapshot(chat.app.engine)
    waits = []
    while clock.now < NOW + timedelta(hours=8):
        server.then(failure(503))
        assert again(chat, segment_id) == Asked(away=True)
        waits.append(waits_s(chat, segment_id))
    assert len(waits) > 5, "more often than answers that are no analysis"
    assert waits == [2400, *[3600] * (len(waits) - 1)], "it is back within the hour"
    assert snapshot(chat.app.engine) == before
    assert "503" in column(chat, segment_id, "last_error")
    server.then(good())
    assert again(chat, segment_id).replaced is not None
    assert column(chat, segment_id, "last_error") is None


@pytest.mark.parametrize(("asked", "waits"), [("9000", 9000), ("5", 2400), ("99999999", DAY_S)])
def test_an_endpoint_may_say_when_to_come_back(chat: Chat, server: OpenAIServer, asked: str, waits: float) -> None:
    segment_id = failed(chat, server)
    server.then(failure(429, Retry_After=asked))
    assert again(chat, segment_id) == Asked(away=True)
    assert waits_s(chat, segment_id) == waits


def test_a_segment_whose_text_is_gone_is_asked_about_no_more(
    chat: Chat, server: OpenAIServer, clock: MovedClock
) -> None:
    segment_id = failed(chat, server)
    clock.now = NOW + timedelta(days=8)
    assert segment_id in chat.app.again.due(1000)
    daily.expire_all(chat.app.engine, chat.app.settings, clock.now)
    assert segment_id not in chat.app.again.due(1000)
    assert chat.app.again.analyze(segment_id) == Asked()
    assert standing(chat, segment_id) == "analysed offline-1 failed away 0"


def test_a_worker_that_dies_while_asking_changes_nothing_and_it_is_asked_later(
    chat: Chat, server: OpenAIServer, module_settings: Settings
) -> None:
    class Killed:
        name = "llm:killed"

        def analyze(self, segment: Segment, known: Known) -> Analysis:
            raise KeyboardInterrupt

    segment_id = failed(chat, server)
    before = snapshot(chat.app.engine)
    chat.clock.forward(AFTER_S)
    dying = AnalysisAgain(chat.app.engine, Killed(), OfflineAnalyst(), chat.app.settings, chat.clock)
    with pytest.raises(KeyboardInterrupt):
        dying.analyze(segment_id)
    assert snapshot(chat.app.engine) == before
    assert waits_s(chat, segment_id) == 2400
    server.then(good())
    assert again(chat, segment_id).replaced is not None


def test_what_the_store_refuses_leaves_the_old_whole(chat: Chat, server: OpenAIServer) -> None:
    class Unstorable:
        """Its second event is refused, after all that was to be undone is done."""

        name = "llm:unstorable"

        def analyze(self, segment: Segment, known: Known) -> Analysis:
            made = LlmAnalyst(chat.app.settings.analysis).analyze(segment, known)
            first, second = made.events
            return replace(made, events=(first, replace(second, description="\0")), analyst=self.name)

    segment_id = failed(chat, server)
    promoted(chat)
    before = snapshot(chat.app.engine)
    assert before["gists"]
    server.then(good())
    step = AnalysisAgain(chat.app.engine, Unstorable(), OfflineAnalyst(), chat.app.settings, chat.clock)
    assert step.analyze(segment_id) == Asked()
    assert snapshot(chat.app.engine) == before
    assert standing(chat, segment_id) == "analysed offline-1 failed unstorable 1"
    assert waits_s(chat, segment_id) == 2400
    assert column(chat, segment_id, "tokens_in + tokens_out") == 240


# A model that answers, but with nothing


def test_what_is_no_analysis_is_asked_for_again_so_many_times(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server, said=completion("I would rather not.", usage={"prompt_tokens": 7}))
    assert standing(chat, segment_id) == "analysed offline-1 failed not_json 0"
    before = snapshot(chat.app.engine)
    waits = []
    for _ in range(3):
        server.then(completion(None, refusal="No."))
        assert again(chat, segment_id) == Asked()
        waits.append(waits_s(chat, segment_id))
    assert waits == [2400, 9600, None]
    assert standing(chat, segment_id) == "analysed offline-1 failed refusal 3"
    assert column(chat, segment_id, "tokens_in") == 7 + 3 * 210
    assert snapshot(chat.app.engine) == before
    chat.clock.forward(DAY_S)
    assert segment_id not in chat.app.again.due(1000)


def test_a_model_that_comes_to_its_senses_replaces_what_was_found_without_it(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server, said=completion("I would rather not."))
    server.then(good())
    assert again(chat, segment_id).replaced is not None
    assert standing(chat, segment_id) == "analysed llm:qwen-test complete 1"
    assert column(chat, segment_id, "tokens_in || ' ' || tokens_out") == "410 74"


def test_a_partial_answer_replaces_too_and_says_why(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    whole = good().body.decode()
    server.then(replace(good(), body=whole.replace('"finish_reason": "stop"', '"finish_reason": "length"').encode()))
    asked = again(chat, segment_id)
    assert asked.replaced is not None
    assert waits_s(chat, segment_id) is None


def test_nothing_is_asked_again_when_that_is_switched_off(
    chat: Chat, server: OpenAIServer, module_settings: Settings, clock: MovedClock
) -> None:
    with modelled(module_settings, server, clock, segment_attempts=1, again_attempts=0) as app:
        segment_id = failed(replace(chat, app=app), server)
    assert standing(chat, segment_id) == "analysed offline-1 failed away 0"
    assert waits_s(chat, segment_id) is None


def test_nothing_is_asked_again_without_a_language_model(
    chat: Chat, server: OpenAIServer, module_settings: Settings, clock: MovedClock
) -> None:
    segment_id = failed(chat, server)
    clock.forward(AFTER_S)
    with modelled(module_settings, server, clock, llm_url="", llm_model="") as app:
        assert app.again.due(1000) == []
        assert app.again.analyze(segment_id) == Asked()
        offline = closed(replace(chat, app=app))
        assert app.analysis.analyze(offline) is not None
    assert standing(chat, offline) == "analysed offline-1 complete 0"
    assert waits_s(chat, segment_id) is not None


# What was promoted, and what rests on it


def test_events_that_wait_in_the_pool_are_replaced_and_the_new_wait_as_they_would(
    chat: Chat, server: OpenAIServer
) -> None:
    segment_id = failed(chat, server)
    server.then(good())
    asked = again(chat, segment_id)
    assert asked.replaced is not None
    assert not asked.replaced.due
    assert {state for _, state in events(chat)} == {"replaced", "pool"}
    due = chat.rows("SELECT DISTINCT due_at FROM events WHERE user_id = :user_id AND state = 'pool'")
    assert due == [(datetime(2026, 12, 1, 2, 30, tzinfo=UTC),)]
    assert chat.fates()["t2"] == "segmented"
    promoted(chat)
    assert gists(chat) == {told["description"] for told in GOOD}


def test_what_replaces_promoted_events_does_not_wait_for_the_night(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    assert chat.app.promotion.promote("default", chat.user_id).flashbulb > 0, "at once"
    server.then(good())
    asked = again(chat, segment_id)
    assert asked.replaced is not None
    assert asked.replaced.due
    due = chat.rows("SELECT DISTINCT due_at FROM events WHERE user_id = :user_id AND state = 'pool'")
    assert due == [(chat.clock.now,)]


def test_turns_are_decided_about_anew_and_only_those_of_the_segment(chat: Chat, server: OpenAIServer) -> None:
    plain = ("Ana: Hi there!", "Ana: Clara and Tom played chess in the park on Sunday.", "Ana: The cello sounds fine.")
    segment_id = failed(chat, server, *plain)
    other = failed(Chat(chat.app, chat.clock, chat.user_id, "other"), server, *plain)
    assert other != segment_id
    promoted(chat)
    before, elsewhere = chat.fates(), Chat(chat.app, chat.clock, chat.user_id, "other").fates()
    assert (before["t1"], before["t2"]) == ("discarded small_talk", "remembered")
    server.then(answer(event("Ana greeted with a cello.", 1, 3), t2="other"))
    assert again(chat, segment_id).replaced is not None
    assert chat.fates() == {"t1": "segmented", "t2": "discarded other", "t3": "segmented"}
    chat.app.promotion.promote("default", chat.user_id)
    assert chat.fates() == {"t1": "remembered", "t2": "discarded other", "t3": "remembered"}
    assert Chat(chat.app, chat.clock, chat.user_id, "other").fates() == elsewhere


def test_a_promoter_that_has_the_old_events_in_hand_lets_them_be(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    chat.clock.forward(DAY_S)
    memory = chat.app.memory_embedder

    class Overtaken:
        """While vectors are computed the segment is analysed again."""

        name, dim, topic_shift_below, unrelated_cos = memory.name, memory.dim, 0.0, 0.0
        calls = 0

        def passages(self, texts: Sequence[str]) -> Vectors:
            self.calls += 1
            if self.calls == 1:
                server.then(good())
                assert chat.app.again.analyze(segment_id).replaced is not None
            return memory.passages(texts)

        def questions(self, texts: Sequence[str]) -> Vectors:
            return memory.questions(texts)

    embedder = Overtaken()
    settings = chat.app.settings
    step = PromotionStep(chat.app.engine, embedder, Promoter(settings.promotion), settings, chat.clock)
    step.promote("default", chat.user_id)
    assert embedder.calls == 2
    assert gists(chat) == {told["description"] for told in GOOD}
    assert {state for _, state in events(chat)} == {"replaced", "long_term"}


def test_facts_stay_and_their_turns_stay_remembered(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    promoted(chat)
    query = "SELECT id, subject, predicate, object FROM facts WHERE user_id = :user_id ORDER BY id"
    before = chat.rows(query)
    assert any("walnuts" in row[3] for row in before)
    server.then(answer(GOOD[1], t1="small_talk", t2="small_talk", t3="agent_talk", t5="agent_talk"))
    assert again(chat, segment_id).replaced is not None
    chat.app.promotion.promote("default", chat.user_id)
    assert chat.rows(query) == before
    assert chat.fates()["t2"] == "remembered"
    assert any("walnuts" in text for text in recalled(chat, "What is Ana allergic to?"))


def test_the_same_facts_count_as_told_again(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    promoted(chat)
    query = "SELECT subject, predicate, object, told_by FROM facts WHERE user_id = :user_id ORDER BY id"
    before = chat.rows(query)
    facts = [
        {"subject": "user", "predicate": predicate, "object": object_, "confidence": 0.95, "turns": [2]}
        | {"valid_from": None, "valid_to": None}
        for _, predicate, object_, _ in before
    ]
    server.then(answer({**GOOD[0], "facts": facts}, GOOD[1], t1="small_talk", t3="agent_talk", t5="agent_talk"))
    assert again(chat, segment_id).replaced is not None
    chat.app.promotion.promote("default", chat.user_id)
    assert chat.rows(query) == before
    counts = chat.rows("SELECT use_count FROM facts WHERE user_id = :user_id")
    assert counts == [(1,)] * len(before)


def test_a_question_to_a_person_is_asked_once(chat: Chat, server: OpenAIServer) -> None:
    def unsure(text: str) -> dict[str, Any]:
        told = {"subject": "user", "predicate": "likes", "object": text, "confidence": 0.7, "turns": [2]}
        return {**GOOD[0], "facts": [told | {"valid_from": None, "valid_to": None}]}

    segment_id = closed(chat)
    server.then(answer(unsure("Porto"), GOOD[1], t1="small_talk", t3="agent_talk", t5="agent_talk"))
    assert chat.app.analysis.analyze(segment_id) is not None
    promoted(chat)
    asked = "SELECT object, state FROM reviews WHERE user_id = :user_id ORDER BY object"
    assert chat.rows(asked) == [("Porto", "pending")]
    chat.rows("UPDATE segments SET again_at = created_at WHERE id = :id RETURNING 1", id=segment_id)
    server.then(answer(unsure("porto"), event("Ana and Clara.", 4), t1="small_talk", t3="agent_talk", t5="agent_talk"))
    assert again(chat, segment_id).replaced is not None
    chat.app.promotion.promote("default", chat.user_id)
    assert chat.rows(asked) == [("Porto", "pending")]


def test_entities_that_others_mention_are_counted_right(chat: Chat, server: OpenAIServer) -> None:
    first = failed(chat, server)
    second = failed(chat, server, "Ana: Clara came to see me in Porto again.", "Ana: Clara stayed for a whole week.")
    promoted(chat)
    counted = entities(chat)
    assert counted["Clara"] >= 2
    server.then(answer(event("Ana was ill.", 2), t1="other", t3="agent_talk", t4="other", t5="agent_talk"))
    assert again(chat, first).replaced is not None
    after = entities(chat)
    assert after["Clara"] == counted["Clara"] - 1
    server.then(answer(event("Ana had a guest.", 1), t2="other"))
    assert again(chat, second).replaced is not None
    assert "Clara" not in entities(chat)


def test_users_never_meet(app: Hmind, clock: MovedClock, server: OpenAIServer) -> None:
    clock.now = NOW
    ana, lin = Chat(app, clock, "meet-ana", "same"), Chat(app, clock, "meet-lin", "same")
    of_ana = failed(ana, server)
    of_lin = failed(lin, server)
    for one in (ana, lin):
        promoted(one)
    kept, named = gists(lin), entities(lin)
    server.then(good())
    assert again(ana, of_ana).replaced is not None
    app.promotion.promote("default", ana.user_id)
    assert (gists(lin), entities(lin)) == (kept, named)
    assert {state for _, state in events(lin)} & {"replaced", "pool"} == set()
    assert standing(lin, of_lin) == "analysed offline-1 failed away 0"


def test_why_tells_what_was_replaced_and_by_whom(chat: Chat, server: OpenAIServer) -> None:
    segment_id = failed(chat, server)
    waiting = why(chat.app.engine, "default", segment_id).ways[0].boundary
    assert waiting is not None
    assert (waiting.analyst, waiting.outcome, waiting.outcome_reason) == ("offline-1", "failed", "away")
    assert waiting.again_at == column(chat, segment_id, "again_at")
    promoted(chat)
    [(fact_id,), *_] = chat.rows("SELECT id FROM facts WHERE user_id = :user_id")
    server.then(good())
    assert again(chat, segment_id).replaced is not None
    [way] = why(chat.app.engine, "default", str(fact_id)).ways
    assert way.event is not None
    assert way.event.state == "replaced"
    assert way.event.decision is not None
    told = way.event.decision["replaced"]
    assert (told["by"], told["instead_of"], told["because"]) == ("llm:qwen-test", "offline-1", "away")
    assert way.event.decision["facts"], "the decision that the fact rests on is still told"
    assert way.boundary is not None
    assert (way.boundary.analyst, way.boundary.outcome, way.boundary.again_attempts) == ("llm:qwen-test", "complete", 1)
    assert any(TALK[1].endswith(turn.content or "-") for turn in way.turns)
