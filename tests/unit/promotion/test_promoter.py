"""The promoter's judgement alone: every event goes one way, and the decision tells why."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.model import CandidateFact, EntityType, EventState, FoundEntity, FoundEvent, Statement
from hmind.promotion.promoter import FactOutcome, Promoter
from hmind.settings import load

SETTINGS = load({}).promotion
PROMOTER = Promoter(SETTINGS)
ORDER = [EventState.DISCARDED, EventState.LONG_TERM, EventState.FLASHBULB]

units = st.floats(0, 1)
names = st.sampled_from(["Clara", "CLARA", "clara", "Porto", "妈妈", "Straße", "STRASSE", ""])


def event(
    salience: float, names: list[str] | tuple[str, ...] = (), confidences: list[float] | tuple[float, ...] = ()
) -> FoundEvent:
    return FoundEvent(
        description="Ana planted a lemon tree.",
        statements=(Statement("Ana planted a lemon tree.", ("t1",)),),
        salience=salience,
        salience_parts={"intent": salience},
        occurred_at=datetime(2026, 11, 30, tzinfo=UTC),
        turn_ids=("t1",),
        entities=tuple(FoundEntity(name, EntityType.PERSON, ("t1",)) for name in names),
        facts=tuple(CandidateFact("user", "likes", f"fruit {c}", c, ("t1",), "Ana") for c in confidences),
    )


@pytest.mark.parametrize(
    ("confidence", "outcome"),
    [
        (1.0, FactOutcome.WRITE),
        (0.82, FactOutcome.WRITE),
        (0.8199999, FactOutcome.REVIEW),
        (0.55, FactOutcome.REVIEW),
        (0.5499999, FactOutcome.SKIP),
        (0.0, FactOutcome.SKIP),
    ],
)
def test_a_fact_is_judged_by_its_confidence(confidence: float, outcome: FactOutcome) -> None:
    [fact] = event(0.5, confidences=[confidence]).facts
    assert PROMOTER.judge(fact) is outcome


@pytest.mark.parametrize(
    ("salience", "values", "state", "score"),
    [
        (0.75, [], EventState.FLASHBULB, 0.75),
        (0.7499, [], EventState.LONG_TERM, 0.7499),
        (0.55, ["clara"], EventState.FLASHBULB, 0.75),
        (0.5499, ["clara"], EventState.LONG_TERM, 0.7499),
        (0.95, ["clara"], EventState.FLASHBULB, 1.0),
        (0.1, [], EventState.LONG_TERM, 0.1),
        (0.0999, [], EventState.DISCARDED, 0.0999),
        (0.0, ["clara"], EventState.LONG_TERM, 0.2),
    ],
)
def test_an_event_goes_by_its_salience_and_what_the_user_holds_dear(
    salience: float, values: list[str], state: EventState, score: float
) -> None:
    route = PROMOTER.route(event(salience, ["Clara"]), values)
    assert (route.state, route.score) == (state, score)
    assert route.boost == (0.2 if values else 0.0)


def test_two_matched_values_boost_once_and_both_are_told() -> None:
    route = PROMOTER.route(event(0.5, ["Clara", "Porto"]), ["porto", "chess", "clara"])
    assert (route.boost, route.score, route.matched_values) == (0.2, 0.7, ("porto", "clara"))


def test_an_alias_matches_a_value() -> None:
    nicknamed = replace(event(0.5), entities=(FoundEntity("Clara Silva", EntityType.PERSON, ("t1",), ("Clarinha",)),))
    assert PROMOTER.route(nicknamed, ["clarinha"]).matched_values == ("clarinha",)


@pytest.mark.parametrize(
    ("confidence", "state"), [(0.55, EventState.LONG_TERM), (0.54, EventState.DISCARDED), (0.9, EventState.LONG_TERM)]
)
def test_a_fact_that_is_kept_keeps_its_event(confidence: float, state: EventState) -> None:
    assert PROMOTER.route(event(0.01, confidences=[confidence]), []).state is state


def test_other_thresholds_are_heeded_and_told() -> None:
    promoter = Promoter(SETTINGS.model_copy(update={"flashbulb_at": 0.4, "core_value_boost": 0.0}))
    route = promoter.route(event(0.4, ["Clara"]), ["clara"])
    assert (route.state, route.threshold, route.boost) == (EventState.FLASHBULB, 0.4, 0.0)


@given(salience=units, names=st.lists(names, max_size=4), values=st.lists(names, max_size=4))
def test_every_event_has_one_way_and_the_decision_holds_its_inputs(
    salience: float, names: list[str], values: list[str]
) -> None:
    route = PROMOTER.route(event(salience, names), values)
    assert route.state in ORDER
    assert 0 <= route.score <= 1
    assert (route.score >= SETTINGS.flashbulb_at) == (route.state is EventState.FLASHBULB)
    assert bool(route.matched_values) == bool({n.casefold() for n in names} & {v.casefold() for v in values})
    told: dict[str, Any] = json.loads(json.dumps(route.to_json()))
    assert told["route"] == route.state.value
    assert told["score"] == round(min(1.0, told["salience"] + told["boost"]), 4)
    assert (told["threshold"], told["reason"]) == (route.threshold, route.reason)


@given(low=units, high=units, confidences=st.lists(units, max_size=3))
def test_more_salience_never_means_less_memory(low: float, high: float, confidences: list[float]) -> None:
    low, high = sorted((low, high))
    states = [PROMOTER.route(event(salience, confidences=confidences), []).state for salience in (low, high)]
    assert ORDER.index(states[0]) <= ORDER.index(states[1])


@given(confidences=st.lists(units, max_size=5))
def test_each_fact_is_told_with_its_outcome_in_order(confidences: list[float]) -> None:
    route = PROMOTER.route(event(0.5, confidences=confidences), [])
    assert [fact.confidence for fact, _ in route.facts] == confidences
    assert [told["outcome"] for told in route.to_json()["facts"]] == [outcome.value for _, outcome in route.facts]
