"""`hmind eval analysis`: how good the analyst's notes, facts, times and salience are, on labelled data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmind.cli import screen
from hmind.cli.options import AsJson

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from hmind.bootstrap import Hmind
    from hmind.evaluation.analysis import LocomoFigures
    from hmind.evaluation.facts import FactFigures
    from hmind.evaluation.times import TimeFigures

_WAYS = {
    "hmind": "hmind's notes",
    "all turns": "every turn, as it was said",
    "longest turns": "longest turns, of the same length",
    "random turns": "random turns, of the same length",
}


class Part(StrEnum):
    """What can be measured by itself."""

    LOCOMO = "locomo"
    FACTS = "facts"
    TIMES = "times"


@dataclass(frozen=True, slots=True)
class _Found:
    locomo: LocomoFigures | None = None
    facts: FactFigures | None = None
    times: TimeFigures | None = None


def analysis(
    data: Annotated[
        Path | None, typer.Option(help="Conversations in the LoCoMo format, with event summaries.", metavar="FILE")
    ] = None,
    only: Annotated[
        Part | None, typer.Option(help="Only the conversations, the table of facts, or that of times.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What is kept of a talk: coverage of annotated events, salience, facts, times.

    Without --data ../shared/data/locomo beside a checkout, else a small sample of our own. With a language
    model set (analysis.llm_url) it is the one that is measured: a call for each segment, and one for each
    line of the table of facts.
    """
    from hmind.bootstrap import Hmind
    from hmind.evaluation import analysis as evaluation
    from hmind.evaluation import samples
    from hmind.evaluation.times import measure_times
    from hmind.settings import load

    parts = Hmind(load())
    place = data or evaluation.default_file()
    tables = samples.own("analysis")
    wanted = list(Part) if only is None else [only]
    found = _Found(
        locomo=_conversations(place, parts) if Part.LOCOMO in wanted else None,
        facts=_facts(tables / "facts.jsonl", parts) if Part.FACTS in wanted else None,
        times=measure_times(tables / "times.jsonl") if Part.TIMES in wanted else None,
    )
    if as_json:
        screen.print_json(_as_plain(found))
        return
    _show(place, parts.analyst.name, found)


def _conversations(place: Path, parts: Hmind) -> LocomoFigures:
    from hmind.boundary import build as detectors
    from hmind.cli.evaluating import progress
    from hmind.evaluation import analysis as evaluation

    conversations = evaluation.read(place, parts.settings)
    detector = detectors.detector(parts.settings.boundary, parts.boundary_embedder)
    sessions = sum(len(conversation.talks) for conversation in conversations)
    with progress(f"{place.name}, sessions", sessions) as tell:
        return evaluation.measure_locomo(conversations, parts.settings, parts.analyst, detector, tell)


def _facts(table: Path, parts: Hmind) -> FactFigures:
    from hmind.cli.evaluating import progress
    from hmind.evaluation import facts
    from hmind.evaluation.stand_in import StoodInFor

    with progress(f"{table.name}, lines", len(facts.read(table))) as tell:
        return facts.measure_facts(table, StoodInFor(parts.analyst, tell))


def _as_plain(found: _Found) -> Mapping[str, Mapping[str, Any]]:
    """All figures by part, as they are printed with --json."""
    plain: dict[str, Mapping[str, Any]] = {}
    if found.locomo is not None:
        plain["locomo"] = found.locomo.rounded()
    if (facts := found.facts) is not None:
        plain["facts"] = {
            "lines": facts.n,
            "precision": round(facts.precision, 4),
            "recall": round(facts.recall, 4),
            "hard_negatives": facts.hard_negatives,
            "hard_taken": facts.hard_taken,
            "languages": {
                name: {"lines": it.lines, "precision": round(it.precision, 4), "recall": round(it.recall, 4)}
                for name, it in facts.languages.items()
            },
            "held_out": None
            if facts.held_out is None
            else {
                "lines": facts.held_out.lines,
                "precision": round(facts.held_out.precision, 4),
                "recall": round(facts.held_out.recall, 4),
            },
        }
    if (times := found.times) is not None:
        plain["times"] = {
            "lines": times.n,
            "accuracy": round(times.accuracy, 4),
            "languages": {name: round(share, 4) for name, share in times.languages.items()},
            "held_out": None if times.held_out is None else round(times.held_out, 4),
        }
    return plain


