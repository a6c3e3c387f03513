"""`hmind import`: a file of old conversations, and how the pipeline works it off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmind.cli import screen
from hmind.cli.options import AsJson, Tenant

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from hmind.cli.opened import Opened
    from hmind.importers.message import Reader
    from hmind.importers.progress import Progress
    from hmind.importers.run import Imported

DEAD_SHOWN = 10


def import_(
    file: Annotated[Path, typer.Argument(help="JSON lines of turns, or a LoCoMo file.", metavar="FILE")],
    format_: Annotated[
        str, typer.Option("--format", help="jsonl or locomo; recognised by the content where left out.")
    ] = "",
    user: Annotated[str, typer.Option("--user", "-u", help="Whose memory, where the file does not say.")] = "",
    tenant: Tenant = "",
    timezone: Annotated[str, typer.Option(help="IANA zone of times without an offset; UTC where left out.")] = "",
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Return when all of it is worked off.")] = True,
    as_json: AsJson = False,
) -> None:
    """Import a file of old conversations. Doing it again changes nothing."""
    from hmind.cli.opened import embedded, opened
    from hmind.importers.message import Defaults
    from hmind.importers.recognise import open_file
    from hmind.importers.run import run
    from hmind.settings import load

    settings = load()
    defaults = Defaults(user, tenant, timezone)
    reader = open_file(file, format_, defaults, settings.intake, datetime.now(UTC))
    with opened(settings) as stores, ExitStack() as exits:
        logs = None
        if wait and not _workers(stores):
            if not embedded(settings):
                _say_nobody(as_json)
            else:
                logs = _own_workers(stores, exits)
        hmind = stores.hmind
        with _bars(as_json) as bars:
            reading = bars.add_task(f"{reader.format}: turns", total=reader.total)
            imported = run(
                reader,
                hmind.intake,
                hmind.redis,
                settings.intake,
                tell=lambda so_far: bars.update(reading, completed=so_far.read),
            )
            stand = _wait(stores, imported, bars, logs) if wait else None
    _report(reader, imported, stand, as_json)


@contextmanager
def _bars(as_json: bool) -> Iterator[Bars]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    terminal = screen.console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=terminal, disable=as_json or not terminal.is_terminal) as bars:
        yield bars


def _workers(stores: Opened) -> bool:
    from hmind.cli.waiting import workers_answer

    return workers_answer(stores.redis, stores.settings, 0)


def _own_workers(stores: Opened, exits: ExitStack) -> Path:
    """Starts workers for the duration: on a fresh machine one command shall do."""
    from hmind.cli.workers import workers

    screen.console(stderr=True).print("No worker is running; starting some until this is done.", style="dim")
    return exits.enter_context(workers(stores.settings, stores.settings.home))


def _say_nobody(as_json: bool) -> None:
    from hmind.cli.waiting import NO_WORKER

    if not as_json:
        screen.console(stderr=True).print(NO_WORKER, style="warn")


def _wait(stores: Opened, imported: Imported, bars: Bars, logs: Path | None) -> Progress:
    from hmind.cli import workers
    from hmind.cli.waiting import until_drained, workers_answer

    if logs is not None and not workers_answer(stores.redis, stores.settings, workers.START_WITHIN_S):
        raise workers.not_started(logs)
    working = bars.add_task("pipeline: turns", total=max(1, imported.accepted + imported.duplicate))

    def tell(stand: Progress) -> None:
        total = sum(stand.turns.values())
        done = total if stand.drained else stand.settled
        segments, events = sum(stand.segments.values()), sum(stand.events.values())
        bars.update(working, completed=done, total=total, description=f"{segments} segments, {events} events: turns")

    return until_drained(stores.engine, stores.redis, stores.settings, imported.sessions, tell)


def _report(reader: Reader, imported: Imported, stand: Progress | None, as_json: bool) -> None:
    if as_json:
        screen.print_json(_as_json(reader, imported, stand))
        return
    out = screen.console()
    table = screen.table("Import", "what", ("number", screen.RIGHT), "")
    table.add_row("turns read", f"{imported.read:,}", reader.format)
    table.add_row("accepted", f"{imported.accepted:,}", "new")
    table.add_row("duplicate", f"{imported.duplicate:,}", "known already, nothing changed")
    table.add_row("dead", f"{imported.dead:,}", "cannot become turns", style="bad" if imported.dead else "")
    table.add_row("sessions", f"{len(imported.sessions):,}", "")
    if stand is not None:
        for name, counted in (("turns", stand.turns), ("segments", stand.segments), ("events", stand.events)):
            for state, number in sorted(counted.items()):
                table.add_row(name, f"{number:,}", state)
    out.print(table)
    for dead in imported.dead_lines[:DEAD_SHOWN]:
        out.print(f"{dead.place}: {dead.field}: {dead.reason}", style="bad")
    if len(imported.dead_lines) > DEAD_SHOWN:
        out.print(f"and {len(imported.dead_lines) - DEAD_SHOWN:,} more; see `hmind deadletters`", style="bad")
    if stand is not None and stand.resting:
        out.print(f"{stand.resting:,} turns rest in the event pool until the daily run.", style="dim")
    if stand is None:
        out.print("Workers do the rest; `hmind status` tells how far they are.", style="dim")


def _as_json(reader: Reader, imported: Imported, stand: Progress | None) -> dict[str, Any]:
    return {
        "format": reader.format,
        "read": imported.read,
        "accepted": imported.accepted,
        "duplicate": imported.duplicate,
        "dead": imported.dead,
        "sessions": len(imported.sessions),
        "dead_lines": imported.dead_lines,
        "drained": stand.drained if stand else None,
        "resting": stand.resting if stand else None,
        "progress": stand,
    }
