"""What must have come of the demo's talk, as examples/demo.toml says it. Pure: it reads what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hmind.cli.demo_seen import Seen
from hmind.model import TurnState

_FINAL = {TurnState.REMEMBERED, TurnState.DISCARDED, TurnState.EXPIRED, TurnState.DEAD_LETTERED}


@dataclass(frozen=True, slots=True)
class Check:
    """One expectation: what it says, whether it holds, and what was seen where it does not."""

    group: str
    says: str
    holds: bool
    seen: str = ""


def check(demo: Mapping[str, Any], seen: Seen) -> list[Check]:
    """Every expectation of the demo, in the order of its file."""
    groups = (_log, _boundaries, _facts, _not_facts, _turns, _core_values, _questions)
    return [each for group in groups for each in group(demo, seen)]


def _log(demo: Mapping[str, Any], seen: Seen) -> Iterator[Check]:
    entries = [entry for turns in seen.turns.values() for entry in turns]
    wanted = demo["log"]["turns"]
    yield Check("log", f"{wanted} turns are in the ledger", len(entries) == wanted, f"{len(entries)} are")
    open_turns = [entry.turn_id for entry in entries if entry.state not in _FINAL]
    yield Check("log", "every turn is in a final state", not open_turns, f"not so: {_some(open_turns)}")
    lost = [entry.turn_id for entry in entries if entry.state in {TurnState.EXPIRED, TurnState.DEAD_LETTERED}]
    yield Check("log", "none expired, none is a dead letter", not lost and not seen.dead_letters, _some(lost))
    mute = [entry.turn_id for entry in entries if entry.state == TurnState.DISCARDED and not entry.reason]
    yield Check("log", "every discarded turn has its reason", not mute, f"none for {_some(mute)}")


def _boundaries(demo: Mapping[str, Any], seen: Seen) -> Iterator[Check]:
    for reason in demo["boundaries"]["reasons"]:
        found = any(segment.boundary == reason for segment in seen.segments)
        yield Check("boundary", f"some segment closed by {reason}", found, "none did")
    for wanted in demo["boundary"]:
        closed = [segment.boundary for segment in seen.segments if segment.turn_ids[-1] == wanted["after"]]
        says = f"{wanted['reason']} closes a segment after {wanted['after']}"
        yield Check(
            "boundary", says, closed == [wanted["reason"]], f"closed by {closed[0]}" if closed else "none ends there"
        )
    for wanted in demo["boundary_within"]:
        closed = [segment.boundary for segment in seen.segments if segment.session_id == wanted["session"]]
        says = f"{wanted['reason']} closes a segment within {wanted['session']}"
        yield Check("boundary", says, wanted["reason"] in closed, f"closed by {_some(closed)}")


def _facts(demo: Mapping[str, Any], seen: Seen) -> Iterator[Check]:
    for wanted in demo["fact"]:
        own = _current(seen, wanted["user"])
        alike = [fact for fact in own if fact.predicate == wanted["predicate"] and fact.subject == wanted["subject"]]
        holds = any(
            wanted["object"].casefold() in fact.object.casefold() and set(wanted["turns"]) & set(fact.source_turns)
            for fact in alike
        )
        told = _some(
            [f"{fact.subject} {fact.predicate} {fact.object}" for fact in own if fact.predicate == wanted["predicate"]]
        )
        says = f"{wanted['user']}: {wanted['subject']} {wanted['predicate']} …{wanted['object']}…"
        yield Check("fact", says, holds, f"there is {told or 'none with this predicate'}")


def _not_facts(demo: Mapping[str, Any], seen: Seen) -> Iterator[Check]:
    for refused in demo["not_fact"]:
        wrong = [
            f"{fact.subject} {fact.predicate} {fact.object}"
            for fact in _current(seen, refused["user"])
            if refused["object"].casefold() in fact.object.casefold()
            and refused.get("subject", fact.subject) == fact.subject
            and refused.get("predicate", fact.predicate) == fact.predicate
        ]
        says = (
            f"{refused['user']}: no fact {refused.get('predicate', 'about')} …{refused['object']}… ({refused['why']})"
        )
        yield Check("no fact", says, not wrong, f"there is {_some(wrong)}")


def _current(seen: Seen, user: str) -> list[Any]:
    return [fact for fact in seen.kept[user].facts if fact.invalidated_at is None and fact.valid_to is None]


def _turns(demo: Mapping[str, Any], seen: Seen) -> Iterator[Check]:
    states = {entry.turn_id: entry.state for turns in seen.turns.values() for entry in turns}
    for turn in demo["discarded"]["turns"]:
        state = states.get(turn, "unknown")
        yield Check("let go", f"{turn} is discarded", state == TurnState.DISCARDED, f"it is {state}")
    limit = demo["unmoved"]["salience_below"]
    for turn in demo["unmoved"]["turns"]:
        weights = [event.salience for event in seen.events if turn in event.turn_ids]
        says = f"{turn} asks for weight and gets none: salience below {limit}"
        yield Check("unmoved", says, all(weight < limit for weight in weights), f"it is {max(weights, default=0):.2f}")


def _core_values(demo: Mapping[str, Any], seen: Seen) -> Iterator[Check]:
    for told in demo["core_values"]:
        for turn in told["boosted_turns"]:
            boosts = [event.decision.get("boost", 0) for event in seen.events if turn in event.turn_ids]
            says = f"{turn} weighs more, as {', '.join(told['values'])} matters to {told['user']}"
            yield Check("profile", says, any(boosts), "no boost" if boosts else "no event rests on it")


def _questions(demo: Mapping[str, Any], seen: Seen) -> Iterator[Check]:
    for asked, answers in zip(demo["question"], seen.answers, strict=True):
        ranks = [n for n, item in enumerate(answers, 1) if set(item.source_turns) & set(asked["expect_turns"])]
        says = f"{asked['question']} {' or '.join(asked['expect_turns'])} within {asked['within']}"
        holds = bool(ranks) and ranks[0] <= asked["within"]
        yield Check("recall", says, holds, f"it comes as number {ranks[0]}" if ranks else "it does not come")


def _some(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
