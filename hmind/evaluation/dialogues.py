"""Labelled dialogues: turns without times, and where their segments end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hmind.boundary import scoring
from hmind.errors import BadLabels
from hmind.evaluation import labels
from hmind.model import Turn

_MORNING = datetime(2024, 1, 1, 9, tzinfo=UTC)
_APART = timedelta(seconds=1)


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
    return labels.lines(path, _dialogue, "dialogue with id, utterances and segments")


def _dialogue(values: Mapping[str, Any]) -> Dialogue:
    name = str(values["id"])
    turns = tuple(_turn(name, index, said) for index, said in enumerate(values["utterances"]))
    lengths = tuple(int(length) for length in values["segments"])
    if not turns or sum(lengths) != len(turns) or min(lengths) < 1:
        raise BadLabels(f"the segments do not add up to the {len(turns)} utterances.")
    return Dialogue(name, turns, lengths)


def _turn(dialogue: str, index: int, said: Mapping[str, Any]) -> Turn:
    speaker, at = str(said["speaker"]), _MORNING + index * _APART
    return Turn(
        "eval",
        "eval",
        dialogue,
        str(index),
        labels.role_of(speaker),
        speaker,
        labels.text_of(said, "text"),
        at,
        at,
        index,
    )
