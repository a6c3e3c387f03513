"""TextTiling (Hearst 1997) over dialogues, the oldest baseline: NLTK's tokenizer, handed a turn as a paragraph.

NLTK's reads nothing but the letters a to z, so Chinese words, as jieba parts them, are spelt in those
letters, four for an ideograph. It ends a segment only where a paragraph ends that is at least 100
characters behind the last one, so of several short turns in a row it sees one. Comparing blocks takes it
ten seconds for a long talk; the same counts in numpy take none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hmind.text.segmenter import segmenter

_PARTS = "\n\n"
_IDEOGRAPH = re.compile(r"[\u3400-\u9fff]")
_LETTERS = "abcdefghijklmnop"


class TextTiling:
    """NLTK's ``TextTilingTokenizer`` with its defaults, and stop words of our own: it downloads nothing.

    Raises:
        ModuleNotFoundError: nltk is not installed (the extra ``eval``).
    """

    def __init__(self, stopwords: Iterable[str] = ()) -> None:
        from nltk.tokenize.texttiling import TextTilingTokenizer

        self._tokenizer: Any = TextTilingTokenizer(stopwords={spelt(word).strip() for word in stopwords})
        self._tokenizer._block_comparison = partial(block_comparison, self._tokenizer.k)

    def labels(self, turns: Sequence[str]) -> list[int]:
        """1 on the last turn of a segment. The last turn of all has 0, and so have all of a talk that is too short."""
        found = [0] * len(turns)
        paragraphs = [" ".join(spelt(turn).split()) for turn in turns]
        try:
            tiles = self._tokenizer.tokenize(_PARTS.join(paragraphs))
        except ValueError:
            # Fewer words than three pseudo-sentences of 20, or no paragraph of 100 characters.
            return found
        ends: dict[int, int] = {}
        at = 0
        for index, paragraph in enumerate(paragraphs):
            at += len(paragraph)
            ends.setdefault(at, index)
            at += len(_PARTS)
        reached = 0
        for tile in tiles[:-1]:
            reached += len(tile)
            found[ends[reached]] = 1
        return found


def block_comparison(size: int, sentences: Sequence[Any], table: Mapping[str, Any]) -> list[float]:
    """What ``TextTilingTokenizer._block_comparison`` returns: cosines of the word counts on both sides of each gap.

    Args:
        size: pseudo-sentences in a block; fewer at the edges.
        sentences: NLTK's token sequences. table: NLTK's token table; its keys are all words.
    """
    columns = {word: index for index, word in enumerate(table)}
    summed = np.zeros((len(sentences) + 1, len(columns)))
    for row, sentence in enumerate(sentences, 1):
        np.add.at(summed[row], [columns[word] for word, _ in sentence.wrdindex_list], 1)
    summed = summed.cumsum(axis=0)
    cosines = []
    for gap in range(1, len(sentences)):
        reach = gap if gap < size else min(size, len(sentences) - gap)
        before, after = summed[gap] - summed[gap - reach], summed[gap : gap + reach + 1][-1] - summed[gap]
        lengths = float(np.sqrt((before @ before) * (after @ after)))
        cosines.append(float(before @ after) / lengths if lengths else 0.0)
    return cosines


def spelt(text: str) -> str:
    """The text with each Chinese word between spaces and in the letters a to p; other words as they are."""
    if not _IDEOGRAPH.search(text):
        return text
    # Without what is no word: NLTK leaves it out where it compares, but counts it where it puts a boundary.
    words = (word for word in segmenter().cut(text) if any(map(str.isalnum, word)))
    return " ".join(_IDEOGRAPH.sub(_spelling, word) for word in words)


def _spelling(found: re.Match[str]) -> str:
    return "".join(_LETTERS[int(digit, 16)] for digit in f"{ord(found.group()):04x}")
