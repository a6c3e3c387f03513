"""What a good answer of an LLM becomes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hmind.analysis.llm import LlmAnalyst
from hmind.model import EntityType, Known, Role
from tests.servers.openai_server import OpenAIServer, completion
from tests.unit.analysis.llm_talk import (
    NOTHING,
    TALK,
    analyst,
    analyze,
    answer,
    check_promises,
    event,
    fact,
    segment,
    settings,
    turn,
)


def test_english_talk(server: OpenAIServer) -> None:
    allergy = event(
        description="Maya is allergic to shellfish.",
        salience=0.9,
        occurred_at=None,
        statements=[{"text": "Maya is allergic to shellfish.", "occurred_on": None, "turns": [3]}],
        entities=[],
        facts=[fact(predicate="allergic_to", object="shellfish", valid_from=None, turns=[3])],
    )
    found = analyze(server, answer(event(), allergy, discarded=[{"turn": 4, "reason": "small_talk"}]))
    assert found.analyst == "llm:qwen-test"
    assert found.outcome == "complete"
    assert (found.tokens_in, found.tokens_out) == (210, 34)
    assert found.discarded == {"turn-0002": "agent_talk", "turn-0004": "small_talk"}
    moved, allergic = found.events
    assert moved.description == "Maya moved to Lisbon."
    assert moved.occurred_at == datetime(2024, 5, 3, tzinfo=UTC)
    assert moved.turn_ids == ("turn-0001",)
    assert moved.salience == 0.8
    assert dict(moved.salience_parts) == {"llm": 0.8}
    assert moved.language == "en"
    assert moved.emotion == "joy"
    assert moved.statements[0].occurred_at == datetime(2024, 5, 3, tzinfo=UTC)
    assert (moved.entities[0].type, moved.entities[0].aliases) == (EntityType.PLACE, ("Lisboa",))
    assert moved.facts[0].told_by == "Maya"
    assert moved.facts[0].valid_from == datetime(2024, 5, 3, tzinfo=UTC)
    assert allergic.occurred_at == TALK.turns[2].occurred_at
    assert (allergic.facts[0].subject, allergic.facts[0].object) == ("user", "shellfish")


def test_chinese_talk(server: OpenAIServer) -> None:
    talk = segment(
        turn(1, "我上周搬到成都了,公司在高新区", speaker="阿哲"),
        turn(2, "恭喜!", Role.ASSISTANT),
        turn(3, "好累", speaker="阿哲"),
    )
    found = analyze(
        server,
        answer(
            event(
                description="阿哲搬到了成都。",
                emotion="疲惫",
                occurred_at="2024年5月",
                statements=[{"text": "阿哲2024年5月初搬到了成都。", "occurred_on": None, "turns": [1, 3]}],
                entities=[{"name": "成都", "type": "地点", "aliases": [], "turns": [1]}],
                facts=[fact(subject="阿哲", object="成都", valid_from=None)],
            ),
            discarded=[{"turn": 2, "reason": "agent_talk"}],
        ),
        talk,
    )
    (moved,) = found.events
    assert (moved.language, moved.emotion, moved.entities[0].type) == ("zh", "疲惫", EntityType.PLACE)
    assert moved.turn_ids == ("turn-0001", "turn-0003")
    assert moved.occurred_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert (moved.facts[0].subject, moved.facts[0].told_by) == ("user", "阿哲")
    assert found.discarded == {"turn-0002": "agent_talk"}


SMALL = segment("Morning!", "Good morning, Maya.", "Nice day, isn't it?", "It is.")


def test_an_empty_answer_to_small_talk_is_an_analysis_without_events(server: OpenAIServer) -> None:
    found = analyze(server, {"events": [], "discarded": []}, SMALL)
    assert found.events == ()
    assert list(found.discarded.values()) == ["unmentioned", "agent_talk"] * 2
    assert (found.outcome, found.why) == ("complete", "")


def test_an_empty_answer_that_lets_all_turns_go_is_one_too(server: OpenAIServer) -> None:
    found = analyze(server, NOTHING)
    assert set(found.discarded.values()) == {"other"}
    assert (found.outcome, found.why) == ("complete", "")


def test_an_empty_answer_with_a_sloppy_discard_is_one_too(server: OpenAIServer) -> None:
    found = analyze(
        server, answer(discarded=[{"turn": "none"}, {"turn": 3}, {"turn": 1, "reason": "What Maya said about Lisbon"}])
    )
    assert found.discarded["turn-0001"] == "other", "no text of the talk becomes a reason"
    assert found.outcome == "complete"


@pytest.mark.parametrize(
    ("given", "read"),
    [("small_talk", "small_talk"), ("Small talk", "small_talk"), ("request", "request"), ("question", "question"),
     ("repeated", "duplicate"), ("duplicate", "duplicate"), ("闲聊", "small_talk"), ("boring", "other"),
     (None, "other"), (7, "other"), (["request"], "other")],
)  # fmt: skip
def test_reasons_are_those_of_the_offline_analyst(server: OpenAIServer, given: Any, read: str) -> None:
    found = analyze(server, answer(discarded=[{"turn": 1}, {"turn": 3, "reason": given}]))
    assert found.discarded["turn-0003"] == read


def test_where_no_person_speaks_nobody_is_asked(server: OpenAIServer) -> None:
    talk = segment(turn(1, "I have moved to Rome.", Role.ASSISTANT), turn(2, '{"city": "Rome"}', Role.TOOL))
    found = analyst(server).analyze(talk, Known())
    check_promises(found, talk)
    assert (found.events, found.outcome, server.requests) == ((), "complete", [])
    assert set(found.discarded.values()) == {"agent_talk"}


def test_dates_without_a_zone_are_read_in_the_zone_given(server: OpenAIServer) -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    server.then(completion(answer(event(occurred_at="2024-05-08", occurred_until="2024-05-09T07:00"))))
    asking = LlmAnalyst(settings(server), zone=shanghai, sleep=lambda _: None)
    (found,) = asking.analyze(TALK, Known()).events
    assert found.occurred_at == TALK.turns[0].occurred_at, "the day it was said is no better than the minute"
    assert found.occurred_until == datetime(2024, 5, 8, 23, tzinfo=UTC)
    assert "2024-05-08 Wed 17:31" in server.requests[0].text("user")
