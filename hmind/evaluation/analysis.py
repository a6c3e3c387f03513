"""How good the analyst's notes are: annotated events they cover, at which length, and how salience ranks them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmind.analysis.analyst import Analyst
from hmind.analysis.offline import OfflineAnalyst
from hmind.boundary import build as detectors
from hmind.boundary.detector import Detector
from hmind.embedding.build import build
from hmind.errors import SettingsError
from hmind.evaluation import locomo, samples
from hmind.evaluation.analysis_road import Road, Walked
from hmind.evaluation.coverage import Matcher, Told
from hmind.evaluation.facts import measure_facts
from hmind.evaluation.locomo import Conversation, Talk
from hmind.evaluation.stand_in import StoodInFor
from hmind.evaluation.times import measure_times
from hmind.model import Statement, Turn
from hmind.settings import Settings

SEED, RANDOM_RUNS = 0, 5
SMALL = "locomo_small.json"
OURS = "hmind"

Tell = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a way of keeping covers, and at which length.

    Attributes:
        covered: share of the annotated events that something kept tells.
        chars: letters kept / letters said.
    """

    covered: float
    chars: float


@dataclass(frozen=True, slots=True)
class LocomoFigures:
    """What was measured on LoCoMo conversations.

    Attributes:
        kept: by way of keeping: ``hmind``, and to hold it against ``all turns`` (the most that this
            comparison can find), ``random turns`` and ``longest turns`` of the same length as hmind's notes.
        evidence: share of the turns that answer a question which are among the kept notes' turns, mean
            over questions; None where no questions are.
        auc_events: how often salience puts an event that tells an annotated one above one that does not;
            .5 is chance. ``auc_events_length``: the same for the length of the event's notes.
        auc_turns: the same over all turns, told or not by their text, with the salience of their event, 0
            where they were let go. ``auc_turns_length``: for the length of the turn.
        tokens_per_1000_turns, calls_per_segment: 0 offline; a piece asked again counts as a call.
        turns_per_s: boundaries and analysis, wall clock.
        fell_back: segments that the offline analyst read because the model did not answer.
    """

    conversations: int
    sessions: int
    turns: int
    segments: int
    events: int
    notes: int
    gold: int
    kept: Mapping[str, Kept]
    evidence: float | None
    auc_events: float | None
    auc_events_length: float | None
    auc_turns: float | None
    auc_turns_length: float | None
    tokens_per_1000_turns: float
    calls_per_segment: float
    fell_back: int
    turns_per_s: float

    def rounded(self) -> dict[str, Any]:
        """For JSON: shares with four decimals."""
        plain: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name == "kept":
                value = {
                    way: {"covered": round(it.covered, 4), "chars": round(it.chars, 4)} for way, it in value.items()
                }
            plain[name] = round(value, 4) if isinstance(value, float) else value
        return plain


@dataclass
class _Sums:
    """What is counted over the sessions."""

    covered: dict[str, int] = field(default_factory=dict)
    chars: dict[str, int] = field(default_factory=dict)
    event_scores: list[tuple[float, float, bool]] = field(default_factory=list)
    turn_scores: list[tuple[float, float, bool]] = field(default_factory=list)


def default_file() -> Path:
    """LoCoMo beside a checkout, else the small sample of our own."""
    try:
        return samples.folder("locomo") / "locomo_dev5.json"
    except SettingsError:
        return samples.own("analysis") / SMALL


def small_figures(settings: Settings) -> Mapping[str, Mapping[str, float]]:
    """The offline analyst on our own samples: ``locomo_small``, ``facts``, ``times``, each with its shares."""
    analyst = OfflineAnalyst()
    detector = detectors.detector(settings.boundary, build(settings.embedding.boundary, settings.embedding))
    folder = samples.own("analysis")
    small = measure_locomo(read(folder / SMALL, settings), settings, analyst, detector)
    facts = measure_facts(folder / "facts.jsonl", analyst, settings.promotion.review_fact_at)
    times = measure_times(folder / "times.jsonl")
    ranks = {"auc_events": small.auc_events, "auc_turns": small.auc_turns, "evidence": small.evidence}
    return {
        "locomo_small": {
            "covered": small.kept[OURS].covered,
            "chars": small.kept[OURS].chars,
            **{name: share for name, share in ranks.items() if share is not None},
        },
        "facts": {"precision": facts.precision, "recall": facts.recall},
        "times": {"accuracy": times.accuracy},
    }


