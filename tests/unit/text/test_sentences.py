"""Sentences in both languages, and that no word is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.text.sentences import split


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我到家了。你呢？太好了！", ["我到家了。", "你呢？", "太好了！"]),
        ("先洗菜；再切肉", ["先洗菜；", "再切肉"]),
        ("嗯……我想想", ["嗯……", "我想想"]),
        ("她说：“走吧。”然后就走了。", ["她说：“走吧。”", "然后就走了。"]),
        ("真的吗？？！我不信", ["真的吗？？！", "我不信"]),
        ("I am home. And you? Great!", ["I am home.", "And you?", "Great!"]),
        ("Dr. Wu saw Mr. Lee at St. Mary. He left.", ["Dr. Wu saw Mr. Lee at St. Mary.", "He left."]),
        ("It costs 3.50 euros. Cheap!", ["It costs 3.50 euros.", "Cheap!"]),
        ("J. R. Moss wrote it. I read it.", ["J. R. Moss wrote it.", "I read it."]),
        ("It was I. She knew.", ["It was I.", "She knew."]),
        ("See https://a.example/x?y=1.5&z. Then call.", ["See https://a.example/x?y=1.5&z.", "Then call."]),
        ("We met at 5 p.m. on Friday. Nice.", ["We met at 5 p.m. on Friday.", "Nice."]),
        ("We met at 5 p.m. She was late.", ["We met at 5 p.m.", "She was late."]),
        ("Fruit, e.g. Apples, is fine.", ["Fruit, e.g. Apples, is fine."]),
        ("well... i guess so. ok", ["well... i guess so.", "ok"]),
        ("Wait... What?", ["Wait...", "What?"]),
        ("one\ntwo\n\nthree", ["one", "two", "three"]),
        ("1. Milk\n2. Eggs", ["1. Milk", "2. Eggs"]),
        ("So good! 🎉🎉 Thanks", ["So good!", "🎉🎉 Thanks"]),
        ("So good! 🎉", ["So good! 🎉"]),
        ('"Stop!" he said. (Really.) Yes.', ['"Stop!"', "he said.", "(Really.)", "Yes."]),
        ("他用Python 3.11写的.挺快", ["他用Python 3.11写的.", "挺快"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_split(text: str, expected: list[str]) -> None:
    assert split(text) == expected


PIECES = st.sampled_from(
    [".", "。", "…", "！", "?", "\n", " ", "Dr.", "e.g.", "3.5", "I", "好", "word", '"', "”", "🎉", "p.m."]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join)))
def test_no_word_is_lost(text: str) -> None:
    sentences = split(text)
    assert re.sub(r"\s", "", "".join(sentences)) == re.sub(r"\s", "", text)
    assert all(one.strip() == one != "" for one in sentences)
