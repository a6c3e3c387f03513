"""The analysis step on real stores: what becomes of a segment's turns, whatever the analyst does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from servers.openai_server import OpenAIServer, Request, Response, completion, failure
from support.chat import NOW, Chat, MovedClock, changed
from support.snapshot import snapshot

from hmind.analysis.offline import OfflineAnalyst
from hmind.analysis.step import AnalysisStep
from hmind.bootstrap import Hmind
from hmind.memory import segments
from hmind.model import Analysis, Known, Segment
from hmind.settings import Settings

NEXT_RUN = datetime(2026, 12, 1, 2, 30, tzinfo=UTC)

TALK = (
    "Ana: Hi there!",
    "Ana: I moved to Porto last week and I am allergic to walnuts.",
    "Agent: Good to know. I can also recommend the port wine cellars.",
    "Ana: My sister Clara helped me to carry the piano.",
    "Agent: That was kind of her.",
)


@pytest.fixture(scope="module")
def app(module_settings: Settings, clock: MovedClock) -> Iterator[Hmind]:
    # What is judged here is not where topics shift: each talk is one segment.
    made = Hmind(changed(module_settings, "boundary", coherence=False), clock=clock)
    yield made
    made.close()


@pytest.fixture
def with_model(module_settings: Settings, server: OpenAIServer, clock: MovedClock) -> Iterator[AnalysisStep]:
    """The step of an installation that has a language model."""
    told = {"llm_url": server.url, "llm_model": "qwen-test", "llm_attempts": 1, "llm_timeout_s": 5.0, "llm_pieces": 0}
    made = Hmind(changed(module_settings, "analysis", **told), clock=clock)
    yield made.analysis
    made.close()


def closed(chat: Chat, *lines: str, at: datetime | None = None, hold: bool = False) -> str:
    """Says these lines and closes them; the segment's id."""
    chat.say(*(lines or TALK), at=at, hold=hold)
    chat.flush()
    [segment_id] = chat.detect()
    return segment_id


def column(chat: Chat, segment_id: str, name: str) -> Any:
    [row] = chat.rows(f"SELECT {name} FROM segments WHERE id = :id", id=segment_id)
    return row[0]


def events(chat: Chat) -> list[tuple[list[str], float]]:
    query = "SELECT turn_ids, salience FROM events WHERE user_id = :user_id ORDER BY told_at, ordinal"
    return [(row[0], row[1]) for row in chat.rows(query)]


def found(*turns: int, salience: float = 0.6, text: str = "Something happened.", **changes: Any) -> dict[str, Any]:
    """An event as a model writes it, about turns by their number in the question."""
    base = {"description": text, "why": "", "salience": salience, "occurred_at": None, "occurred_until": None}
    told = {"statements": [{"text": text, "occurred_on": None, "turns": list(turns)}], "emotion": ""}
    return {**base, **told, "entities": [], "facts": [], **changes}


def answer(*events: dict[str, Any], discarded: dict[int, str] | None = None) -> Response:
    gone = [{"turn": turn, "reason": reason} for turn, reason in (discarded or {}).items()]
    return completion({"events": list(events), "discarded": gone})


# What becomes of the turns


def test_offline_every_turn_is_in_an_event_or_let_go_with_a_reason(chat: Chat) -> None:
    segment_id = closed(chat)
    done = chat.app.analysis.analyze(segment_id)
    assert done is not None
    kept = {turn_id for turn_ids, _ in events(chat) for turn_id in turn_ids}
    assert done.events == len(events(chat)) > 0
    assert {"t2", "t4"} <= kept
    fates = chat.fates()
    assert {turn_id for turn_id, fate in fates.items() if fate == "segmented"} == kept
    assert all(fate.startswith("discarded ") for turn_id, fate in fates.items() if turn_id not in kept)
    assert fates["t1"] == "discarded small_talk"
    row = "concat_ws(' ', state, analyst, outcome, tokens_in, tokens_out, attempts)"
    assert column(chat, segment_id, row) == "analysed offline-1 complete 0 0 1"
    assert column(chat, segment_id, "due_at IS NULL AND last_error IS NULL") is True


