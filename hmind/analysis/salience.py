"""How much an event is worth keeping, as a sum of named parts. Weighs; decides nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hmind.model import CandidateFact, FoundEntity
from hmind.text.lexicon import either, matcher, table, words

INTENT_WEIGHT, DENSITY_WEIGHT, LINKS_WEIGHT, USE_WEIGHT = 0.4, 0.3, 0.2, 0.1
"""Weights of the four parts; sum 1."""

MOVED, FELT, DETAIL = 0.35, 0.08, 0.2
"""Most that a vital matter, a feeling, and detail add."""

VITAL, DATED, LASTING, PLANNED, DISCLOSED, LIVED, TOLD, MENTIONED = 1.0, 0.9, 0.5, 0.4, 0.5, 0.4, 0.2, 0.05
"""Grades of intent, see :func:`weigh`."""

DWELT = 0.5
"""How much of its grade each further turn of an event adds, out of what is left to ``MOST_DWELT``."""
MOST_DWELT = 1.0
"""Intent that dwelling on a thing comes near to."""

MOST_DETAIL = 6
"""Details from which on further ones add nothing."""

UNNAMED = 0.75
"""What each name leaves over of the entity density that is still to be had."""
LONE = 2
"""Added below the line of a share of entities, so that one known name is not half of all."""

_VITAL = frozenset(
    [
        "allergic_to",
        "has_condition",
        "takes_medication",
        "had_surgery",
        "has_injury",
        "diagnosed_with",
        "changed_name_to",
        "has_child",
        "marital_status",
        "is_pregnant",
        "expects_child",
        "lost",
        "lives_in",
    ]
)
_LASTING_PLANS = frozenset({"plans_to", "wants_to", "has_goal"})
_TELLS = {
    "en": re.compile(r"\b(i|i'm|i've|i'd|i'll|my|we|our|we're|we've)\b", re.IGNORECASE),
    "zh": re.compile(r"[我咱]"),
}
_DETAIL = re.compile(
    r"\d|[零一二三四五六七八九十百千万两]{1,6}(?:个|点|岁|年|月|号|日|元|块|公里|米|斤|次|天|周|小时|分钟)|\"[^\"]+\"|《[^》]+》"
)


@dataclass(frozen=True, slots=True)
class Told:
    """One kept turn, as far as it matters here: its sentences as they were said."""

    lines: tuple[str, ...]
    language: str
    facts: tuple[CandidateFact, ...] = ()
    entities: tuple[str, ...] = ()
    dated: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def weigh(
    told: Sequence[Told], entities: Sequence[FoundEntity], known: Collection[str], names: Collection[str] = ()
) -> tuple[float, dict[str, float]]:
    """Salience, 0 to 1, and its summands by name; they add up to it.

    salience = 0.4 intent + 0.3 entity density + 0.2 links + 0.1 use + emotion + detail, cut at 1.

    - intent: how much the speaker means it to be kept. 1 when asked ("remember that", 记住) or when
      people tell of themselves what is vital: health, allergies, a new name or home, birth, death,
      marriage. Else graded turn by turn: 0.9 for what they did or what befell them on a day they
      name, 0.5 for lasting facts (work, family, tastes) and for "guess what", 0.4 for plans and for
      what they lived through on no named day, 0.2 for the rest that is about them, 0.05 for what is
      not. The strongest grade counts, and each further one fills half of its own size of what is
      left to 1: people dwell on what matters to them.
    - density: 1 - 0.75^n for the statement that names most (n names and objects of facts).
    - links: entities that memory already knows / (all + 2).
    - use: entities the talk came back to, in two turns or more / (all + 2).
    - emotion: 0.35 where the matter is vital or keeping was asked for, else up to 0.08 for
      words of feeling.
    - detail: up to 0.2 for numbers, dates, titles, six or more.

    ``clip`` is the (negative) part cut off above 1; it is there only when something was.
    """
    vital = any(_vital(one) for one in told)
    intent = VITAL if vital else _dwelt([_intent(one) for one in told])
    most = max((len({*one.entities, *(fact.object for fact in one.facts)} - set(names)) for one in told), default=0)
    others = [entity for entity in entities if entity.name not in names]
    folded = {name.casefold() for name in known}
    linked = sum(entity.name.casefold() in folded for entity in others)
    used = sum(len(entity.turn_ids) > 1 for entity in others)
    detail = sum(min(2, len(_DETAIL.findall(one.text))) + one.dated for one in told)
    parts = {
        "intent": INTENT_WEIGHT * intent,
        "density": DENSITY_WEIGHT * (1 - UNNAMED**most),
        "links": LINKS_WEIGHT * (linked / (len(others) + LONE) if others else 0.0),
        "use": USE_WEIGHT * (used / (len(others) + LONE) if others else 0.0),
        "emotion": MOVED if vital else FELT * min(1.0, sum(bool(feeling(one.text, one.language)) for one in told) / 2),
        "detail": DETAIL * min(1.0, detail / MOST_DETAIL),
    }
    parts = {name: round(value, 4) for name, value in parts.items()}
    total = round(sum(parts.values()), 4)
    if total > 1:
        parts["clip"] = round(1 - total, 4)
        total = 1.0
    return total, parts


def asked_to_keep(text: str, language: str) -> bool:
    """Whether somebody asks, in so many words, that this be remembered."""
    if not matcher("intent", f"{language}.asked").search(text):
        return False
    return not matcher("intent", f"{language}.not_asked").search(text)


def feeling(text: str, language: str) -> str:
    """The feeling a sentence has words for, in its language, or ""; the first listed wins a tie."""
    best, most = "", 0
    for name, pattern in _feelings(language).items():
        count = len(pattern.findall(text))
        if count > most:
            best, most = name, count
    return best


def _vital(one: Told) -> bool:
    if any(asked_to_keep(line, one.language) for line in one.lines):
        return True
    if any(fact.predicate in _VITAL and _is_turn(fact) for fact in one.facts):
        return True
    vital = matcher("intent", f"{one.language}.vital")
    return any(vital.search(line) for line in one.lines)


@cache
def _no_kin() -> re.Pattern[str]:
    return re.compile(rf"(?:'s (?:{either('relations', 'en.others')})|的(?:{either('relations', 'zh.others')}))$")


def _is_turn(fact: CandidateFact) -> bool:
    """A home counts as vital when somebody moved; the other vital matters always do, when sure.

    A colleague's or a friend's matters never do.
    """
    if _no_kin().search(fact.subject):
        return False
    if fact.predicate == "lives_in":
        return fact.valid_from is not None or fact.confidence >= 0.9
    if fact.predicate == "marital_status":
        return fact.valid_from is not None
    return fact.confidence >= 0.6


def _dwelt(grades: Sequence[float]) -> float:
    """The strongest grade, and a part of each other one: people dwell on what matters to them."""
    ordered = sorted(grades, reverse=True)
    intent = ordered[0] if ordered else 0.0
    for grade in ordered[1:]:
        intent += max(0.0, MOST_DWELT - intent) * DWELT * grade
    return intent


def _intent(one: Told) -> float:
    """The grade of one turn in which nothing vital was told."""
    grades = [MENTIONED]
    for fact in one.facts:
        grades.append(PLANNED if fact.predicate in _LASTING_PLANS else LASTING)
    if matcher("intent", f"{one.language}.disclosed").search(one.text):
        grades.append(DISCLOSED)
    if any(_happened(one.language).search(line) for line in one.lines):
        grades.append(DATED if one.dated else LIVED)
    if _TELLS[one.language].search(one.text):
        grades.append(TOLD)
    return max(grades)


@cache
def _happened(language: str) -> re.Pattern[str]:
    """Something that the speaker did or that befell them."""
    if language == "zh":
        return re.compile(r"[我咱][^，。！？,!?]{0,16}[了过](?!吗)")
    verbs = "|".join(sorted(words("verbs", "opening_past") | {"was", "were", "did"}))
    no_deeds = "|".join(sorted(words("verbs", "not_past")))
    return re.compile(
        r"\b(?:I|we|my \w+)(?:['’](?:ve|d)| have| had)?(?: (?:\w+ly|just|also|even|already|once|never))* "
        rf"(?:(?:{verbs})|(?!(?:{no_deeds})\b)\w{{3,}}ed)\b",
        re.IGNORECASE,
    )


@cache
def _feelings(language: str) -> Mapping[str, re.Pattern[str]]:
    start = r"\b" if language == "en" else ""
    lists: dict[str, str] = table("emotion")[language]
    return {
        name: re.compile(f"{start}(?:{'|'.join(map(re.escape, stems.split()))})", re.IGNORECASE)
        for name, stems in lists.items()
    }
