"""What all tasks share: the working parts of this process, and errors that carry no text."""

from __future__ import annotations

from functools import cache
from typing import Any

from celery import Task
from celery.exceptions import CeleryError
from celery.worker.request import Request

from hmind import settings
from hmind.bootstrap import Hmind
from hmind.errors import HmindError


@cache
def hmind() -> Hmind:
    """The working parts of this process."""
    return Hmind(settings.load())


class TaskFailed(HmindError):
    """<class of the error>. Its message may hold what a user said and is left out; the traceback is kept."""


class QuietTask(Task):
    """A task whose failures show where, and never what a user said."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.run(*args, **kwargs)
        except (HmindError, CeleryError):
            raise
        except Exception as error:
            raise TaskFailed(type(error).__name__).with_traceback(error.__traceback__) from None


class TextlessRequest(Request):
    """A request that shows no arguments in events, logs and inspections, whatever its sender declared."""

    @property
    def argsrepr(self) -> str:
        return "<turns>"

    @property
    def kwargsrepr(self) -> str:
        return "{}"

    def info(self, safe: bool = False) -> dict[str, Any]:  # noqa: ARG002 - Flower asks for the unsafe one
        """What an inspection of a busy worker tells of this request."""
        return {**super().info(safe=True), "args": self.argsrepr, "kwargs": self.kwargsrepr}
