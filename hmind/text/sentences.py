"""Cuts a text into sentences, Chinese and English alike, by rules. Says nothing of their meaning."""
# ruff: noqa: SIM905 - a list of words reads best as words

from __future__ import annotations

import re

_CLOSERS = r"[\"'”’」』）)\]】》〉*_~]*"
_END = re.compile(
    rf"""
    (?P<newline> \s*\n\s* )
  | (?P<cjk> [。！？；｡]+[。！？!?…~～]* {_CLOSERS} )
  | (?P<dots> (?:…+|\.{{3,}}|。{{2,}})[!?！？]* {_CLOSERS} )
  | (?P<marks> [!?]+ (?:[!?！？。]*) {_CLOSERS} (?=\s|$|[^\x00-\x7f]) )
  | (?P<stop> \. {_CLOSERS} (?=\s|$|[\u3400-\u9fff]) )
    """,
    re.VERBOSE,
)
_NEVER_LAST = frozenset(
    (
        "mr mrs ms mx dr prof st mt rev hon gen col capt lt sgt sen rep gov pres fr messrs mme mlle e.g i.e cf vs viz "
        "al approx no nos vol fig eq ch pp ed eds dept univ est jan feb mar apr jun jul aug sep sept oct nov dec mon "
        "tue tues wed thu thur thurs fri sat"
    ).split()
)
"""Abbreviations after which a sentence goes on, unless the text is over."""
_MAYBE_LAST = frozenset(
    "a.m p.m etc inc ltd co corp jr sr ph.d b.a m.a ave blvd rd u.s u.k u.s.a e.u approx no sat fri".split()
)
"""Abbreviations after which a sentence goes on when the next word is in lower case or a number."""
_LAST_WORD = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]+$|\d+$")
_NEXT = re.compile(r"\s*(\S)")
_WORDLESS = re.compile(r"[\W_]*")


def split(text: str) -> list[str]:
    """The sentences of ``text`` in order, trimmed; joined again they hold every word of it.

    A sentence ends at 。！？；… and . ! ? and at a newline, with the quotes and brackets that
    close there. Not at the point of an abbreviation or initial ("Dr. Li", "J. Smith"), a decimal,
    a numbered item ("1. Milk"), or inside an address of the web. Marks and emoji that stand
    alone stay with the sentence before them.
    """
    sentences: list[str] = []
    start = line = 0
    for end in _END.finditer(text):
        if end.lastgroup == "stop" and _goes_on(text, start, end):
            continue
        if end.lastgroup == "dots" and text[end.end() : end.end() + 2].lstrip()[:1].islower():
            continue
        line = _add(sentences, text[start : end.end()], line)
        start = end.end()
        if end.lastgroup == "newline":
            line = len(sentences)
    _add(sentences, text[start:], line)
    return sentences


def _add(sentences: list[str], piece: str, line: int) -> int:
    """Appends ``piece``, or glues it to the sentence before it on the same line if it has no words."""
    piece = piece.strip()
    if not piece:
        return line
    if len(sentences) > line and _WORDLESS.fullmatch(piece):
        sentences[-1] = f"{sentences[-1]} {piece}"
    else:
        sentences.append(piece)
    return line


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether the point at ``end`` belongs to an abbreviation, an initial or a numbered item."""
    following = _NEXT.match(text, end.end())
    if following is None:
        return False
    before = text[start : end.start()]
    found = _LAST_WORD.search(before[-24:])
    if found is None:
        return False
    word = found.group()
    alone = len(before.strip()) == len(word)
    if word.isdigit():
        return alone and len(word) <= 3
    if len(word) == 1 and word.isupper() and word != "I":
        return following.group(1).isupper() and not before[: -len(word)].rstrip().endswith(("vitamin", "plan", "Plan"))
    lower = word.lower()
    if lower in _MAYBE_LAST:
        return following.group(1).islower() or following.group(1).isdigit()
    return lower in _NEVER_LAST
