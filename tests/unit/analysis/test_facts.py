"""How many of the facts people state are found, and how few that they did not state."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from hmind.analysis import facts
from hmind.analysis.claims import Claim, Voice
from hmind.text import sentences
from tests.unit.analysis.fact_sentences import CHINESE, ENGLISH, Fact

AT = datetime(2024, 5, 8, 12, tzinfo=UTC)
OWNER = Voice("user", "user")
CASES = [("en", *case) for case in ENGLISH] + [("zh", *case) for case in CHINESE]


def claims(text: str, language: str, voice: Voice = OWNER) -> list[Claim]:
    return facts.find(sentences.split(text), language, voice, AT)


def triples(found: Iterable[Claim]) -> set[Fact]:
    return {(claim.subject, claim.predicate, claim.object) for claim in found}


def test_the_table_is_half_chinese_and_half_of_hard_negatives() -> None:
    assert len(CASES) >= 200
    for table in (ENGLISH, CHINESE):
        negatives = sum(not expected for _, expected in table)
        assert 0.45 <= len(table) / len(CASES) <= 0.55
        assert 0.4 <= negatives / len(table) <= 0.6


@pytest.mark.parametrize("language", ["en", "zh"])
def test_precision_and_recall(language: str) -> None:
    right = found = wanted = 0
    for tongue, text, expected in CASES:
        if tongue == language:
            got = triples(claims(text, language))
            right += len(got & set(expected))
            found += len(got)
            wanted += len(expected)
    assert right / found >= 0.95, f"precision {right}/{found}"
    assert right / wanted >= 0.9, f"recall {right}/{wanted}"


@pytest.mark.parametrize(("language", "text"), [(tongue, text) for tongue, text, expected in CASES if not expected])
def test_what_was_not_stated_is_no_fact(language: str, text: str) -> None:
    assert not claims(text, language)
