"""Finds what a bare "the race" or 约在周四 points at, among what its speaker told just before. Offline analyst only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from hmind.analysis.reading import Line, Reading
from hmind.model import EntityType
from hmind.text.lexicon import either, table, words

_BACK_TURNS = 3
"""Kept turns of the same speaker that are looked at, nearest first."""
_SAYS = r"\s+(?:is|was|will be|starts?|started|begins?|began|takes place|took place|got moved|was moved|ends?)\b"
_POINTS_ZH = re.compile(
    r"(?:就)?(?:约|定|安排|改|排|推迟)(?:在|到|了)(?=.{0,3}[\d一二三四五六七八九十上下这本今明后周月])"
)


def explain(readings: Sequence[Reading]) -> list[Reading]:
    """The readings of one event, their bare pointers explained; times keep their place."""
    told: list[Reading] = []
    for at, reading in enumerate(readings):
        earlier = [one for one in readings[:at] if one.subject == reading.subject and one.language == reading.language]
        lines = tuple(_explained(line, reading, earlier) for line in reading.lines) if earlier else reading.lines
        told.append(replace(reading, lines=lines))
    return told


def _explained(line: Line, reading: Reading, earlier: Sequence[Reading]) -> Line:
    """The line with what it points at in brackets: "The race (half marathon) is on December 6".

    Only where the sentence names nothing else and the nearest happening told before it is of the
    same kind (a half marathon is a race); otherwise as it was said.
    """
    if reading.language == "zh":
        found = None if _happenings(line) else _POINTS_ZH.match(line.text)
        named, at = (_nearest(earlier, None), 0) if found else ("", 0)
    else:
        found = _points_en().match(line.text)
        named, at = (_nearest(earlier, found["noun"].lower()), found.end("noun")) if found else ("", 0)
    if not named:
        return line
    put = named if reading.language == "zh" else f" ({named})"
    moved = tuple(
        replace(time, span=(time.span[0] + len(put), time.span[1] + len(put))) if time.span[0] >= at else time
        for time in line.times
    )
    return replace(line, text=f"{line.text[:at]}{put}{line.text[at:]}", times=moved)


def _nearest(earlier: Sequence[Reading], noun: str | None) -> str:
    for reading in [*reversed(earlier)][:_BACK_TURNS]:
        for line in reversed(reading.lines):
            for name in reversed(_happenings(line)):
                if noun is None or (name.lower() != noun and _is_a(name.lower(), noun)):
                    return name
    return ""


def _happenings(line: Line) -> list[str]:
    return [named.name for named in line.named if named.type is EntityType.HAPPENING]


def _is_a(name: str, noun: str) -> bool:
    """Whether a happening can be meant by a plainer word: a knee surgery by "surgery", a marathon by "race"."""
    last = name.split()[-1]
    return last == noun or (noun in table("names")["en_plainer"] and last in words("names", f"en_plainer.{noun}"))


@cache
def _points_en() -> re.Pattern[str]:
    return re.compile(rf"The (?P<noun>{either('names', 'en.happenings')}|event|game|ceremony){_SAYS}", re.IGNORECASE)
