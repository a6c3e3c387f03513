"""Which language a chat is in."""

from __future__ import annotations

import pytest

from hmind.text.language import detect


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我在Google上班", "zh"),
        ("今天happy吗", "zh"),
        ("帮我book一个meeting", "zh"),
        ("看这个 https://example.com/some/long/path/of/many/words", "zh"),
        ("好", "zh"),
        ("I had 火锅 with my sister", "en"),
        ("How are you", "en"),
        ("3.14 !!! 🎉", "en"),
        ("", "en"),
        ("Привет", "en"),
    ],
)
def test_detect(text: str, expected: str) -> None:
    assert detect(text) == expected
