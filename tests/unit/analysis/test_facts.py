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


KINDS = [
    # Corrections in the same breath.
    ("en", "I live in Lisbon. Sorry, not Lisbon, Porto.", {("user", "lives_in", "Porto")}),
    ("en", "I'm 41 years old, sorry, 42.", {("user", "age", "42")}),
    ("en", "I work at Shell, I mean BP.", {("user", "works_at", "BP")}),
    ("en", "I love jazz. Sorry, dinner is ready.", {("user", "likes", "jazz")}),
    ("zh", "我住在无锡。不对，说错了，是常州。", {("user", "lives_in", "常州")}),
    ("zh", "我今年41岁，不对，42岁。", {("user", "age", "42")}),
    ("zh", "我今年42，不是41。", {("user", "age", "42")}),
    ("zh", "我喜欢爵士乐。不好意思，我得走了。", {("user", "likes", "爵士乐")}),
    # What he or she of the sentence does.
    (
        "en",
        "My wife is a surgeon and she works at St Mary's Hospital.",
        {("user's wife", "works_as", "surgeon"), ("user's wife", "works_at", "St Mary's Hospital")},
    ),
    ("en", "My brother is a baker and she works at Audi.", {("user's brother", "works_as", "baker")}),
    ("zh", "我有个儿子，今年八岁。", {("user", "has_child", "儿子"), ("用户的儿子", "age", "八")}),
    ("zh", "我家的狗叫毛毛，今年五岁。", {("user", "has_pet", "狗，叫毛毛"), ("用户的狗", "age", "五")}),
    ("zh", "我是护士，老公是司机。", {("user", "works_as", "护士"), ("用户的老公", "works_as", "司机")}),
    # One person has one name as a subject.
    ("en", "My dad has Parkinson's.", {("user's father", "has_condition", "Parkinson's")}),
    ("zh", "我妈住在桂林。", {("用户的妈妈", "lives_in", "桂林")}),
    # Named in passing.
    ("en", "My wife Odile and I have been together since school.", {("user", "has_spouse", "Odile")}),
    ("en", "I have a golden retriever, her name is Luna.", {("user", "has_pet", "golden retriever called Luna")}),
    ("en", "We have two kids, Ada and Max.", {("user", "has_child", "Ada"), ("user", "has_child", "Max")}),
    # Habits and skills.
    ("en", "I walk to work every Tuesday.", {("user", "habit", "walk to work every Tuesday")}),
    ("en", "I wake up at 5:30 every day.", {("user", "habit", "wake up at 5:30 every day")}),
    ("en", "I know how to weld.", {("user", "skill", "weld")}),
    ("zh", "我每周打两次网球。", {("user", "habit", "每周打两次网球")}),
    ("zh", "我会弹钢琴，也会吹口琴。", {("user", "skill", "弹钢琴"), ("user", "skill", "吹口琴")}),
    # Medicine by the ends of its names, with and without a dose.
    ("en", "The doctor put me on ramipril.", {("user", "takes_medication", "ramipril")}),
    ("en", "I take 20 mg of fluoxetine every morning.", {("user", "takes_medication", "fluoxetine")}),
    ("zh", "医生给我开了瑞舒伐他汀。", {("user", "takes_medication", "瑞舒伐他汀")}),
    # Favourites tell of what they are the favourite.
    ("en", "Teal is my favourite colour.", {("user", "favorite", "Teal (colour)")}),
    ("zh", "我最喜欢吃的是饺子。", {("user", "favorite", "吃饺子")}),
    # Reported, imagined, said in a figure.
    ("en", "The article says: I suffer from insomnia.", set()),
    ("en", "Translate this: I have two children.", set()),
    ("en", "In the Sims I have four kids.", set()),
    ("en", "Oh sure, I just love queueing.", set()),
    ("en", "I love paying taxes. Not!", set()),
    ("en", "I nearly moved to Chicago.", set()),
    ("en", "I'm married to my job.", set()),
    ("en", "I'm allergic to mornings.", set()),
    ("en", "I'm a decent cook.", set()),
    ("zh", "帮我翻译一下：我有两个孩子。", set()),
    ("zh", "我写了个故事：我养了一条龙。", set()),
    ("zh", "我最爱排队了，才怪。", set()),
    ("zh", "我对早起过敏。", set()),
    ("zh", "我住院了。", set()),
    ("zh", "我本来想学医的。", set()),
]


@pytest.mark.parametrize(("language", "text", "expected"), KINDS, ids=[text for _, text, _ in KINDS])
def test_kinds_of_saying(language: str, text: str, expected: set[Fact]) -> None:
    assert triples(claims(text, language)) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "I became a vegetarian two years ago."), ("zh", "我两年前戒烟了。"), ("en", "I gave up meat a year ago.")],
)
def test_what_began_in_the_past_is_not_over(language: str, text: str) -> None:
    claim = only(text, language)
    assert claim.valid_to is None
    assert claim.valid_from is not None
    assert claim.valid_from < AT


def test_a_move_to_come_is_a_plan_and_no_home() -> None:
    assert triples(claims("我下个月搬去青岛。", "zh")) == {("user", "plans_to", "搬去青岛")}
    assert triples(claims("我上个月搬到了青岛。", "zh")) == {("user", "lives_in", "青岛")}


def test_a_plan_keeps_its_date_where_the_sentence_begins_with_it() -> None:
    claim = only("On 3 June I'm flying to Montreal.", "en")
    assert (claim.object, claim.valid_from) == ("fly to Montreal", datetime(2024, 6, 3, tzinfo=UTC))
