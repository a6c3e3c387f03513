"""How well facts are read: precision and recall of an analyst on a table of labelled sentences.

A line of the table is a short talk, handed to the analyst as a segment of its own. What counts is the
analyst's answer: a fact in an event, with at least the confidence at which the promoter asks a person.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from hmind.analysis.analyst import Analyst
from hmind.errors import BadLabels
from hmind.model import Boundary, CandidateFact, Known, Role, Segment, SessionRef, Turn
from hmind.settings import config_dir, load

_SESSION = SessionRef("eval", "eval", "facts")
_APART = timedelta(seconds=5)
_ARTICLE = re.compile(r"^(?:(?:a|an|the|some|my|our)\s+)+")
_COUNTER = re.compile(r"^[一这那][个只条位名家所间辆台部架匹头](?=\w)")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A fact that a line states.

    Attributes:
        predicates, objects: wordings that are the same answer, e.g. ``has_pet`` and ``owns``.
        over: the line says that it has ended; a found fact matches when its ``valid_to`` says so too.
    """

    subject: str
    predicates: tuple[str, ...]
    objects: tuple[str, ...]
    over: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A labelled talk.

    Attributes:
        facts: what must be found. allowed: what may be found and need not be.
        hard: it looks like a fact about the speaker and is none.
        held_out: set aside when the rules were written.
    """

    id: str
    language: str
    turns: tuple[Turn, ...]
    facts: tuple[Labelled, ...]
    allowed: tuple[Labelled, ...]
    hard: bool
    held_out: bool


@dataclass(frozen=True, slots=True)
class Share:
    """Facts counted over some lines.

    Attributes:
        found: labelled facts that were found. wrong: facts that no line states. missed: labelled and
            not found. lines: how many lines were read.
    """

    lines: int
    found: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """found / (found + wrong); 1 where nothing was claimed."""
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """found / (found + missed); 1 where there was nothing to find."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0


@dataclass(frozen=True, slots=True)
class FactFigures:
    """What was measured on a table.

    Attributes:
        n: lines. languages: by language. hard_negatives: lines that look like a fact about the speaker
            and are none. hard_taken: how many of them gave a wrong fact.
        held_out: over the lines set aside, or None where there are none.
        wrong: by line what was claimed and is not so. missed: by line what was not found. Both for
            reading by hand, as (subject, predicate, object).
    """

    overall: Share
    languages: Mapping[str, Share]
    hard_negatives: int
    hard_taken: int
    held_out: Share | None
    wrong: Mapping[str, tuple[tuple[str, str, str], ...]]
    missed: Mapping[str, tuple[tuple[str, str, str], ...]]

    @property
    def n(self) -> int:
        return self.overall.lines

    @property
    def precision(self) -> float:
        return self.overall.precision

    @property
    def recall(self) -> float:
        return self.overall.recall


@dataclass(frozen=True, slots=True)
class _Judged:
    line: Line
    found: int
    wrong: tuple[CandidateFact, ...]
    missed: tuple[Labelled, ...]


def measure_facts(path: Path, analyst: Analyst, found_at: float | None = None) -> FactFigures:
    """Runs ``analyst`` on each line of a table and compares what it claims with what the line states.

    Subject, predicate and object must all agree. Predicates agree when config/predicates.toml calls
    one the other's name. Subjects and objects are compared by :func:`same_text`. A fact claimed twice
    counts once. A fact that has ended agrees with none that goes on.

    Args:
        found_at: least confidence that counts as claimed; None takes promotion.review_fact_at.

    Raises:
        BadLabels: a line is none of the table.
        AnalystUnavailable, AnalystMisbehaved: as the analyst raises them.
    """
    least = load().promotion.review_fact_at if found_at is None else found_at
    judged = [_judge(line, _claimed(line, analyst, least)) for line in read(path)]
    aside = [one for one in judged if one.line.held_out]
    hard = [one for one in judged if one.line.hard]
    languages = sorted({one.line.language for one in judged})
    return FactFigures(
        overall=_share(judged),
        languages={name: _share([one for one in judged if one.line.language == name]) for name in languages},
        hard_negatives=len(hard),
        hard_taken=sum(bool(one.wrong) for one in hard),
        held_out=_share(aside) if aside else None,
        wrong={
            one.line.id: tuple((fact.subject, fact.predicate, fact.object) for fact in one.wrong)
            for one in judged
            if one.wrong
        },
        missed={
            one.line.id: tuple((fact.subject, fact.predicates[0], fact.objects[0]) for fact in one.missed)
            for one in judged
            if one.missed
        },
    )


