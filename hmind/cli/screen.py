"""What a person sees: consoles, tables, colours by meaning, times in the reader's zone. And JSON for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from hmind.model import Layer

_THEME = Theme(
    {
        "good": "green",
        "warn": "yellow",
        "bad": "red",
        "dim": "bright_black",
        "head": "bold",
        "L4": "bold magenta",
        "L1": "cyan",
        "L2": "blue",
        "L3": "green",
    }
)
NARROW = 80


def console(stderr: bool = False) -> Console:
    """A console for what is said (stdout) or told beside it (stderr). Text of users is never read as markup."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else NARROW
    return Console(file=stream, theme=_THEME, markup=False, emoji=False, highlight=False, width=width)


def table(title: str, *columns: str | tuple[str, Mapping[str, Any]]) -> Table:
    """An empty table; a column is its heading, or its heading and rich's options for it."""
    made = Table(title=title or None, title_style="head", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    made.expand = any(not isinstance(column, str) and "ratio" in column[1] for column in columns)
    for column in columns:
        heading, options = (column, {}) if isinstance(column, str) else column
        made.add_column(heading, **{"overflow": "fold", **options})
    return made


RIGHT: Mapping[str, Any] = {"justify": "right", "no_wrap": True}
SHORT: Mapping[str, Any] = {"no_wrap": True}


def print_json(value: Any) -> None:
    """Dataclasses, times and enums as indented JSON on stdout."""
    import orjson

    def plain(other: Any) -> Any:
        if isinstance(other, Mapping):
            return dict(other)
        if isinstance(other, set | frozenset):
            return sorted(other)
        raise TypeError(type(other).__name__)

    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    sys.stdout.flush()
    print(orjson.dumps(value, default=plain, option=options).decode(), end="")  # noqa: T201 - for programs


def when(moment: datetime | None) -> str:
    """A time to the minute in the reader's zone, or a dash."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else "–"


def zone() -> str:
    """Name of the reader's zone, for the heading of a column of times."""
    return datetime.now().astimezone().tzname() or "local"


def seconds(value: float) -> str:
    """A duration with its unit: ``0.4 s``, ``12 s``, ``3 min``, ``5.1 h``, ``2.0 d``."""
    for limit, size, unit, digits in ((10, 1, "s", 1), (120, 1, "s", 0), (7200, 60, "min", 0), (172_800, 3600, "h", 1)):
        if value < limit:
            return f"{value / size:.{digits}f} {unit}"
    return f"{value / 86_400:.1f} d"


def share(value: float | None) -> str:
    """A share or a cosine with three decimals and no zero before the point: ``.649``; a dash for None."""
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1)


def layer(which: Layer | str) -> Text:
    """A layer in its colour."""
    return Text(str(which), style=str(which) if str(which) in {each.value for each in Layer} else "")


def short(id_: str) -> str:
    """The first digits of an id, enough for `hmind why`."""
    return id_[:8]


def turns(ids: tuple[str, ...] | list[str], most: int = 3) -> str:
    """The first of some turn ids, and how many more there are."""
    shown = ", ".join(id_ if len(id_) <= 12 else f"{id_[:10]}…" for id_ in ids[:most])
    return shown + (f" +{len(ids) - most}" if len(ids) > most else "")