def measure_locomo(
    conversations: Sequence[Conversation],
    settings: Settings,
    analyst: Analyst,
    detector: Detector,
    tell: Tell = lambda _done: None,
) -> LocomoFigures:
    """Runs detector, analyst and promoter over each conversation and compares what is kept with the annotation.

    An event is covered when one kept note of its session tells it (see :class:`Matcher`).

    Args:
        tell: is told how many sessions are done.

    Raises:
        EmbeddingUnavailable: an embedder did not answer.
    """
    for talk in conversations[0].talks[:1]:
        # Models and dictionaries are loaded once, and that is not the analyst's speed.
        list(Road(detector, OfflineAnalyst(), settings).walk([(talk.name, talk.turns)]))
    asked = StoodInFor(analyst)
    began = time.perf_counter()
    walked: list[tuple[Conversation, list[Walked]]] = []
    done = 0
    for conversation in conversations:
        results: list[Walked] = []
        road = Road(detector, asked, settings)
        for one in road.walk([(talk.name, talk.turns) for talk in conversation.talks]):
            results.append(one)
            done += 1
            tell(done)
        walked.append((conversation, results))
    spent = time.perf_counter() - began
    everything = [turn for conversation in conversations for talk in conversation.talks for turn in talk.turns]
    matcher = Matcher(build("use", settings.embedding), (turn.content for turn in everything))
    sums = _Sums()
    for conversation, results in walked:
        _compare(conversation, results, matcher, sums)
    gold = sum(len(talk.gold) for conversation in conversations for talk in conversation.talks)
    said = sum(len(turn.content) for turn in everything)
    every = [one for _, results in walked for one in results]
    return LocomoFigures(
        conversations=len(conversations),
        sessions=len(every),
        turns=len(everything),
        segments=asked.segments,
        events=sum(len(one.judged) for one in every),
        notes=sum(len(notes(one)) for one in every),
        gold=gold,
        kept={
            way: Kept(sums.covered[way] / gold / _runs(way), sums.chars[way] / said / _runs(way)) for way in sums.chars
        },
        evidence=_evidence(walked),
        auc_events=auc([(salience, told) for salience, _, told in sums.event_scores]),
        auc_events_length=auc([(length, told) for _, length, told in sums.event_scores]),
        auc_turns=auc([(salience, told) for salience, _, told in sums.turn_scores]),
        auc_turns_length=auc([(length, told) for _, length, told in sums.turn_scores]),
        tokens_per_1000_turns=1000 * asked.tokens / len(everything),
        calls_per_segment=asked.calls / asked.segments,
        fell_back=asked.fell_back,
        turns_per_s=len(everything) / max(spent, 1e-9),
    )


def notes(walked: Walked) -> list[Statement]:
    """The statements of the events that the promoter keeps."""
    return [note for judged in walked.judged if judged.kept for note in judged.event.statements]


def auc(scored: Sequence[tuple[float, bool]]) -> float | None:
    """How often a right one scores above a wrong one, a tie counting half; None without both kinds."""
    right = np.array([score for score, is_right in scored if is_right])
    wrong = np.array([score for score, is_right in scored if not is_right])
    if not len(right) or not len(wrong):
        return None
    above = (right[:, None] > wrong).mean() + 0.5 * (right[:, None] == wrong).mean()
    return float(above)