def read(path: Path) -> list[Line]:
    """The lines of a table: ``{id, lang, hard, at, turns: [{speaker, role, text}], facts, allowed, held_out}``.

    A fact is ``{subject, predicate, object, over}``; predicate and object may be lists of wordings that
    are all right. ``hard``, ``allowed``, ``held_out`` and ``over`` may be left out.

    Raises:
        BadLabels: a line that is none.
    """
    lines: list[Line] = []
    with path.open(encoding="utf-8") as rows:
        for number, row in enumerate(rows, 1):
            if not row.strip():
                continue
            try:
                lines.append(_line(json.loads(row)))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise BadLabels(f"{path}, line {number}: is no talk with id, lang, at, turns and facts.") from None
    return lines


def same_text(one: str, other: str) -> bool:
    """Whether two subjects or objects are the same but for case, width, blanks, punctuation and articles.

    In English leading articles and possessives fall away, in Chinese a leading measure word (一只猫 is
    猫) and a closing 了 or 的. Other words do not: "dog" is not "dog called Rex".
    """
    return _plain(one) == _plain(other)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold().strip()
    text = _COUNTER.sub("", _ARTICLE.sub("", text))
    text = re.sub(r"[\W_]+", " ", text).strip()
    text = re.sub(r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])", "", text)
    return re.sub(r"(?<=[\u4e00-\u9fff]{2})[了的]$", "", text)


def _line(values: dict[str, Any]) -> Line:
    at = datetime.fromisoformat(values["at"])
    if at.tzinfo is None:
        raise ValueError("naive")
    turns = tuple(_turn(index, said, at + index * _APART) for index, said in enumerate(values["turns"]))
    if not turns:
        raise ValueError("no turns")
    return Line(
        id=str(values["id"]),
        language=str(values["lang"]),
        turns=turns,
        facts=tuple(map(_labelled, values["facts"])),
        allowed=tuple(map(_labelled, values.get("allowed", ()))),
        hard=bool(values.get("hard", False)),
        held_out=bool(values.get("held_out", False)),
    )


def _turn(index: int, said: dict[str, Any], at: datetime) -> Turn:
    tenant, user, session = _SESSION.tenant, _SESSION.user_id, _SESSION.session_id
    role, speaker, text = Role(said["role"]), str(said["speaker"]), str(said["text"])
    return Turn(tenant, user, session, str(index), role, speaker, text, at, at, index)


def _labelled(values: dict[str, Any]) -> Labelled:
    def wordings(value: str | list[str]) -> tuple[str, ...]:
        return (value,) if isinstance(value, str) else tuple(value)

    return Labelled(
        str(values["subject"]),
        tuple(map(_canonical, wordings(values["predicate"]))),
        wordings(values["object"]),
        bool(values.get("over", False)),
    )


def _claimed(line: Line, analyst: Analyst, least: float) -> list[CandidateFact]:
    segment = Segment(line.id, _SESSION, line.turns, Boundary.FLUSH)
    analysis = analyst.analyze(segment, Known())
    return [fact for event in analysis.events for fact in event.facts if fact.confidence >= least]


def _judge(line: Line, claimed: Sequence[CandidateFact]) -> _Judged:
    said_at = line.turns[-1].occurred_at
    open_facts = list(line.facts)
    known, wrong = (*line.facts, *line.allowed), []
    for fact in claimed:
        agrees = _agreeing(fact, said_at)
        if matched := next(filter(agrees, open_facts), None):
            open_facts.remove(matched)
        elif not any(map(agrees, known)):
            wrong.append(fact)
    return _Judged(line, len(line.facts) - len(open_facts), tuple(wrong), tuple(open_facts))


def _agreeing(fact: CandidateFact, said_at: datetime) -> Callable[[Labelled], bool]:
    over = fact.valid_to is not None and fact.valid_to <= said_at

    def agrees(label: Labelled) -> bool:
        return (
            label.over is over
            and _canonical(fact.predicate) in label.predicates
            and same_text(fact.subject, label.subject)
            and any(same_text(fact.object, wording) for wording in label.objects)
        )

    return agrees


def _share(judged: Iterable[_Judged]) -> Share:
    judged = list(judged)
    return Share(
        lines=len(judged),
        found=sum(one.found for one in judged),
        wrong=sum(len(one.wrong) for one in judged),
        missed=sum(len(one.missed) for one in judged),
    )


def _canonical(predicate: str) -> str:
    return _names().get(predicate, predicate)


@cache
def _names() -> Mapping[str, str]:
    """Every other name of a predicate, with the one that config/predicates.toml lists it under."""
    table = tomllib.loads((config_dir() / "predicates.toml").read_text(encoding="utf-8"))
    return {other: name for name, entry in table.items() for other in entry.get("also", ())}
