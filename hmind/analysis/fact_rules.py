"""Reads the tables of fact rules, config/lexicon/fact_rules_*.toml. Applied by facts_reader."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from hmind.errors import SettingsError
from hmind.text.lexicon import either, table

_HOLE = re.compile(r"%([a-z_]+(?:\.[a-z_]+)?)%")


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying one thing.

    Attributes:
        pattern: matched where a clause begins, or, with ``after_subject``, where its subject and
            adverbs end. Group ``o`` is the object, unless ``value`` is.
        confidence: of a plain statement about the speaker.
        state: may be over ("used to", "as a kid"); then it gets a valid_to and less confidence.
        over: the clause says that it has ended. starts: that it begins now. begun: not
            when it is yet to begin. dated: look for a time.
        needs_future: only with a time to come. plan: a time counts when it is not over yet.
        wish: it is only claimed of the present. capital: the object must start with one.
        place: it must be able to be a place.
        many: lists are split. bare: articles are dropped. taste: "it" and "your hat" do not count.
        shared: "we" speaks for the speaker. others: may be said of my sister or of Anna.
        speaker_only, own: about the speaker, whatever the clause's subject.
        own_name: the object must be the name that the speaker goes by, or it is asked about first.
        form: how the object is written, from the named groups of the pattern.
        negative: its verb may be negated; all others need the words before the object without a "not".
        last: no rule after this one looks at the clause.
        whole: the object keeps the times and the like at its end ("walk to work every day").
        longest: most words (English) or letters (Chinese) of an object.
    """

    predicate: str
    pattern: re.Pattern[str]
    confidence: float = 0.9
    value: str = ""
    state: bool = True
    over: bool = False
    starts: bool = False
    begun: bool = False
    dated: bool = False
    needs_future: bool = False
    plan: bool = False
    wish: bool = False
    capital: bool = False
    place: bool = False
    many: bool = False
    bare: bool = True
    taste: bool = False
    shared: bool = False
    others: bool = True
    speaker_only: bool = False
    own: bool = False
    own_name: bool = False
    form: str = "{o}"
    negative: bool = False
    after_subject: bool = False
    last: bool = True
    whole: bool = False
    longest: int = 8


@cache
def rules(language: str) -> tuple[Rule, ...]:
    """All rules of a language in the order in which they are tried. Raises SettingsError for a broken table."""
    return tuple(
        Rule(**{"longest": 16 if language == "zh" else 8, **row, "pattern": _compiled(row["pattern"], language)})
        for row in _tables(language)["rules"]
    )


@cache
def rule_part(language: str, name: str) -> re.Pattern[str]:
    """A named piece of the rules, e.g. the adverbs that may stand before a verb."""
    return _compiled(f"%{name}%", language)


@cache
def clause_pattern(language: str, name: str) -> re.Pattern[str]:
    """A pattern by which sentences are cut into clauses and cleared of what is around them."""
    return _compiled(_tables(language)["clauses"][name], language)


def _tables(language: str) -> dict[str, Any]:
    return table(f"fact_rules_{language}")


def _compiled(pattern: str, language: str) -> re.Pattern[str]:
    def fill(hole: re.Match[str]) -> str:
        name = hole.group(1)
        if "." in name:
            file, key = name.split(".")
            return either(file, f"{language}.{key}")
        return _HOLE.sub(fill, str(_tables(language)["parts"][name]))

    try:
        return re.compile(_HOLE.sub(fill, pattern), re.IGNORECASE)
    except (re.error, KeyError) as error:
        raise SettingsError(f"fact_rules_{language}.toml: a pattern is broken ({error}). Restore the file.") from error
