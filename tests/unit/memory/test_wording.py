"""How facts read, in both languages, and which of their dates are worth telling."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.memory.reasons import PARTS, in_order
from hmind.memory.wording import LANGUAGES, TIMES, language_of, sentence, wordings
from hmind.settings import config_dir

TOLD = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
LATER = datetime(2026, 12, 9, tzinfo=UTC)
EARLIER = datetime(2026, 10, 20, tzinfo=UTC)


@pytest.mark.parametrize("predicate", sorted(wordings()))
def test_every_predicate_is_worded_in_both_languages(predicate: str) -> None:
    wording = wordings()[predicate]
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", predicate)
    assert wording.time in TIMES
    for language in LANGUAGES:
        assert re.findall(r"\{(a )?([a-z ]+)\}", wording.sentence[language].replace("{a object}", "{object}")) == [
            ("", "subject"),
            ("", "object"),
        ]
        told = sentence("Tom", predicate, "Q7", language)
        assert told.count("Tom") == told.count("Q7") == 1
        assert not re.search(r"[{}]|  ", told)


def test_every_predicate_that_the_rules_find_is_worded() -> None:
    rules = "".join(
        path.read_text(encoding="utf-8") for path in Path(config_dir(), "lexicon").glob("fact_rules_*.toml")
    )
    found = set(re.findall(r'^predicate = "(.+)"', rules, re.MULTILINE))
    assert found
    assert found <= set(wordings())


@pytest.mark.parametrize(
    ("predicate", "object_", "language", "expected"),
    [
        ("allergic_to", "虾", "zh", "用户对虾过敏"),
        ("allergic_to", "penicillin", "en", "The user is allergic to penicillin"),
        ("works_at", "小学", "zh", "用户在小学工作"),
        ("lives_in", "Oslo", "zh", "用户住在 Oslo"),
        ("lives_in", "苏州", "en", "The user lives in 苏州"),
        ("works_as", "sound engineer", "en", "The user works as a sound engineer"),
        ("works_as", "English teacher", "en", "The user works as English teacher"),
        ("works_as", "editor", "en", "The user works as an editor"),
        ("works_as", "the head of sales", "en", "The user works as the head of sales"),
        ("works_as", "waitress", "en", "The user works as a waitress"),
        ("plays_in", "a band", "en", "The user plays in a band"),
        ("likes", "{subject} %s \\1", "en", "The user likes {subject} %s \\1"),
    ],
)
def test_facts_read_as_sentences(predicate: str, object_: str, language: str, expected: str) -> None:
    assert sentence("user", predicate, object_, language) == expected


@pytest.mark.parametrize(
    ("predicate", "valid_from", "valid_to", "en", "zh"),
    [
        ("lives_in", TOLD, None, "(since 24 November 2026)", "（自 2026-11-24）"),
        ("lives_in", LATER, None, "(from 9 December 2026)", "（从 2026-12-09 起）"),
        (
            "lives_in",
            EARLIER,
            TOLD,
            "(since 20 October 2026, until 24 November 2026)",
            "（自 2026-10-20，至 2026-11-24）",
        ),
        ("works_at", TOLD, TOLD, "(until 24 November 2026)", "（至 2026-11-24）"),
        ("likes", TOLD, None, "", ""),
        ("likes", None, TOLD, "(until 24 November 2026)", "（至 2026-11-24）"),
        ("allergic_to", EARLIER, None, "", ""),
        ("plans_to", TOLD, None, "", ""),
        ("plans_to", LATER, None, "(planned for 9 December 2026)", "（定于 2026-12-09）"),
        ("had_surgery", EARLIER, None, "(on 20 October 2026)", "（2026-10-20）"),
        ("had_surgery", TOLD, None, "", ""),
        ("plays_in", TOLD, None, "", ""),
    ],
)
def test_only_dates_that_mean_something_are_told(
    predicate: str, valid_from: datetime | None, valid_to: datetime | None, en: str, zh: str
) -> None:
    for language, expected in (("en", f" {en}" if en else ""), ("zh", zh)):
        bare = sentence("user", predicate, "X", language)
        told = sentence("user", predicate, "X", language, valid_from=valid_from, valid_to=valid_to, told_at=TOLD)
        assert told == bare + expected


def test_a_day_that_may_only_be_that_of_the_telling_is_no_plan() -> None:
    assert "(" not in sentence("user", "plans_to", "move", "en", valid_from=LATER, told_at=None)


@given(st.text(), st.text(), st.text(), st.sampled_from(LANGUAGES))
def test_any_fact_is_worded_and_keeps_its_words(subject: str, predicate: str, object_: str, language: str) -> None:
    told = sentence(subject, predicate, object_, language)
    assert object_ in told
    assert subject == "user" or subject in told


def test_a_fact_is_shown_in_the_language_it_was_told_in() -> None:
    assert language_of("Biscuit", "zh") == "zh"
    assert language_of("火锅", "en") == "en"
    assert (language_of("火锅", None), language_of("Biscuit", None)) == ("zh", "en")


@given(st.permutations([*PARTS, "llm", "other"]))
def test_parts_of_a_salience_come_in_the_order_of_the_formula(names: list[str]) -> None:
    ordered = list(in_order(dict.fromkeys(names, 0.1)))
    assert ordered == ["intent", "density", "links", "use", "emotion", "detail", "clip", "llm", "other"]
    assert all(PARTS.index(one) < PARTS.index(other) for one, other in pairwise(ordered[: len(PARTS)]))
