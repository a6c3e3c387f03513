"""Word lists as data: reads config/lexicon/*.toml once and hands them out. Holds no words itself."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from typing import Any

from hmind.errors import SettingsError
from hmind.settings import config_dir


@cache
def table(name: str) -> dict[str, Any]:
    """The whole of config/lexicon/<name>.toml. Raises SettingsError when it cannot be read."""
    path = config_dir() / "lexicon" / f"{name}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML. Restore it from the release.") from error


@cache
def listed(name: str, key: str) -> tuple[str, ...]:
    """The entries of one key, in the order of the file: a list, or one text split at blanks."""
    value: Any = table(name)
    for part in key.split("."):
        value = value[part]
    return tuple(value.split()) if isinstance(value, str) else tuple(str(item) for item in value)


@cache
def words(name: str, key: str) -> frozenset[str]:
    """The entries of one key as a set."""
    return frozenset(listed(name, key))


@cache
def either(name: str, key: str) -> str:
    """A regular expression, without a group of its own around it, for any entry; longest first."""
    return "|".join(re.escape(item) for item in sorted(listed(name, key), key=lambda item: (-len(item), item)))


@cache
def matcher(name: str, key: str) -> re.Pattern[str]:
    """The entries, each itself a regular expression, as one pattern; letters of either case."""
    return re.compile("|".join(f"(?:{item})" for item in listed(name, key)), re.IGNORECASE)
