"""`hmind recall`: a question to all layers, and what each answer rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hmind.cli import screen
from hmind.cli.options import AsJson, Tenant, User, instant, tenant_of
from hmind.model import Layer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from hmind.model import Recollection


def recall(
    question: Annotated[str, typer.Argument(help="In whatever language.")],
    user: User,
    tenant: Tenant = "",
    now: Annotated[str, typer.Option(help="As if asked at this time, ISO 8601.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many answers at most.")] = 10,
    layers: Annotated[list[Layer] | None, typer.Option("--layer", help="Only this layer; may be repeated.")] = None,
    touch: Annotated[
        bool, typer.Option("--touch/--no-touch", help="Whether this counts as use, which keeps memories from fading.")
    ] = True,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of each score.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a user's memory. Best answer first."""
    from hmind.cli.opened import opened
    from hmind.recall.touch import touch as note_use

    asked_at = instant(now, "--now")
    with opened() as stores:
        hmind = stores.hmind
        whose = tenant_of(tenant, stores.settings)
        found = hmind.recall.ask(question, whose, user, now=asked_at, limit=limit, layers=layers)
        if touch:
            note_use(hmind.engine, whose, user, [item.id for item in found], hmind.clock())
    if as_json:
        screen.print_json(found)
    elif not found:
        screen.console().print(f"Nothing in {user}'s memory answers that.")
    else:
        screen.console().print(answers(found, explain=explain))


def answers(found: Sequence[Recollection], title: str = "", *, explain: bool = False) -> Table:
    """The recollections as a table of 80 columns."""
    table = screen.table(
        title,
        ("#", screen.RIGHT),
        ("", screen.SHORT),
        ("score", screen.RIGHT),
        (f"when ({screen.zone()})", {"width": 16}),
        ("memory", {"ratio": 1}),
        ("turns", {"max_width": 14}),
    )
    for rank, item in enumerate(found, 1):
        said = Text(item.text)
        if item.flags:
            said.append(f"  [{', '.join(flag.replace('_', ' ') for flag in item.flags)}]", style="warn")
        if explain:
            said.append("\n" + parts(item.parts), style="dim")
        table.add_row(
            str(rank),
            screen.layer(item.layer),
            f"{item.score:.2f}",
            screen.when(item.occurred_at),
            said,
            Text(screen.turns(item.source_turns), style="dim"),
        )
    return table


def parts(of: Mapping[str, float]) -> str:
    """Summands by name and value, zeros left out: ``vector .41 + keyword .10 − importance .02``."""
    shown = [(name, value) for name, value in of.items() if abs(value) >= 0.005]
    told = "".join(f" {'+' if value >= 0 else '−'} {name} {abs(value):.2f}" for name, value in shown)
    return told.removeprefix(" + ").strip()
