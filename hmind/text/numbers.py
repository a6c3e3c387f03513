"""Numbers written in words, Chinese and English, up to 9,999. Not amounts, units or dates."""
# ruff: noqa: SIM905 - a list of words reads best as words

from __future__ import annotations

import re

_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_TENS = {"十": 10, "百": 100, "千": 1000}
_CHINESE = re.compile("[零〇一二两三四五六七八九十百千]+")
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
).split()
_ENGLISH = {word: number for number, word in enumerate(_SMALL)}
_ENGLISH |= {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
_ENGLISH |= {"dozen": 12, "a dozen": 12, "a couple": 2, "a couple of": 2, "couple": 2, "couple of": 2}

_TENS_OF = ("twenty", "thirty", "forty", "fifty", "sixty")
_COMPOUND = rf"(?:{'|'.join(_TENS_OF)})[-\s](?:{'|'.join(_SMALL[1:10])})"

ENGLISH = "|".join(
    (_COMPOUND, *sorted((re.escape(word).replace(r"\ ", r"\s+") for word in _ENGLISH), key=len, reverse=True))
)
"""Alternatives of a pattern for the English words that :func:`english` knows."""


def chinese(text: str) -> int | None:
    """The number that ``text`` writes: 十二, 二十, 两百零五, 二〇一九, 12; None for anything else."""
    if text.isdecimal():
        return int(text)
    if not _CHINESE.fullmatch(text):
        return None
    if not any(letter in _TENS for letter in text):
        return int("".join(str(_DIGITS[letter]) for letter in text))
    total, digit = 0, None
    for letter in text:
        if letter in _TENS:
            total += (1 if digit is None else digit) * _TENS[letter]
            digit = None
        else:
            digit = _DIGITS[letter] or None
    return total + (digit or 0)


def english(text: str) -> int | None:
    """The number that ``text`` writes: twelve, 12, a, a couple of; None for anything else."""
    if text.isdecimal():
        return int(text)
    words = text.lower().replace("-", " ").split()
    if len(words) == 2 and words[0] in _TENS_OF and _ENGLISH.get(words[1], 0) in range(1, 10):
        return _ENGLISH[words[0]] + _ENGLISH[words[1]]
    return _ENGLISH.get(" ".join(words))
