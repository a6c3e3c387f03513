"""Cleaning: what goes, what stays, and that it never fails."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hmind.text.clean import clean

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
RAINBOW_FLAG = "\U0001f3f3\ufe0f\u200d\U0001f308"
WILD = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs", "Cc", "Cf", "Mn"]),
        st.sampled_from("\u200d\u200c👨👩e\u0301\u093f"),
    )
)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain", "plain"),
        ("  你好　", "你好"),
        ("a\x00b\x07c\x1b[0m", "abc[0m"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("x\x9fy\x85z", "xy\nz"),
        ("\ufeffhello", "hello"),
        ("he\u200bl\u200dlo", "hello"),
        ("\u200d", ""),
        ("\x00\x00", ""),
        ("cafe\u0301", "café"),
        ("lone \ud83d surrogate", "lone  surrogate"),
        ("pair \ud83d\ude00", "pair 😀"),
        (f"us: {FAMILY} {RAINBOW_FLAG}", f"us: {FAMILY} {RAINBOW_FLAG}"),
        ("👨\u200d", "👨"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("", ""),
    ],
)
def test_clean(raw: str, expected: str) -> None:
    assert clean(raw) == expected


@given(WILD)
@example("e\u200d\u0301")
@example("👨\u200d\x00\u200d👩")
@example("\ud83d\u200d\ude00")
@example(" \u0301")
def test_any_string_becomes_storable_and_stays_as_it_is(raw: str) -> None:
    cleaned = clean(raw)
    cleaned.encode("utf-8")
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff]", cleaned) is None
    assert clean(cleaned) == cleaned
    assert json.loads(json.dumps(cleaned)) == cleaned


@given(st.text(st.characters(categories=["L", "N"], max_codepoint=0x2FF)))
def test_letters_and_digits_are_kept(raw: str) -> None:
    assert clean(raw) == raw
