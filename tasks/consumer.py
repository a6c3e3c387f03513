"""The consumer of a worker: what is no task is dropped, told in the log without its text, and holds up nothing.

Celery's own prints the whole message there, and one without an id, or with a body of another shape,
it takes for a lost connection: it comes back, again and again, and nothing behind it is ever read.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from celery.worker.consumer import Consumer

log = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_MALFORMED = (AttributeError, KeyError, TypeError, ValueError)
"""What reading an envelope of another shape raises; a lost connection raises none of these."""


class QuietConsumer(Consumer):
    """Drops messages that are not for it. On RabbitMQ a dead-letter exchange of the queue gets them."""

    def create_task_handler(self, *args: Any, **kwargs: Any) -> Callable[[Any], None]:
        """The handler of one message, for which no message is poison."""
        handle = super().create_task_handler(*args, **kwargs)

        def handle_any(message: Any) -> None:
            try:
                handle(message)
            except _MALFORMED as error:
                self.on_invalid_task(None, message, error)

        return handle_any

    def on_unknown_message(self, body: Any, message: Any) -> None:  # noqa: ARG002 - the signatures are celery's
        self._drop(message, "is no message of Celery's")

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:  # noqa: ARG002
        name = str(exc.args[0]) if exc.args else ""
        self._drop(message, f"names the task {name if _NAME.fullmatch(name) else '?'}, which does not exist")

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:  # noqa: ARG002
        self._drop(message, f"is malformed ({type(exc).__name__})")

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        self._drop(message, f"cannot be read ({type(exc).__name__})")

    def _drop(self, message: Any, why: str) -> None:
        queue = (message.delivery_info or {}).get("routing_key", "?")
        log.error("a message in the queue %s %s; it was dropped", queue, why)
        message.reject_log_error(log, self.connection_errors)
