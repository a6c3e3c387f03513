"""Promotion tasks: one user's due events, and the daily run over all users."""

from __future__ import annotations

from dataclasses import asdict

from hmind.shortterm import keys
from tasks import wake
from tasks.base import QuietTask, hmind
from tasks.celery_app import app

AT_ONCE = 1000


@app.task(name="hmind.promotion.promote", base=QuietTask)
def promote(tenant: str, user_id: str) -> dict[str, int]:
    """Promotes a user's due events; returns how many went where."""
    hmind().redis.delete(keys.wake_promotion(tenant, user_id))
    return asdict(hmind().promotion.promote(tenant, user_id))


@app.task(name="hmind.promotion.promote_due", base=QuietTask)
def promote_due() -> int:
    """Starts the promotion of every user with due events; the rescue sweep brings those beyond the limit."""
    users = hmind().promotion.users_due(AT_ONCE)
    wake.promote(users)
    return len(users)
