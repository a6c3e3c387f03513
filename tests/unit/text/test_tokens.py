"""Keywords: a question finds the gist, noise is out, nothing is printed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmind.text.tokens import keywords


@pytest.mark.parametrize(
    ("question", "gist"),
    [
        ("外币汇率", "用户上个月去银行问过外币汇率的事情"),
        ("协和医院", "她周二在北京协和医院做了检查"),
        ("猫叫什么名字", "用户养了一只猫，名字叫豆包"),
        ("沈知夏住在哪里？", "沈知夏搬到了杭州"),
        ("Which allergies does she have?", "She is allergic to peanuts; her allergy was found in 2019"),
        ("running shoes", "Bought new shoes to run in"),
        ("What happened in 2023?", "On 2023-05-07 the roof leaked"),
        ("３月５号", "3月5日办了护照"),
        ("GOOGLE", "我在Google上班"),
    ],
)
def test_a_question_finds_the_gist(question: str, gist: str) -> None:
    asked, kept = set(keywords(question)), set(keywords(gist))
    assert asked & kept


@pytest.mark.parametrize(("question", "gist"), [("外币汇率", "外币汇率涨了"), ("running", "I ran, he runs, run!")])
def test_every_keyword_of_the_question_is_found(question: str, gist: str) -> None:
    assert set(keywords(question)) <= set(keywords(gist))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cats are sleeping, aren't they?", ["cat", "sleep"]),
        ("Mira's sister", ["mira", "sister"]),
        ("我的是你的吗？！", []),
        ("costs 3.5 at 15:30", ["cost", "3.5", "15:30"]),
        ("2023-5-7", ["2023-05-07", "2023"]),
        ("May 5th", ["may", "5"]),
        ("C++ and C#", ["c++", "c#"]),
        ("…，。! 🎉", []),
        ("", []),
    ],
)
def test_keywords(text: str, expected: list[str]) -> None:
    assert keywords(text) == expected


@given(st.text())
def test_any_text_gives_the_same_clean_keywords_twice(text: str) -> None:
    found = keywords(text)
    assert found == keywords(text)
    assert all(word and not word.isspace() for word in found)


def test_loading_the_dictionary_prints_nothing() -> None:
    program = "from hmind.text.tokens import keywords; assert keywords('外币汇率') == ['外币', '汇率']"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("", "")
