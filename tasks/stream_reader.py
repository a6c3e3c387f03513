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


class StreamReader(bootsteps.StartStopStep):
    """One thread that reads, accepts and acknowledges; starts after the pool, stops before it."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def include_if(self, parent: Any) -> bool:
        """Only where the intake queue is served."""
        return "intake" in parent.app.amqp.queues.consume_from

    def start(self, parent: Any) -> None:
        self._over.clear()
        self._thread = threading.Thread(target=self._run, args=(parent.hostname,), name="turn-stream", daemon=True)
        self._thread.start()

    def stop(self, parent: Any) -> None:  # noqa: ARG002 - the signature is celery's
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=LONGEST_PAUSE_S)

    terminate = stop

    def _run(self, consumer: str) -> None:
        from tasks import wake
        from tasks.base import hmind

        stream, pause_s = hmind().stream(consumer), 0.5
        while not self._over.is_set():
            try:
                receipt = stream.step()
                if receipt is not None:
                    wake.detect(receipt.touched)
                pause_s = 0.5
                continue
            except StoreUnavailable as error:
                log.warning("%s", error)
            except Exception as error:  # the thread must outlive whatever it meets; texts stay out of the log
                where = "".join(traceback.format_tb(error.__traceback__))
                log.error("reading the turn stream failed: %s\n%s", type(error).__name__, where)
            self._over.wait(pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
