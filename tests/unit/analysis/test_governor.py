"""How many tokens a text has, about, where an endpoint does not say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.analysis.governor import tokens_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fifth", 2),
        ("我对花生过敏", 6),
        ("我住在 Porto", 5),
        ("東京タワー", 5),
        ("한국", 2),
        ("x" * 4000, 1000),
    ],
)
def test_a_cjk_character_is_a_token_and_so_are_four_others(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


@given(st.text(), st.text())
def test_two_texts_cost_about_what_they_cost_together(one: str, other: str) -> None:
    assert tokens_of(one) + tokens_of(other) - 1 <= tokens_of(one + other) <= tokens_of(one) + tokens_of(other)
