"""Words objects of English facts so that they read after their predicate: "plans to" + "move to Denver".

Finds no facts; facts_en does.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache

from hmind.text import times
from hmind.text.lexicon import table, words

_GERUND = re.compile(
    r"^((?:also |first |finally )?)([a-z]+ing)\b(?! (?:machine|room|pool|list|board|suit)\b)", re.IGNORECASE
)
_SECOND = re.compile(r"\b(and|or|then) ([a-z]+ing)\b(?! (?:machine|room|pool|list|board|suit)\b)")
_NO_GERUNDS = frozenset(
    [
        "evening",
        "morning",
        "wedding",
        "something",
        "anything",
        "nothing",
        "everything",
        "thing",
        "spring",
        "ring",
        "king",
    ]
)
_PLAIN_ENDS = ("en", "er", "it", "on", "or", "el", "et", "op", "ow", "in", "ain", "ish", "al")
"""Ends of verbs of two syllables that lose no e before -ing: listen, offer, visit, reckon."""
_LINK = re.compile(
    r"(?:[\s,]+(?:from (?:\d{1,2}(?:st|nd|rd|th)?|\w+day)(?: \w+)? (?:to|until|till)"
    r"|on|in|at|by|from|for|and|this|coming up))*[\s,]*$",
    re.IGNORECASE,
)
_MINE = [
    (re.compile(r"\b[Mm]y\b|\b[Oo]ur\b"), "their"),
    (re.compile(r"\bmyself\b|\bourselves\b"), "themselves"),
    (re.compile(r"\b(?:me|us)\b"), "them"),
]


def base_form(gerund: str) -> str:
    """The verb of an -ing form: moving gives move, running run, flying fly."""
    stem = gerund[:-3]
    if len(stem) < 2 or gerund in _NO_GERUNDS or not any(letter in "aeiouy" for letter in stem):
        return gerund
    known = _verbs()
    if stem.endswith("y") and f"{stem[:-1]}ie" in ("die", "lie", "tie"):
        return f"{stem[:-1]}ie"
    undoubled = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "aeou" else ""
    for candidate in (stem, f"{stem}e", undoubled):
        if candidate in known:
            return candidate
    if undoubled and stem[-1] not in "lsz":
        return undoubled
    if stem[-1] in "vcuz" or stem.endswith(("dg", "ang", "rg", "ns", "rs", "ls")) or stem.endswith("at"):
        return f"{stem}e" if not stem.endswith("eat") else stem
    consonant_vowel = re.search(r"[^aeiou][aeiou][^aeiouwxy]$", f" {stem}")
    return f"{stem}e" if consonant_vowel and not stem.endswith(_PLAIN_ENDS) else stem


def as_verb(text: str) -> str:
    """``text`` with an -ing form at its head, and those joined to it, in the base form."""
    head = _GERUND.match(text)
    if head is None or head[2].lower() in _NO_GERUNDS:
        return text
    text = f"{head[1]}{base_form(head[2].lower())}{text[head.end() :]}"
    return _SECOND.sub(lambda found: f"{found[1]} {base_form(found[2])}", text)


def without_times(text: str, at: datetime) -> str:
    """``text`` without the days at its end, which a fact bears as ``valid_from``."""
    for _ in range(3):
        ends = [time for time in times.resolve(text, at) if not text[time.span[1] :].strip(" .,!")]
        if not ends or ends[-1].grain == "recent":
            return text
        shorter = _LINK.sub("", text[: ends[-1].span[0]]).rstrip(" ,")
        if len(shorter.split()) < 2:
            return text
        text = shorter
    return text


def of_them(text: str) -> str:
    """``text`` told of its speaker: "my left wrist" becomes "their left wrist"."""
    for pattern, replacement in _MINE:
        text = pattern.sub(replacement, text)
    return text


@cache
def _verbs() -> frozenset[str]:
    return words("verbs", "base") | words("verbs", "also_base") | frozenset(table("verbs")["special"])
