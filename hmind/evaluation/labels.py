"""Reads folders of labelled samples, JSON lines each; what is none is refused by its file and line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from hmind.errors import BadLabels
from hmind.model import Role

Sample = TypeVar("Sample")

_NUMBER = re.compile(r"[\s_#-]*\d+$")
_AGENTS = {
    *("agent", "assistant", "bot", "system", "operator", "representative", "advisor"),
    *("客服", "客服代表", "客服人员", "客服专员", "坐席", "坐席员", "座席", "座席员", "话务员", "接线员"),
    *("助手", "智能助手", "助理", "机器人", "系统"),
}
"""Speakers who are no person, but what the person talks to."""


def role_of(speaker: str) -> Role:
    """An assistant where the speaker is called one, also with a number behind (客服2); all others are people."""
    name = _NUMBER.sub("", speaker.strip().casefold())
    return Role.ASSISTANT if name in _AGENTS else Role.USER


def folder(path: Path, read: Callable[[Path], list[Sample]]) -> Mapping[str, list[Sample]]:
    """Each *.jsonl of a folder in order of name, read with ``read``: its stem, and its samples.

    Raises:
        BadLabels: no such folder, nothing in it, an empty file, or what ``read`` refuses.
    """
    if not path.is_dir():
        raise BadLabels(f"{path}: is no folder. Name one that holds *.jsonl files.")
    sets = {file.stem: read(file) for file in sorted(path.glob("*.jsonl"))}
    if not sets:
        raise BadLabels(f"{path}: holds no *.jsonl files. docs/cli.md shows what a line of them looks like.")
    for stem, samples in sets.items():
        if not samples:
            raise BadLabels(f"{path / stem}.jsonl: holds no samples. Fill it or take it away.")
    return sets


def lines(path: Path, sample: Callable[[Any], Sample], expected: str) -> list[Sample]:
    """A sample for each line that is not blank.

    Args:
        sample: makes a sample of a decoded line; what it raises as ValueError, KeyError, TypeError or
            AttributeError means that the line is none.
        expected: what a line should be, for the message; after "is no".

    Raises:
        BadLabels: the file cannot be read, or a line is no sample.
    """
    found: list[Sample] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        found.append(sample(json.loads(line)))
                    except BadLabels as fault:
                        raise BadLabels(f"{path}, line {number}: {fault}") from None
                    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                        raise BadLabels(f"{path}, line {number}: is no {expected}.") from None
    except OSError as error:
        raise BadLabels(f"{path}: cannot be read ({error.strerror}). Check the file.") from None
    return found


def text_of(values: Mapping[str, Any], key: str) -> str:
    """A value that has to be text.

    Raises:
        KeyError: it is missing. TypeError: it is something else.
    """
    if not isinstance(values[key], str):
        raise TypeError(key)
    return str(values[key])
