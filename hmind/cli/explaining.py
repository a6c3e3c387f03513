"""`hmind why`: the whole way of a memory, as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hmind.cli import screen
from hmind.cli.asking import parts
from hmind.cli.options import AsJson, Tenant, tenant_of

if TYPE_CHECKING:
    from rich.tree import Tree

    from hmind.memory.why import BoundarySeen, EventSeen, Way, Why

TURNS_SHOWN = 12


def why(
    id_: Annotated[
        str, typer.Argument(help="Of a memory, an event or a segment; its first six digits do.", metavar="ID")
    ],
    user: Annotated[str, typer.Option("--user", "-u", help="Whose it is; makes the search faster.")] = "",
    tenant: Tenant = "",
    as_json: AsJson = False,
) -> None:
    """Tell how a memory came about: turns, boundary, salience, decision, and what was written."""
    from hmind.cli.opened import opened
    from hmind.memory.why import why as explain

    with opened() as stores:
        told = explain(stores.engine, tenant_of(tenant, stores.settings), id_, user or None)
    if as_json:
        screen.print_json(told)
    else:
        screen.console().print(tree(told))


def tree(told: Why) -> Tree:
    """The explanation as a tree."""
    from rich.tree import Tree

    root = Tree(Text.assemble((f"{told.kind} ", "head"), told.id, (f"  of {told.user_id}", "dim")))
    for way in told.ways:
        _add(root, way)
    if not told.ways:
        root.add(Text("its event and segment are gone", style="dim"))
    return root


def _add(root: Tree, way: Way) -> None:
    turns = root.add(Text(f"turns of session {way.session_id}", style="head"))
    # The turns it rests on first of all, when there are more than fit.
    chosen = sorted(way.turns, key=lambda turn: not turn.in_event)[:TURNS_SHOWN]
    for turn in (turn for turn in way.turns if turn in chosen):
        line = Text(f"{turn.turn_id} ", style="" if turn.in_event else "dim")
        line.append(f"{screen.when(turn.occurred_at)} {turn.speaker or turn.role}: ", style="dim")
        line.append(turn.content if turn.content is not None else "(its text was dropped)")
        line.append(f"  {turn.state}{f', {turn.reason}' if turn.reason else ''}".replace("_", " "), style="dim")
        turns.add(line)
    if len(way.turns) > len(chosen):
        turns.add(Text(f"and {len(way.turns) - len(chosen)} more", style="dim"))
    if (closed := way.boundary) is not None:
        measured = "" if closed.measured is None else f": measured {closed.measured:g}"
        limit = "" if closed.threshold is None else f", threshold {closed.threshold:g}"
        boundary = root.add(Text.assemble(("boundary ", "head"), f"{closed.reason.replace('_', ' ')}{measured}{limit}"))
        boundary.add(Text(f"segment {screen.short(closed.segment_id)}, {closed.rounds} rounds, {closed.state}"))
        if closed.analyst:
            boundary.add(Text(_read_by(closed)))
    if way.event is None:
        root.add(Text("no event was found in it", style="warn"))
    else:
        _event(root, way.event)
    if way.written:
        written = root.add(Text("written", style="head"))
        for row in way.written:
            said = "(its text was dropped)" if row.text is None else row.text
            line = Text.assemble((f"{row.kind} {screen.short(row.id)} ", "dim"), said, (f"  {row.state}", "dim"))
            written.add(line)


def _read_by(closed: BoundarySeen) -> str:
    """By whom the segment was read, how that went, and whether it will be read again."""
    told = f"read by {closed.analyst}, "
    if closed.outcome != "failed":
        told += f"{closed.outcome}"
    else:
        told += "since the language model failed"
    if closed.outcome_reason:
        told += f": {closed.outcome_reason.replace('_', ' ')}"
    if closed.again_at is not None:
        told += f"; to be read again, not before {screen.when(closed.again_at)}"
    elif closed.again_attempts:
        told += f"; read again {closed.again_attempts}×"
    return told


def _event(root: Tree, event: EventSeen) -> None:
    node = root.add(Text.assemble(("event ", "head"), event.description or "(its text was dropped)"))
    node.add(
        Text(f"{screen.short(event.event_id)}, {screen.when(event.occurred_at)}, {event.language} {event.emotion}")
    )
    node.add(Text(f"salience {event.salience:.2f} = {parts(event.salience_parts)}"))
    if event.decision is None:
        node.add(Text("waits in the pool for the daily run", style="warn"))
        return
    decision = root.add(Text.assemble(("decision ", "head"), event.state.replace("_", " ")))
    for line in _decision(event.decision, event.language):
        decision.add(Text(line))


def _decision(made: Any, language: str) -> list[str]:
    from hmind.memory.wording import language_of, sentence

    score, threshold, boost = made.get("score"), made.get("threshold"), made.get("boost")
    lines = []
    if by := made.get("replaced"):
        because = str(by["because"] or "").replace("_", " ")
        lines.append(f"replaced, as {by['by']} read the segment again after {by['instead_of']} ({because})")
    if score is not None and threshold is not None:
        weighed = f"{made.get('salience', score):.2f}" + (f" + {boost:.2f}" if boost else "")
        sign = "≥" if score >= threshold else "<"
        total = f" = {score:.2f}" if boost else ""
        lines.append(f"{weighed}{total} {sign} {threshold:.2f}: {str(made.get('reason', '')).replace('_', ' ')}")
    if made.get("matched_values"):
        lines.append(f"matters to the user: {', '.join(made['matched_values'])}")
    for fact in made.get("facts", ()):
        told = f"{fact['predicate'].replace('_', ' ')} (its text was dropped)"
        if "object" in fact:
            spoken = language_of(fact["object"], language)
            told = sentence(fact["subject"], fact["predicate"], fact["object"], spoken)
        lines.append(f"fact {told}: confidence {fact['confidence']:.2f}, {fact.get('change') or fact['outcome']}")
    return lines
