"""How well topic shifts are found: Pk, WindowDiff, F1 and speed of the product's own detector, set by set.

The sets know no times, so silence cannot act, and closing phrases and the longest number of rounds are
left out: what is measured is the topic shift alone. Beside it stand simple baselines, run on the same
dialogues, and published figures.
"""

from __future__ import annotations

import random
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hmind.boundary import build as detectors
from hmind.boundary import scoring
from hmind.boundary.coherence import BELOW
from hmind.boundary.detector import Detector, Tail
from hmind.embedding.build import build
from hmind.embedding.embedder import Embedder
from hmind.evaluation.dialogues import Dialogue
from hmind.evaluation.texttiling import TextTiling
from hmind.model import Boundary
from hmind.settings import Settings, config_dir

OURS = "H-Mind"
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

    @property
    def score(self) -> float:
        """The same one figure of three that ours has."""
        return scoring.Scores(self.pk, self.wd, self.f1).score


@dataclass(frozen=True, slots=True)
class Judge:
    """The product's detector as its settings make it, for which only a topic shift closes a segment.

    Attributes:
        embedder: name of the model whose vectors it sees.
        rule: what decides, with its threshold.
    """

    detector: Detector
    embedder: str
    rule: str

    def __call__(self, dialogue: Dialogue) -> list[int]:
        return found_by(self.detector, dialogue)

    def load(self, labelled: Sequence[Dialogue]) -> None:
        """Loads the model by judging the longest of some dialogues: loading is not the detector's speed."""
        self(max(labelled, key=lambda dialogue: len(dialogue.turns)))


def judge(settings: Settings, embedder: Embedder | None = None) -> Judge:
    """The detector to be measured. Its embedder's model loads at first use.

    Args:
        embedder: with the threshold that counts for it; by default the settings' own, as it is shipped.

    Raises:
        SettingsError: a setting or a file in config/ that it cannot be made from.
    """
    embedder = embedder or build(settings.embedding.boundary, settings.embedding)
    detector = detectors.detector(settings.boundary, embedder, frozenset({Boundary.TOPIC_SHIFT}))
    if detector.measure == "coherence":
        rule = f"coherence model, below {BELOW}"
    else:
        below = settings.boundary.topic_shift_below_cos or embedder.topic_shift_below
        rule = f"cosine below {below:g}, {settings.boundary.lookahead_turns} turns on each side"
    return Judge(detector, embedder.name, rule)


def baselines() -> Mapping[str, Segmenter]:
    """Methods that anything should beat, by name; TextTiling where NLTK is installed."""
    chance = random.Random(SEED)
    methods: dict[str, Segmenter] = {
        "none": lambda dialogue: [0] * len(dialogue.turns),
        "random": lambda dialogue: _at_random(dialogue, chance),
    }
    try:
        tiling = TextTiling(_stop_words())
    except ModuleNotFoundError:
        return methods
    methods["TextTiling"] = lambda dialogue: tiling.labels([turn.content for turn in dialogue.turns])
    return methods


def measure(labelled: Sequence[Dialogue], method: Segmenter, tell: Callable[[int], None] = lambda _: None) -> Measured:
    """One method on the dialogues of one set, at least one.

    Args:
        tell: is told how many dialogues are done, after each.

    Raises:
        EmbeddingUnavailable: the embedder did not answer.
    """
    found: list[list[int]] = []
    spent = 0.0
    for dialogue in labelled:
        began = time.process_time()
        found.append(method(dialogue))
        spent += time.process_time() - began
        tell(len(found))
    scores = [scoring.scored(dialogue.gold, labels) for dialogue, labels in zip(labelled, found, strict=True)]
    mean, turns = scoring.mean(scores), sum(len(dialogue.turns) for dialogue in labelled)
    return Measured(mean.pk, mean.wd, mean.f1, mean.score, len(labelled), turns / max(spent, 1e-9))


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


def published_for(stem: str) -> tuple[Published, ...]:
    """The published figures that belong beside a file, best first; none for a set that nobody published on."""
    rows = next((rows for name, rows in published().items() if stem.casefold().startswith(name)), ())
    return tuple(sorted(rows, key=lambda row: -row.score))


def _stop_words() -> frozenset[str]:
    lists = tomllib.loads((config_dir() / "stopwords.toml").read_text(encoding="utf-8"))
    return frozenset(word for words in lists.values() for word in words.split())


def _at_random(dialogue: Dialogue, chance: random.Random) -> list[int]:
    """A random number b of boundaries, each gap of n turns one with probability b / n, as in the papers."""
    turns = len(dialogue.turns)
    share = chance.randrange(turns) / turns
    return [int(chance.random() < share) for _ in range(turns - 1)] + [0]