def _show(place: Path, analyst: str, found: _Found) -> None:
    out = screen.console()
    out.print("What is kept of a talk", style="head")
    if found.locomo is not None:
        out.print(f"data     {place}", soft_wrap=True)
    out.print(f"analyst  {analyst}")
    if found.locomo is not None:
        _show_locomo(out, found.locomo)
    if found.facts is not None:
        _show_facts(out, found.facts)
    if found.times is not None:
        _show_times(out, found.times)
    if found.locomo is not None:
        out.print(
            "Covered: one note of the session tells the event; with every turn kept that is the most that "
            "this comparison finds. AUC: 1 is best, .5 is chance. See docs/quality.md."
        )


def _show_locomo(out: Console, figures: LocomoFigures) -> None:
    out.print(
        f"{figures.conversations} conversations, {figures.sessions} sessions, {figures.turns:,} turns, "
        f"{figures.gold} annotated events;\nof them {figures.segments} segments, {figures.events} events, "
        f"{figures.notes:,} notes"
    )
    table = screen.table("", "what is kept", ("events covered", screen.RIGHT), ("of the letters", screen.RIGHT))
    for way, told in _WAYS.items():
        kept = figures.kept[way]
        table.add_row(
            told, screen.share(kept.covered), screen.share(kept.chars), style="good" if way == "hmind" else ""
        )
    out.print(table)
    if figures.evidence is not None:
        out.print(f"turns that answer a question and are kept: {screen.share(figures.evidence)}")
    table = screen.table(
        "", "what tells an event stands first (AUC)", ("salience", screen.RIGHT), ("length", screen.RIGHT)
    )
    table.add_row("events", screen.share(figures.auc_events), screen.share(figures.auc_events_length))
    table.add_row("turns", screen.share(figures.auc_turns), screen.share(figures.auc_turns_length))
    out.print(table)
    speed = ",.0f" if figures.turns_per_s >= 10 else ".1f"
    out.print(
        f"{figures.tokens_per_1000_turns:,.0f} tokens per 1,000 turns, {figures.calls_per_segment:.2f} calls per "
        f"segment, {figures.turns_per_s:{speed}} turns/s"
    )
    if figures.fell_back:
        out.print(f"{figures.fell_back} segments were read offline, as the model gave no answer.", style="warn")


def _show_facts(out: Console, facts: FactFigures) -> None:
    table = screen.table("", "facts", *((name, screen.RIGHT) for name in ("precision", "recall", "lines")))
    table.add_row("all", screen.share(facts.precision), screen.share(facts.recall), str(facts.n))
    for name, share in facts.languages.items():
        table.add_row(f"  {name}", screen.share(share.precision), screen.share(share.recall), str(share.lines))
    if facts.held_out is not None:
        aside = facts.held_out
        table.add_row("  held out", screen.share(aside.precision), screen.share(aside.recall), str(aside.lines))
    out.print(table)
    out.print(f"hard negatives from which a fact was taken: {facts.hard_taken} of {facts.hard_negatives}")


def _show_times(out: Console, times: TimeFigures) -> None:
    table = screen.table("", "times", ("accuracy", screen.RIGHT), ("lines", screen.RIGHT))
    table.add_row("all", screen.share(times.accuracy), str(times.n))
    _by_name(table, times.languages)
    if times.held_out is not None:
        table.add_row("  held out", screen.share(times.held_out), "")
    out.print(table)


def _by_name(table: Table, shares: Mapping[str, float]) -> None:
    for name, share in shares.items():
        table.add_row(f"  {name}", screen.share(share), "")
