"""From an answer about numbered turns to an Analysis about turn ids, keeping the promises that a model may break."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from itertools import chain
from typing import TypeVar

from hmind.analysis.llm_schema import EntityAnswer, EventAnswer, FactAnswer, SegmentAnswer, StatementAnswer
from hmind.analysis.owner import OWNER, owner_speaker
from hmind.analysis.people_only import Said
from hmind.model import CandidateFact, FoundEntity, FoundEvent, Segment, Statement, Turn
from hmind.text.language import detect

T = TypeVar("T")

_MEANS_OWNER = {"user", "the user", "owner", "用户"}
_MEANS_TELLER = {"speaker", "self", "i", "me", "myself", "我", "本人", "自己"}


@dataclass(frozen=True, slots=True)
class Read:
    """What could be taken from an answer.

    Attributes:
        discarded: the turns that it lets go, with their reasons; none that an event rests on.
        lost: how many events and statements rest on no turn.
    """

    events: tuple[FoundEvent, ...]
    discarded: dict[str, str]
    lost: int


def read_answer(
    answer: SegmentAnswer, segment: Segment, zone: tzinfo = UTC, numbers: Collection[int] | None = None
) -> Read:
    """Events and discarded turns of ``answer``, in which each turn is at most once.

    Numbers that no turn bears are dropped, and what then rests on no turn is dropped too. A fact
    rests on the turns of persons only, and is dropped when it is an agent's words that one of them only thanks for.

    Args:
        numbers: of the turns that were asked about, all by default; others count as borne by none.
    """
    reader = _Reader(segment, zone, numbers)
    events = tuple(event for event in map(reader.event, answer.events) if event is not None)
    used = {turn_id for event in events for turn_id in event.turn_ids}
    reasons = {
        turn.turn_id: discarded.reason for discarded in answer.discarded for turn in reader.turns([discarded.turn])
    }
    discarded = {turn.turn_id: reasons[turn.turn_id] for turn in segment.turns if turn.turn_id in reasons.keys() - used}
    return Read(events, discarded, reader.lost)


class _Reader:
    def __init__(self, segment: Segment, zone: tzinfo, numbers: Collection[int] | None) -> None:
        self._segment = segment
        self._asked = range(1, len(segment.turns) + 1) if numbers is None else numbers
        self._owner = owner_speaker(segment)
        self._said = Said(segment)
        self._zone = zone
        self.lost = 0

    def turns(self, numbers: Iterable[int]) -> list[Turn]:
        """The turns that bear these numbers, in order, each once."""
        wanted = set(numbers).intersection(self._asked)
        return [turn for number, turn in enumerate(self._segment.turns, start=1) if number in wanted]

    def event(self, answer: EventAnswer) -> FoundEvent | None:
        statements = _once(_kept(map(self._statement, answer.statements)))
        if not statements:
            self.lost += 1
            return None
        entities = _merged(_kept(map(self._entity, answer.entities)))
        facts = _kept(map(self._fact, answer.facts))
        rests_on = [
            *(part.turn_ids for part in statements),
            *(part.turn_ids for part in entities),
            *(part.turn_ids for part in facts),
        ]
        used = set(chain.from_iterable(rests_on))
        turns = [turn for turn in self._segment.turns if turn.turn_id in used]
        occurred_at = self._time(answer.occurred_at, turns[0]) or turns[0].occurred_at
        until = answer.occurred_until
        return FoundEvent(
            description=answer.description,
            statements=tuple(statements),
            salience=answer.salience,
            salience_parts={"llm": answer.salience},
            occurred_at=occurred_at,
            occurred_until=until if until and until > occurred_at else None,
            turn_ids=tuple(turn.turn_id for turn in turns),
            entities=tuple(entities),
            facts=tuple(dict.fromkeys(facts)),
            language=detect("\n".join(turn.content for turn in turns)),
            emotion=answer.emotion,
        )

    def _statement(self, answer: StatementAnswer) -> Statement | None:
        turns = self.turns(answer.turns)
        if not turns:
            self.lost += 1
            return None
        return Statement(answer.text, _ids(turns), self._time(answer.occurred_on, turns[0]))

    def _entity(self, answer: EntityAnswer) -> FoundEntity | None:
        turns = self.turns(answer.turns)
        if not turns:
            return None
        aliases = dict.fromkeys(alias for alias in answer.aliases if alias.casefold() != answer.name.casefold())
        return FoundEntity(answer.name, answer.type, _ids(turns), tuple(aliases))

    def _fact(self, answer: FactAnswer) -> CandidateFact | None:
        cited = self.turns(answer.turns)
        turns = [turn for turn in cited if turn.by_person]
        told = f"{answer.subject} {answer.predicate.replace('_', ' ')} {answer.object}"
        if not self._said.backs(told, _ids(cited), told=True):
            return None
        told_by = turns[0].speaker.strip() or OWNER
        ends = answer.valid_to
        return CandidateFact(
            subject=self._subject(answer.subject, told_by),
            predicate=answer.predicate,
            object=answer.object,
            confidence=answer.confidence,
            turn_ids=_ids(turns),
            told_by=told_by,
            valid_from=answer.valid_from,
            valid_to=None if ends and answer.valid_from and ends < answer.valid_from else ends,
        )

    def _subject(self, subject: str, told_by: str) -> str:
        """``user`` for the owner, by whatever word or name; without a known owner, "user" is who spoke."""
        word = subject.casefold()
        if word in _MEANS_OWNER and self._owner is not None:
            return OWNER
        name = told_by if word in _MEANS_OWNER | _MEANS_TELLER else subject
        return OWNER if self._owner is not None and name.casefold() == (self._owner or OWNER).casefold() else name

    def _time(self, time: datetime | None, turn: Turn) -> datetime | None:
        """``time``, or when it is only the day on which the turn was said, the time of the turn."""
        said = turn.occurred_at.astimezone(self._zone)
        is_that_day = time == said.replace(hour=0, minute=0, second=0, microsecond=0)
        return turn.occurred_at if is_that_day else time


def _kept(parts: Iterable[T | None]) -> list[T]:
    return [part for part in parts if part is not None]


def _ids(turns: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.turn_id for turn in turns)


def _once(statements: Iterable[Statement]) -> list[Statement]:
    """One statement for each text, resting on all turns that it was given for."""
    by_text: dict[str, Statement] = {}
    for statement in statements:
        if (seen := by_text.get(statement.text)) is not None:
            statement = replace(seen, turn_ids=tuple(dict.fromkeys((*seen.turn_ids, *statement.turn_ids))))
        by_text[statement.text] = statement
    return list(by_text.values())


def _merged(entities: Iterable[FoundEntity]) -> list[FoundEntity]:
    """One entity for each name."""
    by_name: dict[str, FoundEntity] = {}
    for entity in entities:
        if (seen := by_name.get(entity.name.casefold())) is not None:
            entity = replace(
                seen,
                turn_ids=tuple(dict.fromkeys((*seen.turn_ids, *entity.turn_ids))),
                aliases=tuple(dict.fromkeys((*seen.aliases, *entity.aliases))),
            )
        by_name[entity.name.casefold()] = entity
    return list(by_name.values())
