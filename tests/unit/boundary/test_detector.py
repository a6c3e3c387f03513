"""Every reason a window closes for, and what must not close it."""

from __future__ import annotations

import time

import pytest

from hmind.boundary.detector import Cut, Tail
from hmind.boundary.rounds import count_rounds
from hmind.embedding.use import UseEmbedder
from hmind.model import Boundary
from tests.unit.boundary.talk import FLUSH, WordsEmbedder, detector, ends, talk

GARDEN = [
    "A: garden tomatoes ripe",
    "B: garden tomatoes need sun",
    "A: garden tomatoes get sun",
    "B: so garden tomatoes fine",
]
TRAIN = [
    "A: train to Porto late",
    "B: every train to Porto late",
    "A: take another train to Porto",
    "B: train to Porto at noon",
]


def test_nothing_gives_nothing() -> None:
    assert detector().cuts([], None) == []
    assert detector().cuts([], FLUSH) == []


def test_an_open_window_stays_open() -> None:
    assert detector().cuts(talk(*GARDEN), None) == []


@pytest.mark.parametrize("boundary", [Boundary.FLUSH, Boundary.DAILY, Boundary.SILENCE])
def test_a_tail_closes_the_rest_for_its_reason(boundary: Boundary) -> None:
    tail = Tail(boundary, 400.0, 300.0)
    assert detector().cuts(talk(*GARDEN), tail) == [Cut(4, boundary, 400.0, 300.0)]


class TestSilence:
    def test_it_closes_and_is_measured_in_seconds(self) -> None:
        turns = talk(*GARDEN, "+300", "A: the garden tomatoes again")
        assert detector().cuts(turns, None) == [Cut(4, Boundary.SILENCE, 300.0, 300.0)]

    def test_a_second_less_closes_nothing(self) -> None:
        assert detector().cuts(talk(*GARDEN, "+299", "A: the garden tomatoes again"), None) == []

    def test_each_silence_closes_one_segment(self) -> None:
        turns = talk("A: one", "+400", "A: two", "+86400", "A: three")
        assert ends(detector().cuts(turns, FLUSH)) == [(1, "silence"), (2, "silence"), (3, "flush")]

    def test_turns_behind_a_silence_are_not_looked_at(self) -> None:
        before = [*GARDEN, *TRAIN[:1]]
        one = detector().cuts(talk(*before, "+900", *TRAIN), None)
        other = detector().cuts(talk(*before, "+900", *GARDEN), None)
        assert one[0] == other[0]


