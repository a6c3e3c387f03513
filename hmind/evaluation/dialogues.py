"""Labelled dialogues from JSON lines: turns without times, and where their segments end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hmind.boundary import scoring
from hmind.errors import BadLabels
from hmind.model import Role, Turn

_MORNING = datetime(2024, 1, 1, 9, tzinfo=UTC)
_APART = timedelta(seconds=1)
_ROLES = {"agent": Role.ASSISTANT, "assistant": Role.ASSISTANT, "bot": Role.ASSISTANT, "system": Role.ASSISTANT}
"""Speakers who are no person. Everybody else is one."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns a second apart, so that no silence is between them, and the gold segmentation."""

    id: str
    turns: tuple[Turn, ...]
    lengths: tuple[int, ...]

    @property
    def gold(self) -> list[int]:
        return scoring.labels(self.lengths)


def read(path: Path) -> list[Dialogue]:
    """The dialogues of a file: a line each, ``{id, utterances: [{speaker, text}], segments: [lengths]}``.

    Raises:
        BadLabels: a line that is none, or whose segments are not as long as its utterances.
    """
    with path.open(encoding="utf-8") as lines:
        return [_dialogue(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _dialogue(path: Path, number: int, line: str) -> Dialogue:
    try:
        values = json.loads(line)
        name = str(values["id"])
        turns = tuple(_turn(name, index, said) for index, said in enumerate(values["utterances"]))
        lengths = tuple(int(length) for length in values["segments"])
    except (ValueError, KeyError, TypeError):
        raise BadLabels(f"{path}, line {number}: is no dialogue with id, utterances and segments.") from None
    if not turns or sum(lengths) != len(turns) or min(lengths) < 1:
        raise BadLabels(f"{path}, line {number}: the segments do not add up to the {len(turns)} utterances.")
    return Dialogue(name, turns, lengths)


def _turn(dialogue: str, index: int, said: dict[str, Any]) -> Turn:
    speaker, at = str(said["speaker"]), _MORNING + index * _APART
    role = _ROLES.get(speaker.casefold(), Role.USER)
    return Turn("eval", "eval", dialogue, str(index), role, speaker, str(said["text"]), at, at, index)
