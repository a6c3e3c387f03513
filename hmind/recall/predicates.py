"""How a fact is worded and how it is asked for, in both languages. The table is config/predicates.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from hmind.recall.question import Question
from hmind.settings import config_dir
from hmind.text.tokens import keywords

_SELF = {"en": "user", "zh": "用户"}
_SINCE = {"en": "since {}", "zh": "自 {}"}
_UNTIL = {"en": "until {}", "zh": "至 {}"}
_BRACKETS = {"en": (" (", ", ", ")"), "zh": ("（", "，", "）")}


@dataclass(frozen=True, slots=True)
class Wording:
    """One predicate: its words in a sentence by language, and what asks for it."""

    words: dict[str, str]
    asked: tuple[str, ...]


@cache
def wordings() -> dict[str, Wording]:
    """The table of config/predicates.toml by predicate."""
    table = tomllib.loads((config_dir() / "predicates.toml").read_text(encoding="utf-8"))
    return {
        name: Wording({"en": entry["en"], "zh": entry["zh"]}, tuple(entry["asked"]))
        for predicate, entry in table.items()
        for name in (predicate, *entry.get("also", ()))
    }


def words_of(predicate: str, language: str) -> str:
    """The predicate as it reads between subject and object; ``plays_in`` is ``plays in``."""
    known = wordings().get(predicate)
    return known.words[language] if known else predicate.replace("_", " ").strip()


def sentence(
    subject: str, predicate: str, object_: str, language: str, valid_from: datetime | None, valid_to: datetime | None
) -> str:
    """A fact as a sentence, e.g. ``user lives in Denver (since 2026-11-01)``. Dates are UTC."""
    subject = _SELF[language] if subject == "user" else subject
    when = [
        wording[language].format(moment.date().isoformat())
        for wording, moment in ((_SINCE, valid_from), (_UNTIL, valid_to))
        if moment is not None
    ]
    opening, between, closing = _BRACKETS[language]
    ending = opening + between.join(when) + closing if when else ""
    return f"{subject} {words_of(predicate, language)} {object_}{ending}"


def terms_of_fact(subject: str, predicate: str, object_: str) -> list[str]:
    """What a fact is found by: words of subject, predicate and object, and the predicate itself."""
    own = "" if subject == "user" else subject
    return [*keywords(f"{own} {predicate.replace('_', ' ')} {object_}"), mark(predicate)]


def terms_of_question(question: Question, predicates: Iterable[str]) -> list[str]:
    """The question's keywords, where those that ask for a predicate give way to the predicate.

    Only ``predicates`` (those that the user has) are looked for. "Where do I live?" becomes the
    mark of ``lives_in`` and nothing else, so that a fact that answers it answers all of it.
    """
    marks: list[str] = []
    spent: set[str] = set()
    for predicate in dict.fromkeys(predicates):
        known = wordings().get(predicate)
        said = [phrase for phrase in known.asked if question.names(phrase)] if known else []
        if said:
            marks.append(mark(predicate))
            spent.update(word for phrase in said for word in keywords(phrase))
    return [term for term in question.terms if term not in spent] + marks


def mark(predicate: str) -> str:
    """A term that no text can contain, standing for the predicate itself."""
    return f"\x1f{predicate}"
