"""Whatever an LLM writes is an analysis or a named fault."""

from __future__ import annotations

import json
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hmind.analysis.llm import LlmAnalyst
from hmind.errors import AnalystMisbehaved
from hmind.model import Known
from tests.servers.openai_server import OpenAIServer, completion
from tests.unit.analysis.llm_talk import (
    TALK,
    answer,
    check_promises,
    event,
    settings,
)

KEYS = ["events", "discarded", "statements", "text", "turns", "turn", "reason", "salience", "description", "facts",
        "subject", "predicate", "object", "confidence", "valid_from", "valid_to", "entities", "name", "type", "aliases",
        "occurred_at", "occurred_on", "occurred_until", "emotion", "why"]  # fmt: skip
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["2024-05-07", "0001-01-01", "9999-12-31T23:59:59-14:00", "high", "user", "[1]", "1e400", "²"])
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner),
    max_leaves=20,
)


def never_breaks(server: OpenAIServer, content: str) -> None:
    server.then(completion(content))
    asking = LlmAnalyst(settings(server), zone=ZoneInfo("Asia/Shanghai"), sleep=lambda _: None)
    try:
        found = asking.analyze(TALK, Known())
    except AnalystMisbehaved:
        return
    check_promises(found, TALK)
    for part in found.events:
        stored = json.dumps([part.description, part.emotion, *(kept.object for kept in part.facts)], ensure_ascii=False)
        assert stored.encode() == stored.encode("utf-8", "ignore")
        assert "\\u0000" not in stored


same_server = hypothesis_settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=150)


@same_server
@given(
    spoiled=st.dictionaries(st.sampled_from(KEYS), json_values, min_size=1, max_size=5), inside=st.sampled_from(KEYS)
)
def test_any_json_is_an_analysis_or_a_named_fault(server: OpenAIServer, spoiled: dict[str, Any], inside: str) -> None:
    first = event()
    parts = {"statements": first["statements"][0], "facts": first["facts"][0], "entities": first["entities"][0]}
    parts.get(inside, first).update(spoiled)
    never_breaks(server, json.dumps(answer(first, event(), spoiled, discarded=[spoiled])))


@same_server
@given(data=st.data())
def test_any_damage_is_an_analysis_or_a_named_fault(server: OpenAIServer, data: st.DataObject) -> None:
    text = json.dumps(answer(event(), event(), discarded=[{"turn": 2, "reason": "other"}]))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", '"', "\\", "{", "]", ",", "\\ud800", "x"]))
            + text[at + data.draw(st.integers(0, 9)) :]
        )
    never_breaks(server, text)
