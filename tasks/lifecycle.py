"""What happens when a worker starts, and when it forks."""

from __future__ import annotations

import logging
import sys
from typing import Any

from celery.signals import worker_init, worker_process_init

from hmind.cli.exits import code_of
from hmind.errors import HmindError
from tasks.base import hmind

log = logging.getLogger(__name__)


@worker_init.connect
def refuse_unfit_stores(**_: Any) -> None:
    """A worker that cannot work says why in one line and ends; its supervisor tries again."""
    try:
        hmind().check()
    except HmindError as error:
        log.critical("%s", error)
        print(f"hmind: {error}", file=sys.stderr)  # noqa: T201 - logging may not be set up yet
        sys.exit(code_of(error))
    hmind().close()


@worker_process_init.connect
def forget_inherited_connections(**_: Any) -> None:
    """Connections shared over a fork break both sides."""
    hmind().after_fork()
