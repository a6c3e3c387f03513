"""What the fact rules of both tongues share: the claim they make, and who makes it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: ``subject`` is ``user`` for the owner of the memory, else a name."""

    subject: str
    told_by: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A triple found in a sentence. ``sentence`` is its place among the sentences read."""

    subject: str
    predicate: str
    object: str
    confidence: float
    sentence: int
    valid_from: datetime | None = None
    valid_to: datetime | None = None
