"""The analyst that needs no model: rules for Chinese and English, the same answer every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hmind.analysis import grouping, pointers, salience, statements
from hmind.analysis.reading import Reading, read
from hmind.model import Analysis, CandidateFact, EntityType, FoundEntity, FoundEvent, Known, Segment, Statement

DESCRIPTION_LETTERS = 240
_SHORTEST_NICKNAME = 3
_MAYBE_PEOPLE = (EntityType.PERSON, EntityType.OBJECT)


class OfflineAnalyst:
    """Finds events, salience, names, times and facts by rules. Implements the Analyst protocol.

    Text is only ever data here: nothing a turn says reaches a prompt or changes a rule. It
    never raises for what people write.
    """

    @property
    def name(self) -> str:
        return "offline-1"

    def analyze(self, segment: Segment, known: Known) -> Analysis:
        """Every turn of ``segment`` ends in one event or among the discarded; same input, same answer."""
        readings = read(segment, known.entity_names)
        groups = grouping.group(readings)
        people = {reading.subject for reading in readings if reading.turn.by_person} - {"user"}
        events = []
        used: set[str] = set()
        for members in groups:
            event = _event(members, known, people, segment)
            events.append(event)
            used.update(event.turn_ids)
        discarded = {reading.turn.turn_id: reading.reason for reading in readings if reading.turn.turn_id not in used}
        return Analysis(tuple(events), discarded, self.name)


def _event(members: Sequence[Reading], known: Known, people: set[str], segment: Segment) -> FoundEvent:
    own = {turn.turn_id for turn in segment.turns}
    noted = [_notes(reading, own) for reading in pointers.explain(members)]
    facts = tuple(fact for reading in members for fact in _facts(reading))
    entities = _entities(members, people)
    told = [
        salience.Told(
            tuple(line.text for line in reading.lines),
            reading.language,
            _facts(reading),
            tuple(named.name for line in reading.lines for named in line.named),
            any(line.times for line in reading.lines),
        )
        for reading in members
    ]
    score, parts = salience.weigh(told, entities, known.entity_names, people)
    language = Counter(reading.language for reading in members).most_common(1)[0][0]
    ids = {turn_id for notes in noted for note in notes for turn_id in note.turn_ids}
    ids |= {reading.turn.turn_id for reading in members}
    first, last = members[0].turn.occurred_at, members[-1].turn.occurred_at
    return FoundEvent(
        description=_description(members, noted, told, language),
        statements=tuple(note for notes in noted for note in notes),
        salience=score,
        salience_parts=parts,
        occurred_at=first,
        occurred_until=last if last > first else None,
        turn_ids=tuple(turn.turn_id for turn in segment.turns if turn.turn_id in ids),
        entities=entities,
        facts=facts,
        language=language,
        emotion=_emotion(members, language),
    )


def _notes(reading: Reading, own: set[str]) -> list[Statement]:
    """The reading's statements, without the ids of turns outside the segment (an answered context turn)."""
    return [
        Statement(note.text, tuple(turn_id for turn_id in note.turn_ids if turn_id in own), note.occurred_at)
        for note in statements.write(reading)
    ]


def _facts(reading: Reading) -> tuple[CandidateFact, ...]:
    return tuple(
        CandidateFact(
            subject=claim.subject,
            predicate=claim.predicate,
            object=claim.object,
            confidence=claim.confidence,
            turn_ids=(reading.turn.turn_id,),
            told_by=reading.turn.speaker or "user",
            valid_from=claim.valid_from,
            valid_to=claim.valid_to,
        )
        for line in reading.lines
        for claim in line.claims
    )


def _entities(members: Sequence[Reading], people: set[str]) -> tuple[FoundEntity, ...]:
    """Names of the event with the turns that mention them; named speakers count as mentioned by what they tell."""
    found: dict[str, tuple[str, EntityType, dict[str, None], dict[str, None]]] = {}

    def mention(name: str, kind: EntityType, turn_id: str, aliases: Sequence[str] = ()) -> None:
        entry = found.setdefault(name.casefold(), (name, kind, {}, {}))
        entry[2][turn_id] = None
        entry[3].update(dict.fromkeys(alias for alias in aliases if alias != name))

    for reading in members:
        turn_id = reading.turn.turn_id
        if reading.subject != "user" and reading.lines:
            mention(reading.subject, EntityType.PERSON, turn_id)
        for line in reading.lines:
            for named in line.named:
                full = _full_name(named.name, people) if named.type in _MAYBE_PEOPLE else ""
                if full:
                    mention(full, EntityType.PERSON, turn_id, (named.name,))
                else:
                    mention(named.name, named.type, turn_id, named.aliases)
    return tuple(FoundEntity(name, kind, tuple(ids), tuple(aliases)) for name, kind, ids, aliases in found.values())


def _full_name(name: str, people: set[str]) -> str:
    """The speaker whom a nickname or first name means, or ""."""
    for person in sorted(people):
        if person == name or (len(name) >= _SHORTEST_NICKNAME and person.startswith(name)):
            return person
    return ""


def _description(
    members: Sequence[Reading], noted: Sequence[Sequence[Statement]], told: Sequence[salience.Told], language: str
) -> str:
    """The one or two statements that weigh most, in the order they were said."""
    weights = [salience.weigh([one], (), ())[0] for one in told]
    order = sorted(range(len(members)), key=lambda at: (-weights[at], at))
    chosen: list[int] = []
    length = 0
    for at in order[:3]:
        text = noted[at][0].text
        if chosen and (len(chosen) == 2 or length + len(text) > DESCRIPTION_LETTERS):
            continue
        chosen.append(at)
        length += len(text)
    return ("" if language == "zh" else " ").join(_closed(noted[at][0].text, language) for at in sorted(chosen))


def _closed(text: str, language: str) -> str:
    """``text`` with a full stop where it ends in a word."""
    return text + ("。" if language == "zh" else ".") if text[-1:].isalnum() else text


def _emotion(members: Sequence[Reading], language: str) -> str:
    text = " ".join(line.text for reading in members if reading.language == language for line in reading.lines)
    return salience.feeling(text, language)
