"""The talks in a file that a person names, for commands that look at talk and need no store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hmind.cli import screen

if TYPE_CHECKING:
    from hmind.model import SessionRef, Turn
    from hmind.settings import Settings


@dataclass(frozen=True, slots=True)
class Talk:
    """One session of a file.

    Attributes:
        owner: whose memory it is, "" in a labelled file.
        gold: indices at which a labelled segment begins, or None where nothing is labelled.
    """

    owner: str
    name: str
    turns: tuple[Turn, ...]
    gold: tuple[int, ...] | None = None


def talks_in(file: Path, format_: str, timezone: str, settings: Settings) -> list[Talk]:
    """The sessions of any file that can be imported, or the dialogues of a labelled segmentation.

    Messages that are no turns are left out, and told of on stderr.

    Raises:
        ImportRefused: nothing in it can be read.
        BadLabels: a line of a labelled file is no dialogue.
    """
    from hmind.errors import BadTurn, ImportRefused
    from hmind.evaluation import dialogues

    if not file.is_file():
        raise ImportRefused(f"{file}: is no file. Check the path.")
    if not format_ and _labelled(file):
        return [Talk("", dialogue.id, dialogue.turns, _begins(dialogue.lengths)) for dialogue in dialogues.read(file)]
    from hmind.importers.message import Defaults
    from hmind.importers.recognise import open_file
    from hmind.intake.wire import turn_from

    now = datetime.now(UTC)
    reader = open_file(file, format_, Defaults("", "", timezone), settings.intake, now)
    if reader.format == "jsonl":
        # Whose it is does not matter here, so a line need not say.
        reader = open_file(file, format_, Defaults("user", "", timezone), settings.intake, now)
    sessions: dict[SessionRef, list[Turn]] = {}
    faults: list[str] = []
    for message in reader.messages():
        try:
            turn = turn_from(message.delivery, settings.intake, now)
        except BadTurn as fault:
            faults.append(f"{message.place}: {fault}")
            continue
        sessions.setdefault(turn.session, []).append(turn)
    if faults:
        told = f"{len(faults):,} messages are no turns and left out, the first: {faults[0]}"
        screen.console(stderr=True).print(told, style="warn")
    return [
        Talk(ref.user_id, ref.session_id, tuple(sorted(turns, key=lambda turn: turn.occurred_at)))
        for ref, turns in sessions.items()
    ]


def _labelled(file: Path) -> bool:
    """Whether the first line is a dialogue with its segments."""
    import orjson

    with file.open("rb") as lines:
        first = next((line for line in lines if line.strip()), b"")
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return isinstance(value, dict) and {"utterances", "segments"} <= value.keys()


def _begins(lengths: Sequence[int]) -> tuple[int, ...]:
    return tuple(sum(lengths[:count]) for count in range(1, len(lengths)))
