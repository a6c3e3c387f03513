"""What an answer left out: asked again in smaller pieces, never the same twice, and the rest read offline."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.analysis.llm_pieces import Answer, Numbers, gather
from hmind.errors import AnalystMisbehaved, AnalystUnavailable
from hmind.model import Analysis, Known, Role, Segment
from tests.servers.openai_server import Behaviour, OpenAIServer, Request, Response, completion, failure
from tests.unit.analysis.llm_talk import CANARY, analyst, block, check_promises, segment, turn

CITIES = ("Lisbon", "Porto", "Faro", "Braga", "Evora", "Coimbra", "Sintra", "Tavira")
TALK = segment(*(part for city in CITIES for part in (f"My cousin Ruy moved to {city} last year.", "Oh, nice.")))
"""16 turns, the odd ones by a person."""


def shown(request: Request) -> dict[int, str]:
    """What a request shows as turns to analyse, by number."""
    lines = (line.split(" ", 1) for line in block(request.text("user"), "turns"))
    return {int(number.strip("[]")): json.loads(line)["text"] for number, line in lines}


def event_about(number: int, text: str) -> dict[str, Any]:
    sentence = f"Maya said: {text}"
    return {"description": sentence, "salience": 0.3, "statements": [{"text": sentence, "turns": [number]}]}


def good(request: Request) -> Response:
    """An event for each turn of a person that is shown, the others let go."""
    talk = shown(request).items()
    return completion(
        {
            "events": [event_about(number, text) for number, text in talk if text.startswith("My")],
            "discarded": [{"turn": number, "reason": "agent_talk"} for number, text in talk if "Oh" in text],
        }
    )


def good_for(most: int, otherwise: Behaviour) -> Callable[[Request], Response]:
    """A model that manages so many turns and no more."""
    return lambda request: good(request) if len(shown(request)) <= most else said(otherwise, request)


def good_without(number: int, otherwise: Behaviour) -> Callable[[Request], Response]:
    """A model that cannot read one turn."""
    return lambda request: said(otherwise, request) if number in shown(request) else good(request)


def said(behaviour: Behaviour, request: Request) -> Response:
    return behaviour if isinstance(behaviour, Response) else behaviour(request)


def analyze(
    server: OpenAIServer, behaviour: Callable[[Request], Response], about: Segment = TALK, **how: Any
) -> Analysis:
    server.script.extend([behaviour] * 30)
    found = analyst(server, **{"llm_pieces": 6, "llm_attempts": 1, **how}).analyze(about, Known())
    check_promises(found, about)
    return found


def asked(server: OpenAIServer) -> list[list[int]]:
    return [list(shown(request)) for request in server.requests]


def offline_turns(found: Analysis) -> list[str]:
    return [turn_id for event in found.events if "llm" not in event.salience_parts for turn_id in event.turn_ids]


def test_a_whole_answer_takes_one_call(server: OpenAIServer) -> None:
    found = analyze(server, good)
    assert len(server.requests) == 1
    assert (found.outcome, found.why, len(found.events)) == ("complete", "", 8)
    assert (found.tokens_in, found.tokens_out) == (210, 34)


def test_only_what_a_cut_answer_left_out_is_asked_again(server: OpenAIServer) -> None:
    first: list[Request] = []

    def cut_once(request: Request) -> Response:
        if first:
            return good(request)
        first.append(request)
        whole = json.dumps({"events": [event_about(n, shown(request)[n]) for n in range(1, 16, 2)], "discarded": []})
        return completion(whole[: whole.index("Evora")], finish_reason="length")

    found = analyze(server, cut_once)
    assert asked(server) == [list(range(1, 17)), [9, 11, 13, 15]]
    assert "Lisbon" in "".join(block(server.requests[1].text("user"), "context")), "the others go along as context"
    assert [event.turn_ids for event in found.events] == [(f"turn-{number:04}",) for number in range(1, 16, 2)]
    assert (found.outcome, found.why) == ("complete", "")
    assert (found.tokens_in, found.tokens_out, found.calls) == (420, 68, 2)


def stuck(request: Request) -> Response:
    """A model that says one word over and over."""
    return completion({"events": [event_about(min(shown(request)), "Lisbon " * 12)]})


NONE: list[tuple[Behaviour, str]] = [
    (completion(None, finish_reason="length"), "budget"),
    (completion(""), "empty"),
    (completion(f"I would say that {CANARY}."), "not_json"),
    (completion({"events": [{"x": CANARY}]}), "no_event"),
    (completion(None, refusal=CANARY), "refusal"),
    (failure(400, CANARY, code="context_length_exceeded"), "too_long"),
    (stuck, "repeats_itself"),
]


@pytest.mark.parametrize(("none", "kind"), NONE, ids=[kind for _, kind in NONE])
def test_what_is_too_much_at_once_is_had_in_pieces(server: OpenAIServer, none: Behaviour, kind: str) -> None:
    found = analyze(server, good_for(4, none))
    assert asked(server) == [list(range(1, 17)), [1, 3, 5, 7], [9, 11, 13, 15]]
    assert (found.outcome, len(found.events), offline_turns(found)) == ("complete", 8, [])


@pytest.mark.parametrize(("none", "kind"), NONE, ids=[kind for _, kind in NONE])
def test_one_turn_that_cannot_be_read_is_left_to_the_offline_analyst(
    server: OpenAIServer, none: Behaviour, kind: str
) -> None:
    found = analyze(server, good_without(11, none))
    assert asked(server) == [list(range(1, 17)), [1, 3, 5, 7], [9, 11, 13, 15], [9, 11], [13, 15], [9], [11]]
    assert (found.outcome, found.why) == ("partial", kind)
    assert len(found.events) == 8
    assert offline_turns(found) == ["turn-0011"]
    assert "Coimbra" in found.events[5].description


@pytest.mark.parametrize(("pieces", "calls"), [(0, 1), (1, 2), (2, 3), (6, 7), (50, 15)])
def test_calls_are_bounded_whatever_the_model_does(server: OpenAIServer, pieces: int, calls: int) -> None:
    with pytest.raises(AnalystMisbehaved) as caught:
        analyze(server, lambda _: completion("no"), llm_pieces=pieces)
    assert len(server.requests) == calls
    questions = [request.text("user") for request in server.requests]
    assert len(set(questions)) == calls, "never the same twice"
    raised = caught.value
    assert (raised.kind, raised.tokens_in, raised.tokens_out) == ("not_json", 210 * calls, 34 * calls)
    assert raised.calls == calls


def test_without_pieces_the_offline_analyst_reads_what_was_left_out(server: OpenAIServer) -> None:
    half = {"events": [event_about(1, TALK.turns[0].content), {"x": 1}], "discarded": []}
    found = analyze(server, lambda _: completion(half), llm_pieces=0)
    assert len(server.requests) == 1
    assert (found.outcome, found.why) == ("partial", "lost")
    assert offline_turns(found) == [f"turn-{number:04}" for number in range(3, 16, 2)]


def test_a_rejected_request_is_not_cut_up(server: OpenAIServer) -> None:
    with pytest.raises(AnalystMisbehaved) as caught:
        analyze(server, lambda _: failure(400, "unknown model option"))
    assert (caught.value.kind, len(server.requests)) == ("rejected", 1)


def test_an_endpoint_that_goes_away_in_between_costs_nothing_that_was_had(server: OpenAIServer) -> None:
    half = {"events": [event_about(1, TALK.turns[0].content), {"x": 1}], "discarded": []}
    server.then(completion(half))
    found = analyze(server, lambda _: failure(503))
    assert (found.outcome, found.why) == ("partial", "unavailable")
    assert len(found.events) > 1
    assert (found.tokens_in, found.tokens_out) == (210, 34)


def test_an_endpoint_that_goes_away_after_an_answer_that_was_none(server: OpenAIServer) -> None:
    server.then(completion("no"))
    with pytest.raises(AnalystMisbehaved) as caught:
        analyze(server, lambda _: failure(503))
    assert (caught.value.kind, caught.value.tokens_out) == ("not_json", 34)


def test_one_turn_alone_is_asked_about_once(server: OpenAIServer) -> None:
    talk = segment("My cousin Ruy moved to Lisbon last year.", "Oh, nice.")
    with pytest.raises(AnalystMisbehaved):
        analyze(server, lambda _: completion("no"), talk)
    assert len(server.requests) == 1


def test_the_time_of_all_pieces_is_bounded() -> None:
    seconds = iter(range(100))

    def slow(numbers: Numbers) -> Answer:
        return Answer(open=numbers, fault="empty", usable=False)

    gathered = gather(slow, tuple(range(1, 9)), 50, lambda: next(seconds) < 3)
    assert gathered.calls == 4
    assert gathered.open == tuple(range(1, 9))


def test_who_owns_the_memory_does_not_depend_on_who_is_left_over(server: OpenAIServer) -> None:
    """In a talk of two, neither becomes the owner because the other's turns were accounted for."""
    talk = segment(
        turn(1, "I am allergic to walnuts.", speaker="Ines"),
        turn(2, "I work as a pilot.", speaker="Tom"),
        turn(3, "I am allergic to shrimps.", speaker="Ines"),
    )
    kept = {"events": [event_about(1, "walnuts allergic"), event_about(3, "shrimps allergic"), 7], "discarded": []}
    found = analyze(server, lambda _: completion(kept), talk, llm_pieces=0)
    facts = [fact for event in found.events if "llm" not in event.salience_parts for fact in event.facts]
    assert facts
    assert {fact.subject for fact in facts} == {"Tom"}


