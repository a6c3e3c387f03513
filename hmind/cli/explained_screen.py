"""How a conversation with its curve looks in the terminal: a line a turn, a bar a gap, a rule a boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from hmind.boundary.explaining import number, reason
from hmind.text.clean import clean

if TYPE_CHECKING:
    from hmind.boundary.explaining import Explained, Gap
    from hmind.boundary.scoring import Scores
    from hmind.cli.talks_in_file import Talk
    from hmind.model import Turn

SPEAKER_CELLS = 12
NARROWEST_TEXT = 20
LONGEST_TEXT = 400
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True)
class Shown:
    """A talk, what the detector saw in it, and how that compares with its labels."""

    talk: Talk
    seen: Explained
    scores: Scores | None = None


class Page:
    """Prints talks one below the other."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._scores: list[Scores] = []
        self._first = True

    def show(self, shown: Shown) -> None:
        """Prints one talk."""
        talk, seen = shown.talk, shown.seen
        if self._first:
            self._legend(seen)
            self._first = False
        timed = talk.gold is None
        title = Text.assemble((f"\n{'session' if timed else 'dialogue'} {talk.name}", "head"))
        title.append(f" of {talk.owner}" if talk.owner else "")
        title.append(f"  {_count(len(talk.turns), 'turn')}, {_count(len(seen.cuts), 'segment')}", style="dim")
        self._line(title)
        speakers = min(SPEAKER_CELLS, max((cell_len(_plain(turn.speaker)) for turn in talk.turns), default=0))
        left = len(_when(talk.turns[0], 0, timed)) + 2 if talk.turns else 0
        cuts = {cut.end: cut for cut in seen.cuts}
        gold = set(talk.gold or ())
        day = ""
        for index, turn in enumerate(talk.turns):
            if index:
                gap = seen.gaps[index - 1]
                cut = cuts.get(index)
                if gap.value is not None:
                    self._line(self._bar(gap, seen, left, shift=cut is not None))
                if cut is not None:
                    labelled = "" if timed else " · labelled too" if index in gold else " · not labelled"
                    self._rule(reason(cut, seen.measure) + labelled, "good" if index in gold else "warn")
                elif index in gold:
                    self._rule("labelled boundary, not found", "bad", "╌")
            today = turn.occurred_at.astimezone().strftime("%Y-%m-%d, %A") if timed else ""
            if today != day:
                self._line(Text(today, style="dim"))
                day = today
            self._line(self._turn(turn, index, timed, speakers))
        if talk.turns and (cut := cuts.get(len(talk.turns))):
            self._rule(reason(cut, seen.measure), "dim")
        if shown.scores is not None:
            self._scores.append(shown.scores)
            self._line(Text(_scores(shown.scores), style="dim"))

    def end(self) -> None:
        """Prints what is said of all talks together."""
        from hmind.boundary.scoring import mean

        if self._first:
            self._out.print("There is no turn in this file.", style="warn")
        if len(self._scores) > 1:
            self._line(
                Text.assemble((f"\nmean of {len(self._scores)} dialogues: ", "head"), _scores(mean(self._scores)))
            )

    def _legend(self, seen: Explained) -> None:
        low = _low(seen.below)
        told = Text.assemble((seen.measure, "head"), f" between turns, seen by {seen.embedder}.")
        told.append(f" A topic may shift below {number(seen.below, seen.below)} (┊);")
        told.append(f" bars run from {number(low, low) if low else '0'} to 1.")
        self._out.print(told, soft_wrap=False)

    def _turn(self, turn: Turn, index: int, timed: bool, speakers: int) -> Text:
        line = Text.assemble((f"{_when(turn, index, timed)}  ", "dim"))
        speaker = Text(_plain(turn.speaker), style="L1" if turn.by_person else "L2")
        speaker.truncate(speakers, overflow="ellipsis", pad=True)
        line.append_text(speaker).append("  ")
        room = max(NARROWEST_TEXT, self._out.width - line.cell_len)
        said = Text(_plain(turn.content[:LONGEST_TEXT]))
        if len(turn.content) > LONGEST_TEXT:
            said.append("…")
        said.truncate(room, overflow="ellipsis")
        return line.append_text(said)

    def _bar(self, gap: Gap, seen: Explained, left: int, shift: bool) -> Text:
        """The value as a bar with the threshold in it, the number, and what held a shift back."""
        assert gap.value is not None
        cells = 40 if self._out.width >= 120 else 24
        low = _low(seen.below)
        style = "warn" if gap.value < seen.below else "dim"
        filled = min(1.0, max(0.0, (gap.value - low) / (1 - low))) * cells
        whole, part = int(filled), _EIGHTHS[int(filled % 1 * 8)]
        drawn = ("█" * whole + part).ljust(cells)[:cells]
        mark = min(cells - 1, int((seen.below - low) / (1 - low) * cells))
        line = Text(" " * left).append(drawn[:mark], style=style).append("┊", style="head")
        line.append(drawn[mark + 1 :], style=style).append(f" {number(gap.value, seen.below)}", style=style)
        if gap.held and not shift:
            line.append(f"  {gap.held}", style="dim")
        return line

    def _rule(self, told: str, style: str, stroke: str = "─") -> None:
        line = Text(f"{stroke * 3} {told} ", style=style)
        line.truncate(self._out.width - 1, overflow="ellipsis")
        self._line(line.append(stroke * max(1, self._out.width - line.cell_len), style=style))

    def _line(self, line: Text) -> None:
        self._out.print(line, no_wrap=True, overflow="ellipsis", crop=True)


def _low(below: float) -> float:
    """Where bars start: 0, or higher for an embedder whose cosines are all high, so that differences show."""
    return max(0.0, 2 * below - 1)


def _when(turn: Turn, index: int, timed: bool) -> str:
    return turn.occurred_at.astimezone().strftime("%H:%M") if timed else f"{index + 1:4}"


def _plain(text: str) -> str:
    """On one line, without anything a terminal would obey."""
    return " ".join(clean(text).split())


def _scores(scores: Scores) -> str:
    return f"Pk {scores.pk:.3f}  WindowDiff {scores.wd:.3f}  F1 {scores.f1:.3f}  Score {scores.score:.3f}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
