"""How well the turn after a gap goes on with what came before: a small learned model over vectors and cues.

A weighted sum, squeezed to 0 to 1: ten cosines around the gap (evidence.py), a layer of a few units
that has learned what turns that open a topic are like, and cues of the turns' form. The numbers are in
config/coherence.toml and, those of the layer, in config/coherence.npz.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hmind.boundary.asking import asks, ends_asking
from hmind.boundary.closing import ClosingPhrases
from hmind.boundary.evidence import AFTER, NAMES, evidence
from hmind.boundary.openers import Openers, Opening
from hmind.boundary.similarity import DECIMALS, NO_EVIDENCE
from hmind.embedding.embedder import Vectors
from hmind.embedding.texts import unit
from hmind.errors import SettingsError
from hmind.model import Role, Turn

BELOW = 0.5
"""A topic shifts where the coherence is lower."""
RIVALS = 1
"""Gaps behind one that have to be no better a place for the same shift."""
VECTOR_SCALE, PRODUCT_SCALE = 10.0, 50.0
"""Single numbers of a vector of length 1 are about 1/20, products of two smaller yet: brought near 1 for the layer."""
PORTION_TURNS = 4
"""Turns multiplied at once. Larger products are given to several threads, which wait for one another longer than
they work: whole windows were judged at half the speed."""
BARE_CELLS = 10
"""A turn up to this width that asks nothing ("ok", 好的) opens no topic (an ideograph counts two)."""
LONG_TURNS = 8
"""From here on a segment ends the more easily the longer it is."""

CUES = (
    "opener",
    "greeting",
    "request",
    "service",
    "question",
    "bare",
    "after_offer",
    "after_question",
    "after_bare",
    "by_assistant",
    "to_assistant",
    "long",
)
"""What weighs besides vectors. The turn after the gap announces another topic (opener); greets; wants something;
talks as one who serves; is a question, other than a person's to an assistant; is bare. The turn before it asks what
else there is; asks something; is bare. An assistant says it, who answers more often than opens; a person says it
after an assistant. The segment is longer than LONG_TURNS (the natural logarithm of how many times)."""

ARRAYS = ("common", "straight", "into", "bias", "out")
"""Names in the .npz: the common vector, then those of a Layer."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One hidden layer of rectified units beside a straight connection, over ``pairs``.

    Attributes:
        straight: (2 dim,). into: (2 dim, units). bias: (units,). out: (units,).
    """

    straight: NDArray[np.float32]
    into: NDArray[np.float32]
    bias: NDArray[np.float32]
    out: NDArray[np.float32]

    def __call__(self, vectors: Vectors) -> NDArray[np.float32]:
        """Log-odds, one for each turn, that it opens a topic, seen from itself and the turn before it."""
        rows = pairs(vectors)
        filled = np.zeros((-(-len(rows) // PORTION_TURNS), PORTION_TURNS, rows.shape[1]), dtype=np.float32)
        filled.reshape(-1, rows.shape[1])[: len(rows)] = rows
        units = np.maximum((filled @ self.into).reshape(-1, len(self.bias))[: len(rows)] + self.bias, 0)
        opened: NDArray[np.float32] = np.einsum("ij,j->i", rows, self.straight) + np.einsum("ij,j->i", units, self.out)
        return opened


def pairs(vectors: Vectors) -> Vectors:
    """What the layer sees: each turn's vector, and its product, number by number, with the one before it."""
    before = np.vstack([np.zeros_like(vectors[:1]), vectors[:-1]])
    return np.hstack([np.float32(VECTOR_SCALE) * vectors, np.float32(PRODUCT_SCALE) * vectors * before])


