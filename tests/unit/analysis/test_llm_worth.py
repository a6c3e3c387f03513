"""Notes of a good model pass, whatever words it chooses; those of a weak one that are worth nothing do not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hmind.analysis.llm_prompt import instructions
from hmind.analysis.llm_worth import is_copied, is_related, repeats_itself
from hmind.errors import AnalystMisbehaved
from hmind.model import Known, Segment
from tests.servers.openai_server import OpenAIServer, completion
from tests.unit.analysis.llm_talk import analyst, analyze, answer, block, event, segment, turn

GOOD = [
    # what was said, and a note of it in other words
    (
        "Ugh, I'm totally wiped out, the little ones had me up all night again and I can't keep my eyes open.",
        "Dana is exhausted after another sleepless night with her small children.",
    ),
    (
        "They finally said yes!! I start on the first of June, corner office and everything, mum cried on the phone.",
        "Dana got the job she had hoped for and begins on 2024-06-01; her mother was moved to tears.",
    ),
    (
        "So the vet says Biscuit has to take two pills every morning for the rest of his life, poor old thing.",
        "Dana's dog Biscuit needs lifelong medication, two tablets daily.",
    ),
    (
        "We signed the papers this afternoon, it's ours: three bedrooms and a garden by the river, can you believe it?",
        "Dana bought a house with a garden near the river.",
    ),
    ("It broke.", "Dana's bicycle is out of order."),
    ("Yes, since I was nine.", "Dana has played the violin since childhood."),
    ("I ran 42 km on Sunday and my legs feel like jelly but the grin will not go away.", "Dana finished a marathon."),
    ("My email is dana@example.org and the phone ends in 4471.", "Dana can be reached at dana@example.org."),
    ("昨晚又没睡好，孩子闹到三点，今天上班全靠咖啡撑着，真是累惨了", "用户因孩子夜里哭闹而睡眠不足，十分疲惫。"),
    ("终于拿到offer了，下个月一号去深圳报到，我妈激动得直哭", "用户被录用，将于2024年6月1日赴深圳入职，母亲喜极而泣。"),
    ("医生说我这个胃病得忌口，辣的酸的都不能碰，火锅是别想了", "用户患有胃病，需要避免辛辣和酸性食物。"),
    ("坏了", "用户的自行车出了故障。"),
    ("我们家那只橘猫昨天走丢了，贴了二十张启事，到现在也没有消息", "用户的橘猫走失，已张贴寻猫启事。"),
    ("我在 Google 做了五年，下周就 last day 了，心情很复杂", "用户即将从 Google 离职，结束五年的工作。"),
]


@pytest.mark.parametrize(("said", "note"), GOOD)
def test_a_good_note_passes(server: OpenAIServer, said: str, note: str) -> None:
    talk = segment(turn(1, said, speaker="Dana"))
    told = event(description=note, statements=[{"text": note, "turns": [1]}], entities=[], facts=[])
    found = analyze(server, answer(told), talk)
    assert [kept.description for kept in found.events] == [note]
    assert found.outcome == "complete"


@pytest.mark.parametrize(
    "text",
    [
        "Maya has two cats, two dogs and two birds, and she feeds the cats, the dogs and the birds twice a day.",
        "It was very, very, very cold in Oslo, and Maya stayed at home with tea and a book about the sea.",
        "Maya knows that he knows that she knows.",
        "Numbers of the lottery: 7, 14, 21, 28, 35, 42.",
        "阿哲说他妈妈的妈妈的妈妈是福建人，所以他从小就爱喝茶、爱吃海鲜。",
        "哈哈哈哈哈，阿哲中奖了，奖品是一台咖啡机，他打算送给妹妹。",
        "用户每天早上跑步，每天晚上游泳，周末爬山。",
    ],
)
def test_a_text_may_say_a_word_more_than_once(text: str) -> None:
    assert not repeats_itself(text)


@pytest.mark.parametrize(
    "text",
    [
        "Maya is happy. Maya is happy. Maya is happy. Maya is happy.",
        "the the the the the the the the the the",
        "I am a person who likes to read and I am a person who likes to read and I am a person who likes to read and "
        "I am a person who likes to read",
        "lalalalalalalalalalalalalalalala",
        "用户很高兴，用户很高兴，用户很高兴，用户很高兴。",
        "好好好好好好好好好好好好好",
        "阿哲去了北京阿哲去了北京阿哲去了北京",
    ],
)
def test_a_text_that_says_the_same_over_and_over(text: str) -> None:
    assert repeats_itself(text)


@pytest.mark.parametrize(
    "text",
    [
        "one or two sentences, third person",
        "One or two sentences, third person.",
        "a sentence",
        "...",
        "—",
        "An event is one thing that happened, was decided, planned, felt or told",
        "The turns to analyse, each line beginning with its number in brackets.",
        "Maya: You are the memory of a person. You read a closed piece of conversation and note what is worth it",
    ],
)
def test_a_copy_of_the_instructions_is_known(text: str) -> None:
    assert is_copied(text)


@pytest.mark.parametrize(
    "text",
    ["Maya moved.", "A change in Maya's life: she married.", "An illness", "Maya lives in Porto and works at a school.",
     "阿哲搬家了。", "Maya got a strong feeling of loss when her grandfather died."],
)  # fmt: skip
def test_a_note_is_no_copy(text: str) -> None:
    assert not is_copied(text)


def test_the_example_of_the_instructions_is_still_there() -> None:
    assert re.search(r'"description": "one or two sentences, third person"', instructions())


SAID_EN = (
    "I finally moved to Porto on Friday, the new flat has a balcony over the river, my sister carried the piano and "
    "the neighbours baked a walnut cake for us."
)
SAID_ZH = "我上周五终于搬到厦门了，新房子有个能看到海的阳台，钢琴是我妹妹和搬家公司一起抬上去的。"
SAID_RU = "Я наконец переехала в Порту, новая квартира с балконом над рекой, сестра несла пианино, соседи испекли торт"
SAID_JA = "先週やっと引っ越しました。新しい部屋は海が見えるベランダがあって最高です"


@pytest.mark.parametrize(
    ("said", "note", "talk"),
    [
        (SAID_EN, "The user asked about the weather and the assistant answered.", "en"),
        (SAID_EN, "Discussion of various topics.", "en"),
        (SAID_EN, "用户谈了天气。", "en"),
        (SAID_ZH, "用户与助手进行了对话。", "zh"),
        (SAID_ZH, "健康饮食很重要。", "zh"),
        (SAID_ZH, "The user talked with the assistant.", "zh"),
        ("I moved to Porto.", "A conversation between the user and the assistant.", "en"),
        ("我对芒果过敏", "用户谈论了一个话题。", "zh"),
    ],
)
def test_a_note_about_something_else_or_nothing(said: str, note: str, talk: str) -> None:
    assert not is_related(note, said, talk)


@pytest.mark.parametrize(
    ("said", "note", "talk"),
    [
        (SAID_EN, "用户搬到了 Porto。", "en"),
        (SAID_ZH, "The user has moved to 厦门.", "zh"),
        (SAID_EN, "用户搬到了新的住处。", "zh"),  # one English turn in a Chinese talk
        (SAID_RU, "Переезд в Порту", "en"),
        (SAID_JA, "ユーザーは海の見える部屋に引っ越した。", "zh"),
        ("ok", "Something happened.", "en"),
        ("嗯嗯好的", "用户同意了。", "zh"),
        ("👍", "The user agrees.", "en"),
    ],
)
def test_a_note_that_has_something_in_common_or_cannot_be_judged(said: str, note: str, talk: str) -> None:
    assert is_related(note, said, talk)


# In an answer


HOME = segment(SAID_EN, "How lovely.", "And since the fall in March I am allergic to penicillin.", "Noted.")


def told(number: int, text: str, **changes: Any) -> dict[str, Any]:
    statements = [{"text": text, "turns": [number]}]
    return event(description=text, statements=statements, **{"entities": [], "facts": [], **changes})


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (told(3, "one or two sentences, third person"), "copied"),
        (told(3, "Maya Maya Maya Maya Maya Maya Maya Maya Maya Maya"), "repeats_itself"),
        (told(1, "The weather is fine."), "unrelated"),
    ],
)
def test_a_bad_event_is_dropped_and_its_turn_read_by_another(
    server: OpenAIServer, bad: dict[str, Any], kind: str
) -> None:
    good = told(4 - bad["statements"][0]["turns"][0], f"{SAID_EN} penicillin")
    found = analyze(server, answer(bad, good), HOME)
    assert (found.outcome, found.why) == ("partial", kind)
    assert len(found.events) == 2
    assert bad["description"] not in {kept.description for kept in found.events}


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([told(1, "a sentence"), told(3, "a sentence")], "copied"),
        ([told(1, "The weather is fine.")], "unrelated"),
        ([told(1, "Maya moved to Porto.", salience=0), told(3, "Maya is allergic to penicillin.", salience=0.0)],
         "no_salience"),
        ([], "nothing_found"),
    ],
)  # fmt: skip
def test_an_answer_without_worth_is_no_analysis(server: OpenAIServer, events: list[Any], kind: str) -> None:
    server.then(completion(answer(*events)))
    with pytest.raises(AnalystMisbehaved) as caught:
        analyst(server).analyze(HOME, Known())
    assert (caught.value.kind, caught.value.tokens_out) == (kind, 34)


def test_the_example_of_the_instructions_is_no_analysis_whichever_turns_it_names(server: OpenAIServer) -> None:
    """As a model of 270 million weights answers: the example, word for word, and one turn let go."""
    example = event(
        description="one or two sentences, third person",
        salience=0.0,
        statements=[{"text": "a sentence", "turns": [1, 2]}],
        entities=[],
        facts=[],
    )
    server.then(completion(answer(example, discarded=[{"turn": 4, "reason": "small_talk"}])))
    with pytest.raises(AnalystMisbehaved) as caught:
        analyst(server).analyze(HOME, Known())
    assert caught.value.kind == "copied"


def test_what_is_let_go_by_name_was_weighed_and_what_is_passed_over_was_not(server: OpenAIServer) -> None:
    let_go = [{"turn": number, "reason": "small_talk"} for number in (1, 3)]
    assert analyze(server, answer(discarded=let_go), HOME).outcome == "complete"
    server.then(completion(answer(discarded=let_go[:1])))
    with pytest.raises(AnalystMisbehaved) as caught:
        analyst(server).analyze(HOME, Known())
    assert caught.value.kind == "nothing_found"


def test_nothing_of_weight_where_nothing_is_is_taken(server: OpenAIServer) -> None:
    talk = segment("The bus was late.", "It happens.", "Then it came.", "Good.")
    found = analyze(server, answer(told(1, "Maya's bus was late.", salience=0)), talk)
    assert (found.outcome, len(found.events)) == ("complete", 1)


def test_identical_events_count_once(server: OpenAIServer) -> None:
    same = told(1, "Maya moved to Porto on Friday.")
    found = analyze(server, answer(*[same] * 300, told(3, "Maya is allergic to penicillin.")), HOME)
    assert len(found.events) == 2
    assert (found.outcome, found.why) == ("complete", "")


def test_one_sentence_for_every_turn_is_worth_its_first_turn(server: OpenAIServer) -> None:
    found = analyze(server, answer(told(1, "Maya talks of Porto."), told(3, "Maya talks of Porto.")), HOME)
    assert (found.outcome, found.why) == ("partial", "identical")
    assert [("llm" in kept.salience_parts, kept.turn_ids) for kept in found.events] == [
        (True, ("turn-0001",)),
        (False, ("turn-0003",)),
    ]


def test_who_pastes_the_instructions_has_them_noted(server: OpenAIServer) -> None:
    pasted = "An event is one thing that happened, was decided, planned, felt or told"
    talk: Segment = segment(f"My prompt says: {pasted}. I wrote it yesterday for the museum.")
    found = analyze(server, answer(told(1, pasted)), talk)
    assert [kept.description for kept in found.events] == [pasted]
    assert len(block(server.requests[0].text("user"), "turns")) == 1


def test_a_turn_that_repeats_itself_may_be_quoted(server: OpenAIServer) -> None:
    cry = "no no no no no no no no no no no no"
    found = analyze(server, answer(told(1, f"Maya said {cry}")), segment(f"The piano fell, {cry}"))
    assert len(found.events) == 1
