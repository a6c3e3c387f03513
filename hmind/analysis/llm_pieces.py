"""What becomes of the turns that an LLM's answer left out: asked again in smaller pieces, so many times and no more.

How a piece is asked and read is not known here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hmind.errors import AnalystUnavailable
from hmind.model import FoundEvent

Numbers = tuple[int, ...]
"""Numbers of turns, counted from 1 through the segment, in order."""

NOT_AGAIN = frozenset({"rejected"})
"""Faults that a smaller piece has too."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call brought.

    Attributes:
        discarded: turn ids that the answer lets go, with reasons.
        open: of the turns asked about, those it does not account for and should have.
        fault: why there are such, else "".
        usable: whether anything could be taken from it.
    """

    events: tuple[FoundEvent, ...] = ()
    discarded: Mapping[str, str] = field(default_factory=dict)
    open: Numbers = ()
    fault: str = ""
    usable: bool = True
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Gathered:
    """What all calls about a segment brought.

    Attributes:
        open: the turns that no call accounted for.
        fault: of the first answer that left something out, "" when none did.
        last_fault: of the last call that left one of ``open`` out.
        usable: whether anything came from any of them.
        calls: how many there were.
    """

    events: tuple[FoundEvent, ...]
    discarded: Mapping[str, str]
    open: Numbers
    fault: str
    last_fault: str
    usable: bool
    calls: int
    tokens_in: int
    tokens_out: int


def gather(
    ask: Callable[[Numbers], Answer], numbers: Numbers, pieces: int, may_go_on: Callable[[], bool] = lambda: True
) -> Gathered:
    """Asks about ``numbers`` in one call, and about what it leaves open in at most ``pieces`` more.

    Each piece holds fewer turns, about half of those of the one whose answer left it open, so a question is
    never asked twice, and about a single turn once. Larger pieces come first.

    Args:
        may_go_on: looked at before each further call.

    Raises:
        AnalystUnavailable: by the first call. When a later one finds nobody there, what was had is kept.
    """
    first = ask(numbers)
    answers = [first]
    waiting = deque(_smaller(first, numbers))
    given_up = [] if waiting else [first.open]
    last_fault = first.fault
    while waiting:
        if len(answers) > pieces or not may_go_on():
            break
        piece = waiting.popleft()
        try:
            answer = ask(piece)
        except AnalystUnavailable:
            waiting.appendleft(piece)
            last_fault = "unavailable"
            break
        answers.append(answer)
        last_fault = answer.fault or last_fault
        smaller = _smaller(answer, piece)
        waiting.extend(smaller)
        if not smaller:
            given_up.append(answer.open)
    return Gathered(
        events=tuple(event for answer in answers for event in answer.events),
        discarded={turn_id: reason for answer in answers for turn_id, reason in answer.discarded.items()},
        open=tuple(sorted(number for left in (*given_up, *waiting) for number in left)),
        fault=first.fault,
        last_fault=last_fault,
        usable=any(answer.usable for answer in answers),
        calls=len(answers),
        tokens_in=sum(answer.tokens_in for answer in answers),
        tokens_out=sum(answer.tokens_out for answer in answers),
    )


def _smaller(answer: Answer, asked: Sequence[int]) -> list[Numbers]:
    """The pieces in which to ask again about what ``answer`` left open."""
    left = answer.open
    if not left or answer.fault in NOT_AGAIN or len(asked) < 2:
        return []
    if 2 * len(left) <= len(asked):
        return [left]
    middle = (len(left) + 1) // 2
    return [left[:middle], left[middle:]]
