"""`hmind explain-boundaries`: a conversation with its curve and the reason of each boundary. Needs no store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hmind.cli import screen
from hmind.cli.options import AsJson
from hmind.cli.talks_in_file import Talk, talks_in

if TYPE_CHECKING:
    from hmind.cli.explained_screen import Shown
    from hmind.settings import Settings

SESSIONS_NAMED = 8


def explain_boundaries(
    file: Annotated[
        Path, typer.Argument(help="Any file that can be imported, or a labelled segmentation.", metavar="FILE")
    ],
    session: Annotated[
        str, typer.Option("--session", "-s", help="Only this session, by its id or a part of it.", metavar="SESSION")
    ] = "",
    format_: Annotated[
        str, typer.Option("--format", help="As of `hmind import`; recognised by the content where left out.")
    ] = "",
    timezone: Annotated[str, typer.Option(help="IANA zone of times without an offset; UTC where left out.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show where a conversation would be cut and why: the curve between its turns, and each boundary's reason."""
    from hmind.cli.explained_screen import Page
    from hmind.settings import load

    settings = load()
    talks = _chosen(talks_in(file, format_, timezone, settings), session)
    shown = _explained(talks, settings)
    if as_json:
        screen.print_json(_as_json(list(shown)))
        return
    page = Page(screen.console())
    for one in shown:
        page.show(one)
    page.end()


def _chosen(talks: list[Talk], session: str) -> list[Talk]:
    if not session:
        return talks
    found = [talk for talk in talks if talk.name == session] or [talk for talk in talks if session in talk.name]
    if not found:
        names = [talk.name for talk in talks[:SESSIONS_NAMED]]
        more = f" and {len(talks) - len(names)} more" if len(talks) > len(names) else ""
        raise typer.BadParameter(f"no such session; there are {', '.join(names)}{more}", param_hint="--session")
    return found


def _explained(talks: list[Talk], settings: Settings) -> Iterator[Shown]:
    from hmind.boundary import build, scoring
    from hmind.boundary.detector import ALL_REASONS, Tail
    from hmind.boundary.explaining import explain
    from hmind.cli.explained_screen import Shown
    from hmind.cli.stored_calibration import boundary_embedder
    from hmind.model import Boundary

    # Labelled talks know no times and were cut by topic alone, and are judged by that alone.
    topics = frozenset({Boundary.TOPIC_SHIFT}) if talks and talks[0].gold is not None else ALL_REASONS
    detector = build.detector(settings.boundary, boundary_embedder(settings), topics)
    for talk in talks:
        seen = explain(detector, talk.turns, Tail(Boundary.FLUSH, None, None))
        scores = None
        if talk.gold is not None:
            found = {cut.end for cut in seen.cuts}
            gold = set(talk.gold)
            ends = range(1, len(talk.turns))
            scores = scoring.scored([*(int(end in gold) for end in ends), 0], [*(int(end in found) for end in ends), 0])
        yield Shown(talk, seen, scores)


def _as_json(shown: list[Shown]) -> dict[str, Any]:
    from hmind.boundary.explaining import reason

    first = shown[0].seen if shown else None
    return {
        "measure": first.measure if first else None,
        "below": first.below if first else None,
        "embedder": first.embedder if first else None,
        "sessions": [
            {
                "user_id": one.talk.owner or None,
                "session_id": one.talk.name,
                "turns": [
                    {
                        "turn_id": turn.turn_id,
                        "occurred_at": turn.occurred_at if one.talk.gold is None else None,
                        "speaker": turn.speaker,
                        "role": turn.role.value,
                        "content": turn.content,
                        "gap_before": gap and {"value": gap.value, "held": gap.held or None},
                    }
                    for turn, gap in zip(one.talk.turns, (None, *one.seen.gaps), strict=True)
                ],
                "cuts": [
                    {
                        "end": cut.end,
                        "after": one.talk.turns[cut.end - 1].turn_id,
                        "boundary": cut.boundary.value,
                        "measured": cut.measured,
                        "threshold": cut.threshold,
                        "reason": reason(cut, one.seen.measure),
                    }
                    for cut in one.seen.cuts
                ],
                "gold": one.talk.gold,
                "scores": one.scores,
            }
            for one in shown
        ],
    }
