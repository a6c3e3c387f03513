"""What short answers tell, and what they do not: the question gives the sentence, the answer the fact."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from hmind.analysis import facts_answers
from hmind.analysis.claims import Voice
from hmind.analysis.offline import OfflineAnalyst
from hmind.analysis.people_only import people_only
from hmind.model import Boundary, CandidateFact, Known, Role, Segment, SessionRef, Turn
from hmind.text import sentences

AT = datetime(2026, 5, 8, 12, tzinfo=UTC)
OWNER = Voice("user", "user")

TOLD = [
    ("en", "Where do you live?", "In Ghent.", ("user", "lives_in", "Ghent")),
    ("en", "Where do you live?", "Ghent, Belgium", ("user", "lives_in", "Ghent, Belgium")),
    ("en", "What do you do for work?", "Welder, mostly shipyards.", ("user", "works_as", "Welder")),
    ("en", "Any allergies?", "Just walnuts.", ("user", "allergic_to", "walnuts")),
    ("en", "Do you have any pets?", "Yes, a cat.", ("user", "has_pet", "cat")),
    ("en", "What's your favourite film?", "Paterson, easily.", ("user", "favorite", "Paterson (film)")),
    ("en", "How old are you?", "Thirty-four.", ("user", "age", "Thirty-four")),
    ("en", "Is your daughter allergic to anything?", "Peanuts.", ("user's daughter", "allergic_to", "Peanuts")),
    ("en", "What does your sister do?", "She's a vet.", ("user's sister", "works_as", "vet")),
    ("en", "You live in Lima, right?", "No, in Cusco.", ("user", "lives_in", "Cusco")),
    ("zh", "你住在哪里？", "在苏州。", ("user", "lives_in", "苏州")),
    ("zh", "您是做什么工作的？", "开出租的，跑了十年。", ("user", "works_as", "开出租的")),
    ("zh", "有什么忌口吗？", "花生过敏", ("user", "allergic_to", "花生")),
    ("zh", "你儿子多大了？", "七岁。", ("用户的儿子", "age", "七")),
    ("zh", "你有几个孩子？", "两个女儿", ("user", "has_child", "女儿")),
    ("zh", "你还住在通州吗？", "不了，搬到燕郊了", ("user", "lives_in", "燕郊")),
]
NOT_TOLD = [
    ("en", "Where do you live?", "Why do you ask?"),
    ("en", "Where do you live?", "With my parents."),
    ("en", "Where do you live?", "It's complicated."),
    ("en", "Any allergies?", "None that I know of."),
    ("en", "How old is she?", "Nine."),
    ("en", "You live in Lima, right?", "Nope, never been there."),
    ("en", "What's your character's name?", "Lena."),
    ("en", "Do you like it?", "Yes."),
    ("en", "What's your favourite city?", "Ask me again after my holiday!"),
    ("zh", "你住哪里？", "这个不方便说。"),
    ("zh", "你在哪个城市？", "说了你也不知道"),
    ("zh", "您最喜欢哪座城市？", "等我旅游回来再告诉你！"),
    ("zh", "狗狗多大了？", "三岁"),
    ("zh", "您是四川人吧？", "不是的，好多人都这么问。"),
]


@pytest.mark.parametrize(("language", "question", "answer", "fact"), TOLD)
def test_an_answer_tells(language: str, question: str, answer: str, fact: tuple[str, str, str]) -> None:
    (claim,) = facts_answers.find(question, sentences.split(answer), language, OWNER, AT)
    assert (claim.subject, claim.predicate, claim.object) == fact


@pytest.mark.parametrize(("language", "question", "answer"), NOT_TOLD)
def test_an_evasion_tells_nothing(language: str, question: str, answer: str) -> None:
    assert not facts_answers.find(question, sentences.split(answer), language, OWNER, AT)


def test_a_yes_is_for_a_person_to_confirm() -> None:
    """The words are the agent's, so it is less sure than .82, at which facts are written unasked."""
    (claim,) = facts_answers.find("So you live in Lima, right?", ["Yes, that's right."], "en", OWNER, AT)
    assert claim.object == "Lima"
    assert 0.55 <= claim.confidence < 0.82


def analysed(*said: tuple[Role, str]) -> list[CandidateFact]:
    turns = tuple(
        Turn("t", "u", "s", str(at), role, role.value, text, AT + timedelta(seconds=at), AT, at)
        for at, (role, text) in enumerate(said)
    )
    segment = Segment("x", SessionRef("t", "u", "s"), turns, Boundary.FLUSH)
    analysis = people_only(segment, OfflineAnalyst().analyze(segment, Known()))
    return [fact for event in analysis.events for fact in event.facts]


@pytest.mark.parametrize("question", ["Where do you live?", "Where do you live? I'll check the weather there."])
def test_the_fact_rests_on_the_answer_alone(question: str) -> None:
    (fact,) = analysed((Role.ASSISTANT, question), (Role.USER, "In Ghent."))
    assert (fact.predicate, fact.object, fact.turn_ids) == ("lives_in", "Ghent", ("1",))


def test_an_agent_answers_for_nobody() -> None:
    assert not analysed((Role.USER, "Where do you live?"), (Role.ASSISTANT, "In Ghent."))
