"""Whether what an LLM found is worth anything: a weak model's answer has the form asked for and no content.

Careful by intent: a note in other words than the talk's must pass. Only an event as a whole is asked to have
something in common with its turns, and only where these say enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from hmind.analysis.llm_prompt import instructions
from hmind.model import FoundEvent, Segment, Turn
from hmind.text import language, tokens

REPEATS, COPIED, UNRELATED, IDENTICAL = "repeats_itself", "copied", "unrelated", "identical"

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
_SIGN = re.compile(rf"[{_CJK}]")
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_STUTTER = re.compile(r"(.{1,12}?)\1{11,}", re.DOTALL)
_DULL = frozenset(
    "的了是我你您他她它们在有和也都就不没人说这那很到要会吗呢吧啊哦嗯呀一个上下来去好对多么什么可以能把被给跟与及"
    "用户助手提到表示谈论讨论话题对话关于进行各种内容信息询问回答交流聊天事情"
)
"""Characters that any two Chinese texts share, and those of saying that somebody said something."""
_HOLLOW = (
    "user assistant person speaker conversation talk talking discuss discussion topic various message chat statement "
    "event say mention ask answer respond response describe information detail general different sentence turn"
)
"""English words of saying that somebody said something."""

_FEWEST_WORDS, _FEWEST_SIGNS = 14, 20
"""Content words, or content characters, below which turns say too little to be held against a note."""
_SOME_WORDS, _SOME_SIGNS = 2, 3
"""The same, for a note without any content."""
_SIGNS_SHARED = 2
_SAME_HEAD = 4
"""Words with the same first letters count as forms of one: allergic, allergy."""
_FEWEST_PAIRS, _NEW_PAIRS = 8, 0.5
"""A text of so many pairs of neighbouring words in which fewer than this share are new repeats itself."""
_RUN_WORDS, _COPIED_SHARE = 4, 0.5


@dataclass(frozen=True, slots=True)
class Sifted:
    """Events worth keeping, and those that are not with the fault of each."""

    kept: tuple[FoundEvent, ...]
    dropped: tuple[tuple[FoundEvent, str], ...]


def sift(events: Iterable[FoundEvent], segment: Segment) -> Sifted:
    """Parts ``events`` of ``segment`` into those that are worth something and those that are not."""
    turns = {turn.turn_id: turn for turn in segment.turns}
    kept: list[FoundEvent] = []
    dropped: list[tuple[FoundEvent, str]] = []
    seen: set[tuple[str, ...]] = set()
    for event in events:
        told = tuple(_plain(text) for text in _texts(event))
        fault = IDENTICAL if told in seen else fault_of(event, turns, segment)
        seen.add(told)
        if fault:
            dropped.append((event, fault))
        else:
            kept.append(event)
    return Sifted(tuple(kept), tuple(dropped))


def fault_of(event: FoundEvent, turns: Mapping[str, Turn], segment: Segment) -> str:
    """Why an event is worth nothing, or "".

    - ``repeats_itself``: its description or a statement says the same words over and over, and its turns do not.
    - ``copied``: one of them is a piece of the instructions, or holds no word at all.
    - ``unrelated``: not a word, name or number of it occurs in the turns it names.
    """
    said = "\n".join(turns[turn_id].content for turn_id in event.turn_ids if turn_id in turns)
    for text in _texts(event):
        if repeats_itself(text) and not repeats_itself(said) and text not in said:
            return REPEATS
        if is_copied(text) and _plain(text) not in _plain(said):
            return COPIED
    talk = language.detect("\n".join(turn.content for turn in (*segment.context, *segment.turns)))
    return "" if is_related(_everything(event), said, talk) else UNRELATED


def repeats_itself(text: str) -> bool:
    """Whether a text says the same words over and over."""
    if _STUTTER.search(text):
        return True
    pairs = list(pairwise(_words(text)))
    return len(pairs) >= _FEWEST_PAIRS and len(set(pairs)) < _NEW_PAIRS * len(pairs)


def is_copied(text: str) -> bool:
    """Whether a text consists of the instructions' own words, in their order, or of none."""
    words = _words(text)
    if not words:
        return True
    if len(words) < _RUN_WORDS:
        return len(words) > 1 and f" {' '.join(words)} " in _examples()
    runs = [tuple(words[at : at + _RUN_WORDS]) for at in range(len(words) - _RUN_WORDS + 1)]
    return sum(run in _instructed() for run in runs) > _COPIED_SHARE * len(runs)


def is_related(note: str, said: str, talk: str = "") -> bool:
    """Whether ``note`` shares a word, name or number with ``said``, or ``said`` has too few to tell.

    A note that says only that somebody said something has none.

    Args:
        talk: the language of the whole talk. A note in it about a turn in another language is not judged.
    """
    theirs, ours = _content(said), _content(note)
    signs, words = _signs(theirs), theirs - _signs(theirs)
    if not ours:
        return len(words) < _SOME_WORDS and len(signs) < _SOME_SIGNS
    if ours & words or any(_alike(one, other) for one in ours - signs for other in words):
        return True
    if len(signs & ours) >= _SIGNS_SHARED or (len(words) < _FEWEST_WORDS and len(signs) < _FEWEST_SIGNS):
        return True
    tongue = language.detect(note)
    return tongue != language.detect(said) and tongue == talk


def _texts(event: FoundEvent) -> list[str]:
    return [event.description, *(statement.text for statement in event.statements)]


def _everything(event: FoundEvent) -> str:
    names = (name for entity in event.entities for name in (entity.name, *entity.aliases))
    return "\n".join([*_texts(event), *names, *(fact.object for fact in event.facts)])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _plain(text: str) -> str:
    return " ".join(_words(text))


def _content(text: str) -> set[str]:
    """Content words by their stem, and content characters of scripts that do not part words."""
    words = set(tokens.keywords(_SIGN.sub(" ", text))) - _hollow()
    return words | {sign for sign in _SIGN.findall(text) if sign not in _DULL}


def _signs(content: Iterable[str]) -> set[str]:
    return {word for word in content if _SIGN.fullmatch(word)}


def _alike(one: str, other: str) -> bool:
    return one[0] == other[0] and len(one) >= _SAME_HEAD and one[:_SAME_HEAD] == other[:_SAME_HEAD]


@cache
def _hollow() -> frozenset[str]:
    return frozenset(tokens.keywords(_HOLLOW))


@cache
def _instructed() -> frozenset[tuple[str, ...]]:
    words: Sequence[str] = _words(instructions())
    return frozenset(tuple(words[at : at + _RUN_WORDS]) for at in range(len(words)))


@cache
def _examples() -> str:
    """The strings of the example in the instructions, as words."""
    return "".join(f" {_plain(text)} " for text in re.findall(r'"([^"\n]+)"', instructions()))
