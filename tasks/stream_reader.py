"""The bootstep that reads the turn stream inside the worker that serves the intake queue."""

from __future__ import annotations

import logging
import threading
import traceback
from typing import Any

from celery import bootsteps

from hmind.errors import StoreUnavailable

log = logging.getLogger(__name__)

LONGEST_PAUSE_S = 10.0
READERS = 2
"""While one waits for PostgreSQL, the other reads."""


class StreamReader(bootsteps.StartStopStep):
    """Threads that read, accept and acknowledge; they start after the pool and stop before it."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self._over = threading.Event()
        self._threads: list[threading.Thread] = []

    def include_if(self, parent: Any) -> bool:
        """Only where the intake queue is served."""
        return "intake" in parent.app.amqp.queues.consume_from

    def start(self, parent: Any) -> None:
        self._over.clear()
        self._threads = [
            threading.Thread(target=self._run, args=(f"{parent.hostname}#{n}",), name=f"turn-stream-{n}", daemon=True)
            for n in range(READERS)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, parent: Any) -> None:  # noqa: ARG002 - the signature is celery's
        self._over.set()
        for thread in self._threads:
            thread.join(timeout=LONGEST_PAUSE_S)

    terminate = stop

    def _run(self, consumer: str) -> None:
        from tasks import wake
        from tasks.base import hmind

        stream, pause_s = hmind().stream(consumer), 0.5
        while not self._over.is_set():
            try:
                receipt = stream.step()
                if receipt is not None:
                    wake.after_intake(receipt)
                pause_s = 0.5
                continue
            except StoreUnavailable as error:
                log.warning("%s", error)
            except Exception as error:  # the thread must outlive whatever it meets; texts stay out of the log
                where = "".join(traceback.format_tb(error.__traceback__))
                log.error("reading the turn stream failed: %s\n%s", type(error).__name__, where)
            self._over.wait(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
