"""What a language model may cost a day, on real stores: budgets, days, users, and what is seen of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from typing import Any

import pytest
from servers.openai_server import OpenAIServer, completion, failure
from sqlalchemy import text
from support.again import closed, good, modelled
from support.chat import NOW, Chat, MovedClock, changed

from hmind.analysis.again import Asked
from hmind.bootstrap import Hmind
from hmind.cli.standing import Tokens, judge
from hmind.intake.backlog import Backlog
from hmind.memory import usage
from hmind.memory.status import Analyses, status
from hmind.memory.usage import Usage
from hmind.settings import Settings

TODAY = date(2026, 11, 30)

Install = Callable[..., Hmind]


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock(NOW)


@pytest.fixture
def install(settings: Settings, server: OpenAIServer, clock: MovedClock) -> Iterator[Install]:
    """Makes an installation with these settings of analysis."""
    with ExitStack() as open_ones:

        def make(zone: str = "UTC", **analysis: Any) -> Hmind:
            here = changed(settings, "schedule", timezone=zone)
            return open_ones.enter_context(modelled(here, server, clock, **analysis))

        yield make


def read(app: Hmind, chat: Chat, *lines: str) -> tuple[str, str, str | None]:
    """Analyses a new segment; who read it, the outcome and its reason."""
    chat.clock.forward(400)
    segment_id = closed(chat, *lines)
    assert app.analysis.analyze(segment_id) is not None
    [row] = chat.rows("SELECT analyst, outcome, outcome_reason FROM segments WHERE id = :id", id=segment_id)
    return row[0], row[1], row[2]


def spent(app: Hmind, user_id: str) -> list[tuple[Any, ...]]:
    query = "SELECT day, calls, tokens_in, tokens_out, estimated FROM llm_usage WHERE user_id = :user_id ORDER BY day"
    with app.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query), {"user_id": user_id})]


BY_MODEL = ("llm:qwen-test", "complete", None)


def test_a_user_whose_tokens_are_spent_is_read_offline_and_others_are_not(
    install: Install, server: OpenAIServer, clock: MovedClock, caplog: pytest.LogCaptureFixture
) -> None:
    app = install(llm_user_tokens_per_day=480)
    ana, lin = Chat(app, clock, "ana"), Chat(app, clock, "lin")
    server.then(*[good()] * 3)
    assert [read(app, ana), read(app, ana)] == [BY_MODEL] * 2
    with caplog.at_level(logging.WARNING, "hmind.analysis.governor"):
        assert [read(app, ana), read(app, ana)] == [("offline-1", "failed", "user_tokens")] * 2
    assert caplog.text.count("480 tokens a day") == 1, "once a day"
    assert read(app, lin) == BY_MODEL
    assert len(server.requests) == 3
    assert spent(app, "ana") == [(TODAY, 2, 400, 80, 0)]
    assert spent(app, "lin") == [(TODAY, 1, 200, 40, 0)]
    assert ana.rows("SELECT count(*) FROM segments WHERE again_at IS NOT NULL") == [(0,)], "it would cost tomorrow"


def test_a_deployment_whose_tokens_are_spent_reads_everybody_offline(
    install: Install, server: OpenAIServer, clock: MovedClock
) -> None:
    app = install(llm_tokens_per_day=300)
    ana, lin = Chat(app, clock, "ana"), Chat(app, clock, "lin")
    server.then(*[good()] * 2)
    assert read(app, ana) == BY_MODEL
    assert read(app, lin) == BY_MODEL, "the call that reaches the budget goes beyond it"
    assert read(app, ana) == ("offline-1", "failed", "deployment_tokens")
    assert read(app, Chat(app, clock, "mei")) == ("offline-1", "failed", "deployment_tokens")
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("zone", "now", "tomorrow", "days"),
    [
        ("UTC", datetime(2026, 11, 30, 22, tzinfo=UTC), datetime(2026, 12, 1, 0, 10, tzinfo=UTC), (30, 1)),
        ("Asia/Shanghai", datetime(2026, 11, 30, 14, tzinfo=UTC), datetime(2026, 11, 30, 16, 10, tzinfo=UTC), (30, 1)),
        ("Pacific/Midway", datetime(2026, 12, 1, 9, tzinfo=UTC), datetime(2026, 12, 1, 11, 10, tzinfo=UTC), (30, 1)),
    ],
)
def test_the_next_day_begins_at_midnight_of_the_schedules_zone(
    install: Install,
    server: OpenAIServer,
    clock: MovedClock,
    zone: str,
    now: datetime,
    tomorrow: datetime,
    days: tuple[int, int],
) -> None:
    app = install(zone, llm_user_tokens_per_day=100)
    ana = Chat(app, clock, "ana")
    clock.now = now
    server.then(*[good()] * 2)
    assert [read(app, ana), read(app, ana)] == [BY_MODEL, ("offline-1", "failed", "user_tokens")]
    clock.now = tomorrow
    assert read(app, ana) == BY_MODEL
    assert tuple(row[0].day for row in spent(app, "ana")) == days


def test_without_budgets_everything_is_asked_and_counted(
    install: Install, server: OpenAIServer, clock: MovedClock
) -> None:
    app = install()
    ana = Chat(app, clock, "ana")
    server.then(*[good()] * 3)
    assert [read(app, ana) for _ in range(3)] == [BY_MODEL] * 3
    assert spent(app, "ana") == [(TODAY, 3, 600, 120, 0)]


def test_an_answer_that_is_none_costs_too(install: Install, server: OpenAIServer, clock: MovedClock) -> None:
    app = install(llm_user_tokens_per_day=200)
    ana = Chat(app, clock, "ana")
    server.then(completion("I would rather not."))
    assert read(app, ana) == ("offline-1", "failed", "not_json")
    assert spent(app, "ana") == [(TODAY, 1, 210, 34, 0)]
    assert read(app, ana) == ("offline-1", "failed", "user_tokens")


@pytest.mark.parametrize("usage_told", [{}, {"prompt_tokens": 0, "completion_tokens": 0}, "none"])
def test_an_endpoint_that_tells_no_tokens_is_estimated_so_that_the_budget_holds(
    install: Install, server: OpenAIServer, clock: MovedClock, usage_told: Any
) -> None:
    app = install(llm_user_tokens_per_day=100)
    ana = Chat(app, clock, "ana")
    server.then(good(usage=usage_told))
    assert read(app, ana) == BY_MODEL
    [(day, calls, tokens_in, tokens_out, estimated)] = spent(app, "ana")
    asked = sum(len(message["content"]) for message in server.requests[0].body["messages"])
    said = len(json.loads(good().body)["choices"][0]["message"]["content"])
    assert (day, calls) == (TODAY, 1)
    assert 0.5 * asked / 4 < tokens_in < 1.5 * asked / 4
    assert 0.5 * said / 4 < tokens_out < 2.5 * said / 4
    assert estimated == tokens_in + tokens_out
    assert read(app, ana) == ("offline-1", "failed", "user_tokens")


def test_what_nobody_read_costs_nothing(install: Install, server: OpenAIServer, clock: MovedClock) -> None:
    app = install(llm_user_tokens_per_day=100)
    ana = Chat(app, clock, "ana")
    server.then(failure(400, "no"), failure(503))
    assert read(app, ana) == ("offline-1", "failed", "rejected")
    assert app.analysis.analyze(closed(ana)) is None
    assert spent(app, "ana") == []


def test_a_segment_to_be_read_again_waits_for_the_next_days_tokens(
    install: Install, server: OpenAIServer, clock: MovedClock
) -> None:
    app = install(llm_user_tokens_per_day=250)
    ana = Chat(app, clock, "ana")
    server.then(completion("I would rather not."), good(), good())
    assert read(app, ana) == ("offline-1", "failed", "not_json")
    assert read(app, ana) == BY_MODEL
    clock.forward(600)
    [segment_id] = app.again.due(10)
    assert app.again.analyze(segment_id) == Asked()
    assert len(server.requests) == 2
    assert app.again.due(10) == []
    clock.now = datetime(2026, 12, 1, tzinfo=UTC)
    assert app.again.due(10) == [segment_id]
    assert app.again.analyze(segment_id).replaced is not None


def test_status_tells_who_read_what_and_what_it_cost(install: Install, server: OpenAIServer, clock: MovedClock) -> None:
    app = install(llm_user_tokens_per_day=240, llm_tokens_per_day=10_000)
    ana, lin = Chat(app, clock, "ana"), Chat(app, clock, "lin")
    server.then(good(), completion("No."))
    read(app, ana)
    read(app, ana)
    read(app, lin)
    seen = status(app.engine, clock.now)
    assert set(seen.analyses) == {
        Analyses("llm:qwen-test", "complete", None, 1),
        Analyses("offline-1", "failed", "user_tokens", 1),
        Analyses("offline-1", "failed", "not_json", 1),
    }
    assert seen.read_again == 1
    with app.engine.connect() as connection:
        cost = usage.of_day(connection, TODAY)
        assert cost == Usage(2, 2, 410, 74, 0, 244)
        assert usage.of_day(connection, TODAY, "another") == Usage()
    tokens = Tokens(TODAY, cost, 10_000, 240)
    _, why = judge(Backlog(0, 0, 0.0, 1), seen, True, tokens)
    assert any("240 tokens" in told for told in why)
    assert any("1 segment waits to be read again" in told for told in why)
