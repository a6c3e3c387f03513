"""Cuts gists and questions into the same keywords, so that one finds the other. No ranking here."""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from typing import Any

from hmind.settings import config_dir
from hmind.text.segmenter import segmenter

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_PIECE = re.compile(
    rf"""
    (?P<date> (?P<year>(?:1[5-9]|20|21)\d\d)[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>0?[1-9]|[12]\d|3[01])(?!\d) )
  | (?P<chinese_date> \d+[年月日号] )
  | (?P<number> \d+(?:[.:]\d+)*(?:st|nd|rd|th)?(?![a-z]) )
  | (?P<cjk> [{_CJK}]+ )
  | (?P<word> [^\W_{_CJK}]+(?:['’][^\W\d_{_CJK}]+)*(?:\+\+|\#)? )
    """,
    re.VERBOSE,
)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)$")


def keywords(text: str) -> list[str]:
    """The keywords of ``text``, in its order, with repeats; the same text gives the same list.

    Chinese is cut for search: 外币汇率 gives its words and the words inside them. English is
    stemmed and in lower case. Stop words of both languages (config/stopwords.toml) and
    punctuation are out; numbers stay, a date like 2023-05-07 gives itself and its year, and
    2019年3月5号 gives 2019, 3月, 5日.
    The first call with Chinese in it loads a dictionary (about a second).
    """
    return list(_keywords(unicodedata.normalize("NFKC", text).lower()))


def _keywords(text: str) -> Iterator[str]:
    stop = _stopwords()
    for piece in _PIECE.finditer(text):
        found = piece.group()
        match piece.lastgroup:
            case "cjk":
                yield from _chinese(found, stop)
            case "chinese_date":
                yield found.removesuffix("年").replace("号", "日")
            case "word":
                if (word := found.replace("’", "'")) not in stop:
                    yield _stem(word)
            case "number":
                yield _ORDINAL.sub("", found)
            case _:
                yield f"{piece['year']}-{int(piece['month']):02}-{int(piece['day']):02}"
                yield piece["year"]


def _chinese(run: str, stop: frozenset[str]) -> Iterator[str]:
    """Words of the dictionary; letters that are none of its words alone and in pairs, for names."""
    before = ""
    # Without HMM: its guesses depend on the words around, so a question would not cut the same way.
    for word in segmenter().lcut_for_search(run, HMM=False):
        if word in stop:
            before = ""
            continue
        if before and len(word) == 1:
            yield before + word
        yield word
        before = word if len(word) == 1 else ""


@functools.cache
def _stopwords() -> frozenset[str]:
    lists = tomllib.loads((config_dir() / "stopwords.toml").read_text(encoding="utf-8"))
    return frozenset(word for words in lists.values() for word in words.split())


@functools.lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    return str(_stemmer().stemWord(word)) if word.isascii() else word


@functools.cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
