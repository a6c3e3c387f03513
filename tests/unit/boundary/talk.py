"""Short ways to write turns and to run a detector, for the tests of this folder."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from hmind.boundary import build
from hmind.boundary.coherence import Coherence
from hmind.boundary.detector import ALL_REASONS, Cut, Detector, Tail
from hmind.embedding.embedder import Embedder, Vectors
from hmind.embedding.texts import unit
from hmind.model import Boundary, Role, Turn
from hmind.settings import BoundarySettings, config_dir, load

MORNING = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
FLUSH = Tail(Boundary.FLUSH, None, None)
WORDS = build.words()
PHRASES = WORDS.closing
MODEL = Coherence.load(config_dir() / "coherence.toml")


class WordsEmbedder:
    """Bags of words, hashed: texts without a common word are at 0. Enough to see topics by."""

    name = "words-1"
    dim = 256
    topic_shift_below = 0.3
    unrelated_cos = 0.0

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.strip(".,!?").encode()) % self.dim] += 1
        return unit(rows)

    def questions(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)


def settings(**changes: object) -> BoundarySettings:
    return load({}).boundary.model_copy(update=changes)


def detector(
    embedder: Embedder | None = None,
    coherence: Coherence | None = MODEL,
    reasons: frozenset[Boundary] = ALL_REASONS,
    **changes: object,
) -> Detector:
    """The bags of words are judged by the cosine rule, since the model was not learned with them."""
    return Detector(settings(**changes), embedder or WordsEmbedder(), WORDS, coherence, reasons)


def talk(*lines: str, apart_s: float = 20) -> list[Turn]:
    """Turns from lines such as ``A: hello``. A line ``+600`` adds seconds before the next."""
    turns: list[Turn] = []
    at = MORNING
    for line in lines:
        if line.startswith("+"):
            at += timedelta(seconds=float(line[1:]) - apart_s)
            continue
        speaker, _, content = line.partition(": ")
        seq = len(turns) + 1
        turns.append(Turn("t", "u", "s", f"t{seq}", Role.USER, speaker, content, at, at, seq))
        at += timedelta(seconds=apart_s)
    return turns


def ends(cuts: Sequence[Cut]) -> list[tuple[int, str]]:
    return [(cut.end, cut.boundary.value) for cut in cuts]


def trickled(judge: Detector, turns: Sequence[Turn], sizes: Sequence[int], tail: Tail) -> list[Cut]:
    """The cuts when the turns arrive in portions of ``sizes``, each time starting after the last cut."""
    found: list[Cut] = []
    done, there = 0, 0
    for size in [*sizes, len(turns)]:
        there = min(len(turns), there + size)
        last = there == len(turns)
        for cut in judge.cuts(turns[done:there], None):
            found.append(Cut(done + cut.end, cut.boundary, cut.measured, cut.threshold))
        done = found[-1].end if found else 0
        if last:
            break
    for cut in judge.cuts(turns[done:], tail):
        found.append(Cut(done + cut.end, cut.boundary, cut.measured, cut.threshold))
    return found