class TestClosingPhrase:
    def test_the_answer_to_a_farewell_belongs_to_it(self) -> None:
        turns = talk(*GARDEN, "A: thanks, bye!", "B: take care!", "A: how is the train to Porto?")
        assert ends(detector().cuts(turns, None)) == [(6, "closing_phrase")]

    def test_a_short_answer_without_a_phrase_belongs_to_it_too(self) -> None:
        turns = talk(*GARDEN, "A: 好的，再见", "B: 嗯，路上小心", "A: 火车晚点了")
        assert ends(detector().cuts(turns, None)) == [(6, "closing_phrase")]

    def test_before_the_answer_is_there_nothing_is_decided(self) -> None:
        assert detector().cuts(talk(*GARDEN, "A: thanks, bye!"), None) == []

    def test_a_farewell_without_an_answer_closes_when_the_window_is_over(self) -> None:
        turns = talk(*GARDEN, "A: thanks, bye!")
        assert ends(detector().cuts(turns, FLUSH)) == [(5, "closing_phrase")]
        silent = talk(*GARDEN, "A: thanks, bye!", "+4000", "A: hello again")
        assert ends(detector().cuts(silent, None)) == [(5, "closing_phrase")]

    def test_farewells_that_answer_one_another_stay_together(self) -> None:
        turns = talk(*GARDEN, "A: bye!", "B: good night", "A: see you tomorrow", "B: the garden tomatoes")
        assert ends(detector().cuts(turns, None)) == [(7, "closing_phrase")]

    def test_a_farewell_is_no_new_topic(self) -> None:
        turns = talk(*GARDEN, "A: thank you so much for everything", "B: you too", *TRAIN)
        assert ends(detector().cuts(turns, FLUSH))[0] == (6, "closing_phrase")

    @pytest.mark.parametrize(
        "offer",
        [
            "B: You're welcome! Is there anything else I can help you with?",
            "B: You're welcome! If you have more questions about your garden or tomatoes, feel free to ask.",
            "B: 不客气，还有什么可以帮您的吗？",
            "B: 不用谢，有问题随时找我。",
        ],
    )
    def test_an_offer_of_more_help_ends_with_what_comes_of_it(self, offer: str) -> None:
        declined = talk(*GARDEN, "A: thanks a lot", offer, "A: no, that's all", "B: goodbye", *TRAIN)
        assert ends(detector().cuts(declined, FLUSH))[0] == (8, "closing_phrase")
        taken = talk(*GARDEN, "A: thanks a lot", offer, "A: when does the train to Porto leave?", *TRAIN[1:])
        assert ends(detector().cuts(taken, FLUSH))[0] == (6, "closing_phrase")

    @pytest.mark.parametrize(
        "reply",
        [
            "B: wait, how much sun do the garden tomatoes need?",
            "B: but the garden tomatoes need water",
            "B: before that I have to tell you what happened to the garden tomatoes last night, it is a long story",
            "A: and the garden tomatoes need sun",
        ],
    )
    def test_a_reply_that_takes_the_talk_on_undoes_the_farewell(self, reply: str) -> None:
        turns = talk(*GARDEN, "A: thanks for the garden tomatoes", reply, *GARDEN)
        assert "closing_phrase" not in [reason for _, reason in ends(detector().cuts(turns, None))]

    def test_thanks_with_a_question_close_nothing(self) -> None:
        turns = talk(*GARDEN, "A: thanks, but what about the garden water?", *GARDEN[1:])
        assert detector().cuts(turns, None) == []

    def test_endless_thanks_are_cut_somewhere(self) -> None:
        turns = talk(*(f"{who}: bye" for who in "AB" * 30))
        cuts = detector().cuts(turns, FLUSH)
        assert cuts[-1].end == 60
        assert all(cut.boundary is Boundary.CLOSING_PHRASE for cut in cuts)


class TestTopicShift:
    def test_it_closes_at_the_gap_and_is_measured_as_cosine(self) -> None:
        cuts = detector().cuts(talk(*GARDEN, *TRAIN), None)
        assert ends(cuts) == [(4, "topic_shift")]
        assert cuts[0].measured is not None
        assert 0 <= cuts[0].measured < 0.3
        assert cuts[0].threshold == 0.3

    def test_it_waits_for_the_turns_that_prove_it(self) -> None:
        turns = talk(*GARDEN, *TRAIN)
        assert [len(detector().cuts(turns[:seen], None)) for seen in range(9)] == [0] * 7 + [1] * 2

    def test_one_odd_turn_is_no_topic(self) -> None:
        assert detector().cuts(talk(*GARDEN, "B: zebra", *GARDEN), None) == []

    def test_a_question_and_its_answer_stay_together(self) -> None:
        asked = talk(*GARDEN, "A: coffee?", "B: the train to Porto is late", *TRAIN, *TRAIN)
        assert 5 not in [end for end, _ in ends(detector().cuts(asked, FLUSH))]

    def test_what_else_there_is_may_be_answered_with_a_new_topic(self) -> None:
        turns = talk(*GARDEN, "A: garden tomatoes fine. Anything else?", *[f"B{line[1:]}" for line in TRAIN])
        assert ends(detector().cuts(turns, FLUSH))[0] == (5, "topic_shift")

    def test_emoji_are_no_topic(self) -> None:
        turns = talk(*GARDEN, "A: 😀", "B: 😂😂", "A: 🎉", *GARDEN)
        assert detector(UseEmbedder(threads=1)).cuts(turns, None) == []

    def test_the_setting_goes_before_the_embedder_and_0_asks_the_embedder(self) -> None:
        turns = talk(*GARDEN, *TRAIN)
        assert detector(topic_shift_below_cos=0.9).cuts(turns, None)[0].threshold == 0.9
        assert detector(topic_shift_below_cos=0.0).cuts(turns, None)[0].threshold == WordsEmbedder.topic_shift_below

    @pytest.mark.parametrize(
        "lines",
        [
            [
                "U: 我妈昨天住院了，医生说是肺炎",
                "B: 听起来很让人担心，她现在情况怎么样？",
                "U: 烧退了一点，医生让她再住院观察三天",
                "B: 退烧是好现象，住院期间注意多喝水",
                "U: 说点别的，我最近在学弹吉他",
                "B: 弹吉他很有意思，你练到哪首曲子了",
                "U: 在练一首民谣，吉他的和弦转换太难了",
                "B: 和弦转换要慢慢练，每天弹十分钟就好",
            ],
            [
                "U: My mother went to hospital yesterday, they think it is pneumonia",
                "B: That sounds worrying. How is she now?",
                "U: The fever is down a bit, the doctor wants to keep her in hospital for three days",
                "B: A lower fever is a good sign, the hospital will take care of her",
                "U: Anyway, I have started to learn the guitar",
                "B: The guitar is fun to play. Which song are you practising",
                "U: A folk song, changing chords on the guitar is so hard",
                "B: Practise the chords slowly, ten minutes of guitar a day",
            ],
        ],
    )
    def test_the_default_embedder_sees_a_new_topic_in_both_languages(self, lines: list[str]) -> None:
        assert (4, "topic_shift") in ends(detector(UseEmbedder(threads=1)).cuts(talk(*lines), FLUSH))


