"""Answers of an LLM that are not quite as asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hmind.model import Boundary, Role, Segment, SessionRef
from tests.servers.openai_server import OpenAIServer
from tests.unit.analysis.llm_talk import (
    analyze,
    answer,
    block,
    event,
    fact,
    segment,
    turn,
)

EVERYDAY = segment("The tram to Lisbon was full.", "It often is.", "I had a seat.", "Good.")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (0.7, 0.7), ("0.7", 0.7), (7, 0.7), (10, 1.0), (70, 0.7), ("70%", 0.7), ("7/10", 0.7),
        ("High", 0.8), ("高", 0.8),
        (1, 1.0), (1.4, 1.0), (-3, 0.0), (0, 0.0),
    ],
)  # fmt: skip
def test_salience_on_another_scale(server: OpenAIServer, given: Any, read: float) -> None:
    (found,) = analyze(server, answer(event(salience=given), discarded=[{"turn": 3}]), EVERYDAY).events
    assert found.salience == pytest.approx(read)
    assert dict(found.salience_parts) == {"llm": found.salience}


@pytest.mark.parametrize(
    "salience", ["huge", True, None, [0.5], {"value": 1}, 1e9, float("nan"), float("inf"), 10**400]
)
def test_salience_that_is_no_number_costs_its_event_only(server: OpenAIServer, salience: Any) -> None:
    good = event(salience=0.7, statements=[{"text": "Good.", "turns": [3]}], entities=[], facts=[])
    found = analyze(server, answer(event(salience=salience), good))
    offline, kept = found.events
    assert kept.statements[0].text == "Good."
    assert offline.turn_ids == ("turn-0001",), "the turn that was lost is read by the offline analyst"
    assert "llm" not in offline.salience_parts
    assert (found.outcome, found.why) == ("partial", "lost")


BAD_ITEMS: list[Any] = [None, 5, "text", [], {}, {"text": 7, "turns": [1]}, {"name": ["x"], "subject": {}}, True]


@pytest.mark.parametrize("bad", BAD_ITEMS)
@pytest.mark.parametrize("where", ["events", "statements", "entities", "facts", "discarded", "aliases", "turns"])
def test_a_bad_item_never_stops_the_good_ones_beside_it(server: OpenAIServer, where: str, bad: Any) -> None:
    given = answer(event(), discarded=[{"turn": turn, "reason": "small_talk"} for turn in (2, 3)])
    first = given["events"][0]
    holder = {
        "events": given,
        "discarded": given,
        "aliases": first["entities"][0],
        "turns": first["facts"][0],
    }.get(where, first)
    holder[where] = [bad, *holder[where], bad]
    found = analyze(server, given)
    (kept,) = found.events
    assert [part.text for part in kept.statements] == ["Maya moved to Lisbon on 3 May 2024."]
    assert [part.name for part in kept.entities] == ["Lisbon"]
    assert "Lisboa" in kept.entities[0].aliases
    assert [part.object for part in kept.facts] == ["Lisbon"]
    assert found.discarded["turn-0002"] == "small_talk"


def test_unknown_fields_and_lists_that_are_none(server: OpenAIServer) -> None:
    given = {**answer({**event(entities=None, facts=None), "mood": 3}), "thoughts": "many"}
    (found,) = analyze(server, given).events
    assert (found.entities, found.facts) == ((), ())


def test_turn_numbers_in_other_forms_and_invented_ones(server: OpenAIServer) -> None:
    statement = {"text": "Both.", "turns": ["[3]", "turn 1", 3.0, 99, -1, 0, 10**30, "turn-0002"]}
    (found,) = analyze(server, answer(event(statements=[statement], facts=[fact(turns=[77])]))).events
    assert found.statements[0].turn_ids == ("turn-0001", "turn-0003")
    assert found.facts == (), "a fact that rests on no turn is dropped"


def test_an_event_that_rests_on_no_turn_is_dropped(server: OpenAIServer) -> None:
    found = analyze(server, answer(event(statements=[{"text": "Made up.", "turns": [42]}]), event()))
    moved, offline = found.events
    assert moved.description == "Maya moved to Lisbon."
    assert offline.turn_ids == ("turn-0003",)
    assert (found.outcome, found.why) == ("partial", "lost")


def test_a_turn_in_an_event_is_not_discarded_too(server: OpenAIServer) -> None:
    found = analyze(server, answer(event(), discarded=[{"turn": 1, "reason": "small_talk"}]))
    assert "turn-0001" not in found.discarded


def test_facts_come_from_people_only(server: OpenAIServer) -> None:
    talk = segment(
        turn(1, "Are you allergic to nuts?", Role.ASSISTANT),
        turn(2, "Yes, badly."),
        turn(3, "Lookup: lives in Oslo", Role.TOOL),
        turn(4, "You like tea.", Role.SYSTEM),
    )
    statement = {"text": "Maya is badly allergic to nuts.", "turns": [1]}
    facts = [
        fact(predicate="allergic_to", object="nuts", turns=[1, 2]),
        fact(object="Oslo", turns=[3]),
        fact(predicate="likes", object="tea", turns=[4, 1]),
    ]
    (found,) = analyze(server, answer(event(statements=[statement], facts=facts)), talk).events
    assert [(kept.object, kept.turn_ids, kept.told_by) for kept in found.facts] == [("nuts", ("turn-0002",), "Maya")]


def test_two_people_in_one_memory(server: OpenAIServer) -> None:
    talk = Segment(
        "seg-2",
        SessionRef("default", "maya", "s1"),
        (turn(1, "I got the job!"), turn(2, "I adopted a dog.", speaker="Tom")),
        Boundary.FLUSH,
    )
    facts = [
        fact(predicate="works_at", object="the museum", subject="Maya", turns=[1]),
        fact(predicate="pet", object="a dog", subject="user", turns=[2]),
        fact(predicate="likes", object="dogs", subject="I", turns=[2]),
        fact(predicate="age", object=40, subject="Nora", turns=[2]),
    ]
    (found,) = analyze(server, answer(event(facts=facts)), talk).events
    assert [(kept.subject, kept.told_by, kept.object) for kept in found.facts] == [
        ("user", "Maya", "the museum"),
        ("user", "Tom", "a dog"),
        ("Tom", "Tom", "dogs"),
        ("Nora", "Tom", "40"),
    ]
    assert json.loads(block(server.requests[0].text("user"), "about")[0])["owner"] == "speaks as Maya"


def test_two_people_of_whom_none_is_the_owner(server: OpenAIServer) -> None:
    talk = segment(turn(1, "I got the job!", speaker="Ines"), turn(2, "I adopted a dog.", speaker="Tom"))
    facts = [
        fact(subject="user", turns=[1]),
        fact(subject="我", turns=[2]),
        fact(subject="Ines", object="it", turns=[2]),
    ]
    (found,) = analyze(server, answer(event(facts=facts)), talk).events
    assert [(kept.subject, kept.told_by) for kept in found.facts] == [("Ines", "Ines"), ("Tom", "Tom"), ("Ines", "Tom")]
    assert "call none of them user" in server.requests[0].text("user")


def test_what_no_store_can_hold_is_cleaned(server: OpenAIServer) -> None:
    content = json.dumps(answer(event(description="A\x00B \ud83d\ude00 \ud800C", emotion="x" * 500)))
    content = content.replace("Lisbon on", r"Lisbon \u12 \d on").replace("Maya moved to Lisbon.", r"\'")
    (found,) = analyze(server, content).events
    assert found.description == "AB 😀 C"
    assert found.emotion == ""
    assert found.statements[0].text == r"Maya moved to Lisbon  \d on 3 May 2024."


@pytest.mark.parametrize(
    "wrap",
    [
        "```json\n{}\n```",
        "Sure! Here is the JSON you asked for:\n\n{}\n\nLet me know if [anything] {{else}} helps.",
        '<think>\nThe user wants {{"events": []}}… or [1]?\n</think>\n\n{}',
        "I thought about it.</think>{}",
        '{{"result": {}}}',
        "\ufeff  {}",
    ],
)
def test_what_stands_around_the_json_is_taken_off(server: OpenAIServer, wrap: str) -> None:
    found = analyze(server, wrap.format(json.dumps(answer(event()))))
    assert [part.description for part in found.events] == ["Maya moved to Lisbon."]
    assert found.outcome == "complete"


def test_almost_json_is_mended(server: OpenAIServer) -> None:
    trailing = json.dumps(answer(event())).replace("]}", "],}").replace('"joy"', "'joy'")
    assert len(analyze(server, trailing).events) == 1
    assert len(analyze(server, str(answer(event()))).events) == 1, "Python's own quotes and None"
    assert len(analyze(server, json.dumps([event()])).events) == 1, "the list alone"


def test_a_statement_said_many_times_is_one(server: OpenAIServer) -> None:
    same = [{"text": "Maya moved to Lisbon.", "turns": [1 + 2 * (n % 2)]} for n in range(100)]
    (found,) = analyze(server, answer(event(statements=same))).events
    assert [(part.text, part.turn_ids) for part in found.statements] == [
        ("Maya moved to Lisbon.", ("turn-0001", "turn-0003"))
    ]
