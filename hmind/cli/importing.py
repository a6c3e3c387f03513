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
    from hmind.cli.interrupts import ending_by_signal
    from hmind.cli.opened import opened
    from hmind.importers.message import Defaults
    from hmind.importers.recognise import open_file
    from hmind.importers.run import run
    from hmind.settings import load

    settings = load()
    defaults = Defaults(user, tenant, timezone)
    reader = open_file(file, format_, defaults, settings.intake, datetime.now(UTC))
    with ending_by_signal(), opened(settings) as stores, ExitStack() as exits:
        hands = _Hands(stores, exits, as_json) if wait else None
        with _bars(as_json) as bars:
            reading = bars.add_task(f"{reader.format}: turns", total=reader.total)

            def tell(so_far: Imported) -> None:
                bars.update(reading, completed=so_far.read)
                if hands is not None and so_far.accepted:
                    hands.make_sure()

            hmind = stores.hmind
            imported = run(reader, hmind.intake, hmind.engine, hmind.redis, settings.intake, tell=tell)
            stand = _wait(stores, imported, bars, hands) if hands is not None else None
    _report(reader, imported, stand, as_json)


@contextmanager
def _bars(as_json: bool) -> Iterator[Bars]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    terminal = screen.console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=terminal, disable=as_json or not terminal.is_terminal) as bars:
        yield bars


class _Hands:
    """Somebody who does the work: the workers that run, else own ones, as long as the stores are embedded."""

    def __init__(self, stores: Opened, exits: ExitStack, as_json: bool) -> None:
        self._stores = stores
        self._exits = exits
        self._quiet = as_json
        self._looked = False
        self._logs: Path | None = None

    def make_sure(self) -> None:
        """Looks for workers, and starts some where none are and they may be started."""
        from hmind.cli.opened import embedded
        from hmind.cli.waiting import NO_WORKER, workers_answer
        from hmind.cli.workers import workers
        from hmind.settings import load

        if self._looked:
            return
        self._looked = True
        if workers_answer(self._stores.redis, self._stores.settings, 0):
            return
        told = NO_WORKER
        if embedded(load()):
            told = "No worker is running; starting some until this is done."
            self._logs = self._exits.enter_context(workers(self._stores.settings, self._stores.settings.home))
        if not self._quiet:
            screen.console(stderr=True).print(told, style="warn" if told is NO_WORKER else "dim")

    def answer(self) -> None:
        """Waits until the workers that were started here answer.

        Raises:
            StoreUnavailable: they do not.
        """
        from hmind.cli import workers
        from hmind.cli.waiting import workers_answer

        within_s = workers.START_WITHIN_S
        if self._logs is not None and not workers_answer(self._stores.redis, self._stores.settings, within_s):
            raise workers.not_started(self._logs)


def _wait(stores: Opened, imported: Imported, bars: Bars, hands: _Hands) -> Progress:
    from hmind.cli.waiting import until_drained
    from hmind.importers.progress import progress

    stand = progress(stores.engine, imported.sessions, datetime.now(UTC))
    if stand.drained:
        return stand
    hands.make_sure()
    hands.answer()
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
