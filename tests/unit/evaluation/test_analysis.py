"""The measuring of analysis: what is read, what counts as told, and that its figures can be trusted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hmind.analysis.offline import OfflineAnalyst
from hmind.boundary import build as detectors
from hmind.embedding.build import build
from hmind.errors import AnalystUnavailable, BadLabels
from hmind.evaluation import analysis, locomo, samples
from hmind.evaluation.coverage import Matcher, Told
from hmind.evaluation.locomo import GoldEvent
from hmind.model import Analysis, Known, Segment
from hmind.settings import load

SETTINGS = load({})
SMALL = samples.own("analysis/locomo_small.json")


class Silent:
    """Lets everything go."""

    name = "silent"

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        return Analysis(
            (), {turn.turn_id: "small_talk" for turn in segment.turns}, self.name, tokens_in=40, tokens_out=2, calls=1
        )


class Away:
    """Never answers."""

    name = "away"

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        raise AnalystUnavailable("away", tokens_in=7, calls=1)


def sample(**more: Any) -> dict[str, Any]:
    turns = [
        {"speaker": "Olga", "dia_id": "D1:1", "text": "I planted forty tulips behind the school."},
        {"speaker": "Emil", "dia_id": "D1:2", "text": ""},
        {"speaker": "Emil", "dia_id": "D1:3", "text": "I sold my old motorbike to a neighbour."},
    ]
    return {
        "sample_id": "own",
        "conversation": {"session_1": turns, "session_1_date_time": "9:00 am on 3 May, 2024"},
        "event_summary": {
            "events_session_1": {"Olga": ["Olga plants tulips behind the school."], "Emil": [], "date": "3 May, 2024"}
        },
        "qa": [
            {"question": "?", "evidence": ["D1:1; D1:03"]},
            {"question": "?", "evidence": ["D9:9", "D"]},
            {"question": "?", "evidence": []},
        ],
        **more,
    }


def written(tmp_path: Path, content: Any) -> Path:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def measured(analyst: Any = None) -> analysis.LocomoFigures:
    detector = detectors.detector(SETTINGS.boundary, build("use", SETTINGS.embedding))
    read = locomo.read(SMALL, SETTINGS.intake)
    return analysis.measure_locomo(read, SETTINGS, analyst or OfflineAnalyst(), detector)


def test_a_conversation_is_read_with_its_events_and_the_evidence_that_exists(tmp_path: Path) -> None:
    (conversation,) = locomo.read(written(tmp_path, sample()), SETTINGS.intake)
    (talk,) = conversation.talks
    assert [turn.turn_id for turn in talk.turns] == ["D1:1", "D1:3"]
    assert talk.gold == (GoldEvent("Olga", "Olga plants tulips behind the school."),)
    assert conversation.evidence == (frozenset({"D1:1", "D1:3"}),)


@pytest.mark.parametrize("content", [3, [], {"a": 1}, [sample(event_summary={})], [sample(), 3]])
def test_what_is_no_annotated_conversation_is_refused_by_its_name(tmp_path: Path, content: Any) -> None:
    with pytest.raises(BadLabels, match=r"own\.json"):
        locomo.read(written(tmp_path, content), SETTINGS.intake)


def test_a_text_tells_an_event_by_meaning_and_words_of_the_right_person() -> None:
    gold = GoldEvent("Olga", "Olga plants tulips behind the school.")
    background = ["I planted tulips", "The bus is late", "My cat sleeps", "A school by the sea"]
    matcher = Matcher(build("use", SETTINGS.embedding), background)
    hers, his = frozenset({"Olga"}), frozenset({"Emil"})
    texts = [
        Told("Good morning! I planted forty tulips behind the school.", hers),
        Told("I planted forty tulips behind the school.", his),
        Told("Emil heard that Olga planted tulips behind the school.", his),
        Told("I am so happy today.", hers),
        Told("Olga", hers),
    ]
    assert matcher.tells([gold], texts).tolist() == [[True, False, True, False, False]]
    assert matcher.tells([], texts).shape == (0, 5)


def test_auc_counts_ties_half_and_needs_both_kinds() -> None:
    assert analysis.auc([(0.9, True), (0.1, False)]) == 1
    assert analysis.auc([(0.9, False), (0.1, True)]) == 0
    assert analysis.auc([(0.5, False), (0.5, True)]) == 0.5
    assert analysis.auc([(0.5, True)]) is None


def test_notes_are_held_against_every_turn_and_against_as_many_letters_of_turns() -> None:
    figures = measured()
    assert (figures.conversations, figures.sessions, figures.turns, figures.gold) == (2, 6, 81, 16)
    assert figures.kept["all turns"].chars == 1
    ours = figures.kept["hmind"]
    assert 0 < ours.chars < 1
    for way in ("random turns", "longest turns"):
        assert ours.chars - 0.06 < figures.kept[way].chars <= ours.chars
        assert figures.kept[way].covered <= figures.kept["all turns"].covered
    assert figures.tokens_per_1000_turns == figures.calls_per_segment == figures.fell_back == 0


def test_an_analyst_that_lets_everything_go_covers_nothing_and_pays_all_the_same() -> None:
    figures = measured(Silent())
    assert figures.kept["hmind"] == analysis.Kept(0, 0)
    assert (figures.notes, figures.evidence, figures.auc_events, figures.auc_turns) == (0, 0, None, 0.5)
    assert figures.calls_per_segment == 1
    assert figures.tokens_per_1000_turns == pytest.approx(1000 * 42 * figures.segments / 81)


def test_a_segment_without_an_answer_is_read_offline_and_counted() -> None:
    figures = measured(Away())
    assert figures.fell_back == figures.segments > 0
    assert figures.tokens_per_1000_turns == pytest.approx(1000 * 7 * figures.segments / 81)
    costless = replace(figures, fell_back=0, tokens_per_1000_turns=0, calls_per_segment=0.0, turns_per_s=0.0)
    assert costless == replace(measured(), turns_per_s=0.0)
