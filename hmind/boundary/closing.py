"""Whether a turn ends the talk: farewells and thanks, in the languages of config/closing/."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmind.boundary.remembered import Remembered
from hmind.errors import SettingsError

_FOLDED = str.maketrans(dict.fromkeys("'’‘`"))
_NO_WORDS = {"So", "Sk", "Cf", "Cs", "Mn"}
_READ_CHARS = 2_000
_TAILS_READ = 3
"""So many times the longest tail is folded, since what bears no word, as emoji, falls away."""
_GROUPS = ("farewells", "thanks", "takes_on", "answers", "offers")
_KEYS = {"language", "whole_words", "tail_chars", "clause_breaks"}


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    asks: bool


@dataclass(frozen=True, slots=True)
class _Language:
    """One file: compiled patterns by group and name."""

    name: str
    tail_chars: int
    breaks: re.Pattern[str]
    joint: str
    groups: Mapping[str, Mapping[str, re.Pattern[str]]]

    def closes(self, text: str) -> str | None:
        clauses = list(self._clauses(text[-self.tail_chars :]))
        return self._farewell(clauses) or self._thanks(clauses)

    def takes_on(self, text: str) -> bool:
        clauses = list(self._clauses(text[-self.tail_chars :]))
        return any(each.asks or self._first("takes_on", each.text) for each in clauses)

    def offers(self, text: str) -> bool:
        return any(self._first("offers", each.text) for each in self._clauses(text[-self.tail_chars :]))

    def _farewell(self, clauses: list[_Clause]) -> str | None:
        """The last farewell, unless something is taken up after it."""
        for index in range(len(clauses) - 1, -1, -1):
            if found := self._first("farewells", clauses[index].text):
                name, end = found
                return None if self._goes_on(clauses[index], end, clauses[index + 1 :]) else name
        return None

    def _thanks(self, clauses: list[_Clause]) -> str | None:
        """Thanks in a turn that asks for nothing and answers nothing. Seen in a clause, or in all of it."""
        whole = _Clause(self.joint.join(clause.text for clause in clauses), asks=False)
        for index, clause in enumerate([*clauses, whole]):
            if found := self._first("thanks", clause.text):
                name, end = found
                rest = [*clauses[:index], *clauses[index + 1 :]]
                if self._goes_on(clause, end, rest):
                    return None
                return None if any(self._first("answers", each.text) for each in clauses) else name
        return None

    def _goes_on(self, clause: _Clause, end: int, others: list[_Clause]) -> bool:
        if clause.asks or any(each.asks for each in others):
            return True
        texts = [clause.text[end:].lstrip(), *(each.text for each in others)]
        return any(self._first("takes_on", text) for text in texts)

    def _first(self, group: str, text: str) -> tuple[str, int] | None:
        """Name of the first pattern of the group that is found in the clause, and where it ends."""
        for name, pattern in self.groups[group].items():
            if found := pattern.search(text):
                return name, found.end()
        return None

    def _clauses(self, text: str) -> Iterator[_Clause]:
        start = 0
        for found in self.breaks.finditer(text):
            clause = text[start : found.start()].strip()
            asks = "?" in found.group()
            if clause or asks:
                yield _Clause(clause, asks)
            start = found.end()
        if clause := text[start:].strip():
            yield _Clause(clause, asks=False)


class ClosingPhrases:
    """The closing phrases of all languages of a folder. A turn is tried in each of them."""

    def __init__(self, languages: tuple[_Language, ...]) -> None:
        self._languages = languages
        self._read_chars = _TAILS_READ * max((language.tail_chars for language in languages), default=1)
        self._closes = Remembered(self._find_close)
        self._offers = Remembered(self._find_offer)

    @classmethod
    def load(cls, folder: Path) -> ClosingPhrases:
        """Reads every ``*.toml`` of the folder.

        Raises:
            SettingsError: no file, a file that is no TOML, an unknown or missing key, a pattern
                that does not compile.
        """
        files = sorted(folder.glob("*.toml"))
        if not files:
            raise SettingsError(f"{folder}: holds no closing phrases. Copy config/closing/en.toml there.")
        return cls(tuple(_read(path) for path in files))

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(language.name for language in self._languages)

    def closes(self, text: str) -> str | None:
        """Language and name of the phrase that ends the talk, e.g. ``en.goodbye``, or None.

        "Thanks, but what about Friday" ends nothing: what is taken up after it cancels it.
        """
        return self._closes(text)

    def takes_on(self, text: str) -> bool:
        """Whether a turn asks for something or takes up something new, in any of the languages."""
        plain = folded(text[-self._read_chars :])
        return any(language.takes_on(plain) for language in self._languages)

    def offers(self, text: str) -> bool:
        """Whether a turn asks what else there is. Its answer may well be a new topic."""
        return self._offers(text)

    def _find_close(self, text: str) -> str | None:
        plain = folded(text[-self._read_chars :])
        for language in self._languages:
            if name := language.closes(plain):
                return f"{language.name}.{name}"
        return None

    def _find_offer(self, text: str) -> bool:
        plain = folded(text[-self._read_chars :])
        return any(language.offers(plain) for language in self._languages)


def folded(text: str) -> str:
    """The end of a text as patterns read it: lower case, full-width forms made narrow, no apostrophes, emoji or
    invisible characters."""
    read = text[-_READ_CHARS:]
    if read.isascii():  # Nothing to narrow, and of what bears no word only "^": a fifth of the time.
        return read.casefold().translate(_FOLDED).replace("^", "").strip()
    narrow = unicodedata.normalize("NFKC", read).casefold().translate(_FOLDED)
    return "".join(char for char in narrow if unicodedata.category(char) not in _NO_WORDS).strip()


def _read(path: Path) -> _Language:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML ({error}). Correct it.") from None
    for key in sorted(_KEYS.union(_GROUPS) ^ values.keys()):
        fault = "is missing" if key not in values else "is not known"
        raise SettingsError(f"{path}: {key} {fault}. Compare with config/closing/en.toml.")
    if not isinstance(values["tail_chars"], int) or not 1 <= values["tail_chars"] <= _READ_CHARS:
        raise SettingsError(
            f"{path}: tail_chars is no number from 1 to {_READ_CHARS}. Compare with config/closing/en.toml."
        )
    return _Language(
        name=str(values["language"]),
        tail_chars=values["tail_chars"],
        joint=" " if values["whole_words"] else "",
        breaks=_compiled(path, "clause_breaks", str(values["clause_breaks"])),
        groups={group: _group(path, group, values[group], bool(values["whole_words"])) for group in _GROUPS},
    )


def _group(path: Path, group: str, lists: Any, whole_words: bool) -> dict[str, re.Pattern[str]]:
    if not isinstance(lists, dict) or not all(isinstance(each, list) and each for each in lists.values()):
        raise SettingsError(f"{path}: [{group}] holds something other than named lists of patterns.")
    edges = (r"(?<!\w)(?:", r")(?!\w)") if whole_words else ("(?:", ")")
    compiled = {}
    for name, patterns in lists.items():
        for pattern in patterns:
            _compiled(path, f"{group}.{name}", pattern)
        joined = "|".join(f"(?:{pattern})" for pattern in patterns)
        compiled[name] = _compiled(path, f"{group}.{name}", joined.join(edges))
    return compiled


def _compiled(path: Path, key: str, pattern: Any) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise SettingsError(f"{path}: {key} has a pattern that is no regular expression: {error}.") from None
