"""Fact rules, to come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hmind.analysis.claims import Claim, Voice


def find(sentences: Sequence[str], voice: Voice, at: datetime) -> list[Claim]:
    """None yet."""
    return []