def test_a_model_is_taken_at_its_word_and_what_it_cost_is_kept(
    chat: Chat, with_model: AnalysisStep, server: OpenAIServer
) -> None:
    segment_id = closed(chat)
    moved, helped = "Ana moved to Porto.", "Clara helped Ana to carry the piano."
    gone = {1: "small_talk", 3: "agent_talk", 5: "agent_talk"}
    server.then(answer(found(2, salience=0.8, text=moved), found(4, text=helped), discarded=gone))
    done = with_model.analyze(segment_id)
    assert done is not None
    assert (done.events, done.due) == (2, False)
    assert events(chat) == [(["t2"], 0.8), (["t4"], 0.6)]
    assert chat.fates() == {
        "t1": "discarded small_talk",
        "t2": "segmented",
        "t3": "discarded agent_talk",
        "t4": "segmented",
        "t5": "discarded agent_talk",
    }
    row = "concat_ws(' ', state, analyst, outcome, tokens_in, tokens_out)"
    assert column(chat, segment_id, row) == "analysed llm:qwen-test complete 210 34"
    pool = (
        "SELECT state, told_at, created_at, expires_at, attempts FROM events WHERE user_id = :user_id AND ordinal = 0"
    )
    assert chat.rows(pool) == [("pool", NOW, chat.clock.now, chat.clock.now + timedelta(days=7), 0)]


def test_what_rests_on_no_persons_words_is_no_event(chat: Chat, with_model: AnalysisStep, server: OpenAIServer) -> None:
    segment_id = closed(chat)
    server.then(answer(found(3, 5, salience=0.99), found(2, 3), discarded={1: "small_talk", 4: "other"}))
    done = with_model.analyze(segment_id)
    assert done is not None
    assert (done.events, done.due) == (1, False)
    assert events(chat) == [(["t2", "t3"], 0.6)]
    assert chat.fates()["t3"] == "segmented"
    assert chat.fates()["t5"] == "discarded agent_talk"


# An analyst that does not answer, or not as it should


def test_an_endpoint_that_is_down_is_asked_later_and_later_and_then_no_more(
    chat: Chat, with_model: AnalysisStep, server: OpenAIServer, clock: MovedClock
) -> None:
    segment_id = closed(chat)
    server.then(*[failure(503, f"cannot read: {TALK[1]}")] * 5)
    delays = []
    for attempt in range(1, 6):
        assert with_model.analyze(segment_id) is None
        due = column(chat, segment_id, "due_at")
        delays.append((due - clock.now).total_seconds())
        assert column(chat, segment_id, "concat_ws(' ', state, attempts)") == f"closed {attempt}"
        told = column(chat, segment_id, "last_error")
        assert "503" in told
        assert "walnuts" not in told
        clock.now = due - timedelta(seconds=1)
        assert with_model.analyze(segment_id) is None, "too early"
        clock.now = due
    assert delays == [20, 40, 80, 160, 320]
    assert len(server.requests) == 5
    assert set(chat.fates().values()) == {"segmented"}

    done = with_model.analyze(segment_id)
    assert done is not None
    assert done.events > 0
    assert len(server.requests) == 5
    assert column(chat, segment_id, "concat_ws(' ', state, analyst, attempts)") == "analysed offline-1 6"
    assert column(chat, segment_id, "last_error") is None


@pytest.mark.parametrize(("asked_s", "waits_s"), [("50", 50), ("1", 20), ("86400", 3600)])
def test_an_endpoint_may_say_when_to_come_back(
    chat: Chat, with_model: AnalysisStep, server: OpenAIServer, asked_s: str, waits_s: float
) -> None:
    segment_id = closed(chat)
    server.then(failure(429, Retry_After=asked_s))
    assert with_model.analyze(segment_id) is None
    assert column(chat, segment_id, "due_at") == chat.clock.now + timedelta(seconds=waits_s)


@pytest.mark.parametrize(
    "said", [completion("I would rather not."), completion(None, refusal="No."), completion({"events": [{"x": 1}]})]
)
def test_an_answer_that_is_none_goes_to_the_offline_analyst_at_once(
    chat: Chat, with_model: AnalysisStep, server: OpenAIServer, said: Response
) -> None:
    segment_id = closed(chat)
    server.then(said)
    done = with_model.analyze(segment_id)
    assert done is not None
    assert done.events > 0
    assert len(server.requests) == 1
    assert column(chat, segment_id, "concat_ws(' ', state, analyst, attempts)") == "analysed offline-1 1"


class Unstorable:
    """An analyst whose sentences PostgreSQL does not take: it forgot to clean them."""

    name = "unstorable-1"

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        analysis = OfflineAnalyst().analyze(segment, known)
        spoilt = tuple(replace(event, description=event.description + "\0") for event in analysis.events)
        return replace(analysis, events=spoilt, analyst=self.name)


class Broken:
    """An analyst with a bug."""

    name = "broken-1"

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        raise ZeroDivisionError


