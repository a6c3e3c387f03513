"""What only keeps a talk going, and what tells something."""

from __future__ import annotations

import pytest

from hmind.analysis.smalltalk import judge


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Hey Bo!"),
        ("en", "Good morning, everyone"),
        ("en", "Thanks so much, Bo!"),
        ("en", "No, that's all, thanks."),
        ("en", "Wow, that's great!"),
        ("en", "Haha, yeah, totally."),
        ("en", "See you tomorrow!"),
        ("en", "You're doing an amazing job, keep going!"),
        ("en", "I'm so proud of you!"),
        ("zh", "你好呀"),
        ("zh", "好的，谢谢！"),
        ("zh", "哈哈哈哈"),
        ("zh", "哇，太棒了！"),
        ("zh", "嗯嗯，明天见～"),
        ("zh", "没事，辛苦了"),
    ],
)
def test_small_talk(language: str, sentence: str) -> None:
    assert judge(sentence, language, {"Bo"}) == "small_talk"


@pytest.mark.parametrize(
    ("language", "sentence"), [("en", "Where were you?"), ("zh", "你住在哪里？"), ("zh", "要带伞吗")]
)
def test_questions(language: str, sentence: str) -> None:
    assert judge(sentence, language) == "question"


@pytest.mark.parametrize("sentence", ["…", "🎉🎉", "!!!", "   "])
def test_no_letters_no_content(sentence: str) -> None:
    assert judge(sentence, "en") == "no_content"


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Wow, I just won the regional chess final!"),
        ("en", "I'm vegetarian."),
        ("en", "The code is 4471."),
        ("en", "Thanks, I got the blue bicycle repaired in Ghent."),
        ("zh", "谢谢，我昨天把自行车修好了。"),
        ("zh", "会议改到周五下午三点。"),
        ("zh", "哈哈，我考上研究生了！"),
    ],
)
def test_what_tells_something_is_kept(language: str, sentence: str) -> None:
    assert judge(sentence, language) == ""


def test_praise_that_repeats_what_was_heard_is_small_talk() -> None:
    heard = {"lantern", "harbour"}
    assert judge("That lantern at the harbour sounds lovely!", "en", (), heard) == "small_talk"


@pytest.mark.parametrize(
    "sentence",
    [
        "We can get through anything together.",
        "With your patience the garden will bloom in no time.",
        "We all deserve some peace now and then.",
        "Remember that your friends are behind you.",
        "<3",
    ],
)
def test_cheering_tells_nothing(sentence: str) -> None:
    assert judge(sentence, "en", {"Bo"}, among_people=True)


def test_we_told_to_an_agent_means_the_speakers_own() -> None:
    sentence = "We need a quieter dishwasher for the flat."
    assert judge(sentence, "en", among_people=True)
    assert judge(sentence, "en") == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "We repainted the whole kitchen together.",
        "We're thinking about moving to the coast.",
        "We love rowing on the lake.",
        "Our parcel from Lisbon lies at the harbour.",
        "Been fixing that old radio you lent me.",
        "Still saving for our trip.",
        "A tram hit us on the bridge, but nobody was hurt.",
        "You won't believe it, we just sold our house yesterday!",
        "You can thicken sauce with potato starch, corn flour, ground almonds, cold butter or egg yolk.",
    ],
)
def test_what_happened_to_both_or_is_advice_is_kept(sentence: str) -> None:
    assert judge(sentence, "en", {"Bo"}, among_people=True) == ""
