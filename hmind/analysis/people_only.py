"""Takes out of an analysis what rests on no person's words: what agents, tools and systems say is context.

Held here for every analyst, since a model can be talked into anything by a tool's output, and since an
agent that quotes a memory back must not strengthen it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain, pairwise

from hmind.analysis import smalltalk
from hmind.model import Analysis, CandidateFact, FoundEvent, Segment, Statement, Turn
from hmind.text import language, sentences

AGENT_TALK, UNBACKED = "agent_talk", "no_content"
"""Why a turn was let go that only said what no person said: the agent's own, and the person's beside it."""

_CONSENTS = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|no|nope|nah|sure|right|correct|exactly|of course|indeed|true"
    r"|that's (?:right|true|correct)|i (?:do|am|did|have|was|will)|是|对|没错|不是|没有|有|嗯|会|当然|确实)",
    re.IGNORECASE,
)
_HEAD_LETTERS = 2000


def people_only(segment: Segment, analysis: Analysis) -> Analysis:
    """``analysis`` without events, statements, facts and mentions that rest on no person's words.

    A turn that is then in no event is discarded. Doing it twice changes nothing.
    """
    kept = keep(analysis.events, segment)
    if kept == analysis.events:
        return analysis
    return replace(analysis, events=kept, discarded={**analysis.discarded, **let_go(analysis.events, kept, segment)})


def keep(events: Iterable[FoundEvent], segment: Segment) -> tuple[FoundEvent, ...]:
    """Those of ``events`` that rest on a person's words, without the parts that do not."""
    said = _Said(segment)
    return tuple(event for event in (_event(event, said) for event in events) if event is not None)


def let_go(events: Iterable[FoundEvent], kept: Iterable[FoundEvent], segment: Segment) -> dict[str, str]:
    """The turns of ``events`` that are in none of ``kept``, and why."""
    told = {turn_id for event in kept for turn_id in event.turn_ids}
    people = {turn.turn_id for turn in segment.turns if turn.by_person}
    gone = (turn_id for event in events for turn_id in event.turn_ids if turn_id not in told)
    return {turn_id: UNBACKED if turn_id in people else AGENT_TALK for turn_id in gone}


class _Said:
    """Who said what in a segment."""

    def __init__(self, segment: Segment) -> None:
        self.turns: Mapping[str, Turn] = {turn.turn_id: turn for turn in segment.turns}
        heard = (*segment.context, *segment.turns)
        self._before: dict[str, Turn] = {after.turn_id: turn for turn, after in pairwise(heard)}

    def backs(self, text: str, turn_ids: Collection[str], *, told: bool = False) -> bool:
        """Whether a person is behind ``text``: it rests on their turns alone, or one of their turns backs it.

        Args:
            told: only what a person tells counts, not what they ask.
        """
        people = [self.turns[turn_id] for turn_id in turn_ids if self.is_person(turn_id)]
        if not people or len(people) == len(turn_ids):
            return bool(people)
        return any(self._owns(turn, text, told) for turn in people)

    def is_person(self, turn_id: str) -> bool:
        """Whether a person said the turn."""
        return turn_id in self.turns and self.turns[turn_id].by_person

    def _owns(self, turn: Turn, text: str, told: bool) -> bool:
        """Whether the turn says something of ``text`` itself, or answers the question before it."""
        content = turn.content[:_HEAD_LETTERS]
        tongue = language.detect(content)
        asks_only = all(smalltalk.is_question(sentence, tongue) for sentence in sentences.split(content))
        if told and asks_only:
            return False
        words = set(smalltalk.content_words(content, tongue))
        if words if tongue != language.detect(text) else words & set(smalltalk.content_words(text, tongue)):
            return True
        before = self._before.get(turn.turn_id)
        if asks_only or before is None or not _asks(before):
            return False
        return bool(_CONSENTS.match(content)) or not smalltalk.is_small_talk(content, tongue)


def _asks(turn: Turn) -> bool:
    said = sentences.split(turn.content[-_HEAD_LETTERS:])
    return any(smalltalk.is_question(sentence, language.detect(sentence)) for sentence in said)


def _event(event: FoundEvent, said: _Said) -> FoundEvent | None:
    statements = tuple(part for part in event.statements if said.backs(part.text, part.turn_ids))
    if not statements:
        return None
    facts = tuple(part for part in event.facts if said.backs(_sentence(part), part.turn_ids, told=True))
    backed = _turns_of((*statements, *facts))
    entities = tuple(
        replace(part, turn_ids=tuple(t for t in part.turn_ids if said.is_person(t) or t in backed))
        for part in event.entities
        if backed.intersection(part.turn_ids) or said.backs(part.name, part.turn_ids)
    )
    backed |= {turn_id for part in entities for turn_id in part.turn_ids}
    if (statements, facts, entities) == (event.statements, event.facts, event.entities) and backed >= {*event.turn_ids}:
        return event
    return replace(
        event,
        description=event.description if statements == event.statements else statements[0].text,
        statements=statements,
        facts=facts,
        entities=entities,
        turn_ids=tuple(turn_id for turn_id in said.turns if turn_id in backed),
    )


def _sentence(fact: CandidateFact) -> str:
    return f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.object}"


def _turns_of(parts: Iterable[Statement | CandidateFact]) -> set[str]:
    return set(chain.from_iterable(part.turn_ids for part in parts))
