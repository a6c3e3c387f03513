"""The record that name finders return."""

from __future__ import annotations

from dataclasses import dataclass

from hmind.model import EntityType


@dataclass(frozen=True, slots=True)
class Named:
    """A named thing in a sentence; ``aliases`` are other words for it seen there."""

    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
