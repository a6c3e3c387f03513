"""How many of the facts people state are found, and how few that they did not state."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from hmind.analysis import facts
from hmind.analysis.claims import Claim, Voice
from hmind.analysis.fact_rules import rules
from hmind.text import sentences
from tests.unit.analysis.fact_sentences import CHINESE, ENGLISH, Fact

AT = datetime(2024, 5, 8, 12, tzinfo=UTC)
OWNER = Voice("user", "user")
CASES = [("en", *case) for case in ENGLISH] + [("zh", *case) for case in CHINESE]


def claims(text: str, language: str, voice: Voice = OWNER) -> list[Claim]:
    return facts.find(sentences.split(text), language, voice, AT)


def triples(found: Iterable[Claim]) -> set[Fact]:
    return {(claim.subject, claim.predicate, claim.object) for claim in found}


def test_the_table_is_half_chinese_and_half_of_hard_negatives() -> None:
    assert len(CASES) >= 200
    for table in (ENGLISH, CHINESE):
        negatives = sum(not expected for _, expected in table)
        assert 0.45 <= len(table) / len(CASES) <= 0.55
        assert 0.4 <= negatives / len(table) <= 0.6


@pytest.mark.parametrize("language", ["en", "zh"])
def test_precision_and_recall(language: str) -> None:
    right = found = wanted = 0
    for tongue, text, expected in CASES:
        if tongue == language:
            got = triples(claims(text, language))
            right += len(got & set(expected))
            found += len(got)
            wanted += len(expected)
    assert right / found >= 0.95, f"precision {right}/{found}"
    assert right / wanted >= 0.9, f"recall {right}/{wanted}"


@pytest.mark.parametrize(("language", "text"), [(tongue, text) for tongue, text, expected in CASES if not expected])
def test_what_was_not_stated_is_no_fact(language: str, text: str) -> None:
    assert not claims(text, language)


def only(text: str, language: str, voice: Voice = OWNER) -> Claim:
    (claim,) = claims(text, language, voice)
    return claim


def day(year: int, month: int, of_month: int) -> datetime:
    return datetime(year, month, of_month, tzinfo=UTC)


def test_a_move_is_valid_from_when_it_was() -> None:
    assert only("I moved to Lisbon last month.", "en").valid_from == day(2024, 4, 1)
    assert only("我昨天搬到了厦门。", "zh").valid_from == day(2024, 5, 7)


def test_what_is_over_has_an_end_and_less_confidence() -> None:
    for claim in (only("I used to live in Hanoi.", "en"), only("我以前住在兰州。", "zh")):
        assert claim.valid_to == AT
        assert claim.valid_from is None
        assert 0.55 <= claim.confidence < 0.82
    left = only("我昨天从百度离职了。", "zh")
    assert (left.predicate, left.valid_to) == ("works_at", day(2024, 5, 7))


def test_plans_bear_their_time() -> None:
    assert only("I'm flying to Osaka next Friday.", "en").valid_from == day(2024, 5, 17)
    assert only("我明天要去面试。", "zh").valid_from == day(2024, 5, 9)


def test_doubt_asks_a_person_first() -> None:
    for text, language in (("Maybe I'm allergic to pollen.", "en"), ("我可能对酒精过敏。", "zh")):
        assert 0.55 <= only(text, language).confidence < 0.82


def test_of_others_one_is_less_sure_than_of_oneself() -> None:
    assert only("My sister is vegan.", "en").confidence < 0.82 < only("I'm vegan.", "en").confidence
    assert only("我妹妹是护士。", "zh").confidence < 0.82 < only("我是护士。", "zh").confidence


def test_named_speakers_are_the_subjects_of_what_they_say() -> None:
    ann = Voice("Ann", "Ann")
    assert only("I'm vegan.", "en", ann).subject == "Ann"
    assert only("My sister is vegan.", "en", ann).subject == "Ann's sister"
    assert only("我妹妹是护士。", "zh", Voice("小林", "小林")).subject == "小林的妹妹"


def test_every_predicate_is_lower_snake_case_and_every_pattern_compiles() -> None:
    for language in ("en", "zh"):
        assert len(rules(language)) > 60
        assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", rule.predicate) for rule in rules(language))
        assert all(rule.value or "o" in rule.pattern.groupindex for rule in rules(language))
        assert all(0 < rule.confidence <= 1 for rule in rules(language))
