"""How well topic shifts are found: Pk, WindowDiff, F1 and speed of the product's own detector, set by set.

The sets know no times, so silence cannot act, and closing phrases and the longest number of rounds are
left out: what is measured is the topic shift alone. Beside it stand simple baselines, run on the same
dialogues, and published figures.
"""

from __future__ import annotations

import random
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmind.boundary import build as detectors
from hmind.boundary import scoring
from hmind.boundary.detector import Detector, Tail
from hmind.embedding.build import build
from hmind.evaluation import dialogues
from hmind.evaluation.dialogues import Dialogue
from hmind.evaluation.texttiling import text_tiling
from hmind.model import Boundary
from hmind.settings import Settings, config_dir

OUR_NAME = "hmind"
SEED = 0
_OVER = Tail(Boundary.FLUSH, None, None)

Segmenter = Callable[[Dialogue], list[int]]
"""Labels a dialogue: 1 on the last turn of a segment, 0 on the last turn of all."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One method on one set. ``turns_per_s`` is of one core's time, embedding included."""

    pk: float
    wd: float
    f1: float
    score: float
    dialogues: int
    turns_per_s: float

    def rounded(self) -> dict[str, float]:
        """For JSON: the shares with four decimals, the speed with none."""
        shares = {name: round(getattr(self, name), 4) for name in ("pk", "wd", "f1", "score")}
        return {**shares, "dialogues": self.dialogues, "turns_per_s": round(self.turns_per_s)}


@dataclass(frozen=True, slots=True)
class Published:
    """Figures of others on a whole test set. ``needs`` is what the method needs to work, or ""."""

    method: str
    pk: float
    wd: float
    f1: float
    needs: str


def topic_shifts(settings: Settings) -> Detector:
    """The product's detector with its settings, for which only a topic shift closes a segment."""
    embedder = build(settings.embedding.boundary, settings.embedding)
    return detectors.detector(settings.boundary, embedder, frozenset({Boundary.TOPIC_SHIFT}))


def measure(folder: Path, detector: Detector) -> Iterator[tuple[str, Mapping[str, Measured]]]:
    """Each *.jsonl of the folder in order of name: its stem, and by method what was measured.

    The first method is ``hmind``. Each set is yielded as soon as it is done.

    Raises:
        BadLabels: a file is no set of labelled dialogues.
        EmbeddingUnavailable: the embedder did not answer.
    """
    chance, stop = random.Random(SEED), _stop_words()
    methods: dict[str, Segmenter] = {
        OUR_NAME: lambda dialogue: found_by(detector, dialogue),
        "none": lambda dialogue: [0] * len(dialogue.turns),
        "random": lambda dialogue: _at_random(dialogue, chance),
        "TextTiling": lambda dialogue: text_tiling([turn.content for turn in dialogue.turns], stop),
    }
    warm = True
    for path in sorted(folder.glob("*.jsonl")):
        labelled = dialogues.read(path)
        if warm and labelled:
            # The model is loaded once, and that is not the detector's speed.
            found_by(detector, labelled[0])
            warm = False
        if labelled:
            yield path.stem, {name: _measured(labelled, method) for name, method in methods.items()}


def found_by(detector: Detector, dialogue: Dialogue) -> list[int]:
    """The detector's boundaries as labels."""
    found = [0] * len(dialogue.turns)
    for cut in detector.cuts(dialogue.turns, _OVER)[:-1]:
        found[cut.end - 1] = 1
    return found


def published(path: Path | None = None) -> Mapping[str, tuple[Published, ...]]:
    """Published figures by the name of the set, which a file's stem begins with."""
    path = path or config_dir() / "published_boundaries.toml"
    sets: dict[str, list[dict[str, Any]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: tuple(Published(**row) for row in rows) for name, rows in sets.items()}


def _stop_words() -> frozenset[str]:
    lists = tomllib.loads((config_dir() / "stopwords.toml").read_text(encoding="utf-8"))
    return frozenset(word for words in lists.values() for word in words.split())


def _measured(labelled: list[Dialogue], method: Segmenter) -> Measured:
    began = time.process_time()
    found = [method(dialogue) for dialogue in labelled]
    spent = time.process_time() - began
    mean = scoring.mean(
        [scoring.scored(dialogue.gold, labels) for dialogue, labels in zip(labelled, found, strict=True)]
    )
    turns = sum(len(dialogue.turns) for dialogue in labelled)
    return Measured(mean.pk, mean.wd, mean.f1, mean.score, len(labelled), turns / max(spent, 1e-9))


def _at_random(dialogue: Dialogue, chance: random.Random) -> list[int]:
    """A random number b of boundaries, each gap of n turns one with probability b / n, as in the papers."""
    turns = len(dialogue.turns)
    share = chance.randrange(turns) / turns
    return [int(chance.random() < share) for _ in range(turns - 1)] + [0]