class TestMaxRounds:
    def test_a_long_window_splits_at_its_weakest_point(self) -> None:
        lines = [f"{line} today" for line in (*GARDEN, *GARDEN, *TRAIN, *GARDEN, *GARDEN, *GARDEN)]
        cuts = detector(topic_shift_below_cos=0.01).cuts(talk(*lines), None)
        assert cuts[0].boundary is Boundary.MAX_ROUNDS
        assert (cuts[0].measured, cuts[0].threshold) == (11.0, 10.0)
        assert cuts[0].end == 8

    def test_both_sides_keep_the_least_number_of_rounds(self) -> None:
        turns = talk(*GARDEN * 20)
        cuts = detector().cuts(turns, FLUSH)
        starts = [0, *(cut.end for cut in cuts)]
        rounds = [count_rounds(turns[start : cut.end]) for start, cut in zip(starts, cuts, strict=False)]
        assert sum(cut.end - start for start, cut in zip(starts, cuts, strict=False)) == 80
        assert all(3 <= number <= 10 for number in rounds)

    def test_a_monologue_splits_too(self) -> None:
        turns = talk(*("A: the garden tomatoes are ripe" for _ in range(50)))
        cuts = detector().cuts(turns, None)
        assert cuts
        assert {cut.boundary for cut in cuts} == {Boundary.MAX_ROUNDS}

    def test_settings_that_leave_no_place_split_at_the_limit(self) -> None:
        turns = talk(*GARDEN * 3)
        assert ends(detector(min_rounds=9, max_rounds=2).cuts(turns, None))[0] == (4, "max_rounds")


def test_500_turns_a_second_with_the_default_embedder() -> None:
    said = [
        "I finally painted the kitchen, it took the whole weekend",
        "which colour did you take in the end?",
        "a pale green, my sister chose it",
        "我们公司下个月要搬到新的办公楼去了",
        "新办公楼离你家远吗？",
        "坐地铁要四十分钟，比以前多二十分钟",
    ]
    turns = talk(*(f"{'AB'[number % 2]}: {said[number % 6]} {number}" for number in range(600)))
    judge = detector(UseEmbedder(threads=1))
    judge.cuts(turns[:20], FLUSH)
    began = time.process_time()
    judge.cuts(turns, FLUSH)
    # Time of the processor, so that a busy machine fails no test; half the promise, for slow ones.
    assert 600 / (time.process_time() - began) > 250
