"""`hmind memories` and `hmind ledger`: what is kept of a user, and what became of every turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hmind.cli import screen
from hmind.cli.asking import parts
from hmind.cli.options import AsJson, Tenant, User, instant, tenant_of
from hmind.model import TurnState

if TYPE_CHECKING:
    from rich.table import Table

    from hmind.memory.reading import Memories
    from hmind.memory.reasons import Because

_STATE_STYLES = {"remembered": "good", "waiting": "warn", "segmented": "warn", "dead_lettered": "bad", "expired": "bad"}


def memories(
    user: User,
    tenant: Tenant = "",
    limit: Annotated[int, typer.Option(min=1, help="Of each kind.")] = 50,
    history: Annotated[
        bool, typer.Option("--history", help="Also what no longer holds, was merged or evicted.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show all that is kept of a user, and why. The ids are for `hmind why`."""
    from hmind.cli.opened import opened
    from hmind.memory.reading import memories as read

    with opened() as stores:
        kept = read(stores.engine, tenant_of(tenant, stores.settings), user, limit=limit, history=history)
    if as_json:
        screen.print_json(kept)
        return
    out = screen.console()
    tables = memory_tables(kept)
    for table in tables:
        out.print(table)
    if not tables:
        out.print(f"Nothing is kept of {user} yet. See `hmind ledger --user {user}` for what became of the turns.")


def memory_tables(kept: Memories, whose: str = "", *, in_full: bool = False) -> list[Table]:
    """A table for each kind of memory there is; ``in_full`` shows the parts of each salience too."""
    suffix = f" of {whose}" if whose else ""
    facts = _Listing(f"Facts (L4){suffix}", "sure", in_full)
    for fact in kept.facts:
        said = Text(fact.text)
        said.highlight_words([fact.object], style="bold")
        if fact.invalidated_at is not None:
            said.append("  [no longer holds]", style="warn")
        facts.add(fact.id, "L4", said, f"{fact.confidence:.2f}", fact.source_turns, fact.because)
    gists = _Listing(f"Gists (L2, and L4 where salient){suffix}", "weight", in_full)
    for gist in kept.gists:
        said = Text(gist.text)
        if gist.state != "live":
            said.append(f"  [{gist.state}]", style="warn")
        gists.add(gist.id, gist.layer, said, f"{gist.importance:.2f}", gist.source_turns, gist.because)
    entities = _Listing(f"Entities (L3){suffix}", "seen", in_full)
    for entity in kept.entities:
        said = Text(entity.name, style="bold").append(f"  {entity.type}", style="dim not bold")
        if entity.aliases:
            said.append(f"  also {', '.join(entity.aliases)}", style="dim not bold")
        entities.add(entity.id, "L3", said, f"{entity.mention_count}×", (), entity.because)
    reviews = _Listing(f"Waiting for a person to confirm{suffix}", "sure", in_full)
    for review in kept.reviews:
        said = Text(review.text)
        reviews.add(review.id, "L4", said, f"{review.confidence:.2f}", review.source_turns, review.because)
    return [listing.table for listing in (facts, gists, entities, reviews) if listing.table.row_count]


class _Listing:
    """A table of memories; what several of one event have in common stands once, above them."""

    def __init__(self, title: str, number: str, in_full: bool) -> None:
        self.table = screen.table(
            title,
            ("id", screen.SHORT),
            ("", screen.SHORT),
            ("memory, and why", {"ratio": 1}),
            (number, screen.RIGHT),
            ("turns", {"max_width": 14}),
        )
        self._in_full = in_full
        self._last = ""

    def add(self, id_: str, layer: str, said: Text, number: str, turns: tuple[str, ...], why: Because | None) -> None:
        told = because(why, self._in_full)
        if told and told != self._last:
            self.table.add_row("", "", Text(told, style="dim"), "", "")
        self._last = told
        shown = Text(screen.turns(turns), style="dim")
        self.table.add_row(Text(screen.short(id_), style="dim"), screen.layer(layer), said, number, shown)


def because(why: Because | None, in_full: bool = False) -> str:
    """Why, on one line: what was decided, its numbers, and what closed the segment."""
    if why is None:
        return ""
    decision = why.decision or {}
    told = f"{why.state.replace('_', ' ')}: salience {why.salience:.2f}"
    if in_full and (summands := parts(why.salience_parts)):
        told += f" ({summands})"
    if boost := decision.get("boost"):
        told += f" + {boost:.2f} for {', '.join(decision.get('matched_values', ()))}"
    if threshold := decision.get("threshold"):
        sign = "≥" if decision.get("score", 0) >= threshold else "<"
        told += f" {sign} {threshold:.2f}"
    return told + boundary(why)


def boundary(why: Because) -> str:
    """What closed the segment and what was measured."""
    if why.boundary is None:
        return ""
    measured = ""
    if why.measured is not None:
        is_silence = why.boundary == "silence"
        measured = f" {screen.seconds(why.measured)}" if is_silence else f" {why.measured:.2f}".replace(".00", "")
    return f"; {why.boundary.replace('_', ' ')}{measured}"


def ledger(
    user: User,
    tenant: Tenant = "",
    session: Annotated[str, typer.Option("--session", "-s", help="Only this conversation.")] = "",
    state: Annotated[TurnState | None, typer.Option(help="Only turns in this state.")] = None,
    since: Annotated[str, typer.Option(help="Only turns said at this time or later, ISO 8601.")] = "",
    until: Annotated[str, typer.Option(help="Only turns said before this time.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="The newest, at most this many.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show what became of each turn, and why. It holds no text."""
    from hmind.cli.opened import opened
    from hmind.memory.ledger import ledger as read

    start, end = instant(since, "--since"), instant(until, "--until")
    with opened() as stores:
        entries = read(
            stores.engine,
            tenant_of(tenant, stores.settings),
            user,
            session_id=session or None,
            state=state,
            since=start,
            until=end,
            limit=limit,
        )
    if as_json:
        screen.print_json(entries)
        return
    if not entries:
        screen.console().print(f"No turn of {user} is in the ledger.")
        return
    table = screen.table(
        "",
        (f"said ({screen.zone()})", {"width": 16}),
        ("session", {"max_width": 16}),
        ("turn", {"max_width": 14}),
        "role",
        ("became", screen.SHORT),
        "because",
    )
    for entry in entries:
        state_text = Text(entry.state.replace("_", " "), style=_STATE_STYLES.get(entry.state, ""))
        reason = (entry.reason or "").replace("_", " ")
        table.add_row(
            screen.when(entry.occurred_at),
            entry.session_id,
            screen.turns([entry.turn_id]),
            entry.role,
            state_text,
            reason,
        )
    screen.console().print(table)
