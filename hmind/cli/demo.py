"""`hmind demo`: a chat log goes the whole road on stores of its own, is shown and checked, and is gone again."""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmind.cli import screen
from hmind.cli.exits import Exit, TryLater
from hmind.cli.options import AsJson

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from hmind.bootstrap import Hmind
    from hmind.cli.demo_seen import Seen


STILL_S = 60.0
"""Offline, a segment takes far less than a second once its worker has loaded its models."""


def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Keep the data, to look around in them afterwards.")] = False,
    as_json: AsJson = False,
) -> None:
    """Watch a chat log in two languages become memories, in a minute. Leaves nothing behind.

    Exit code 1 when something that must come of it did not.
    """
    from hmind.cli.demo_expectations import check
    from hmind.cli.demo_screen import show, show_checks
    from hmind.cli.interrupts import ending_by_signal
    from hmind.cli.workers import shipped

    examples = shipped("examples")
    told = tomllib.loads((examples / "demo.toml").read_text(encoding="utf-8"))
    began = monotonic()
    with ending_by_signal(), _own_home(keep) as home:
        seen = _run(home, told, examples / told["log"]["file"], as_json)
    took_s = monotonic() - began
    checks = check(told, seen)
    failed = [each for each in checks if not each.holds]
    if as_json:
        screen.print_json({"checks": checks, "failed": len(failed), "took_s": round(took_s, 1), "seen": seen})
    else:
        out = screen.console()
        show(out, told, seen)
        show_checks(out, checks)
        out.print(
            f"{len(checks) - len(failed)} of {len(checks)} hold, after {took_s:.0f} s.",
            style="bad" if failed else "good",
        )
        if keep:
            out.print(f"The data are kept: HMIND_HOME={home} hmind memories --user {told['log']['users'][0]}")
    if failed:
        raise typer.Exit(Exit.FAILED)


def _run(home: Path, told: dict[str, Any], log: Path, as_json: bool) -> Seen:
    """The road: stores, workers, import, until the pipeline has drained."""
    from hmind.bootstrap import Hmind
    from hmind.cli import workers
    from hmind.cli.demo_seen import see
    from hmind.local.services import embedded
    from hmind.settings import load

    # The person's own settings would make of the talk something else.
    settings = load({})
    environ = {name: value for name, value in os.environ.items() if not name.startswith("HMIND_")}
    with _steps(as_json) as bars:
        step = bars.add_task("starting PostgreSQL and Valkey", total=None)
        with embedded(home) as urls:
            ready = settings.with_stores(urls.database_url, urls.redis_url)
            hmind = Hmind(ready)
            try:
                bars.update(step, description="making the tables")
                hmind.migrate()
                _tell_core_values(hmind, told)
                bars.update(step, description="starting workers and Beat")
                with workers.workers(ready, home, environ) as logs:
                    _import(hmind, log, bars, step, logs)
                    bars.update(step, description="asking questions")
                    seen = see(hmind, told, ready.intake.default_tenant)
                    bars.update(step, description="stopping")
            finally:
                hmind.close()
    return seen


def _import(hmind: Hmind, log: Path, bars: Bars, step: Any, logs: Path) -> None:
    from hmind.cli import workers
    from hmind.cli.waiting import until_drained, workers_answer
    from hmind.importers.message import Defaults
    from hmind.importers.progress import Progress
    from hmind.importers.recognise import open_file
    from hmind.importers.run import run

    settings = hmind.settings
    reader = open_file(log, "", Defaults(), settings.intake, datetime.now(UTC))
    imported = run(reader, hmind.intake, hmind.engine, hmind.redis, settings.intake)
    if not workers_answer(hmind.redis, settings, workers.START_WITHIN_S):
        raise workers.not_started(logs)

    def tell(stand: Progress) -> None:
        segments, events = sum(stand.segments.values()), sum(stand.events.values())
        done = stand.settled if not stand.drained else reader.total
        description = f"{segments} segments, {events} events, turns in a final state"
        bars.update(step, description=description, completed=done, total=reader.total)

    try:
        until_drained(hmind.engine, hmind.redis, settings, imported.sessions, tell, still_s=STILL_S)
    except TryLater as error:
        raise workers.not_moving(error, logs) from None


def _tell_core_values(hmind: Hmind, told: dict[str, Any]) -> None:
    from hmind.memory.profiles import set_core_values

    with hmind.engine.begin() as connection:
        for each in told["core_values"]:
            set_core_values(
                connection, hmind.settings.intake.default_tenant, each["user"], each["values"], hmind.clock()
            )


@contextmanager
def _own_home(keep: bool) -> Iterator[Path]:
    """A folder that PostgreSQL may enter also when root starts it, gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="hmind-demo-")).resolve()
    home.chmod(0o755)
    try:
        yield home
    finally:
        if not keep:
            with suppress(FileNotFoundError):
                shutil.rmtree(home)


@contextmanager
def _steps(as_json: bool) -> Iterator[Bars]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    terminal = screen.console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=terminal, transient=True, disable=as_json or not terminal.is_terminal) as bars:
        yield bars
