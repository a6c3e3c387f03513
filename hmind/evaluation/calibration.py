"""Measures an embedder: below which cosine a topic shifts, and how near texts are that have nothing in common.

From labelled dialogues the threshold is the one at which the detector's cosine rule scores best. From
unlabelled talk it is chosen in the same way on dialogues that are made of it: pieces of different
talks joined, each seam a boundary.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hmind.boundary import scoring
from hmind.boundary.build import words
from hmind.boundary.detector import Detector, Tail, Words
from hmind.boundary.excerpt import excerpt
from hmind.boundary.similarity import CosineCurve
from hmind.embedding.cached import CachedEmbedder
from hmind.embedding.calibrated import CalibratedEmbedder
from hmind.embedding.embedder import Embedder
from hmind.errors import BadLabels
from hmind.evaluation.dialogues import Dialogue
from hmind.model import Boundary, Turn
from hmind.settings import BoundarySettings

MOST_DIALOGUES = 100
"""So many of a set are looked at, evenly spread: more move the threshold by less than a hundredth."""
STEPS = 36
"""Thresholds that are tried: quantiles of the cosines that occur, up to the HIGHEST."""
HIGHEST = 0.85
PAIRS = 600
"""Pairs of unrelated texts whose cosines are averaged."""
DECIMALS = 3
SEED = 0

PIECE_TURNS = (4, 12)
"""Least and most turns of a piece of talk that becomes a segment; SEGMENTS of them make a dialogue."""
SEGMENTS = 4
FEWEST_TALKS = 8
"""Of fewer talks too few seams can be made."""

_OVER = Tail(Boundary.FLUSH, None, None)

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Tried:
    """A threshold, and the Score of the cosine rule with it: the mean over sets, each counting the same."""

    below: float
    score: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """The threshold that was best, all that were tried, what each set scores at the best; and how much was read."""

    below: float
    curve: tuple[Tried, ...]
    scores: Mapping[str, float]
    dialogues: int
    turns: int


def choose(
    sets: Mapping[str, Sequence[Dialogue]],
    embedder: Embedder,
    settings: BoundarySettings,
    tell: Tell = lambda _done, _all: None,
) -> Chosen:
    """The threshold with which the cosine rule scores best on labelled dialogues.

    Score as in ``hmind eval boundaries``, mean over the dialogues of a set, then over sets. Neighbours
    on the curve are averaged, so that no peak of a single step wins. ``tell`` hears (done, all): embedding
    counts for half, trying the thresholds for half.

    Raises:
        BadLabels: there is no gap to measure.
        EmbeddingUnavailable: the embedder did not answer.
    """
    sets = {name: spread(dialogues) for name, dialogues in sets.items()}
    turns = [turn for each in sets.values() for dialogue in each for turn in dialogue.turns]
    embedder = known(embedder, turns, lambda done, texts: tell(done, 2 * texts))
    below = [
        np.quantile(cosines, np.linspace(0.01, HIGHEST, STEPS))
        for each in sets.values()
        if len(cosines := _across(each, embedder, settings))
    ]
    if not below:
        raise BadLabels("The dialogues have no gap between words. Give longer ones.")
    steps = sorted({round(float(step), DECIMALS) for step in np.mean(below, axis=0)} - {0.0})
    said = words()
    scores: list[dict[str, float]] = []
    for step in steps:
        scores.append({name: score(each, embedder, settings, step, said) for name, each in sets.items()})
        tell(len(steps) + len(scores), 2 * len(steps))
    means = [sum(each.values()) / len(each) for each in scores]
    best = int(np.argmax(_smooth(means)))
    return Chosen(
        steps[best],
        tuple(Tried(step, mean) for step, mean in zip(steps, means, strict=True)),
        scores[best],
        sum(len(each) for each in sets.values()),
        len(turns),
    )


def joined(talks: Sequence[Sequence[Turn]], chance: random.Random | None = None) -> list[Dialogue]:
    """Dialogues made of unlabelled talk: pieces of different talks joined, each seam a boundary.

    Raises:
        BadLabels: there are too few talks to join.
    """
    chance = chance or random.Random(SEED)
    least, most = PIECE_TURNS
    pieces: list[tuple[int, Sequence[Turn]]] = []
    for number, talk in enumerate(talks):
        at = 0
        while len(talk) - at >= least:
            length = min(chance.randint(least, most), len(talk) - at)
            pieces.append((number, talk[at : at + length]))
            at += length
    if len({number for number, _ in pieces}) < FEWEST_TALKS:
        raise BadLabels(
            f"There are fewer than {FEWEST_TALKS} talks of {least} turns or more, too few to learn from. Calibrate "
            "without --from-chat and --chat, on labelled dialogues."
        )
    chance.shuffle(pieces)
    made: list[Dialogue] = []
    while parts := _different(pieces):
        turns = [turn for part in parts for turn in part]
        first = turns[0].occurred_at
        # At one time, so that no silence parts them.
        at_once = tuple(replace(turn, occurred_at=first, seq=index) for index, turn in enumerate(turns))
        made.append(Dialogue(f"joined_{len(made)}", at_once, tuple(len(part) for part in parts)))
    return made


def unrelated_cos(groups: Sequence[Sequence[Sequence[Turn]]], embedder: Embedder) -> float:
    """Mean cosine of a text as a question and a text of another talk as a passage; PAIRS pairs.

    Args:
        groups: talks; pairs are made within a group, so that both are of one language and kind.

    Raises:
        BadLabels: no group has two talks.
        EmbeddingUnavailable: the embedder did not answer.
    """
    chance = random.Random(SEED)
    spoken = [[[turn.content for turn in talk] for talk in talks if talk] for talks in groups]
    spoken = [talks for talks in spoken if len(talks) > 1]
    if not spoken:
        raise BadLabels("There is but one talk, so nothing unrelated in it. Give more.")
    pairs = [[chance.choice(talk) for talk in chance.sample(spoken[at % len(spoken)], 2)] for at in range(PAIRS)]
    ones = embedder.questions([excerpt(one) for one, _ in pairs])
    others = embedder.passages([excerpt(other) for _, other in pairs])
    there = np.any(ones != 0, axis=1) & np.any(others != 0, axis=1)
    return round(float((ones * others).sum(axis=1)[there].mean()), DECIMALS) if there.any() else 0.0


def known(embedder: Embedder, turns: Sequence[Turn], tell: Tell = lambda _done, _all: None) -> Embedder:
    """The embedder with the vectors of these turns in memory."""
    batch = 256
    texts = list(dict.fromkeys(excerpt(turn.content) for turn in turns))
    kept = CachedEmbedder(embedder, rows=max(1, len(texts)))
    for at in range(0, len(texts), batch):
        kept.passages(texts[at : at + batch])
        tell(min(at + batch, len(texts)), len(texts))
    return kept


def spread(dialogues: Sequence[Dialogue]) -> list[Dialogue]:
    """At most MOST_DIALOGUES of them, evenly spread."""
    if len(dialogues) <= MOST_DIALOGUES:
        return list(dialogues)
    return [dialogues[index * len(dialogues) // MOST_DIALOGUES] for index in range(MOST_DIALOGUES)]


def _across(dialogues: Sequence[Dialogue], embedder: Embedder, settings: BoundarySettings) -> list[float]:
    found = []
    for dialogue in dialogues:
        vectors = embedder.passages([excerpt(turn.content) for turn in dialogue.turns])
        curve, end = CosineCurve(vectors, settings.lookahead_turns, 0), len(dialogue.turns)
        found += [curve.across(gap, 0, end) for gap in range(1, end)]
    return found


def score(
    dialogues: Sequence[Dialogue], embedder: Embedder, settings: BoundarySettings, below: float, said: Words
) -> float:
    """Mean Score of the cosine rule with this threshold, by the product's own detector."""
    plain = settings.model_copy(update={"topic_shift_below_cos": 0.0})
    calibrated = CalibratedEmbedder(embedder, topic_shift_below=below)
    detector = Detector(plain, calibrated, said, None, frozenset({Boundary.TOPIC_SHIFT}))
    scores = []
    for dialogue in dialogues:
        found = [0] * len(dialogue.turns)
        for cut in detector.cuts(dialogue.turns, _OVER)[:-1]:
            found[cut.end - 1] = 1
        scores.append(scoring.scored(dialogue.gold, found))
    return scoring.mean(scores).score


def _smooth(values: Sequence[float]) -> list[float]:
    return [float(np.mean(values[max(0, at - 1) : at + 2])) for at in range(len(values))]


def _different(pieces: list[tuple[int, Sequence[Turn]]]) -> list[Sequence[Turn]]:
    """Takes SEGMENTS pieces of different talks off the list; none when there are no two left."""
    taken: dict[int, Sequence[Turn]] = {}
    left = []
    while pieces and len(taken) < SEGMENTS:
        number, piece = pieces.pop()
        if number in taken:
            left.append((number, piece))
        else:
            taken[number] = piece
    pieces.extend(left)
    return list(taken.values()) if len(taken) > 1 else []
