"""TextTiling (Hearst 1997) over dialogues: the oldest baseline, which compares the words of neighbouring blocks.

Block comparison as in ``nltk.tokenize.texttiling``, with its defaults: pseudo-sentences of 20 tokens,
blocks of 10 of them, smoothing over 3, a boundary where the depth is above mean - deviation / 2. It
differs in two points: tokens are words, or single ideographs, so that Chinese has some; and a boundary
moves to the nearest end of a turn instead of a paragraph.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

SENTENCE_TOKENS = 20
BLOCK_SENTENCES = 10
SMOOTHED_GAPS = 2
APART = 4
"""Of boundaries nearer than so many pseudo-sentences only the deepest stays."""

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+(?:['’][^\W\d_]+)?|\d+")


def text_tiling(turns: Sequence[str], stopwords: frozenset[str] = frozenset()) -> list[int]:
    """Labels of the turns: 1 on the last of a segment. The last turn of all has 0."""
    tokens = [(word, turn) for turn, text in enumerate(turns) for word in _TOKEN.findall(text.lower())]
    sentences = [tokens[at : at + SENTENCE_TOKENS] for at in range(0, len(tokens), SENTENCE_TOKENS)]
    bags = [Counter(word for word, _ in sentence if word not in stopwords) for sentence in sentences]
    found = [0] * len(turns)
    ends = [index + 1 for index in range(len(tokens) - 1) if tokens[index][1] != tokens[index + 1][1]]
    for gap in _deepest(_depths(_smoothed([_score(bags, gap) for gap in range(1, len(bags))]))):
        place = (gap + 1) * SENTENCE_TOKENS
        if ends:
            found[tokens[min(ends, key=lambda end: abs(end - place)) - 1][1]] = 1
    return found


def _score(bags: Sequence[Counter[str]], gap: int) -> float:
    """Cosine of the word counts of the blocks on both sides of a gap."""
    size = min(BLOCK_SENTENCES, gap, len(bags) - gap)
    before = sum((bags[index] for index in range(gap - size, gap)), Counter[str]())
    after = sum((bags[index] for index in range(gap, gap + size)), Counter[str]())
    product = sum(count * after[word] for word, count in before.items())
    lengths = sum(count**2 for count in before.values()) * sum(count**2 for count in after.values())
    return product / math.sqrt(lengths) if lengths else 0.0


def _smoothed(scores: Sequence[float]) -> list[float]:
    half = SMOOTHED_GAPS // 2
    windows = [scores[max(0, at - half) : at + half + 1] for at in range(len(scores))]
    return [sum(window) / len(window) for window in windows]


def _depths(scores: Sequence[float]) -> list[float]:
    """How far the scores rise on both sides of each gap, to the next peak."""
    return [_climb(scores[at::-1]) + _climb(scores[at:]) for at in range(len(scores))]


def _climb(scores: Sequence[float]) -> float:
    peak = scores[0]
    for score in scores[1:]:
        if score < peak:
            break
        peak = score
    return peak - scores[0]


def _deepest(depths: Sequence[float]) -> list[int]:
    if not depths:
        return []
    mean = sum(depths) / len(depths)
    cutoff = mean - math.sqrt(sum((depth - mean) ** 2 for depth in depths) / len(depths)) / 2
    taken: list[int] = []
    for gap in sorted(range(len(depths)), key=lambda at: (-depths[at], at)):
        if depths[gap] > max(cutoff, 0) and all(abs(gap - other) >= APART for other in taken):
            taken.append(gap)
    return sorted(taken)
