"""What every analyst promises. The analysts themselves are in offline.py and llm.py."""

from __future__ import annotations

from typing import Protocol

from hmind.model import Analysis, Known, Segment


class Analyst(Protocol):
    """Turns a segment into events.

    ``analyze`` is a pure question: it writes nothing. It raises AnalystUnavailable when asking
    again later may help, AnalystMisbehaved when it will not. What it returns satisfies the
    promises of :class:`hmind.model.Analysis`: every turn of the segment is accounted for, no
    turn id is invented, and no fact about a person rests on an assistant's or tool's turn.
    """

    @property
    def name(self) -> str: ...

    def analyze(self, segment: Segment, known: Known) -> Analysis: ...