def test_what_the_store_refuses_goes_to_the_offline_analyst(chat: Chat, module_settings: Settings) -> None:
    segment_id = closed(chat)
    step = AnalysisStep(chat.app.engine, Unstorable(), OfflineAnalyst(), module_settings, chat.clock)
    done = step.analyze(segment_id)
    assert done is not None
    assert done.events > 0
    assert column(chat, segment_id, "analyst") == "offline-1"


def test_a_segment_that_cannot_be_kept_ends_and_the_next_is_told(chat: Chat, module_settings: Settings) -> None:
    first, second = closed(chat), closed(chat)
    step = AnalysisStep(chat.app.engine, Unstorable(), Unstorable(), module_settings, chat.clock)
    done = step.analyze(first)
    assert done is not None
    assert (done.events, done.next_segment) == (0, second)
    assert column(chat, first, "concat_ws(' ', state, last_error)") == "failed DataError"
    assert list(chat.fates().values()) == ["discarded analysis_failed"] * 5 + ["segmented"] * 5
    assert step.analyze(first) is None


def test_an_analyst_with_a_bug_does_not_hold_up_a_user_for_ever(chat: Chat, module_settings: Settings) -> None:
    first, second = closed(chat), closed(chat)
    step = AnalysisStep(chat.app.engine, Broken(), Broken(), module_settings, chat.clock)
    for _ in range(2 * module_settings.analysis.segment_attempts):
        with pytest.raises(ZeroDivisionError):
            step.analyze(first)
        assert chat.app.analysis.analyze(second) is None
        chat.clock.forward(module_settings.upkeep.lease_s)
    done = step.analyze(first)
    assert done is not None
    assert done.next_segment == second
    assert column(chat, first, "concat_ws(' ', state, last_error)") == "failed attempts"
    assert chat.app.analysis.analyze(second) is not None


# In which order


def test_a_users_segments_are_taken_oldest_first_and_the_next_is_told(chat: Chat) -> None:
    first, second, third = (closed(chat, at=NOW - timedelta(hours=hours)) for hours in (5, 4, 3))
    assert chat.app.analysis.analyze(third) is None
    assert chat.app.analysis.analyze(second) is None
    assert column(chat, third, "attempts") == 0, "looked at too early is no attempt"
    for segment_id, following in ((first, second), (second, third), (third, None)):
        done = chat.app.analysis.analyze(segment_id)
        assert done is not None
        assert done.next_segment == following


def test_an_import_and_what_is_said_today_do_not_wait_for_each_other(chat: Chat, clock: MovedClock) -> None:
    imported = Chat(chat.app, clock, chat.user_id, "imported")
    old = [closed(imported, at=NOW - timedelta(days=days), hold=True) for days in (90, 80)]
    new = [closed(chat, at=NOW - timedelta(hours=hours)) for hours in (5, 4)]
    assert chat.app.analysis.analyze(old[1]) is None
    live = chat.app.analysis.analyze(new[0])
    assert live is not None
    assert live.next_segment == new[1], "not the import's, which nobody may take out of its order"
    first = chat.app.analysis.analyze(old[0])
    assert first is not None
    assert first.next_segment == old[1]
    assert chat.app.analysis.analyze(new[1]) is not None
    assert chat.app.analysis.analyze(old[1]) is not None


def test_an_imports_segments_wait_for_its_earlier_sessions(chat: Chat, clock: MovedClock) -> None:
    earlier = Chat(chat.app, clock, chat.user_id, "earlier")
    earlier.say(*TALK, at=NOW - timedelta(days=90), hold=True)
    segment_id = closed(chat, at=NOW - timedelta(days=80), hold=True)
    assert chat.app.analysis.analyze(segment_id) is None
    earlier.flush()
    [first] = earlier.detect()
    assert chat.app.analysis.analyze(segment_id) is None
    done = chat.app.analysis.analyze(first)
    assert done is not None
    assert done.next_segment == segment_id
    assert chat.app.analysis.analyze(segment_id) is not None


# Once


def test_a_worker_that_died_loses_nothing(chat: Chat, clock: MovedClock, module_settings: Settings) -> None:
    segment_id = closed(chat)
    lease = timedelta(seconds=module_settings.upkeep.lease_s)
    with chat.app.engine.begin() as connection:
        assert segments.take(connection, segment_id, clock.now, lease.total_seconds()) is not None
    assert chat.app.analysis.analyze(segment_id) is None
    clock.now += lease - timedelta(seconds=1)
    assert chat.app.analysis.analyze(segment_id) is None
    clock.forward(1)
    assert chat.app.analysis.analyze(segment_id) is not None
    assert column(chat, segment_id, "attempts") == 2


