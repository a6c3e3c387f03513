"""The schedule names tasks that exist, on queues that are served, and no tick outlives the next."""

from __future__ import annotations

from typing import Any

import pytest
from celery.schedules import crontab

import beat_schedule
from hmind import settings as settings_module
from tasks import app
from tasks.celery_app import QUEUES

SCHEDULE = beat_schedule.schedule(settings_module.load({}).schedule)
DAY_S = 86_400


@pytest.fixture(scope="module", autouse=True)
def registered() -> set[str]:
    """The tasks that a worker would know."""
    app.loader.import_default_modules()
    return {name for name in app.tasks if name.startswith("hmind.")}


@pytest.mark.parametrize("entry", SCHEDULE.values(), ids=SCHEDULE)
def test_each_entry_names_a_task_that_exists_on_its_own_queue(entry: dict[str, Any], registered: set[str]) -> None:
    assert entry["task"] in registered
    queue = entry["options"]["queue"]
    assert queue in QUEUES
    assert app.amqp.router.route({}, entry["task"])["queue"].name == queue


@pytest.mark.parametrize("entry", SCHEDULE.values(), ids=SCHEDULE)
def test_each_tick_expires_when_the_next_is_due(entry: dict[str, Any]) -> None:
    period = DAY_S if isinstance(entry["schedule"], crontab) else entry["schedule"]
    assert entry["options"]["expires"] == period


def test_a_scheduled_task_needs_no_argument() -> None:
    for entry in SCHEDULE.values():
        assert not {"args", "kwargs"} & set(entry)
        app.tasks[entry["task"]].s().freeze()
        app.tasks[entry["task"]].__header__()


def test_every_task_has_a_queue_and_a_name_that_tells_its_stage(registered: set[str]) -> None:
    assert registered
    for name in registered:
        assert app.amqp.router.route({}, name)["queue"].name == name.split(".")[1], name


def test_what_has_to_happen_is_scheduled() -> None:
    """The upkeep of the design, each exactly once."""
    assert sorted(entry["task"] for entry in SCHEDULE.values()) == [
        "hmind.boundary.daily_sweep",
        "hmind.boundary.silence_sweep",
        "hmind.promotion.promote_due",
        "hmind.upkeep.analyze_again",
        "hmind.upkeep.decay",
        "hmind.upkeep.evict",
        "hmind.upkeep.expire",
        "hmind.upkeep.rescue",
        "hmind.upkeep.trim",
    ]


def test_hours_and_periods_come_from_the_settings() -> None:
    settings = settings_module.load({"HMIND_SCHEDULE_DECAY_AT": "05:45", "HMIND_SCHEDULE_SILENCE_SWEEP_S": "7"})
    made = beat_schedule.schedule(settings.schedule)
    assert made["decay"]["schedule"] == crontab(hour=5, minute=45)
    assert made["evict"]["schedule"] == crontab(hour=3, minute=0)
    assert made["silence-sweep"]["schedule"] == made["silence-sweep"]["options"]["expires"] == 7
