"""What the demo shows: what became of the talk, what was let go, and how questions are answered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.text import Text

from hmind.cli import screen
from hmind.cli.asking import answers, parts
from hmind.cli.demo_expectations import Check
from hmind.cli.demo_seen import Seen
from hmind.cli.keeping import memory_tables

GISTS_SHOWN = 8
ENTITIES_SHOWN = 8
ANSWERS_SHOWN = 3
EXAMPLES_SHOWN = 2


def show(out: Console, demo: Mapping[str, Any], seen: Seen) -> None:
    """All tables, in the order of the road."""
    _summary(out, seen)
    _closed(out, seen)
    for user, kept in seen.kept.items():
        best = sorted(kept.gists, key=lambda gist: (-gist.importance, gist.occurred_at))[:GISTS_SHOWN]
        known = sorted(
            kept.entities[:ENTITIES_SHOWN], key=lambda entity: entity.because.event_id if entity.because else ""
        )
        shown = replace(kept, gists=tuple(best), entities=tuple(known))
        for table in memory_tables(shown, user, in_full=True):
            out.print(table)
        more = len(kept.gists) - len(shown.gists), len(kept.entities) - len(shown.entities)
        if any(more):
            out.print(f"  and {max(0, more[0])} more gists, {max(0, more[1])} more entities of {user}\n", style="dim")
    _let_go(out, seen)
    for asked, found in zip(demo["question"], seen.answers, strict=True):
        out.print(answers(found[:ANSWERS_SHOWN], f"{asked['user']} asks: {asked['question']}"))


def show_checks(out: Console, checks: Sequence[Check]) -> None:
    """Each expectation with a tick or a cross, and what was seen instead."""
    table = screen.table("What must have come of it", "", ("", screen.SHORT), ("", {"ratio": 1}))
    table.show_header = False
    for check in checks:
        mark = Text("✓", style="good") if check.holds else Text("✗", style="bad")
        said = Text(check.says)
        if not check.holds:
            said.append(f" — {check.seen}", style="bad")
        table.add_row(mark, Text(check.group, style="dim"), said)
    out.print(table)


def _summary(out: Console, seen: Seen) -> None:
    entries = [entry for turns in seen.turns.values() for entry in turns]
    gone = sum(entry.state == "discarded" for entry in entries)
    facts, gists, entities = (
        sum(len(getattr(kept, kind)) for kept in seen.kept.values()) for kind in ("facts", "gists", "entities")
    )
    out.print(
        f"{len(entries)} turns of {' and '.join(seen.turns)} → {len(seen.segments)} segments "
        f"→ {len(seen.events)} events → {facts} facts, {gists} gists, {entities} entities; {gone} turns let go.\n",
        style="head",
    )


def _closed(out: Console, seen: Seen) -> None:
    table = screen.table(
        "Where something was over",
        ("because", screen.SHORT),
        ("segments", screen.RIGHT),
        ("turns", screen.RIGHT),
        ("for example", {"ratio": 1}),
    )
    for reason, number in Counter(segment.boundary for segment in seen.segments).most_common():
        of_it = [segment for segment in seen.segments if segment.boundary == reason]
        last = of_it[0].turn_ids[-1]
        said = Text(f"after {last}: ", style="dim").append(_quoted(seen.said.get(last, "")), style="not dim")
        measured = of_it[0].measured
        if measured is not None:
            amount = screen.seconds(measured) if reason == "silence" else f"{measured:.2f}".removesuffix(".00")
            said.append(f"  ({amount}", style="dim")
            said.append(f", limit {of_it[0].threshold:g})" if of_it[0].threshold is not None else ")", style="dim")
        turns = sum(len(segment.turn_ids) for segment in of_it)
        table.add_row(reason.replace("_", " "), str(number), str(turns), said)
    out.print(table)


def _let_go(out: Console, seen: Seen) -> None:
    by_reason: dict[str, list[str]] = defaultdict(list)
    for entry in (entry for turns in seen.turns.values() for entry in turns):
        if entry.state == "discarded":
            by_reason[entry.reason or "no reason"].append(entry.turn_id)
    table = screen.table(
        "What was let go", ("because", screen.SHORT), ("turns", screen.RIGHT), ("for example", {"ratio": 1})
    )
    for reason, turns in sorted(by_reason.items(), key=lambda each: -len(each[1])):
        said = Text()
        for turn in turns[:EXAMPLES_SHOWN]:
            said.append(f"{turn} ", style="dim").append(f"{_quoted(seen.said.get(turn, ''))}  ", style="not dim")
        table.add_row(reason.replace("_", " "), str(len(turns)), said)
    for event in seen.events:
        if event.state == "discarded":
            why = f"salience {event.salience:.2f}: {parts(event.salience_parts)}"
            table.add_row("event", str(len(event.turn_ids)), Text(f"{_quoted(event.description)}  {why}"))
    out.print(table)


def _quoted(text: str, most: int = 40) -> str:
    line = " ".join(text.split())
    return f"“{line[:most]}…”" if len(line) > most else f"“{line}”" if line else ""
