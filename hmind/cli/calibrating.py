"""`hmind calibrate`: measures where topics shift for the embedder in use, and stores it with the embedder's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmind.cli import screen
from hmind.cli.options import AsJson, Tenant, tenant_of

if TYPE_CHECKING:
    from hmind.cli.opened import Opened
    from hmind.embedding.calibrated import Counted
    from hmind.embedding.embedder import Embedder
    from hmind.evaluation.calibration import Chosen, Tell
    from hmind.evaluation.dialogues import Dialogue
    from hmind.model import Turn
    from hmind.settings import Settings
    from hmind.storage.meta import Calibration

CURVE_ROWS = 9
BAR_CELLS = 30
FEW_SEAMS = 60


@dataclass(frozen=True, slots=True)
class _Material:
    """What is measured on: dialogues with their boundaries, and the talks in groups of one kind."""

    source: str
    sets: Mapping[str, Sequence[Dialogue]]
    groups: Sequence[Sequence[Sequence[Turn]]]
    labelled: bool


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What was measured, what counted before, and what may keep it from counting."""

    measured: Sequence[Calibration]
    chosen: Chosen
    before: Counted | None
    stored: bool
    remarks: Sequence[str]


def calibrate(
    data: Annotated[
        Path | None,
        typer.Option(help="Labelled dialogues: a .jsonl file or a folder of them.", metavar="PATH", show_default=False),
    ] = None,
    from_chat: Annotated[
        bool, typer.Option("--from-chat", help="On the talk of this deployment whose text is still there.")
    ] = False,
    chat: Annotated[
        Path | None,
        typer.Option(help="On the talk in any file that can be imported.", metavar="FILE", show_default=False),
    ] = None,
    user: Annotated[
        list[str] | None,
        typer.Option("--user", "-u", help="With --from-chat: only of these users.", show_default=False),
    ] = None,
    tenant: Tenant = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure and store nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure below which cosine a topic shifts for the embedder in use, and store it with its name.

    On labelled dialogues (without --data, those that eval takes), or on unlabelled talk.
    """
    from hmind.cli.opened import opened
    from hmind.settings import load

    if sum((data is not None, from_chat, chat is not None)) > 1:
        raise typer.BadParameter("take one of --data, --from-chat and --chat", param_hint="--data")
    if user and not from_chat:
        raise typer.BadParameter("goes with --from-chat", param_hint="--user")
    settings = load()
    with ExitStack() as exits:
        stores = exits.enter_context(opened(settings)) if from_chat or not dry_run else None
        if from_chat and stores is not None:
            material = _deployment(stores, tenant_of(tenant, settings), user or [])
        elif chat is not None:
            material = _file(chat, settings)
        else:
            material = _labelled(data)
        outcome = _measured(material, settings, stores, dry_run)
    if as_json:
        screen.print_json(_as_json(outcome))
    else:
        _show(material, outcome)


def _labelled(data: Path | None) -> _Material:
    from hmind.evaluation import dialogues, labels, samples

    place = data or samples.folder("segmentation")
    sets = {place.stem: dialogues.read(place)} if place.is_file() else labels.folder(place, dialogues.read)
    groups = [[dialogue.turns for dialogue in each] for each in sets.values()]
    return _Material(f"{len(sets)} labelled set{'s' if len(sets) > 1 else ''}", sets, groups, True)


def _deployment(stores: Opened, tenant: str, users: list[str]) -> _Material:
    from hmind.memory.talks import talks

    silence_s = stores.settings.boundary.silence_after_s
    return _unlabelled("chat", talks(stores.engine, stores.hmind.shortterm, tenant, users, silence_s))


def _file(chat: Path, settings: Settings) -> _Material:
    from hmind.cli.talks_in_file import talks_in
    from hmind.memory.talks import at_silences

    silence_s = settings.boundary.silence_after_s
    found = [part for talk in talks_in(chat, "", "", settings) for part in at_silences(talk.turns, silence_s)]
    return _unlabelled("a chat file", found)


def _unlabelled(source: str, talks: Sequence[Sequence[Turn]]) -> _Material:
    from hmind.evaluation.calibration import joined

    return _Material(source, {source: joined(talks)}, [talks], False)


def _measured(material: _Material, settings: Settings, stores: Opened | None, dry_run: bool) -> _Outcome:
    from hmind.embedding.build import build
    from hmind.evaluation import calibration
    from hmind.storage import meta
    from hmind.storage.meta import Calibration

    boundary = build(settings.embedding.boundary, settings.embedding)
    with _progress(f"measuring {boundary.name}") as tell:
        chosen = calibration.choose(material.sets, boundary, settings.boundary, tell)
    source, reach, now = material.source, settings.boundary.lookahead_turns, datetime.now(UTC)

    def found(embedder: Embedder, below: float | None) -> Calibration:
        unrelated = calibration.unrelated_cos(material.groups, embedder)
        return Calibration(embedder.name, below, unrelated, source, now, chosen.turns, reach)

    measured = [found(boundary, chosen.below)]
    if settings.embedding.memory == "endpoint" != settings.embedding.boundary:
        # The others ship with what they call unrelated; of an endpoint nobody knows.
        measured.append(found(build("endpoint", settings.embedding), None))
    before = None
    if stores is not None:
        with stores.engine.begin() as connection:
            before = _before(settings, boundary, meta.calibration(connection, boundary.name))
            for each in () if dry_run else measured:
                meta.record_calibration(connection, each)
    return _Outcome(measured, chosen, before, not dry_run, list(_remarks(material, settings, boundary)))


def _before(settings: Settings, embedder: Embedder, stored: Calibration | None) -> Counted | None:
    from hmind.embedding.calibrated import topic_shift_below
    from hmind.errors import SettingsError

    try:
        return topic_shift_below(settings, embedder, stored)
    except SettingsError:
        return None


def _remarks(material: _Material, settings: Settings, embedder: Embedder) -> Iterator[str]:
    from hmind.boundary.build import coherence

    explicit = ""
    if settings.boundary.topic_shift_below_cos:
        explicit = "boundary.topic_shift_below_cos"
    elif settings.embedding.boundary == "endpoint" and settings.embedding.endpoint_topic_shift_below_cos:
        explicit = "embedding.endpoint_topic_shift_below_cos"
    if explicit:
        yield f"The setting {explicit} counts before this; set it to 0 to use what was measured."
    if coherence(settings.boundary, embedder.name) is not None:
        yield "With boundary.coherence = true the coherence model judges topic shifts, and the cosine rule does not."
    seams = sum(len(dialogue.lengths) - 1 for each in material.sets.values() for dialogue in each)
    if seams < FEW_SEAMS:
        yield f"There were only {seams} boundaries to learn from; measure again when there is more talk."


@contextmanager
def _progress(what: str) -> Iterator[Tell]:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    terminal = screen.console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=terminal, transient=True, disable=not terminal.is_terminal) as bars:
        task = bars.add_task(what, total=None)
        yield lambda done, whole: bars.update(task, completed=done, total=whole)


def _as_json(outcome: _Outcome) -> dict[str, Any]:
    of_boundary, *of_memory = outcome.measured
    return {
        "boundary": of_boundary,
        "memory": of_memory[0] if of_memory else None,
        "curve": outcome.chosen.curve,
        "scores": outcome.chosen.scores,
        "before": outcome.before,
        "stored": outcome.stored,
        "remarks": outcome.remarks,
    }


def _show(material: _Material, outcome: _Outcome) -> None:
    out, chosen = screen.console(), outcome.chosen
    of_boundary, *of_memory = outcome.measured
    out.print(f"Calibration of {of_boundary.embedder}", style="head")
    made = "dialogues" if material.labelled else "dialogues joined from pieces of different talks"
    out.print(f"on {material.source}: {chosen.dialogues:,} {made}, {chosen.turns:,} turns")
    table = screen.table("", ("cosine <", screen.RIGHT), ("Score", screen.RIGHT), "")
    for tried in _few(chosen):
        bar = "█" * round(tried.score * BAR_CELLS)
        best = tried.below == chosen.below
        table.add_row(
            screen.share(tried.below), screen.share(tried.score), bar + " chosen" * best, style="good" if best else ""
        )
    out.print(table)
    if material.labelled:
        table = screen.table("", ("set", {"ratio": 1}), (f"Score below {screen.share(chosen.below)}", screen.RIGHT))
        for name, score in chosen.scores.items():
            table.add_row(name, screen.share(score))
        out.print(table)
    before = outcome.before
    was = f"; until now {screen.share(before.value)}, {before.source}" if before else ""
    out.print(f"A topic shifts below {screen.share(chosen.below)}{was}.", soft_wrap=True)
    for each in (of_boundary, *of_memory):
        out.print(f"Unrelated texts are at {screen.share(each.unrelated_cos)} for {each.embedder}.", soft_wrap=True)
    for remark in outcome.remarks:
        out.print(remark, style="warn", soft_wrap=True)
    if outcome.stored:
        out.print("Stored. Workers take it up when they start again.", style="good")
    else:
        out.print("Nothing was stored (--dry-run).")


def _few(chosen: Chosen) -> list[Any]:
    """Some of the curve, evenly spread, the best among them."""
    apart = max(1, len(chosen.curve) // CURVE_ROWS)
    return [tried for place, tried in enumerate(chosen.curve) if place % apart == 0 or tried.below == chosen.below]
