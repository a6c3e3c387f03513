"""`hmind migrate`, `hmind reembed` and `hmind deadletters`: for whoever runs it."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from hmind.cli import screen
from hmind.cli.exits import Exit
from hmind.cli.options import AsJson

AT_ONCE = 500


def migrate(as_json: AsJson = False) -> None:
    """Bring the database to this version's schema. Safe to run twice, and while workers run."""
    from hmind.cli.opened import opened
    from hmind.storage import meta
    from hmind.storage import migrate as migrations

    with opened(checked=False) as stores:
        with stores.engine.connect() as connection:
            before = migrations.current(connection)
        stores.hmind.migrate()
        embedder = stores.hmind.memory_embedder
        with stores.engine.connect() as connection:
            after = migrations.current(connection)
            meta.check_embedder(connection, embedder.name, embedder.dim)
    if as_json:
        screen.print_json({"before": before, "after": after, "memory_embedder": embedder.name})
    else:
        change = "was already there" if before == after else f"came from {before or 'nothing'}"
        screen.console().print(f"The database is at schema {after} ({change}), embedder {embedder.name}.")


def reembed(as_json: AsJson = False) -> None:
    """Compute all vectors anew, after the setting embedding.memory was changed. Stop the workers first."""
    from rich.progress import Progress

    from hmind.cli.opened import opened
    from hmind.memory.reembedding import reembed as compute

    terminal = screen.console(stderr=True)
    with opened() as stores, Progress(console=terminal, disable=as_json or not terminal.is_terminal) as bars:
        embedder = stores.hmind.memory_embedder
        task = bars.add_task("gists", total=None)
        done = compute(stores.engine, embedder, lambda some, whole: bars.update(task, completed=some, total=whole))
    if as_json:
        screen.print_json({"gists": done, "memory_embedder": embedder.name})
    else:
        screen.console().print(f"{done:,} gists now bear vectors of {embedder.name} ({embedder.dim} dimensions).")


def deadletters(
    user: Annotated[str, typer.Option("--user", "-u", help="Only those that name this user.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="The newest, at most this many.")] = 50,
    retry: Annotated[
        str, typer.Option("--retry", help="Give this one in again by its id, or `all` of them.", metavar="ID|all")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show messages that could not become turns, with the field at fault; or give them in again.

    Exit code 65 when one that is given in again is still bad.
    """
    from hmind.cli.opened import opened
    from hmind.intake import deadletters as letters

    if retry:
        _retry(retry, as_json)
        return
    with opened() as stores:
        found = letters.dead_letters(stores.engine, user_id=user or None, limit=limit)
    if as_json:
        screen.print_json(found)
        return
    if not found:
        screen.console().print("There are no dead letters.", style="good")
        return
    table = screen.table(
        "",
        ("id", screen.SHORT),
        (f"received ({screen.zone()})", {"width": 16}),
        ("from", screen.SHORT),
        ("user", {"max_width": 12}),
        ("field", screen.SHORT),
        ("because it", {"ratio": 1}),
    )
    for letter in found:
        reason = Text(letter.reason)
        if letter.payload is None:
            reason.append("  (payload dropped)", style="dim")
        id_ = Text(screen.short(letter.id), style="dim")
        table.add_row(id_, screen.when(letter.received_at), letter.origin, letter.user_id or "–", letter.field, reason)
    screen.console().print(table)


def _retry(which: str, as_json: bool) -> None:
    from hmind.cli.opened import opened
    from hmind.errors import BadTurn
    from hmind.intake import deadletters as letters
    from hmind.intake.wire import turn_from

    with opened() as stores:
        hmind = stores.hmind
        chosen = letters.to_retry(stores.engine, None if which == "all" else which)
        good, still_bad = [], []
        for letter in chosen:
            try:
                turn_from(letters.delivery_of(letter), stores.settings.intake, hmind.clock())
                good.append(letter)
            except BadTurn as fault:
                still_bad.append((letter.id, fault))
        for start in range(0, len(good), AT_ONCE):
            batch = good[start : start + AT_ONCE]
            hmind.intake.accept([letters.delivery_of(letter) for letter in batch], "retry")
            letters.remove(stores.engine, batch)
    if as_json:
        faults = [{"id": id_, "field": why.field, "reason": why.reason} for id_, why in still_bad]
        screen.print_json({"accepted": len(good), "still_bad": faults})
    else:
        out = screen.console()
        out.print(f"{len(good)} became turns, {len(still_bad)} are still bad.")
        for id_, why in still_bad:
            out.print(f"{screen.short(id_)}: {why}", style="bad")
    if not chosen and which != "all":
        screen.console(stderr=True).print("No dead letter with a payload has this id. See `hmind deadletters`.")
        raise typer.Exit(Exit.FAILED)
    if still_bad:
        raise typer.Exit(Exit.BAD_INPUT)