@given(
    turns=st.integers(1, 24),
    pieces=st.integers(0, 40),
    bad=st.sets(st.integers(1, 24)),
    forgets=st.sets(st.integers(1, 24)),
    gone_after=st.integers(1, 60),
)
def test_every_turn_is_had_once_or_left_over(
    turns: int, pieces: int, bad: Collection[int], forgets: Collection[int], gone_after: int
) -> None:
    had: list[int] = []
    questions: list[Numbers] = []

    def ask(numbers: Numbers) -> Answer:
        if len(questions) == gone_after:
            raise AnalystUnavailable("gone")
        questions.append(numbers)
        if bad.intersection(numbers):
            return Answer(open=numbers, fault="empty", usable=False)
        left = tuple(number for number in numbers if number in forgets and len(numbers) > 1)
        had.extend(number for number in numbers if number not in left)
        return Answer(open=left, fault="cut" if left else "")

    whole = tuple(range(1, turns + 1))
    gathered = gather(ask, whole, pieces)
    assert sorted([*had, *gathered.open]) == list(whole)
    assert len(set(questions)) == len(questions) == gathered.calls <= pieces + 1
    assert bool(gathered.open) <= bool(gathered.last_fault)
    if pieces == 40 and gone_after == 60:
        assert set(gathered.open) <= set(bad)


def test_agents_turns_alone_are_not_asked_again(server: OpenAIServer) -> None:
    talk = segment("My cousin Ruy moved to Lisbon last year.", "Oh, nice.", turn(3, "{}", Role.TOOL))
    answer = json.dumps(
        {"events": [event_about(1, "cousin Ruy Lisbon")], "discarded": [{"turn": 2, "reason": "other"}]}
    )
    found = analyze(server, lambda _: completion(answer[: answer.index("discarded")], finish_reason="length"), talk)
    assert len(server.requests) == 1
    assert found.discarded == {"turn-0002": "agent_talk", "turn-0003": "agent_talk"}
    assert found.outcome == "complete"