def test_a_model_is_given_the_time_that_all_its_calls_may_take(
    chat: Chat, with_model: AnalysisStep, server: OpenAIServer, clock: MovedClock
) -> None:
    segment_id = closed(chat)
    leases = []

    def look(request: Request) -> Response:
        leases.append((column(chat, segment_id, "due_at") - clock.now).total_seconds())
        return answer(found(2))

    server.then(look)
    assert with_model.analyze(segment_id) is not None
    assert leases == [60 + 3 * 1 * 5.0]


def test_workers_at_once_write_once(chat: Chat) -> None:
    segment_id = closed(chat)
    start = threading.Barrier(4)

    def analyze() -> object:
        start.wait()
        return chat.app.analysis.analyze(segment_id)

    with ThreadPoolExecutor(4) as pool:
        runs = [run.result() for run in [pool.submit(analyze) for _ in range(4)]]
    assert sum(run is not None for run in runs) == 1
    assert column(chat, segment_id, "attempts") == 1


def test_who_is_late_with_an_answer_adds_nothing_to_the_one_that_came_first(
    chat: Chat, with_model: AnalysisStep, server: OpenAIServer, clock: MovedClock
) -> None:
    segment_id = closed(chat)
    after = []

    def answer_after_another_worker(request: Request) -> Response:
        clock.forward(3600)
        server.then(answer(found(2), discarded=dict.fromkeys((1, 3, 4, 5), "other")))
        assert with_model.analyze(segment_id) is not None
        after.append(snapshot(chat.app.engine))
        return answer(found(1), found(2), found(4), discarded={3: "other", 5: "other"})

    server.then(answer_after_another_worker)
    assert with_model.analyze(segment_id) is None
    assert events(chat) == [(["t2"], 0.6)]
    assert [snapshot(chat.app.engine)] == after


def test_again_changes_nothing(chat: Chat) -> None:
    segment_id = closed(chat)
    assert chat.app.analysis.analyze(segment_id) is not None
    before = snapshot(chat.app.engine)
    chat.clock.forward(86400)
    assert chat.app.analysis.analyze(segment_id) is None
    assert chat.detect() == []
    assert snapshot(chat.app.engine) == before


def test_an_unknown_segment_is_no_error(app: Hmind) -> None:
    assert app.analysis.analyze("00000000-0000-0000-0000-000000000000") is None


# When its events are due


def test_what_is_very_salient_is_due_at_once(chat: Chat, with_model: AnalysisStep, server: OpenAIServer) -> None:
    segment_id = closed(chat)
    server.then(answer(found(2, salience=0.9), found(4, salience=0.89), discarded=dict.fromkeys((1, 3, 5), "other")))
    done = with_model.analyze(segment_id)
    assert done is not None
    assert done.due
    due = chat.rows("SELECT due_at FROM events WHERE user_id = :user_id ORDER BY ordinal")
    assert due == [(chat.clock.now,), (NEXT_RUN,)]


@pytest.mark.parametrize(
    ("zone", "said", "due"),
    [
        ("UTC", datetime(2026, 11, 30, 2, 29, 58, tzinfo=UTC), datetime(2026, 11, 30, 2, 30, tzinfo=UTC)),
        ("UTC", datetime(2026, 11, 30, 2, 30, tzinfo=UTC), datetime(2026, 12, 1, 2, 30, tzinfo=UTC)),
        ("Asia/Shanghai", datetime(2026, 11, 29, 18, 0, tzinfo=UTC), datetime(2026, 11, 29, 18, 30, tzinfo=UTC)),
        ("Asia/Shanghai", datetime(2026, 11, 30, 1, 0, tzinfo=UTC), datetime(2026, 11, 30, 18, 30, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 10, 31, 12, 0, tzinfo=UTC), datetime(2026, 11, 1, 7, 30, tzinfo=UTC)),
    ],
)
def test_the_rest_waits_for_the_next_run_by_the_chats_clock(
    chat: Chat, module_settings: Settings, zone: str, said: datetime, due: datetime
) -> None:
    segment_id = closed(chat, TALK[3], at=said)
    settings = changed(module_settings, "schedule", timezone=zone)
    step = AnalysisStep(chat.app.engine, OfflineAnalyst(), OfflineAnalyst(), settings, chat.clock)
    done = step.analyze(segment_id)
    assert done is not None
    assert chat.rows("SELECT due_at FROM events WHERE user_id = :user_id") == [(due,)]
    assert done.due == (due <= chat.clock.now)
