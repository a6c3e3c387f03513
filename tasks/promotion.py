"""Promotion tasks: one user's due events, and the daily run over all users."""

from __future__ import annotations

from dataclasses import asdict

from hmind.shortterm import keys
from tasks import wake
from tasks.base import QuietTask, hmind
from tasks.celery_app import app

AT_ONCE = 1000
TURN_S = 3.0
"""How long one user is worked for before it is the next one's turn."""


@app.task(name="hmind.promotion.promote", base=QuietTask)
def promote(tenant: str, user_id: str) -> dict[str, int]:
    """Promotes a user's due events; returns how many went where. What is left lines up behind the other users."""
    hmind().redis.delete(keys.wake_promotion(tenant, user_id))
    promoted = hmind().promotion.promote(tenant, user_id, at_most_s=TURN_S)
    if promoted.more:
        wake.promote([(tenant, user_id)])
    return asdict(promoted)


@app.task(name="hmind.promotion.promote_due", base=QuietTask)
def promote_due() -> int:
    """Starts the promotion of every user with due events; the rescue sweep brings those beyond the limit."""
    users = hmind().promotion.users_due(AT_ONCE)
    wake.promote(users)
    return len(users)
