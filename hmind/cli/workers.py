"""The processes of the Procfile for as long as a command needs them, their output in log files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import hmind
from hmind.cli.exits import TryLater
from hmind.errors import SettingsError, StoreUnavailable
from hmind.settings import Settings

WATCHING_ONLY = frozenset({"flower"})
"""Processes that move nothing."""
START_WITHIN_S = 90.0
GRACE_S = 15.0


def shipped(name: str) -> Path:
    """A file or folder that lies beside config/: in the wheel, or in the checkout.

    Raises:
        SettingsError: it is in neither.
    """
    package = Path(hmind.__file__).parent
    for place in (package / "_shipped" / name, package.parent / name):
        if place.exists():
            return place
    raise SettingsError(f"{name}: is not installed with hmind. Run hmind from a checkout.")


@contextmanager
def workers(settings: Settings, home: Path, environ: Mapping[str, str] | None = None) -> Iterator[Path]:
    """Workers and Beat on the stores of ``settings``; yields the folder of their logs.

    They have not yet answered when the context opens: starting takes some seconds in which turns
    can already go in.
    """
    from hmind.cli.interrupts import unbroken
    from hmind.local.supervisor import Supervisor, process_environment, read_procfile

    commands = {
        name: command for name, command in read_procfile(shipped("Procfile")).items() if name not in WATCHING_ONLY
    }
    logs = home / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    # A worker that is killed while it starts leaves its temporary folder.
    scratch = home / "tmp"
    scratch.mkdir(exist_ok=True)
    env = process_environment(settings, os.environ if environ is None else environ) | {"TMPDIR": str(scratch)}
    with (logs / "supervisor.log").open("a", encoding="utf-8") as told:
        supervisor = Supervisor(commands, env, logs, grace_s=GRACE_S, stream=told)
        try:
            with unbroken():
                supervisor.start()
            yield logs
        finally:
            supervisor.stop()
            shutil.rmtree(scratch, ignore_errors=True)


def last_words(logs: Path) -> str:
    """The last line in which a process said why it ended, or ""."""
    for log in sorted(logs.glob("*.log")):
        for line in reversed(log.read_text(encoding="utf-8", errors="replace").splitlines()[-50:]):
            if line.startswith("hmind: "):
                return line.removeprefix("hmind: ")
    return ""


def not_moving(error: TryLater, logs: Path) -> TryLater:
    """What to say when own workers answered and then moved nothing."""
    why = last_words(logs)
    return TryLater(f"{error}{f' A worker said: {why}' if why else ''}")


def not_started(logs: Path) -> StoreUnavailable:
    """What to say when no worker answered in time."""
    return StoreUnavailable(f"The workers do not start. {last_words(logs) or 'They did not say why.'} See {logs}.")