@dataclass(frozen=True, slots=True)
class Coherence:
    """The model's numbers.

    Attributes:
        embedder: name of the only embedder whose vectors it can judge.
        common: the mean vector of chat turns, taken off every vector: it holds what all of them share.
        opening: high where a turn opens a topic.
        weights: of each of evidence.NAMES. cues: of each of CUES. All count against coherence.
    """

    embedder: str
    common: NDArray[np.float32]
    opening: Layer
    bias: float
    weights: NDArray[np.float64]
    cues: dict[str, float]

    @classmethod
    def load(cls, path: Path) -> Coherence:
        """Reads the numbers from ``path`` (TOML) and the arrays of the same name beside it (.npz).

        Raises:
            SettingsError: one of the files is missing or not what it should be.
        """
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
            with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
                common, *layer = (arrays[name].astype(np.float32) for name in ARRAYS)
            return cls(
                embedder=str(values["embedder"]),
                common=common,
                opening=Layer(*layer),
                bias=float(values["bias"]),
                weights=np.array([float(values["weights"][name]) for name in NAMES]),
                cues={name: float(values["cues"][name]) for name in CUES},
            )
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise SettingsError(
                f"{path}: does not hold the coherence model ({type(error).__name__}). Restore it, or set "
                "boundary.coherence = false."
            ) from None

    def centred(self, vectors: Vectors) -> Vectors:
        """The vectors without what all chat turns share, each of length 1 again; zero rows stay zero."""
        there = (vectors != 0).any(axis=1, keepdims=True)
        return unit(np.where(there, vectors - self.common, np.float32(0)))


class CoherenceCurve:
    """Coherence at the gaps of a window. Gap ``g`` lies before turn ``g``."""

    below = BELOW
    behind = AFTER + RIVALS

    def __init__(
        self, model: Coherence, turns: Sequence[Turn], vectors: Vectors, phrases: ClosingPhrases, openers: Openers
    ) -> None:
        self._model = model
        self._turns = turns
        self._phrases = phrases
        self._openers = openers
        self._vectors = model.centred(vectors)
        self._speaks: list[bool] = np.any(self._vectors != 0, axis=1).tolist()
        self._opening = model.opening(self._vectors).tolist()
        self._cues: dict[int, float] = {}
        self._known: dict[tuple[int, int, int], float] = {}

    def across(self, gap: int, start: int, end: int) -> float:
        """Coherence at the gap, 0 to 1. Only turns from ``start`` up to ``end`` (not included) are looked at.

        A gap at either edge, or before a turn without words, has no evidence: 1.
        """
        if not start < gap < end or not self._speaks[gap]:
            return NO_EVIDENCE
        key = (gap, start, min(end, gap + AFTER))
        if key not in self._known:
            self._known[key] = self._judged(*key)
        return self._known[key]

    def opens(self, gap: int, start: int, end: int, may_open: Callable[[int], bool]) -> bool:
        """Whether a topic begins at the gap rather than at one of the next that ``may_open`` one."""
        here = self.across(gap, start, end)
        return here < self.below and all(
            here <= self.across(rival, start, end)
            for rival in range(gap + 1, min(end, gap + RIVALS + 1))
            if may_open(rival)
        )

    def _judged(self, gap: int, start: int, end: int) -> float:
        model = self._model
        logit = model.bias + self._opening[gap]
        logit += float(model.weights @ evidence(self._vectors, gap, start, end))
        if gap not in self._cues:
            self._cues[gap] = self._cue(gap)
        logit += self._cues[gap]
        if gap - start > LONG_TURNS:
            logit += model.cues["long"] * math.log((gap - start) / LONG_TURNS)
        return round(1 / (1 + math.exp(max(-50.0, min(50.0, logit)))), DECIMALS)

    def _cue(self, gap: int) -> float:
        """What the turns just around the gap are, apart from their topics."""
        before, after, weights = self._turns[gap - 1], self._turns[gap], self._model.cues
        manner, offered = self._openers.manner(after.content), self._phrases.offers(before.content)
        by_assistant = after.role is Role.ASSISTANT
        to_assistant = before.role is Role.ASSISTANT and not by_assistant
        there = {
            "opener": manner.opening is Opening.OPENER,
            "greeting": manner.opening is Opening.GREETING,
            "request": manner.requests,
            "service": manner.serves,
            "question": ends_asking(after.content) and not to_assistant,
            "bare": _is_bare(after.content),
            "after_offer": offered,
            "after_question": asks(before.content) and not offered,
            "after_bare": _is_bare(before.content) and self._speaks[gap - 1],
            "by_assistant": by_assistant,
            "to_assistant": to_assistant,
        }
        return sum(weights[cue] for cue, is_there in there.items() if is_there)


def _is_bare(text: str) -> bool:
    head = text[: BARE_CELLS + 1]
    return sum(2 if char > "\u2e7f" else 1 for char in head) <= BARE_CELLS and not asks(head)
