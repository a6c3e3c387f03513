"""How a turn begins and speaks: as an opener, a request, a service, in the languages of config/openers/."""

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
_SEARCHED_CHARS = 200
_KEYS = {"language", "whole_words", "head_chars", "fillers", "openers", "greetings"}
_OPTIONAL = {"requests", "services"}
"""Lists that a language may leave out or empty: then no turn of it requests or serves."""
_NEVER = "(?!)"


class Opening(StrEnum):
    """How a turn opens something: it announces another topic, or greets."""

    OPENER = "opener"
    GREETING = "greeting"


@dataclass(frozen=True, slots=True)
class Manner:
    """What the words of a turn do.

    Attributes:
        opening: how it opens something, if it does.
        requests: somewhere it wants something of the other.
        serves: somewhere it speaks as one who serves a customer.
    """

    opening: Opening | None
    requests: bool
    serves: bool


@dataclass(frozen=True, slots=True)
class _Language:
    head_chars: int
    openers: re.Pattern[str]
    greetings: re.Pattern[str]
    requests: re.Pattern[str]
    services: re.Pattern[str]

    def opens(self, text: str) -> Opening | None:
        head = text[: self.head_chars]
        if self.openers.match(head):
            return Opening.OPENER
        return Opening.GREETING if self.greetings.match(head) else None


class Openers:
    """The opening words of all languages of a folder. A turn is tried in each of them."""

    def __init__(self, languages: tuple[_Language, ...]) -> None:
        self._languages = languages
        self._manners = Remembered(self._find)

    @classmethod
    def load(cls, folder: Path) -> Openers:
        """Reads every ``*.toml`` of the folder.

        Raises:
            SettingsError: no file, a file that is no TOML, an unknown or missing key (``requests`` and
                ``services`` may be missing), a pattern that does not compile.
        """
        files = sorted(folder.glob("*.toml"))
        if not files:
            raise SettingsError(f"{folder}: holds no openers. Copy config/openers/en.toml there.")
        return cls(tuple(_read(path) for path in files))

    def opens(self, text: str) -> Opening | None:
        """``opener`` for "by the way, ...", ``greeting`` for "good morning!", None for anything else."""
        return self.manner(text).opening

    def manner(self, text: str) -> Manner:
        """What the turn's words do, in any of the languages."""
        return self._manners(text)

    def _find(self, text: str) -> Manner:
        read = folded(text[:_READ_CHARS])
        opening = next((found for language in self._languages if (found := language.opens(read))), None)
        head = read[:_SEARCHED_CHARS]
        return Manner(
            opening,
            any(language.requests.search(head) for language in self._languages),
            any(language.services.search(head) for language in self._languages),
        )


def _read(path: Path) -> _Language:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML ({error}). Correct it.") from None
    values = {key: [] for key in _OPTIONAL} | values
    for key in sorted((_KEYS | _OPTIONAL) ^ values.keys()):
        fault = "is missing" if key not in values else "is not known"
        raise SettingsError(f"{path}: {key} {fault}. Compare with config/openers/en.toml.")
    if not isinstance(values["head_chars"], int) or not 1 <= values["head_chars"] <= _READ_CHARS:
        raise SettingsError(f"{path}: head_chars is no number from 1 to {_READ_CHARS}.")
    first, last = (r"(?<!\w)", r"(?!\w)") if values["whole_words"] else ("", "")
    filled = rf"\W*(?:{_either(path, values, 'fillers')}{last}\W*){{0,4}}"
    heads = {"openers": filled, "greetings": filled, "requests": first, "services": first}
    return _Language(
        values["head_chars"], **{key: _compiled(path, values, key, head, last) for key, head in heads.items()}
    )


def _compiled(path: Path, values: dict[str, Any], key: str, head: str, last: str) -> re.Pattern[str]:
    """A pattern for one of the list, with what stands before and behind it."""
    try:
        return re.compile(rf"{head}{_either(path, values, key)}{last}")
    except re.error as error:
        raise SettingsError(f"{path}: {key} has a pattern that is no regular expression: {error}.") from None


def _either(path: Path, values: dict[str, Any], key: str) -> str:
    patterns = values[key]
    if key in _OPTIONAL and patterns == []:
        return _NEVER
    if not isinstance(patterns, list) or not patterns or not all(isinstance(each, str) for each in patterns):
        raise SettingsError(f"{path}: {key} is no list of patterns. Compare with config/openers/en.toml.")
    return f"(?:{'|'.join(f'(?:{pattern})' for pattern in patterns)})"
