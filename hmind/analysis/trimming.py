"""Takes off a sentence what only leads to it or takes leave: "Oh, by the way," and "，晚安！". Retells nothing."""

from __future__ import annotations

import re
from functools import cache

from hmind.text.lexicon import listed

_ENDS = re.compile(r"[.!?。！？~～…]+[\"'”’」』)）]*$")
_DOUBLED = re.compile(r"([。，；])\1+$")
_LEAST_LETTERS = {"en": 9, "zh": 4}
"""Letters that must remain, lest an answer lose all its sense."""


def trim(sentence: str, language: str) -> str:
    """``sentence`` without fillers before it and farewells after it; as it was when too little would remain."""
    text = _DOUBLED.sub(r"\1", sentence)
    sentence = text
    lead = _pattern(language, "lead")
    for _ in range(5):
        found = lead.match(text)
        if found is None or not found.end():
            break
        text = text[found.end() :].lstrip()
    end = _ENDS.search(text)
    stop = end.group() if end else ""
    body = text[: len(text) - len(stop)]
    for _ in range(3):
        found = _pattern(language, "trail").search(body)
        if found is None:
            break
        body = body[: found.start()]
        stop = "。" if language == "zh" else stop
    if len(re.sub(r"\W", "", body)) < _LEAST_LETTERS[language] or not _opens_well(body):
        return sentence
    return body[:1].upper() + body[1:] + stop


def _opens_well(body: str) -> bool:
    return not re.match(r"(?:of|for|to|at|in|on|with|that|than)\b", body)


@cache
def _pattern(language: str, part: str) -> re.Pattern[str]:
    entries = "|".join(f"(?:{entry})" for entry in listed("smalltalk", f"{language}.{part}"))
    return re.compile(f"(?:{entries})" if part == "lead" else f"(?:{entries})$", re.IGNORECASE)
