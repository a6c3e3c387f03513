"""`hmind eval`: how good the product's own judgements are, on labelled data, beside baselines and published figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmind.cli import screen
from hmind.cli.options import AsJson

if TYPE_CHECKING:
    from hmind.evaluation.boundaries import Judge, Measured, Published
    from hmind.evaluation.closing import Measured as Heard
    from hmind.evaluation.dialogues import Dialogue

_NUMBER: Mapping[str, Any] = {**screen.RIGHT, "min_width": 4}
Tell = Callable[[int], None]

group = typer.Typer(help="Measure how good its judgements are, on labelled data.", no_args_is_help=True)


@group.callback()
def _common() -> None:
    """With a callback these stay subcommands, however few there are."""


@group.command("boundaries")
def boundaries(
    data: Annotated[Path | None, typer.Option(help="Folder of *.jsonl with labelled dialogues.", metavar="DIR")] = None,
    as_json: AsJson = False,
) -> None:
    """Where topics end: Pk, WindowDiff, F1 and speed, set by set.

    Without --data the sets in ../shared/data/segmentation beside a checkout, else small samples of our own.
    """
    from hmind.cli.stored_calibration import boundary_embedder
    from hmind.evaluation import boundaries as evaluation
    from hmind.evaluation import dialogues, labels, samples
    from hmind.settings import load

    place = data or samples.folder("segmentation")
    sets = labels.folder(place, dialogues.read)
    settings = load()
    judge = evaluation.judge(settings, boundary_embedder(settings))
    judge.load(next(iter(sets.values())))
    ours: dict[str, Measured] = {}
    theirs: dict[str, Mapping[str, Measured]] = {}
    for stem, labelled in sets.items():
        with progress(stem, len(labelled)) as tell:
            ours[stem] = evaluation.measure(labelled, judge, tell)
        if not as_json:
            theirs[stem] = _baselines(stem, labelled)
    if as_json:
        screen.print_json({stem: measured.rounded() for stem, measured in ours.items()})
        return
    _show_boundaries(place, judge, ours, theirs)


@group.command("closing")
def closing(
    data: Annotated[Path | None, typer.Option(help="Folder of *.jsonl with labelled turns.", metavar="DIR")] = None,
    as_json: AsJson = False,
) -> None:
    """What ends a talk: precision and recall of farewells and thanks, set by set.

    Without --data the sets in ../shared/data/closing beside a checkout, else small samples of our own.
    """
    from hmind.evaluation import closing as evaluation
    from hmind.evaluation import labels, samples

    place = data or samples.folder("closing")
    sets = labels.folder(place, evaluation.read)
    phrases = evaluation.phrases()
    heard = {stem: evaluation.measure(lines, phrases) for stem, lines in sets.items()}
    if as_json:
        screen.print_json(
            {stem: {who: measured.rounded() for who, measured in groups.items()} for stem, groups in heard.items()}
        )
        return
    _show_closing(place, phrases.languages, heard)


def _baselines(stem: str, labelled: list[Dialogue]) -> Mapping[str, Measured]:
    from hmind.evaluation import boundaries as evaluation

    measured = {}
    for name, method in evaluation.baselines().items():
        with progress(f"{stem}, {name}", len(labelled)) as tell:
            measured[name] = evaluation.measure(labelled, method, tell)
    return measured


@contextmanager
def progress(what: str, total: int) -> Iterator[Tell]:
    """On stderr: a bar in a terminal that goes away again, else a line. Tell it how much is done."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    terminal = screen.console(stderr=True)
    if not terminal.is_terminal:
        terminal.print(f"measuring {what}: {total}", style="dim")
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=terminal, transient=True) as bars:
        task = bars.add_task(what, total=total)
        yield lambda done: bars.update(task, completed=done)


def _show_boundaries(
    place: Path, judge: Judge, ours: Mapping[str, Measured], theirs: Mapping[str, Mapping[str, Measured]]
) -> None:
    from hmind.evaluation.boundaries import OURS, published_for

    out = screen.console()
    out.print("Where topics end", style="head")
    out.print(f"data      {place}", soft_wrap=True)
    out.print(f"embedder  {judge.embedder}")
    out.print(f"rule      {judge.rule}; only topic shift acts")
    table = screen.table("", "set and method", *((name, _NUMBER) for name in ("Pk", "WD", "F1", "Score", "turns/s")))
    table.add_column("note", **screen.SHORT)
    for stem, measured in ours.items():
        table.add_row(stem, *[""] * 5, f"{measured.dialogues} dialogues", style="head")
        table.add_row(f"  {OURS}", *_four(measured), f"{measured.turns_per_s:,.0f}", style="good")
        for name, other in theirs[stem].items():
            table.add_row(f"  {name}", *_four(other))
        if rows := published_for(stem):
            table.add_row("  published", *[""] * 5, "whole test sets", style="dim")
        for row in rows:
            table.add_row(f"  · {row.method}", *_four(row), "", f"needs {row.needs}" if row.needs else "", style="dim")
        table.add_section()
    out.print(table)
    out.print("Means over dialogues. Pk, WD (WindowDiff): lower is better; F1, Score: higher.")
    if not all("TextTiling" in others for others in theirs.values()):
        out.print("TextTiling is left out: it needs NLTK, `pip install 'hmind[eval]'`.")


def _four(measured: Measured | Published) -> list[str]:
    return [screen.share(value) for value in (measured.pk, measured.wd, measured.f1, measured.score)]


_WHO = {
    "user": "user turns",
    "agent": "agent turns",
    "all": "all turns",
    "farewells": "farewells only",
}


def _show_closing(place: Path, languages: tuple[str, ...], heard: Mapping[str, Mapping[str, Heard]]) -> None:
    out = screen.console()
    out.print("What ends a talk", style="head")
    out.print(f"data     {place}", soft_wrap=True)
    out.print(f"phrases  config/closing: {', '.join(languages)}")
    table = screen.table("", "set and turns", *((name, _NUMBER) for name in ("precision", "recall", "F1")))
    for name in ("gold", "found", "turns"):
        table.add_column(name, **_NUMBER)
    for stem, groups in heard.items():
        table.add_row(stem, style="head")
        for who, measured in groups.items():
            shares = [screen.share(value) for value in (measured.precision, measured.recall, measured.f1)]
            if who == "farewells":
                shares = ["", shares[1], ""]
            counts = [f"{count:,}" for count in (measured.gold, measured.found, measured.turns)]
            table.add_row(f"  {_WHO[who]}", *shares, *counts)
        table.add_section()
    out.print(table)
    out.print("Gold: turns labelled as a farewell or as thanks. Turn by turn, without what comes before or after.")
