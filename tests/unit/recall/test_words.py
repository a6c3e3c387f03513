"""How questions meet facts by words, and how a list of recollections is chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.memory.wording import wordings
from hmind.model import Layer, Recollection
from hmind.recall.predicates import mark, terms_of_fact, terms_of_question
from hmind.recall.question import Question, stands_in
from hmind.recall.recall import choose
from hmind.recall.score import nearness


@pytest.mark.parametrize("predicate", sorted(wordings()))
def test_every_predicate_is_asked_for_in_both_languages(predicate: str) -> None:
    asked = wordings()[predicate].asked
    assert any(phrase.isascii() for phrase in asked)
    assert any(not phrase.isascii() for phrase in asked)


@pytest.mark.parametrize("question", ["Where do I live?", "我住在哪里？", "Where's my home"])
def test_words_that_ask_for_a_predicate_give_way_to_it(question: str) -> None:
    terms = terms_of_question(Question.of(question), ["lives_in", "likes"])
    assert terms == [mark("lives_in")]
    assert mark("lives_in") in terms_of_fact("user", "lives_in", "Suzhou")


def test_a_predicate_that_the_user_has_not_is_not_asked_for() -> None:
    assert mark("lives_in") not in terms_of_question(Question.of("Where do I live?"), ["likes"])


def test_a_predicate_outside_the_table_is_found_by_its_own_words() -> None:
    assert {"play", "band"} <= set(terms_of_fact("Tom", "plays_in", "a band"))


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("Ann", "is ann here", True),
        ("Ann", "the planning", False),
        ("ann", "annual", False),
        ("小安", "问小安吧", True),
        ("Ann", "找ann吗", True),
        ("C++", "i write c++", True),
        ("", "anything", False),
        (" ", "any thing", False),
    ],
)
def test_names_stand_alone(phrase: str, text: str, expected: bool) -> None:
    assert stands_in(phrase, text) is expected


@given(st.text())
def test_any_text_is_a_question(text: str) -> None:
    question = Question.of(text)
    question.text.encode()
    assert len(set(question.terms)) == len(question.terms)
    assert question.language in ("en", "zh")
    terms_of_question(question, wordings())


@given(st.one_of(st.none(), st.floats()), st.floats(-1, 0.99))
def test_nearness_is_from_0_to_1(cosine: float | None, unrelated_cos: float) -> None:
    assert 0 <= nearness(cosine, unrelated_cos) <= 1


def _item(layer: Layer, id_: str, score: float, sources: tuple[str, ...]) -> Recollection:
    return Recollection(layer, id_, id_, score, {}, None, "s", None, sources)


_items = st.lists(
    st.one_of(
        st.builds(
            lambda number, score: _item(Layer.L1, f"t{number}", score, (f"t{number}",)),
            st.integers(0, 5),
            st.sampled_from([0.1, 0.2, 0.3]),
        ),
        st.builds(
            lambda number, score, turns: _item(Layer.L2, f"g{number}", score, tuple(f"t{turn}" for turn in turns)),
            st.integers(0, 5),
            st.sampled_from([0.1, 0.2, 0.3]),
            st.sets(st.integers(0, 5)),
        ),
    ),
    unique_by=lambda item: item.id,
)


@given(_items, st.integers(1, 6))
def test_no_chosen_turn_is_told_by_a_chosen_memory_and_no_room_is_wasted(items: list[Recollection], limit: int) -> None:
    chosen = choose(items, limit)
    told = {turn for item in chosen if item.layer is Layer.L2 for turn in item.source_turns}
    assert not any(item.layer is Layer.L1 and item.id in told for item in chosen)
    assert [item.score for item in chosen] == sorted((item.score for item in chosen), reverse=True)
    left_out = [item for item in items if item not in chosen and not (item.layer is Layer.L1 and item.id in told)]
    assert len(chosen) == limit or not left_out
