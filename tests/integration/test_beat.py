"""Two Beats, as an installation runs them: no tick is doubled, and the death of one stops none."""

from __future__ import annotations

import itertools
import os
import signal
from datetime import datetime
from pathlib import Path

import pytest
from support.beats import Tick, beats, ticks
from support.waiting import wait_for

from hmind.bootstrap import Hmind
from hmind.settings import Settings

SWEEP = ("boundary", "hmind.boundary.silence_sweep")
PERIOD_S = 1.0
QUICK = {"HMIND_SCHEDULE_SILENCE_SWEEP_S": str(PERIOD_S)}


def seconds_between(sent: list[Tick]) -> list[float]:
    times = [datetime.fromisoformat(tick.expires).timestamp() for tick in sent]
    return [after - before for before, after in itertools.pairwise(times)]


def test_two_beats_send_each_tick_once(settings: Settings, tmp_path: Path) -> None:
    def told(words: str) -> int:
        return sum(words in log.read_text() for log in tmp_path.glob("*.log"))

    hmind = Hmind(settings)
    with beats(settings, tmp_path, ("first", "second"), **QUICK) as running:
        wait_for(lambda: told("beat: Starting...") == 2, within_s=40, what="start of both Beats")
        before = len(ticks(hmind.redis, *SWEEP))
        wait_for(lambda: len(ticks(hmind.redis, *SWEEP)) >= before + 4, within_s=20)
        pids = set(running.processes.values())
        sent = ticks(hmind.redis, *SWEEP)
    hmind.close()

    assert len(pids) == 2, "both Beats were to be alive"
    assert len({tick.pid for tick in sent} & pids) == len({tick.pid for tick in sent}) == 1
    assert min(seconds_between(sent)) > PERIOD_S / 2
    assert told("Acquired lock") == 1


@pytest.mark.chaos
def test_the_other_beat_takes_over_when_one_is_killed(settings: Settings, tmp_path: Path) -> None:
    hmind = Hmind(settings)
    with beats(settings, tmp_path, ("first", "second"), **QUICK) as running:
        wait_for(lambda: len(ticks(hmind.redis, *SWEEP)) >= 3, within_s=40)
        dead = ticks(hmind.redis, *SWEEP)[0].pid
        (heir,) = set(running.processes.values()) - {dead}

        os.kill(dead, signal.SIGKILL)

        def inherited() -> list[Tick]:
            return [tick for tick in ticks(hmind.redis, *SWEEP) if tick.pid == heir]

        wait_for(lambda: len(inherited()) >= 3, within_s=30)
        sent = ticks(hmind.redis, *SWEEP)
    hmind.close()

    assert [tick.pid for tick in sent] == sorted((tick.pid for tick in sent), key=[dead, heir].index)
    assert min(seconds_between(sent)) > PERIOD_S / 2
    assert max(seconds_between(sent)) < 25
