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
_ECHO_SHARE = 0.5


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
    said = Said(segment)
    return tuple(event for event in (_event(event, said) for event in events) if event is not None)


def let_go(events: Iterable[FoundEvent], kept: Iterable[FoundEvent], segment: Segment) -> dict[str, str]:
    """The turns of ``events`` that are in none of ``kept``, and why."""
    told = {turn_id for event in kept for turn_id in event.turn_ids}
    people = {turn.turn_id for turn in segment.turns if turn.by_person}
    gone = (turn_id for event in events for turn_id in event.turn_ids if turn_id not in told)
    return {turn_id: UNBACKED if turn_id in people else AGENT_TALK for turn_id in gone}


class Said:
    """Who said what in a segment."""

    def __init__(self, segment: Segment) -> None:
        self.turns: Mapping[str, Turn] = {turn.turn_id: turn for turn in segment.turns}
        heard = (*segment.context, *segment.turns)
        self._before: dict[str, Turn] = {after.turn_id: turn for turn, after in pairwise(heard)}

    def backs(self, text: str, turn_ids: Collection[str], *, told: bool = False) -> bool:
        """Whether a person is behind ``text``, which rests on these turns.

        One of their turns must be more than a thanks, or answer a question. Where an agent's turn is cited too,
        and ``text`` is told or has most of its words, it must also have something of ``text`` in it.

        Args:
            told: a fact is meant, which no question gives.
        """
        cited = [self.turns[turn_id] for turn_id in turn_ids if turn_id in self.turns]
        people = [turn for turn in cited if turn.by_person]
        agents = "\n".join(turn.content[:_HEAD_LETTERS] for turn in cited if not turn.by_person)
        own = text if agents and (told or _echoes(text, agents)) else ""
        return any(self._says(turn, own, told and bool(agents)) for turn in people)

    def is_person(self, turn_id: str) -> bool:
        """Whether a person said the turn."""
        return turn_id in self.turns and self.turns[turn_id].by_person

    def _says(self, turn: Turn, text: str, told: bool) -> bool:
        """Whether the turn says something, of ``text`` where there is one, or answers the question before it."""
        content = turn.content[:_HEAD_LETTERS]
        tongue = language.detect(content)
        said = sentences.split(content)
        asks_only = all(smalltalk.is_question(sentence, tongue) for sentence in said)
        says = _shares(content, text) if text else not all(smalltalk.is_small_talk(part, tongue) for part in said)
        foreign = bool(text) and tongue != language.detect(text)
        if says and not (asks_only and (told or foreign)):
            return True
        before = self._before.get(turn.turn_id)
        if before is None or asks_only or not _asks(before):
            return False
        return bool(_CONSENTS.match(content)) or not smalltalk.is_small_talk(content, tongue)


def _shares(content: str, text: str) -> bool:
    """Whether two texts have a content word in common; in two languages none can be."""
    tongue = language.detect(content)
    words = set(smalltalk.content_words(content, tongue))
    return bool(words if tongue != language.detect(text) else words & set(smalltalk.content_words(text, tongue)))


def _echoes(text: str, agents: str) -> bool:
    """Whether most of what ``text`` says was said by agents."""
    tongue = language.detect(text)
    words, theirs = smalltalk.content_words(text, tongue), set(smalltalk.content_words(agents, language.detect(agents)))
    return sum(word in theirs for word in words) >= _ECHO_SHARE * len(words)


def _asks(turn: Turn) -> bool:
    said = sentences.split(turn.content[-_HEAD_LETTERS:])
    return any(smalltalk.is_question(sentence, language.detect(sentence)) for sentence in said)


def _event(event: FoundEvent, said: Said) -> FoundEvent | None:
    facts = tuple(part for part in event.facts if said.backs(_sentence(part), part.turn_ids, told=True))
    statements = tuple(_resting(part, facts, said) for part in event.statements)
    statements = tuple(part for part in statements if said.backs(part.text, part.turn_ids))
    if not statements:
        return None
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


def _resting(statement: Statement, facts: Iterable[CandidateFact], said: Said) -> Statement:
    """A statement that names only the question, with the turns of the facts it tells beside it."""
    if any(said.is_person(turn_id) for turn_id in statement.turn_ids):
        return statement
    text = statement.text.casefold()
    told = {turn_id for fact in facts if fact.object.casefold() in text for turn_id in fact.turn_ids}
    ids = told.union(statement.turn_ids)
    return (
        replace(statement, turn_ids=tuple(turn_id for turn_id in said.turns if turn_id in ids)) if told else statement
    )


def _sentence(fact: CandidateFact) -> str:
    return f"{fact.subject} {fact.predicate.replace('_', ' ')} {fact.object}"


def _turns_of(parts: Iterable[Statement | CandidateFact]) -> set[str]:
    return set(chain.from_iterable(part.turn_ids for part in parts))
