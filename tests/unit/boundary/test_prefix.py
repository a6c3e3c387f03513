"""The same turns give the same segments, however they trickle in."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from hmind.boundary.coherence import Coherence
from hmind.boundary.detector import Tail
from hmind.boundary.rounds import count_rounds, round_starts
from hmind.embedding.use import UseEmbedder
from hmind.model import Boundary, Role, Turn
from tests.unit.boundary.talk import FLUSH, MODEL, MORNING, detector, talk, trickled

USE = UseEmbedder(threads=1)

SENTENCES = [
    "the tomatoes in the garden are ripe",
    "the garden needs water and the tomatoes need sun",
    "do the tomatoes get enough sun?",
    "my knee hurts since the marathon",
    "the doctor looked at my knee",
    "did the doctor look at the knee after the marathon?",
    "the train to Porto leaves at noon",
    "a train ticket to Porto",
    "thanks",
    "thank you, bye!",
    "bye",
    "you too",
    "you're welcome! is there anything else?",
    "anything else?",
    "thanks, but what about the train?",
    "ok",
    "😀",
    "",
    "谢谢你的帮助，再见",
    "番茄长得怎么样？",
    "膝盖还在疼，医生说要休息",
    "by the way, the train to Porto was late",
    "对了，去波尔图的火车几点开？",
]

SILENCE = Tail(Boundary.SILENCE, 1234.5, 300.0)


@st.composite
def talks(draw: st.DrawFn) -> list[Turn]:
    lines = draw(
        st.lists(
            st.tuples(
                st.sampled_from("AABBC"), st.sampled_from(SENTENCES), st.sampled_from([0, 5, 60, 299, 300, 4000])
            ),
            max_size=45,
        )
    )
    quiet, agent = draw(st.booleans()), draw(st.booleans())
    turns, at = [], MORNING
    for turn, (_, _, gap_s) in zip(talk(*(f"{who}: {said}" for who, said, _ in lines)), lines, strict=True):
        at += timedelta(seconds=min(gap_s, 60) if quiet else gap_s)
        role = Role.ASSISTANT if agent and turn.speaker == "B" else Role.USER
        turns.append(replace(turn, occurred_at=at, role=role))
    return turns


shapes = st.fixed_dictionaries(
    {
        "lookahead_turns": st.integers(1, 4),
        "min_rounds": st.integers(1, 3),
        "max_rounds": st.integers(2, 10),
        "topic_shift_below_cos": st.sampled_from([0.0, 0.15, 0.6, 0.9]),
    }
)


@examples(max_examples=60, deadline=None)
@given(talks(), st.lists(st.integers(1, 6), max_size=45), st.sampled_from([MODEL, None]))
def test_arrival_changes_nothing_with_the_real_embedder(
    turns: list[Turn], sizes: list[int], model: Coherence | None
) -> None:
    judge = detector(USE, model)
    whole = judge.cuts(turns, FLUSH)
    for in_parts in (trickled(judge, turns, sizes, FLUSH), trickled(judge, turns, [1] * len(turns), FLUSH)):
        assert [(cut.end, cut.boundary) for cut in in_parts] == [(cut.end, cut.boundary) for cut in whole]
        for one, other in zip(in_parts, whole, strict=True):
            # The last of the rounded decimals may fall either way.
            assert one.measured == pytest.approx(other.measured, abs=2e-4)


@examples(max_examples=200, deadline=None)
@given(talks(), shapes, st.sampled_from([None, USE]))
def test_every_turn_is_in_one_segment_and_none_is_too_long(
    turns: list[Turn], shape: dict[str, float], embedder: UseEmbedder | None
) -> None:
    cuts = detector(embedder, **shape).cuts(turns, FLUSH)
    starts = [0, *(cut.end for cut in cuts)]
    assert starts == sorted(set(starts))
    assert starts[-1] == len(turns)
    for start, cut in zip(starts, cuts, strict=False):
        assert count_rounds(turns[start : cut.end]) <= shape["max_rounds"]
        if cut.boundary is Boundary.TOPIC_SHIFT:
            assert cut.end - start >= 2
            assert cut.measured is not None
            assert cut.threshold is not None
            assert cut.measured < cut.threshold


@given(talks())
def test_rounds_of_a_beginning_are_the_rounds_of_the_whole(turns: list[Turn]) -> None:
    whole = round_starts(turns)
    for end in range(len(turns)):
        assert round_starts(turns[:end]) == [start for start in whole if start < end]
