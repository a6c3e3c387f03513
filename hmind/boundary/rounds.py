"""What a round is: one speaker, then another. Counted from the start of a segment."""

from __future__ import annotations

from collections.abc import Sequence

from hmind.model import Turn

SOLO_TURNS = 2
"""So many turns of one speaker without an answer make a round, so that a monologue splits, too."""
LONGEST_TURNS = 4
"""No round is longer, so that a group in which the first speaker stays silent splits, too."""


def count_rounds(turns: Sequence[Turn]) -> int:
    """How many rounds the turns are; 0 for none."""
    return len(round_starts(turns))


def round_starts(turns: Sequence[Turn]) -> list[int]:
    """Index of the first turn of each round.

    A round ends when its first speaker speaks again after another one did, or for the third
    time in a row, or when it has four turns. Depends only on the turns before, so that turns
    added at the end change no round but the last.
    """
    starts: list[int] = []
    answered = False
    for index, turn in enumerate(turns):
        length = index - starts[-1] if starts else 0
        again = bool(starts) and turn.speaker == turns[starts[-1]].speaker
        if not starts or length >= LONGEST_TURNS or (again and (answered or length >= SOLO_TURNS)):
            starts.append(index)
            answered = False
        elif not again:
            answered = True
    return starts