def _compare(conversation: Conversation, results: Sequence[Walked], matcher: Matcher, sums: _Sums) -> None:
    said = {
        talk.name: [Told(turn.content, frozenset({turn.speaker})) for turn in talk.turns] for talk in conversation.talks
    }
    told = {talk.name: matcher.tells(talk.gold, said[talk.name]) for talk in conversation.talks}
    ours = 0
    for talk, one in zip(conversation.talks, results, strict=True):
        ours += sum(len(note.text) for note in notes(one))
        _count_ours(talk, one, matcher, sums)
        _rank_turns(talk, one, told[talk.name], sums)
    _add(sums, OURS, 0, ours)
    turns = [(talk.name, at, turn) for talk in conversation.talks for at, turn in enumerate(talk.turns)]
    _count_turns("all turns", turns, told, sums)
    for run in range(RANDOM_RUNS):
        mixed = random.Random(f"{SEED}/{run}/{conversation.id}").sample(turns, len(turns))
        _count_turns("random turns", _first(mixed, ours), told, sums)
    longest = sorted(turns, key=lambda each: -len(each[2].content))
    _count_turns("longest turns", _first(longest, ours), told, sums)


def _count_ours(talk: Talk, one: Walked, matcher: Matcher, sums: _Sums) -> None:
    speakers = {turn.turn_id: turn.speaker for turn in talk.turns}

    def told_by(note: Statement) -> Told:
        return Told(note.text, frozenset(speakers[turn_id] for turn_id in note.turn_ids))

    covered = np.zeros(len(talk.gold), dtype=np.bool_)
    for judged in one.judged:
        tells = matcher.tells(talk.gold, [told_by(note) for note in judged.event.statements])
        if judged.kept:
            covered |= tells.any(axis=1)
        length = sum(len(note.text) for note in judged.event.statements)
        sums.event_scores.append((judged.event.salience, length, bool(tells.any())))
    _add(sums, OURS, int(covered.sum()), 0)


def _rank_turns(talk: Talk, one: Walked, told: NDArray[np.bool_], sums: _Sums) -> None:
    salience = {
        turn_id: judged.event.salience
        for judged in one.judged
        for note in judged.event.statements
        for turn_id in note.turn_ids
    }
    for at, turn in enumerate(talk.turns):
        sums.turn_scores.append((salience.get(turn.turn_id, 0.0), len(turn.content), bool(told[:, at].any())))


def _count_turns(
    way: str, turns: Sequence[tuple[str, int, Turn]], told: Mapping[str, NDArray[np.bool_]], sums: _Sums
) -> None:
    by_talk: dict[str, list[int]] = {}
    for name, at, _ in turns:
        by_talk.setdefault(name, []).append(at)
    covered = sum(int(told[name][:, its].any(axis=1).sum()) for name, its in by_talk.items())
    _add(sums, way, covered, sum(len(turn.content) for _, _, turn in turns))


def _first(turns: Sequence[tuple[str, int, Turn]], chars: int) -> list[tuple[str, int, Turn]]:
    """The first turns, up to so many letters."""
    taken: list[tuple[str, int, Turn]] = []
    left = chars
    for each in turns:
        left -= len(each[2].content)
        if left < 0:
            break
        taken.append(each)
    return taken


def _add(sums: _Sums, way: str, covered: int, chars: int) -> None:
    sums.covered[way] = sums.covered.get(way, 0) + covered
    sums.chars[way] = sums.chars.get(way, 0) + chars


def _runs(way: str) -> int:
    return RANDOM_RUNS if way == "random turns" else 1


def _evidence(walked: Sequence[tuple[Conversation, Sequence[Walked]]]) -> float | None:
    shares: list[float] = []
    for conversation, results in walked:
        kept = {turn_id for one in results for note in notes(one) for turn_id in note.turn_ids}
        shares.extend(len(ids & kept) / len(ids) for ids in conversation.evidence)
    return sum(shares) / len(shares) if shares else None


def read(path: Path, settings: Settings) -> list[Conversation]:
    """See :func:`hmind.evaluation.locomo.read`."""
    return locomo.read(path, settings.intake)
