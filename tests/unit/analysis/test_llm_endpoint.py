"""Endpoints that cannot do all, or not now; settings that cannot work."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from pydantic import SecretStr

from hmind.analysis.llm import LlmAnalyst
from hmind.errors import AnalystUnavailable, SettingsError
from hmind.model import Known
from tests.servers.openai_server import OpenAIServer, Response, completion, failure
from tests.unit.analysis.llm_talk import (
    CANARY,
    NOTHING,
    TALK,
    analyst,
    analyze,
    answer,
    event,
    settings,
)


def test_without_structured_output_it_is_asked_once_and_remembered(server: OpenAIServer) -> None:
    server.then(failure(400, "'response_format' of type json_schema is not supported"))
    server.then(failure(400, "'response_format' has an unknown key 'schema'"))
    server.then(completion(answer(event())), completion(NOTHING))
    asking = analyst(server, llm_attempts=1)
    assert len(asking.analyze(TALK, Known()).events) == 1
    asking.analyze(TALK, Known())
    assert _forms(server) == ["json_schema", "json_object", None, None]


def test_a_server_that_takes_the_schema_beside_json_object_goes_on_getting_it(server: OpenAIServer) -> None:
    server.then(
        failure(500, "'loc': ('body', 'response_format', 'type'), 'msg': Input should be 'text' or 'json_object'")
    )
    server.then(completion(answer(event())), completion(NOTHING))
    asking = analyst(server, llm_attempts=1)
    asking.analyze(TALK, Known())
    asking.analyze(TALK, Known())
    assert _forms(server) == ["json_schema", "json_object", "json_object"]
    assert server.requests[2].body["response_format"]["schema"]["required"] == ["events", "discarded"]


def _forms(server: OpenAIServer) -> list[str | None]:
    return [request.body.get("response_format", {}).get("type") for request in server.requests]


@pytest.mark.parametrize(
    "said",
    [
        failure(400, "This response_format type is unavailable now"),
        failure(422, "body.response_format.type: Input should be 'text' or 'json_object'"),
        failure(400, "guided decoding is not supported by this backend"),
        failure(400, "structured outputs are not available for this model"),
        failure(500, "failed to parse grammar"),
    ],
)
def test_the_ways_to_say_that_there_is_no_structured_output(server: OpenAIServer, said: Response) -> None:
    server.then(said, said, completion(answer(event())))
    assert len(analyst(server, llm_attempts=1).analyze(TALK, Known()).events) == 1
    assert _forms(server) == ["json_schema", "json_object", None]


def test_the_bound_of_an_answer_goes_along_under_the_name_that_the_model_knows(server: OpenAIServer) -> None:
    server.then(failure(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."))
    server.then(completion(NOTHING), completion(NOTHING))
    asking = analyst(server, llm_attempts=1, llm_max_tokens=900)
    asking.analyze(TALK, Known())
    asking.analyze(TALK, Known())
    names = ("max_tokens", "max_completion_tokens")
    assert [[request.body.get(name) for name in names] for request in server.requests] == [
        [900, None],
        [None, 900],
        [None, 900],
    ]


def test_without_a_bound_none_goes_along(server: OpenAIServer) -> None:
    analyze(server, NOTHING)
    assert not {"max_tokens", "max_completion_tokens"} & server.requests[0].body.keys()


def test_a_model_that_wants_no_temperature(server: OpenAIServer) -> None:
    server.then(failure(400, "Unsupported value: 'temperature' does not support 0"), completion(NOTHING))
    analyst(server, llm_attempts=1).analyze(TALK, Known())
    assert ["temperature" in request.body for request in server.requests] == [True, False]
    assert "response_format" in server.requests[1].body


@pytest.mark.parametrize(
    "trouble",
    [
        failure(500),
        failure(503),
        failure(429),
        Response(hangs_up=True),
        Response(body=b'{"error": {"message": "upstream busy", "code": 502}}'),
        Response(body=b"<html>Please log in</html>", headers={"Content-Type": "text/html"}),
        Response(body=b'{"choices": []}'),
        Response(body=b'{"choices": [{"mess'),
        Response(body=b"\xff\xfe"),
        Response(body=b"null"),
        Response(body=b'{"choices": [{"message": null}]}'),
    ],
)
def test_passing_trouble_is_tried_again_with_growing_waits(server: OpenAIServer, trouble: Response) -> None:
    waits: list[float] = []
    server.then(trouble, trouble, completion(answer(event())))
    assert len(analyst(server, waits).analyze(TALK, Known()).events) == 1
    assert len(server.requests) == 3
    assert 0.5 <= waits[0] < waits[1] < 2


@pytest.mark.parametrize("trouble", [failure(500, CANARY), failure(429, CANARY), Response(hangs_up=True)])
def test_after_all_attempts_it_is_unavailable(server: OpenAIServer, trouble: Response) -> None:
    waits: list[float] = []
    server.then(*[trouble] * 9)
    with pytest.raises(AnalystUnavailable) as caught:
        analyst(server, waits, llm_attempts=4).analyze(TALK, Known())
    assert len(server.requests) == 4
    assert waits == sorted(waits)
    assert len(waits) == 3
    assert caught.value.retry_after_s is None
    assert CANARY not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_retry_after_is_waited_for(server: OpenAIServer) -> None:
    waits: list[float] = []
    in_20_s = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server.then(failure(429, Retry_After="7"), failure(503, Retry_After=in_20_s), completion(NOTHING))
    analyst(server, waits).analyze(TALK, Known())
    assert waits[0] == 7
    assert 15 < waits[1] <= 20


@pytest.mark.parametrize("asked", ["soon", "nan", "-5", "inf", ""])
def test_a_retry_after_that_says_nothing(server: OpenAIServer, asked: str) -> None:
    waits: list[float] = []
    server.then(failure(429, Retry_After=asked), completion(NOTHING))
    analyst(server, waits).analyze(TALK, Known())
    assert 0 <= waits[0] < 1


def test_a_long_retry_after_is_left_to_the_segment(server: OpenAIServer) -> None:
    waits: list[float] = []
    server.then(failure(429, Retry_After="600"))
    with pytest.raises(AnalystUnavailable, match="HTTP 429") as caught:
        analyst(server, waits).analyze(TALK, Known())
    assert caught.value.retry_after_s == 600
    assert (len(server.requests), waits) == (1, [])


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_what_a_person_must_mend_is_not_tried_again_here(server: OpenAIServer, status: int) -> None:
    server.then(failure(status, CANARY))
    with pytest.raises(AnalystUnavailable, match=f"llm:qwen-test did not answer: HTTP {status}"):
        analyst(server).analyze(TALK, Known())
    assert len(server.requests) == 1


def test_a_silent_endpoint_times_out(server: OpenAIServer) -> None:
    server.then(*[Response(silent=True)] * 2)
    before = time.monotonic()
    with pytest.raises(AnalystUnavailable, match="no answer in time"):
        analyst(server, llm_timeout_s=0.2, llm_attempts=2).analyze(TALK, Known())
    assert time.monotonic() - before < 4


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (failure(429), "http_429"),
        (failure(500), "http_500"),
        (failure(401), "http_401"),
        (Response(hangs_up=True), "unreachable"),
        (Response(silent=True), "timeout"),
        (Response(body=b'{"error": {"message": "busy"}}'), "no_completion"),
    ],
)
def test_why_it_is_unavailable_is_a_fixed_word(server: OpenAIServer, trouble: Response, kind: str) -> None:
    server.then(trouble)
    with pytest.raises(AnalystUnavailable) as caught:
        analyst(server, llm_timeout_s=0.2, llm_attempts=1).analyze(TALK, Known())
    assert (caught.value.kind, caught.value.tokens_in, caught.value.tokens_out) == (kind, 0, 0)


def test_nobody_listens() -> None:
    with OpenAIServer() as gone:
        asking = analyst(gone, llm_attempts=2)
    with pytest.raises(AnalystUnavailable, match="no connection"):
        asking.analyze(TALK, Known())


@pytest.mark.parametrize(
    "usage", [False, {"x": 1}, "many", {"prompt_tokens": "x"}, {"prompt_tokens": -4}, {"prompt_tokens": None}, [3]]
)
def test_usage_that_says_nothing_counts_nothing(server: OpenAIServer, usage: Any) -> None:
    found = analyze(server, NOTHING, usage=usage)
    assert (found.tokens_in, found.tokens_out) == (0, 0)


# Settings


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(SettingsError, match=r"pip install 'hmind\[llm\]'"):
        LlmAnalyst(settings("http://127.0.0.1:9/v1"))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"llm_url": ""}, "llm_url"),
        ({"llm_url": "localhost:11434/v1"}, "llm_url"),
        ({"llm_model": ""}, "llm_model"),
        ({"llm_key": SecretStr("ключ")}, "llm_key"),
    ],
)
def test_settings_that_cannot_work(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsError, match=named) as caught:
        LlmAnalyst(settings("http://127.0.0.1:9/v1", **changes))
    assert "ключ" not in str(caught.value)


def test_no_key_and_a_full_address(server: OpenAIServer) -> None:
    server.then(completion(NOTHING))
    analyst(server, llm_key=SecretStr(""), llm_url=f"{server.url}/chat/completions").analyze(TALK, Known())
    assert server.requests[0].path == "/v1/chat/completions"
