"""The demo's chat log holds what the demo and the documents say of it."""

from __future__ import annotations

import json
import re
import tomllib
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hmind.model import Boundary, Role

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WIRE_FIELDS = {"user_id", "session_id", "turn_id", "role", "speaker", "content", "occurred_at"}
HAN = re.compile(r"[\u4e00-\u9fff]")
LATIN = re.compile(r"[A-Za-z]{2,}")


@pytest.fixture(scope="module")
def turns() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / "chat.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def demo() -> dict[str, Any]:
    return tomllib.loads((EXAMPLES / "demo.toml").read_text(encoding="utf-8"))


def said_at(turn: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(turn["occurred_at"])


def sessions(turns: list[dict[str, Any]]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for turn in turns:
        found[turn["user_id"], turn["session_id"]].append(turn)
    return found


def test_every_line_is_a_turn_of_the_wire_format(turns: list[dict[str, Any]]) -> None:
    for turn in turns:
        assert WIRE_FIELDS - {"speaker"} <= turn.keys() <= WIRE_FIELDS
        assert turn["role"] in set(Role)
        assert turn["content"].strip() == turn["content"] != ""
        assert said_at(turn).utcoffset() is not None


def test_the_log_is_large_and_various_enough(turns: list[dict[str, Any]]) -> None:
    assert len(turns) >= 100
    by_user: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for turn in turns:
        by_user[turn["user_id"]].append(turn)
    assert set(by_user) == {"lin", "maya"}
    for own in by_user.values():
        assert len({said_at(turn).date() for turn in own}) >= 5
        assert {"user", "assistant"} <= {turn["role"] for turn in own}
    assert len({said_at(turn).date() for turn in turns}) >= 6
    assert max(map(said_at, turns)) < datetime.fromisoformat("2026-11-28T00:00:00+00:00")
    assert {said_at(turn).utcoffset() for turn in by_user["lin"]} == {timedelta(hours=8)}
    assert {said_at(turn).utcoffset() for turn in by_user["maya"]} == {timedelta(hours=-7)}


def test_both_languages_are_spoken_and_mixed(turns: list[dict[str, Any]]) -> None:
    han = [turn for turn in turns if HAN.search(turn["content"])]
    assert sum(turn["user_id"] == "lin" for turn in han) >= 60
    assert sum(not HAN.search(turn["content"]) for turn in turns) >= 60
    mixed = [turn for turn in han if turn["user_id"] == "maya" and LATIN.search(turn["content"])]
    assert any(turn["role"] == "user" for turn in mixed)


def test_ids_are_unique_and_times_ascend_in_each_session(turns: list[dict[str, Any]]) -> None:
    ids = [turn["turn_id"] for turn in turns]
    assert len(set(ids)) == len(ids)
    for own in sessions(turns).values():
        times = [said_at(turn) for turn in own]
        assert all(earlier < later for earlier, later in pairwise(times))


def test_silence_lies_only_where_it_is_meant(turns: list[dict[str, Any]], demo: dict[str, Any]) -> None:
    silent = {
        before["turn_id"]
        for own in sessions(turns).values()
        for before, after in pairwise(own)
        if said_at(after) - said_at(before) >= timedelta(minutes=5)
    }
    assert silent == {b["after"] for b in demo["boundary"] if b["reason"] == "silence"}
    assert len(silent) >= 2


def test_one_session_is_long_enough_for_max_rounds(turns: list[dict[str, Any]], demo: dict[str, Any]) -> None:
    (long,) = demo["boundary_within"]
    own = [turn for turn in turns if turn["session_id"] == long["session"]]
    assert sum(turn["role"] == "user" for turn in own) > 10
    assert said_at(own[-1]) - said_at(own[0]) < timedelta(hours=1)


def test_demo_counts_and_names_what_is_in_the_log(turns: list[dict[str, Any]], demo: dict[str, Any]) -> None:
    owner = {turn["turn_id"]: turn["user_id"] for turn in turns}
    assert demo["log"]["turns"] == len(turns)
    assert set(demo["log"]["users"]) == set(owner.values())
    assert {b["after"] for b in demo["boundary"]} <= owner.keys()
    assert set(demo["discarded"]["turns"]) | set(demo["unmoved"]["turns"]) <= owner.keys()
    for fact in demo["fact"]:
        assert {owner[turn] for turn in fact["turns"]} == {fact["user"]}
    for question in demo["question"]:
        assert {owner[turn] for turn in question["expect_turns"]} == {question["user"]}


def test_demo_expects_every_reason_that_an_import_can_show(demo: dict[str, Any]) -> None:
    assert set(demo["boundaries"]["reasons"]) == set(Boundary) - {Boundary.DAILY}
    placed = {b["reason"] for b in demo["boundary"]} | {b["reason"] for b in demo["boundary_within"]}
    assert placed == set(demo["boundaries"]["reasons"])


def test_a_fact_and_what_must_not_be_one_are_in_the_words_of_the_log(
    turns: list[dict[str, Any]], demo: dict[str, Any]
) -> None:
    content = {turn["turn_id"]: turn["content"].casefold() for turn in turns}
    for fact in demo["fact"]:
        assert any(fact["object"].casefold() in content[turn] for turn in fact["turns"])
    for refused in demo["not_fact"]:
        own = [turn["content"].casefold() for turn in turns if turn["user_id"] == refused["user"]]
        assert any(refused["object"].casefold() in text for text in own), "nothing tempts the pipeline here"


def test_questions_are_in_both_languages_across_them_and_in_other_words(
    turns: list[dict[str, Any]], demo: dict[str, Any]
) -> None:
    questions = demo["question"]
    content = {turn["turn_id"]: turn["content"] for turn in turns}
    assert len(questions) >= 8
    assert sum(bool(HAN.search(q["question"])) for q in questions) >= 4
    assert sum(not HAN.search(q["question"]) for q in questions) >= 4
    for question in questions:
        assert question["now"].utcoffset() is not None
        assert question["now"] > max(map(said_at, turns))
        assert question["within"] in (3, 5)
        assert all(question["question"] not in content[turn] for turn in question["expect_turns"])
        script = HAN if HAN.search(question["question"]) else LATIN
        across = not any(script.search(content[turn]) for turn in question["expect_turns"])
        assert across == question.get("across", False)
    assert sum(q.get("across", False) for q in questions) >= 1
