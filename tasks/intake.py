"""Intake by Celery task, for producers that speak Celery."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from celery.exceptions import Reject

from hmind.errors import StoreUnavailable
from hmind.intake.wire import Delivery
from tasks import wake
from tasks.base import QuietTask, hmind
from tasks.celery_app import app

log = logging.getLogger(__name__)

STORE_PAUSE_S = 2.0


@app.task(name="hmind.intake.accept", base=QuietTask, Request="tasks.base:TextlessRequest", bind=True)
def accept(self: QuietTask, turns: list[Any] | Mapping[str, Any]) -> dict[str, int]:
    """Accepts a list of turns; a bad one goes to the dead letters, the others in."""
    messages = turns if isinstance(turns, list) else [turns]
    now = datetime.now(UTC)
    # A message of the oldest protocol may come without an id.
    told = self.request.id or uuid4().hex
    deliveries = [Delivery(_payload(message), f"{told}#{n}", now) for n, message in enumerate(messages)]
    try:
        receipt = hmind().intake.accept(deliveries, "task")
    except StoreUnavailable as error:
        # Nothing was kept, so the message must not be acknowledged. The pause keeps it from going round in circles.
        log.warning("%s", error)
        time.sleep(STORE_PAUSE_S)
        raise Reject(str(error), requeue=True) from None
    wake.after_intake(receipt)
    return {"accepted": receipt.accepted, "duplicate": receipt.duplicate, "dead": receipt.dead}


def _payload(message: Any) -> Mapping[str, Any] | str:
    return message if isinstance(message, Mapping | str) else str(type(message))
