"""The verdict of status, the checks of the demo, and how numbers and times are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from hmind.cli import demo_expectations, screen
from hmind.cli.asking import parts
from hmind.cli.demo_seen import EventSeen, Seen, SegmentSeen
from hmind.cli.standing import judge
from hmind.intake.backlog import Backlog
from hmind.memory.ledger import LedgerEntry
from hmind.memory.reading import KeptFact, Memories
from hmind.memory.status import Status
from hmind.model import Layer, Recollection

NOW = datetime(2026, 11, 28, tzinfo=UTC)
QUIET = Backlog(length=0, pending=0, oldest_s=0.0, readers=1)
CALM = Status({}, {}, {}, {}, {}, windows_open=0, reviews_pending=0, oldest_due_s={})


@pytest.mark.parametrize(
    ("stream", "pipeline", "beat", "verdict", "names"),
    [
        (QUIET, CALM, True, "healthy", ""),
        (replace(QUIET, readers=0), CALM, False, "idle", "hmind up"),
        (replace(QUIET, readers=0, length=3), CALM, False, "stuck", "hmind up"),
        (replace(QUIET, readers=0), replace(CALM, windows_open=1), True, "stuck", "hmind up"),
        (QUIET, CALM, False, "lagging", "Beat"),
        (replace(QUIET, length=9, oldest_s=300), CALM, True, "lagging", "5 min"),
        (replace(QUIET, length=9, oldest_s=7300), CALM, True, "stuck", "2.0 h"),
        (QUIET, replace(CALM, oldest_due_s={"segments": 200.0}), True, "lagging", "segments are late"),
        (QUIET, replace(CALM, oldest_due_s={"segments": 20.0}), True, "healthy", ""),
        (QUIET, replace(CALM, oldest_due_s={"events": 90_000.0}), True, "stuck", "25.0 h"),
        (QUIET, replace(CALM, dead_letters={"content": 2}), True, "healthy", "2 dead letters"),
    ],
)
def test_the_verdict_and_its_reason(stream: Backlog, pipeline: Status, beat: bool, verdict: str, names: str) -> None:
    given, why = judge(stream, pipeline, beat)
    assert given == verdict
    assert names in " ".join(why)
    assert bool(why) == bool(names)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.42, "0.4 s"), (12, "12 s"), (119, "119 s"), (300, "5 min"), (7300, "2.0 h"), (180_000, "2.1 d")],
)
def test_durations_have_units(value: float, shown: str) -> None:
    assert screen.seconds(value) == shown


def test_parts_are_a_sum_and_zeros_are_left_out() -> None:
    assert parts({"vector": 0.411, "keyword": 0.0, "importance": -0.02, "layer": 0.06}) == (
        "vector 0.41 − importance 0.02 + layer 0.06"
    )


def test_many_turns_are_counted() -> None:
    assert screen.turns(("a", "b", "c", "d", "e")) == "a, b, c +2"
    assert screen.turns(("0123456789abcdef",)) == "0123456789…"


DEMO: Mapping[str, Any] = {
    "log": {"turns": 2, "users": ["ida"]},
    "boundaries": {"reasons": ["silence"]},
    "boundary": [{"reason": "silence", "after": "t2"}],
    "boundary_within": [],
    "fact": [{"user": "ida", "subject": "user", "predicate": "likes", "object": "tea", "turns": ["t1"]}],
    "not_fact": [{"user": "ida", "object": "coffee", "why": "a question"}],
    "discarded": {"turns": ["t2"]},
    "unmoved": {"turns": ["t1"], "salience_below": 0.9},
    "core_values": [{"user": "ida", "values": ["tea"], "boosted_turns": ["t1"]}],
    "question": [{"user": "ida", "question": "What?", "now": NOW, "expect_turns": ["t1"], "within": 1}],
}


def entry(turn_id: str, state: str, reason: str | None) -> LedgerEntry:
    return LedgerEntry("s", turn_id, "user", "import", NOW, NOW, state, reason, None, 1)


def fact(**changes: Any) -> KeptFact:
    values: dict[str, Any] = {
        "id": "f",
        "text": "…",
        "subject": "user",
        "predicate": "likes",
        "object": "green Tea",
        "confidence": 0.9,
        "told_by": "Ida",
        "source_turns": ("t1",),
        "session_id": "s",
        "valid_from": None,
        "valid_to": None,
        "recorded_at": NOW,
        "invalidated_at": None,
        "superseded_by": None,
        "because": None,
    }
    return KeptFact(**(values | changes))


def recollection(*turns: str) -> Recollection:
    return Recollection(Layer.L2, "g", "…", 0.5, {}, NOW, "s", "e", turns)


GOOD = Seen(
    turns={"ida": [entry("t1", "remembered", None), entry("t2", "discarded", "small_talk")]},
    said={},
    segments=[SegmentSeen("ida", "s", "silence", 400.0, 300.0, ("t1", "t2"))],
    events=[EventSeen("ida", "long_term", 0.5, {}, ("t1",), "…", {"boost": 0.2})],
    kept={"ida": Memories((fact(),), (), (), ())},
    dead_letters=0,
    answers=[[recollection("t1"), recollection("t9")]],
)


def failed(seen: Seen) -> set[str]:
    return {check.group for check in demo_expectations.check(DEMO, seen) if not check.holds}


def test_all_expectations_can_hold() -> None:
    assert failed(GOOD) == set()


@pytest.mark.parametrize(
    ("changes", "group"),
    [
        ({"turns": {"ida": [entry("t1", "remembered", None)]}}, "log"),
        ({"turns": {"ida": [entry("t1", "waiting", None), entry("t2", "discarded", "x")]}}, "log"),
        ({"turns": {"ida": [entry("t1", "remembered", None), entry("t2", "discarded", None)]}}, "log"),
        ({"turns": {"ida": [entry("t1", "expired", "raw_ttl"), entry("t2", "discarded", "x")]}}, "log"),
        ({"dead_letters": 1}, "log"),
        ({"turns": {"ida": [entry("t1", "remembered", None), entry("t2", "remembered", None)]}}, "let go"),
        ({"segments": [replace(GOOD.segments[0], boundary="flush")]}, "boundary"),
        ({"segments": [replace(GOOD.segments[0], turn_ids=("t2", "t1"))]}, "boundary"),
        ({"events": [replace(GOOD.events[0], salience=0.95)]}, "unmoved"),
        ({"events": [replace(GOOD.events[0], decision={"boost": 0.0})]}, "profile"),
        ({"kept": {"ida": Memories((), (), (), ())}}, "fact"),
        ({"kept": {"ida": Memories((fact(source_turns=("t2",)),), (), (), ())}}, "fact"),
        ({"kept": {"ida": Memories((fact(subject="Bo"),), (), (), ())}}, "fact"),
        ({"kept": {"ida": Memories((fact(invalidated_at=NOW),), (), (), ())}}, "fact"),
        ({"kept": {"ida": Memories((fact(), fact(predicate="drinks", object="Coffee")), (), (), ())}}, "no fact"),
        ({"answers": [[recollection("t9"), recollection("t1")]]}, "recall"),
        ({"answers": [[]]}, "recall"),
    ],
)
def test_each_expectation_can_fail(changes: dict[str, Any], group: str) -> None:
    assert group in failed(replace(GOOD, **changes))
