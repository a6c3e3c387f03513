"""Whether a turn says by its first words that something new begins, in the languages of config/openers/."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from hmind.boundary.closing import folded
from hmind.boundary.remembered import Remembered
from hmind.errors import SettingsError

_READ_CHARS = 500
_KEYS = {"language", "whole_words", "head_chars", "fillers", "openers", "greetings"}


class Opening(StrEnum):
    """How a turn opens something: it announces another topic, or greets."""

    OPENER = "opener"
    GREETING = "greeting"


@dataclass(frozen=True, slots=True)
class _Language:
    head_chars: int
    openers: re.Pattern[str]
    greetings: re.Pattern[str]

    def opens(self, text: str) -> Opening | None:
        head = text[: self.head_chars]
        if self.openers.match(head):
            return Opening.OPENER
        return Opening.GREETING if self.greetings.match(head) else None


class Openers:
    """The opening words of all languages of a folder. A turn is tried in each of them."""

    def __init__(self, languages: tuple[_Language, ...]) -> None:
        self._languages = languages
        self._opens = Remembered(self._find)

    @classmethod
    def load(cls, folder: Path) -> Openers:
        """Reads every ``*.toml`` of the folder.

        Raises:
            SettingsError: no file, a file that is no TOML, an unknown or missing key, a pattern
                that does not compile.
        """
        files = sorted(folder.glob("*.toml"))
        if not files:
            raise SettingsError(f"{folder}: holds no openers. Copy config/openers/en.toml there.")
        return cls(tuple(_read(path) for path in files))

    def opens(self, text: str) -> Opening | None:
        """``opener`` for "by the way, ...", ``greeting`` for "good morning!", None for anything else."""
        return self._opens(text)

    def _find(self, text: str) -> Opening | None:
        head = folded(text[:_READ_CHARS])
        return next((found for language in self._languages if (found := language.opens(head))), None)


def _read(path: Path) -> _Language:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML ({error}). Correct it.") from None
    for key in sorted(_KEYS ^ values.keys()):
        fault = "is missing" if key not in values else "is not known"
        raise SettingsError(f"{path}: {key} {fault}. Compare with config/openers/en.toml.")
    if not isinstance(values["head_chars"], int) or not 1 <= values["head_chars"] <= _READ_CHARS:
        raise SettingsError(f"{path}: head_chars is no number from 1 to {_READ_CHARS}.")
    return _Language(values["head_chars"], _compiled(path, values, "openers"), _compiled(path, values, "greetings"))


def _compiled(path: Path, values: dict[str, Any], key: str) -> re.Pattern[str]:
    """A pattern that matches at the head of a turn: fillers, then one of the list."""
    edge = r"(?!\w)" if values["whole_words"] else ""
    fillers = _either(path, values, "fillers")
    try:
        return re.compile(rf"\W*(?:{fillers}{edge}\W*){{0,4}}{_either(path, values, key)}{edge}")
    except re.error as error:
        raise SettingsError(f"{path}: {key} has a pattern that is no regular expression: {error}.") from None


def _either(path: Path, values: dict[str, Any], key: str) -> str:
    patterns = values[key]
    if not isinstance(patterns, list) or not patterns or not all(isinstance(each, str) for each in patterns):
        raise SettingsError(f"{path}: {key} is no list of patterns. Compare with config/openers/en.toml.")
    return f"(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})"
