"""Boundary tasks: look at one window, and the sweeps that find those to look at."""

from __future__ import annotations

from datetime import timedelta

from hmind.boundary import windows
from hmind.model import Boundary, SessionRef
from hmind.shortterm import keys
from tasks import wake
from tasks.base import QuietTask, hmind
from tasks.celery_app import app

AT_ONCE = 500


@app.task(name="hmind.boundary.detect", base=QuietTask)
def detect(tenant: str, user_id: str, session_id: str, because: str | None = None) -> int:
    """Closes what is over in a session; returns the number of segments."""
    session = SessionRef(tenant, user_id, session_id)
    hmind().redis.delete(keys.wake(session))
    closed = hmind().detection.detect(session, Boundary(because) if because else None)
    wake.analyze(closed)
    return len(closed)


@app.task(name="hmind.boundary.silence_sweep", base=QuietTask)
def silence_sweep() -> int:
    """Looks at the windows that are due; returns their number."""
    due = windows.take_due(hmind().engine, hmind().clock(), AT_ONCE)
    wake.detect(due)
    return len(due)


@app.task(name="hmind.boundary.daily_sweep", base=QuietTask)
def daily_sweep() -> int:
    """Closes the windows that have been open since yesterday; returns their number."""
    before = hmind().clock() - timedelta(seconds=hmind().settings.boundary.silence_after_s)
    sessions = windows.open_since(hmind().engine, before)
    for session in sessions:
        detect.delay(session.tenant, session.user_id, session.session_id, Boundary.DAILY.value)
    return len(sessions)
