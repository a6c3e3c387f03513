"""Upkeep tasks: rescue what is overdue, trim L1, decay, evict, expire."""

from __future__ import annotations

from hmind.upkeep import daily, rescue
from hmind.upkeep.decay import decay as decay_gists
from hmind.upkeep.evict import evict as evict_gists
from tasks import wake
from tasks.base import QuietTask, hmind
from tasks.celery_app import app

AT_ONCE = 1000
AGAIN_SIDE_BY_SIDE = 4


@app.task(name="hmind.upkeep.rescue", base=QuietTask)
def send_again() -> dict[str, int]:
    """Sends again what is due and has not moved: a lost wake-up delays a memory, it loses none."""
    engine, now = hmind().engine, hmind().clock()
    after_s = hmind().settings.upkeep.rescue_after_s
    # While a queue is not empty its rows wait for their turn and are not lost.
    segments = [] if wake.waits("analysis") else rescue.overdue_segments(engine, now, after_s, AT_ONCE)
    users = [] if wake.waits("promotion") else rescue.overdue_users(engine, now, after_s, AT_ONCE)
    windows = [] if wake.waits("boundary") else rescue.overdue_windows(engine, now, after_s, AT_ONCE)
    wake.analyze(segments)
    wake.promote(users)
    wake.detect(windows)
    return {"segments": len(segments), "users": len(users), "windows": len(windows)}


@app.task(name="hmind.upkeep.analyze_again", base=QuietTask)
def analyze_again() -> int:
    """Lets a segment that the language model failed be given to it again, once nothing else waits for it.

    A single one: while the endpoint is away it is not asked more. What is answered asks for others.
    """
    segments = [] if wake.waits("analysis") else hmind().again.due(1)
    wake.analyze_again(segments, then=AGAIN_SIDE_BY_SIDE)
    return len(segments)


@app.task(name="hmind.upkeep.trim", base=QuietTask)
def trim() -> int:
    """Drops raw turns whose 72 hours are over; returns their number."""
    return hmind().shortterm.trim()


@app.task(name="hmind.upkeep.decay", base=QuietTask)
def decay() -> int:
    """Computes how far each memory has faded; returns the number of rows changed."""
    return decay_gists(hmind().engine, hmind().settings.upkeep, hmind().clock())


@app.task(name="hmind.upkeep.evict", base=QuietTask)
def evict() -> int:
    """Lets go of what is old and faint; returns the number of gists."""
    return evict_gists(hmind().engine, hmind().settings.upkeep, hmind().clock())


@app.task(name="hmind.upkeep.expire", base=QuietTask)
def expire() -> dict[str, int]:
    """Ends what waited too long and drops texts whose time is over; returns counts."""
    counts = daily.expire_all(hmind().engine, hmind().settings, hmind().clock())
    hmind().shortterm.leave_the_disk()
    return counts
