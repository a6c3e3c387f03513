"""Learns the coherence model and writes config/coherence.toml and config/coherence.npz.

Run: python -m benchmarks.train_coherence TIAGE_TRAIN [OUT]. TIAGE_TRAIN is the training part of TIAGE
(https://github.com/HuiyuanXie/tiage, MIT licence) as JSON lines, a dialogue each: ``utterances`` of
``speaker`` and ``text``, and ``segments``, the numbers of turns between its topic shifts.

It learns from two kinds of boundaries: the topic shifts that people marked, and joins of pieces of
different dialogues, made here (seeded), where what lies within a piece is one talk. What cannot be
learned from chat between two people (roles, openers, how much either kind of evidence counts) are the
constants below, chosen on one half of the development sets; docs/quality-boundaries.md tells how.
It takes half a minute of one core. The same input gives the same files.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from hmind.boundary.coherence import ARRAYS, CUES, Coherence, Layer, pairs
from hmind.boundary.evidence import NAMES, evidence
from hmind.embedding.embedder import Vectors
from hmind.embedding.use import UseEmbedder
from hmind.settings import config_dir

Matrix = NDArray[np.float64]

JOINED_DIALOGUES = 500
PIECES = (2, 5)
PIECE_TURNS = (4, 12)
JOINED_WEIGHT, LAYER_JOINED_WEIGHT = 0.5, 0.35
"""Weight of a gap in a joined dialogue, where one in a real dialogue has 1: for the cosines, and for the layer."""
EVIDENCE_L2 = 0.01
UNITS = 8
LAYERS = 6
"""So many layers, learned from other random starts, are put side by side and averaged."""
DROPPED = 0.5
STRAIGHT_L2, UNITS_L2 = 0.01, 0.001
OPENING_SHARE = 0.7
"""How much of the learned layer is used: all of it fits TIAGE best, none of it fits joined talks best."""
SHIFTS_AT = -2.0
"""Log-odds from which a gap is a topic shift."""
CUE_WEIGHTS = {
    "opener": 1.5,
    "greeting": 1.8,
    "request": 0.7,
    "service": -0.6,
    "question": -0.5,
    "bare": -2.0,
    "after_offer": 1.0,
    "after_question": -0.4,
    "after_bare": 0.5,
    "by_assistant": -1.2,
    "to_assistant": 0.8,
    "long": 1.5,
}
SIGNS = (-1,) * 8 + (1, 1)
"""A cosine across the gap can only speak against a shift, one within a side only for it."""


@dataclass(frozen=True)
class Talk:
    """A dialogue with marks: 1 where the next turn opens a topic, 0 where not, None where nobody knows."""

    vectors: Vectors
    shifts: list[int | None]


@dataclass(frozen=True)
class Gaps:
    """Rows for learning, one a gap."""

    evidence: Matrix
    after: Matrix
    shift: Matrix


def read(path: Path) -> list[Talk]:
    """The dialogues with their vectors."""
    embedder = UseEmbedder(threads=1)
    talks = []
    for line in path.read_text(encoding="utf-8").splitlines():
        dialogue = json.loads(line)
        vectors = embedder.passages([turn["text"] for turn in dialogue["utterances"]])
        shifts: list[int | None] = [0] * len(vectors)
        for end in np.cumsum(dialogue["segments"]):
            shifts[end - 1] = 1
        talks.append(Talk(vectors, shifts))
    return talks


def joined(talks: list[Talk], chance: random.Random) -> Talk:
    """Pieces of several dialogues. A shift within a piece is unknown: it is one, but a smaller one than the joins."""
    vectors, shifts = [], list[int | None]()
    for _ in range(chance.randint(*PIECES)):
        talk = chance.choice(talks)
        length = chance.randint(*PIECE_TURNS)
        start = 0 if chance.random() < 0.5 else chance.randint(0, max(0, len(talk.shifts) - length))
        piece = talk.shifts[start : start + length]
        vectors.append(talk.vectors[start : start + length])
        shifts += [*(None if shift else 0 for shift in piece[:-1]), 1]
    return Talk(np.concatenate(vectors), shifts)


def gaps(talks: list[Talk], model: Coherence, chance: random.Random) -> Gaps:
    """All gaps with a known mark. A segment starts at a shift, and at every other unknown one."""
    rows, after, marks = [], [], []
    for talk in talks:
        vectors, start, end = model.centred(talk.vectors), 0, len(talk.shifts)
        seen = pairs(vectors)
        for gap in range(1, end):
            mark = talk.shifts[gap - 1]
            if mark is not None:
                rows.append(evidence(vectors, gap, start, end))
                after.append(seen[gap])
                marks.append(float(mark))
            if mark or (mark is None and chance.random() < 0.5):
                start = gap
    return Gaps(np.array(rows), np.array(after, dtype=float), np.array(marks))


class Adam:
    """Steps down a slope (Kingma and Ba 2015), with a rate that falls to nothing over ``epochs``."""

    def __init__(self, rate: float, epochs: int, size: int) -> None:
        self._rate, self._epochs, self._steps = rate, epochs, 0
        self._mean, self._square = np.zeros(size), np.zeros(size)

    def step(self, epoch: int, slope: Matrix) -> Matrix:
        """What to take off the values."""
        self._steps += 1
        self._mean = 0.9 * self._mean + 0.1 * slope
        self._square = 0.999 * self._square + 0.001 * slope**2
        mean, square = self._mean / (1 - 0.9**self._steps), self._square / (1 - 0.999**self._steps)
        taken: Matrix = self._rate * (1 - epoch / self._epochs) * mean / (np.sqrt(square) + 1e-8)
        return taken


def batches(size: int, each: int, chance: np.random.Generator) -> list[NDArray[np.int64]]:
    """All rows once, in random order, in portions."""
    order = chance.permutation(size)
    return [order[at : at + each] for at in range(0, size, each)]


def logistic(rows: Matrix, marks: Matrix, counts: Matrix) -> tuple[Matrix, float]:
    """Logistic regression; SIGNS keeps coefficients at or above (1), or at or below (-1), zero."""
    chance, epochs, signs = np.random.default_rng(0), 40, np.array(SIGNS)
    values = np.zeros(rows.shape[1] + 1)
    adam = Adam(0.02, epochs, len(values))
    for epoch in range(epochs):
        for batch in batches(len(rows), 512, chance):
            found = 1 / (1 + np.exp(-(rows[batch] @ values[:-1] + values[-1])))
            error = (found - marks[batch]) * counts[batch] / len(batch)
            values = values - adam.step(
                epoch, np.append(rows[batch].T @ error + EVIDENCE_L2 * values[:-1], error.sum())
            )
            values[:-1] = np.where(values[:-1] * signs < 0, 0, values[:-1])
    return values[:-1], float(values[-1])


def layer(
    rows: Matrix, marks: Matrix, counts: Matrix, offset: Matrix, seed: int
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """A hidden layer that adds to the log-odds ``offset``, learned with half its inputs dropped at random."""
    chance, epochs, width = np.random.default_rng(seed), 25, rows.shape[1]
    straight, base = np.zeros(width), np.zeros(1)
    into, bias, out = chance.normal(0, width**-0.5, (width, UNITS)), np.zeros(UNITS), np.zeros(UNITS)
    parts = [straight, base, into, bias, out]
    adams = [Adam(0.003, epochs, part.size) for part in parts]
    for epoch in range(epochs):
        for batch in batches(len(rows), 256, chance):
            seen = rows[batch] * (chance.random((len(batch), width)) > DROPPED) / (1 - DROPPED)
            units = np.maximum(seen @ into + bias, 0)
            found = 1 / (1 + np.exp(-(offset[batch] + seen @ straight + base + units @ out)))
            error = (found - marks[batch]) * counts[batch] / len(batch)
            back = error[:, None] * out * (units > 0)
            slopes = [
                seen.T @ error + STRAIGHT_L2 * straight,
                np.array([error.sum()]),
                seen.T @ back + UNITS_L2 * into,
                back.sum(axis=0),
                units.T @ error + UNITS_L2 * out,
            ]
            for part, slope, adam in zip(parts, slopes, adams, strict=True):
                part -= adam.step(epoch, slope.ravel()).reshape(part.shape)
    return straight, into, bias, out


def learned(talks: list[Talk]) -> Coherence:
    """The model from dialogues with marks."""
    chance = random.Random(1)
    common = np.concatenate([talk.vectors for talk in talks]).mean(axis=0)
    nothing = Layer(*(np.zeros(1, dtype=np.float32) for _ in ARRAYS[1:]))
    model = Coherence(UseEmbedder.name, common, nothing, 0.0, np.zeros(len(NAMES)), CUE_WEIGHTS)
    natural = gaps(talks, model, chance)
    made = gaps([joined(talks, chance) for _ in range(JOINED_DIALOGUES)], model, chance)
    rows, marks = np.concatenate([natural.evidence, made.evidence]), np.concatenate([natural.shift, made.shift])
    real, joins = np.ones(len(natural.shift)), np.ones(len(made.shift))
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    near, bias = logistic((rows - middle) / spread, marks, np.concatenate([real, joins * JOINED_WEIGHT]))
    offset = (rows - middle) / spread @ near + bias
    after = np.concatenate([natural.after, made.after])
    counts = np.concatenate([real, joins * LAYER_JOINED_WEIGHT])
    layers = [layer(after, marks, counts, offset, seed) for seed in range(LAYERS)]
    straight, into, units, out = zip(*layers, strict=True)
    share = OPENING_SHARE / LAYERS
    return Coherence(
        embedder=UseEmbedder.name,
        common=common,
        opening=Layer(
            straight=(sum(straight) * share).astype(np.float32),
            into=np.hstack(into).astype(np.float32),
            bias=np.hstack(units).astype(np.float32),
            out=(np.hstack(out) * share).astype(np.float32),
        ),
        bias=float(bias - (near * middle / spread).sum() - SHIFTS_AT),
        weights=near / spread,
        cues=CUE_WEIGHTS,
    )


def write(model: Coherence, path: Path) -> None:
    """The few numbers that a person may want to read as TOML, the arrays beside it, at half precision."""
    lines = [
        "# The coherence model: how well the turn after a gap goes on with what came before it. Written by",
        "# benchmarks/train_coherence.py from the training part of TIAGE (MIT licence) and joins of its dialogues.",
        "# Log-odds of a shift = bias + weights * evidence + layer(vectors) + cues; below zero the talk goes on.",
        "# The layer is in coherence.npz.",
        "",
        f'embedder = "{model.embedder}"',
        f"bias = {model.bias:.4f}",
        "",
        "# Cosines around the gap: hmind/boundary/evidence.py says which.",
        "[weights]",
        *(f"{name} = {value:.4f}" for name, value in zip(NAMES, model.weights.tolist(), strict=True)),
        "",
        "# What the turns around the gap are: hmind/boundary/coherence.py says what each is.",
        "[cues]",
        *(f"{name} = {model.cues[name]}" for name in CUES),
        "",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    opening = model.opening
    arrays = (model.common, opening.straight, opening.into, opening.bias, opening.out)
    halves = {name: array.astype(np.float16) for name, array in zip(ARRAYS, arrays, strict=True)}
    np.savez_compressed(path.with_suffix(".npz"), **halves)


def main() -> None:
    """Learns and writes."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else config_dir() / "coherence.toml"
    # Sums in another order would end in other digits.
    with threadpool_limits(limits=1):
        write(learned(read(Path(sys.argv[1]))), out)
    print(f"{out} and {out.with_suffix('.npz').name} written")


if __name__ == "__main__":
    main()
