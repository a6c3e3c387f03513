"""What counts as a round."""

from __future__ import annotations

import pytest

from hmind.boundary.rounds import count_rounds, round_starts
from tests.unit.boundary.talk import talk


@pytest.mark.parametrize(
    ("speakers", "starts"),
    [
        ("", []),
        ("A", [0]),
        ("AB", [0]),
        ("ABAB", [0, 2]),
        ("AABB", [0]),
        ("AABBAABB", [0, 4]),
        ("AAAAA", [0, 2, 4]),
        ("AABAAB", [0, 3]),
        ("ABCABC", [0, 3]),
        ("ABBBBBBB", [0, 4, 6]),
        ("ABCDBCDB", [0, 4, 7]),
    ],
)
def test_rounds(speakers: str, starts: list[int]) -> None:
    turns = talk(*(f"{speaker}: hm" for speaker in speakers))
    assert round_starts(turns) == starts
    assert count_rounds(turns) == len(starts)
