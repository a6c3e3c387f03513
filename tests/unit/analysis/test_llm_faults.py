"""Answers of an LLM that are cut off, or none."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from hmind.errors import AnalystMisbehaved
from hmind.model import Known
from tests.servers.openai_server import OpenAIServer, Response, completion, failure, in_parts, thinking
from tests.unit.analysis.llm_talk import (
    CANARY,
    NOTHING,
    TALK,
    analyst,
    analyze,
    answer,
    check_promises,
    event,
    fact,
    misbehaviour,
)


def test_wherever_an_answer_is_cut_what_is_whole_is_kept_as_it_was(server: OpenAIServer) -> None:
    whole = answer(
        event(),
        event(
            description="Second.",
            statements=[
                {"text": "A shellfish allergy.", "turns": [3]},
                {"text": "A doctor knows about it.", "turns": [3, 4]},
            ],
            facts=[fact(object="shellfish", predicate="allergic_to", valid_to="2030", turns=[3])],
        ),
        discarded=[{"turn": 2, "reason": "small_talk"}],
    )
    text = json.dumps(whole)
    asking = analyst(server)
    complete = analyze(server, text)
    sentences = {part.text: part for found in complete.events for part in found.statements}
    facts = {kept.object: kept for found in complete.events for kept in found.facts}
    most: list[int] = []
    faults = set()
    for end in range(1, len(text), 11):
        server.then(completion(text[:end], finish_reason="length"))
        try:
            found = asking.analyze(TALK, Known())
        except AnalystMisbehaved as error:
            faults.add((error.kind, len(most)))
            continue
        check_promises(found, TALK)
        of_model = [part for part in found.events if "llm" in part.salience_parts]
        assert (found.outcome, found.why) in {("partial", "cut"), ("complete", "")}
        for part in of_model:
            for statement in part.statements:
                assert statement.text in sentences
                assert statement.occurred_at == sentences[statement.text].occurred_at
                assert set(statement.turn_ids) <= set(sentences[statement.text].turn_ids)
            for kept in part.facts:
                assert kept == facts[kept.object], "half a fact would be another fact"
        most.append(sum(len(part.statements) for part in of_model))
    assert faults == {("budget", 0)}, "what was whole once stays whole"
    assert most == sorted(most)
    assert most[0] == 1
    assert most[-1] == 3


# Answers that are none


@pytest.mark.parametrize(
    ("content", "how", "kind"),
    [
        (f"I cannot help with {CANARY}.", {}, "not_json"),
        (None, {"refusal": f"No {CANARY}."}, "refusal"),
        (json.dumps(NOTHING), {"finish_reason": "content_filter"}, "refusal"),
        ("", {}, "empty"),
        (None, {"finish_reason": "length"}, "budget"),
        (f"<think>{CANARY} and on", {"finish_reason": "length"}, "budget"),
        ('{"events": [{"description": "' + CANARY, {"finish_reason": "length"}, "budget"),
        (f'{{"{CANARY}": 1}}', {}, "not_json"),
        ("[" * 100_000, {}, "not_json"),
        (f'{{"events": [{{"description": "{CANARY}"}}, 7]}}', {}, "no_event"),
        (f'{{"events": "{CANARY}"}}', {}, "not_json"),
    ],
)
def test_the_kind_of_fault_is_named_and_the_text_is_not(
    server: OpenAIServer, content: Any, how: dict[str, Any], kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        assert misbehaviour(server, content, **how) == kind
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (thinking(f"Let me see, {CANARY}", finish_reason="length"), "budget"),
        (thinking(f"Let me see, {CANARY}", "", finish_reason="length", field="reasoning"), "budget"),
        (thinking(f"Let me see, {CANARY}"), "budget"),
        (completion(f"<think>{CANARY}"), "budget"),
        (completion([{"type": "refusal", "refusal": CANARY}]), "refusal"),
        (in_parts("", ""), "empty"),
        (in_parts(CANARY), "not_json"),
    ],
)
def test_thoughts_and_parts_without_an_answer(server: OpenAIServer, response: Response, kind: str) -> None:
    server.then(response)
    with pytest.raises(AnalystMisbehaved) as caught:
        analyst(server).analyze(TALK, Known())
    assert caught.value.kind == kind
    assert CANARY not in repr(caught.value)


WHOLE = json.dumps(answer(event(), discarded=[{"turn": 3, "reason": "other"}]))


@pytest.mark.parametrize(
    "response",
    [
        thinking('Perhaps {"events": [1]}?', WHOLE),
        thinking("hm", WHOLE, field="reasoning"),
        thinking(WHOLE),
        in_parts(WHOLE[:80], WHOLE[80:]),
        completion(WHOLE, finish_reason="length"),
        completion(WHOLE, usage=False),
        completion(WHOLE, reasoning_content=["?"], tool_calls=None, annotations=[]),
    ],
)
def test_a_whole_answer_wherever_an_endpoint_puts_it(server: OpenAIServer, response: Response) -> None:
    server.then(response)
    found = analyst(server).analyze(TALK, Known())
    assert [kept.description for kept in found.events] == ["Maya moved to Lisbon."]
    assert (found.outcome, found.why) == ("complete", "")


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (failure(400, f"This model's maximum context length is 2048 tokens, {CANARY}"), "too_long"),
        (failure(400, "the request exceeds the available context size"), "too_long"),
        (failure(400, CANARY, code="content_filter"), "refusal"),
        (failure(400, CANARY), "rejected"),
        (failure(400, CANARY, code="context_length_exceeded"), "too_long"),
        (failure(413, CANARY), "too_long"),
    ],
)
def test_a_request_that_is_rejected(server: OpenAIServer, response: Response, kind: str) -> None:
    server.then(response)
    with pytest.raises(AnalystMisbehaved) as caught:
        analyst(server).analyze(TALK, Known())
    assert caught.value.kind == kind
    assert CANARY not in repr(caught.value)
    assert len(server.requests) == 1
