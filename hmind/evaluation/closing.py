"""How well the end of a talk is heard: precision and recall of the product's closing phrases, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmind.boundary import build as detectors
from hmind.boundary.closing import ClosingPhrases
from hmind.evaluation import labels
from hmind.model import Role

ALL = "all"


@dataclass(frozen=True, slots=True)
class Line:
    """One labelled turn: whether it says goodbye, and whether it only thanks."""

    role: Role
    text: str
    closing: bool
    thank: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """Turns that end a talk: so many there are, so many were found, so many of these rightly; of ``turns`` in all."""

    gold: int
    found: int
    right: int
    turns: int

    @property
    def precision(self) -> float:
        """Share of the found that are right; 0 where none was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold that was found; 0 where there is none."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        return 2 * self.right / (self.gold + self.found) if self.right else 0.0

    def rounded(self) -> dict[str, float]:
        """For JSON: shares with four decimals, and the counts behind them."""
        shares = {name: round(getattr(self, name), 4) for name in ("precision", "recall", "f1")}
        return {**shares, "gold": self.gold, "found": self.found, "right": self.right, "turns": self.turns}


def phrases() -> ClosingPhrases:
    """The product's own, from config/closing.

    Raises:
        SettingsError: a file there cannot be read.
    """
    return detectors.words().closing


def read(path: Path) -> list[Line]:
    """The turns of a file: a line each, ``{speaker, text, closing, thank?}``.

    Raises:
        BadLabels: a line that is none.
    """
    return labels.lines(path, _line, "turn with speaker, text and closing")


def measure(lines: Sequence[Line], spoken: ClosingPhrases) -> Mapping[str, Measured]:
    """Precision and recall by whose turns count, and what counts as an end.

    ``all``: every turn, a farewell or thanks. Where a set knows users and agents, ``user`` and
    ``agent`` are their turns alone. Where it tells farewells from thanks, ``farewells`` is all turns
    with the farewells alone as gold, which only recall can be asked about: thanks close a talk, too.
    """
    heard = [spoken.closes(line.text) is not None for line in lines]

    def counted(of: Callable[[Line], bool], gold: Callable[[Line], bool]) -> Measured:
        pairs = [(gold(line), found) for line, found in zip(lines, heard, strict=True) if of(line)]
        right = sum(one and other for one, other in pairs)
        return Measured(sum(one for one, _ in pairs), sum(other for _, other in pairs), right, len(pairs))

    def ends(line: Line) -> bool:
        return line.closing or line.thank

    groups: dict[str, Measured] = {}
    if {line.role for line in lines} == {Role.USER, Role.ASSISTANT}:
        groups["user"] = counted(lambda line: line.role is Role.USER, ends)
        groups["agent"] = counted(lambda line: line.role is Role.ASSISTANT, ends)
    groups[ALL] = counted(lambda _: True, ends)
    if any(line.thank for line in lines):
        groups["farewells"] = counted(lambda _: True, lambda line: line.closing)
    return groups


def _line(values: Mapping[str, Any]) -> Line:
    flags = values["closing"], values.get("thank", False)
    if not all(isinstance(flag, bool) for flag in flags):
        raise TypeError("closing")
    return Line(labels.role_of(str(values["speaker"])), labels.text_of(values, "text"), *flags)
