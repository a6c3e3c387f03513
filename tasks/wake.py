"""Sending wake-ups, each only once while the one before has not been read.

A lost wake-up delays: the row it was for is due, and the sweeps send another.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from kombu.exceptions import OperationalError

from hmind.intake.accept import WAKE_S, Receipt
from hmind.model import SessionRef
from hmind.shortterm import keys
from tasks.base import hmind
from tasks.celery_app import KEY_PREFIX

log = logging.getLogger(__name__)


def after_intake(receipt: Receipt) -> None:
    """Asks for a look at the windows that a batch touched; intake has seen to it that each is asked for once."""
    _look_at(receipt.touched)
    if receipt.flushed:
        detect(receipt.flushed)


def detect(sessions: Sequence[SessionRef]) -> None:
    """Asks for a look at these sessions' windows."""
    pipe = hmind().redis.pipeline(transaction=False)
    for session in sessions:
        pipe.set(keys.wake(session), 1, nx=True, ex=WAKE_S)
    _look_at(session for session, first in zip(sessions, pipe.execute(), strict=True) if first)


def analyze(segment_ids: Iterable[str]) -> None:
    """Asks for the analysis of these segments."""
    from tasks.analysis import analyze as task

    _send(task, ((segment_id,) for segment_id in segment_ids))


def analyze_again(segment_ids: Iterable[str], then: int) -> None:
    """Asks for these segments to be analysed again; each that is answered asks for ``then`` others."""
    from tasks.analysis import analyze_again as task

    _send(task, ((segment_id, then) for segment_id in segment_ids))


def waits(queue: str) -> bool:
    """Whether messages wait in a queue."""
    return bool(hmind().redis.llen(KEY_PREFIX + queue))


def promote(users: Sequence[tuple[str, str]]) -> None:
    """Asks for the promotion of these users' due events."""
    from tasks.promotion import promote as task

    pipe = hmind().redis.pipeline(transaction=False)
    for user in users:
        pipe.set(keys.wake_promotion(*user), 1, nx=True, ex=WAKE_S)
    _send(task, (user for user, first in zip(users, pipe.execute(), strict=True) if first))


def _look_at(sessions: Iterable[SessionRef]) -> None:
    from tasks.boundary import detect as task

    _send(task, ((s.tenant, s.user_id, s.session_id) for s in sessions))


def _send(task: object, calls: Iterable[tuple[object, ...]]) -> None:
    from tasks import app

    try:
        with app.producer_or_acquire() as producer:
            for args in calls:
                task.apply_async(args, producer=producer, retry=False)  # type: ignore[attr-defined]
    except OperationalError as error:
        log.warning("the broker does not answer (%s); the sweep will send this again", type(error).__name__)
