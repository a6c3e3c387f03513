"""The judgements are not worse than they were: the small samples, measured again, against what was recorded."""

from __future__ import annotations

import tomllib

import pytest

from hmind.evaluation import recorded
from hmind.settings import load


@pytest.mark.parametrize("kind", recorded.KINDS)
def test_no_figure_is_worse_than_the_recorded_one(kind: str) -> None:
    assert recorded.losses(recorded.read()[kind], recorded.KINDS[kind](load({}))) == []


def test_only_what_is_measured_is_recorded() -> None:
    assert set(recorded.read()) == set(recorded.KINDS)


RECORDED = {"chat": {"pk": 0.2, "f1": 0.7}, "tasks": {"pk": 0.3}}


def test_better_and_a_little_worse_are_no_losses() -> None:
    assert recorded.losses(RECORDED, {"chat": {"pk": 0.1, "f1": 0.9}, "tasks": {"pk": 0.3}}) == []
    assert recorded.losses(RECORDED, {"chat": {"pk": 0.22, "f1": 0.68}, "tasks": {"pk": 0.32}}) == []


def test_each_loss_is_named() -> None:
    assert recorded.losses(RECORDED, {"chat": {"pk": 0.221, "f1": 0.679}, "more": {"f1": 1.0}}) == [
        "chat: f1 was 0.700 and is 0.679",
        "chat: pk was 0.200 and is 0.221",
        "more: f1 is not recorded; run python -m benchmarks record",
        "tasks: pk is recorded and no longer measured",
    ]


def test_what_is_written_is_read_again() -> None:
    text = recorded.written({"boundaries": RECORDED, "closing": {"en_user": {"recall": 0.98765}}})
    assert tomllib.loads(text) == {"boundaries": RECORDED, "closing": {"en_user": {"recall": 0.9877}}}
