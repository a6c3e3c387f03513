"""Where an exchange of farewells ends, and whether the talk ends with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hmind.boundary.closing import ClosingPhrases
from hmind.model import Turn

LONGEST_TURNS = 6
"""Farewells that answer one another are followed no further than so many turns."""
SHORT_REPLY_CELLS = 60
"""A reply to a farewell that bears no farewell itself belongs to it up to this width (an ideograph
counts two). What is longer says something."""


@dataclass(frozen=True, slots=True)
class Farewell:
    """What became of a farewell.

    Attributes:
        end: index after its last turn; None where the talk goes on, or is not known to end.
        certain: False when the next turn has to be seen first.
    """

    end: int | None
    certain: bool = True


GOES_ON = Farewell(None)
NOT_YET = Farewell(None, certain=False)


class Farewells:
    """Reads the farewells of one window. Each turn is read once."""

    def __init__(self, turns: Sequence[Turn], phrases: ClosingPhrases) -> None:
        self._turns = turns
        self._phrases = phrases
        self._read: dict[int, bool] = {}

    def closes(self, index: int) -> bool:
        """Whether the turn bears a closing phrase."""
        if index not in self._read:
            self._read[index] = self._phrases.closes(self._turns[index].content) is not None
        return self._read[index]

    def at(self, first: int, end: int, over: bool) -> Farewell:
        """The exchange of farewells that starts with turn ``first``.

        Turns from ``end`` on do not exist; ``over`` says that none will come. The answer of the
        other side belongs to the exchange, with or without a phrase of its own, unless it takes
        the talk on. To offer more help takes nothing on; what comes of it decides. A speaker who
        goes on after the own farewell did not mean it.
        """
        if not self.closes(first):
            return GOES_ON
        last = first
        limit = first + LONGEST_TURNS
        while last + 1 < min(end, limit) and self._follows(last):
            last += 1
        if last + 1 >= limit:
            return Farewell(limit)
        if last + 1 >= end:
            return Farewell(end) if over else NOT_YET
        if len({turn.speaker for turn in self._turns[first : last + 1]}) > 1:
            return Farewell(last + 1)
        reply = self._turns[last + 1]
        if reply.speaker == self._turns[last].speaker or self._takes_on(reply.content):
            return GOES_ON
        return Farewell(last + 2)

    def _follows(self, last: int) -> bool:
        """Whether the turn after ``last`` is part of the farewell: with a phrase, or as the other side's offer."""
        if self.closes(last + 1):
            return True
        before, after = self._turns[last], self._turns[last + 1]
        return before.speaker != after.speaker and self._phrases.offers(after.content)

    def _takes_on(self, reply: str) -> bool:
        cells = sum(2 if char > "\u2e7f" else 1 for char in reply[: SHORT_REPLY_CELLS + 1])
        return cells > SHORT_REPLY_CELLS or self._phrases.takes_on(reply)
