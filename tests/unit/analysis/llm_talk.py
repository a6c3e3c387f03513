"""Talk, answers and an analyst for the tests of the LLM analyst; no test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from hmind.analysis.llm import LlmAnalyst
from hmind.errors import AnalystMisbehaved
from hmind.model import (
    Analysis,
    Boundary,
    CandidateFact,
    FoundEntity,
    Known,
    Role,
    Segment,
    SessionRef,
    Statement,
    Turn,
)
from hmind.settings import AnalysisSettings, load
from tests.servers.openai_server import OpenAIServer, completion

START = datetime(2024, 5, 8, 9, 30, tzinfo=UTC)  # a Wednesday
NOTHING = {"events": [], "discarded": [{"turn": number, "reason": "other"} for number in range(1, 5)]}
"""A whole answer to which nothing was worth remembering."""

CANARY = "purple-walrus"


def settings(server: OpenAIServer | str, **changes: Any) -> AnalysisSettings:
    """Those of an endpoint at the server; nothing is asked again in pieces unless a test wants it."""
    url = server if isinstance(server, str) else server.url
    base = {"llm_url": url, "llm_model": "qwen-test", "llm_key": SecretStr("sk-test"), "llm_timeout_s": 5.0}
    base |= {"llm_pieces": 0}
    return load({}).analysis.model_copy(update={**base, **changes})


def analyst(server: OpenAIServer, waits: list[float] | None = None, **changes: Any) -> LlmAnalyst:
    slept: list[float] = [] if waits is None else waits
    return LlmAnalyst(settings(server, **changes), sleep=slept.append)


def turn(number: int, content: str, role: Role = Role.USER, speaker: str | None = None) -> Turn:
    at = START + timedelta(minutes=number)
    name = speaker or ("Maya" if role is Role.USER else role.value)
    return Turn("default", "u1", "s1", f"turn-{number:04}", role, name, content, at, at, number)


def segment(*turns: Turn | str, context: tuple[Turn, ...] = ()) -> Segment:
    """Strings are spoken in turn by the person and the assistant."""
    made = tuple(
        spoken if isinstance(spoken, Turn) else turn(number, spoken, Role.USER if number % 2 else Role.ASSISTANT)
        for number, spoken in enumerate(turns, start=1)
    )
    return Segment("seg-1", SessionRef("default", "u1", "s1"), made, Boundary.SILENCE, 320.0, 300.0, context)


TALK = segment("I moved to Lisbon last Friday!", "How lovely.", "And I am allergic to shellfish.", "Noted. Bye!")


def event(**changes: Any) -> dict[str, Any]:
    base = {
        "description": "Maya moved to Lisbon.",
        "salience": 0.8,
        "occurred_at": "2024-05-03",
        "occurred_until": None,
        "emotion": "joy",
        "statements": [{"text": "Maya moved to Lisbon on 3 May 2024.", "occurred_on": "2024-05-03", "turns": [1]}],
        "entities": [{"name": "Lisbon", "type": "place", "aliases": ["Lisboa"], "turns": [1]}],
        "facts": [fact()],
    }
    return {**base, **changes}


def fact(**changes: Any) -> dict[str, Any]:
    base = {
        "subject": "user",
        "predicate": "lives_in",
        "object": "Lisbon",
        "confidence": 0.95,
        "valid_from": "2024-05-03",
        "valid_to": None,
        "turns": [1],
    }
    return {**base, **changes}


def answer(*events: Any, discarded: Any = ()) -> dict[str, Any]:
    return {"events": list(events), "discarded": list(discarded)}


def analyze(server: OpenAIServer, content: Any, about: Segment = TALK, **how: Any) -> Analysis:
    """The analysis of ``about`` when the model writes ``content``; checks the promise of every analysis."""
    server.then(completion(content, **how))
    analysis = analyst(server).analyze(about, Known())
    check_promises(analysis, about)
    return analysis


def check_promises(analysis: Analysis, about: Segment) -> None:
    ids = [spoken.turn_id for spoken in about.turns]
    people = {spoken.turn_id for spoken in about.turns if spoken.by_person}
    used = [turn_id for found in analysis.events for turn_id in found.turn_ids]
    assert set(used) | set(analysis.discarded) == set(ids)
    assert not set(used) & set(analysis.discarded)
    for found in analysis.events:
        assert found.statements
        assert list(found.turn_ids) == sorted(set(found.turn_ids), key=ids.index)
        assert 0 <= found.salience <= 1
        parts: list[Statement | FoundEntity | CandidateFact] = [*found.statements, *found.entities, *found.facts]
        for part in parts:
            assert part.turn_ids
            assert set(part.turn_ids) <= set(found.turn_ids)
        for candidate in found.facts:
            assert 0 <= candidate.confidence <= 1
            assert set(candidate.turn_ids) <= people


def misbehaviour(server: OpenAIServer, content: Any, about: Segment = TALK, **how: Any) -> str:
    server.then(completion(content, **how))
    with pytest.raises(AnalystMisbehaved) as caught:
        analyst(server).analyze(about, Known())
    assert len(server.requests) == 1, "the same question gets the same answer"
    assert caught.value.__cause__ is None
    return caught.value.kind


def block(asked: str, name: str) -> list[str]:
    lines = asked.split("\n")
    assert lines.count(f"<{name}>") == lines.count(f"</{name}>") == 1
    return lines[lines.index(f"<{name}>") + 1 : lines.index(f"</{name}>")]
