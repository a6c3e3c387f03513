"""The records that travel between the rooms of H-Mind. Frozen, plain, and free of any store.

The words are those of docs/concepts.md. Rows of the database live in hmind.storage.schema,
wire messages in hmind.intake.wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

Clock = Callable[[], datetime]
"""Tells the time now, aware and in UTC. Tests pass their own."""


def utc_now() -> datetime:
    """The system's time, aware, in UTC."""
    return datetime.now(UTC)


class Role(StrEnum):
    """Who speaks. Only a ``user`` turn can become a fact about its speaker."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Boundary(StrEnum):
    """Why a window closed."""

    SILENCE = "silence"
    CLOSING_PHRASE = "closing_phrase"
    TOPIC_SHIFT = "topic_shift"
    MAX_ROUNDS = "max_rounds"
    DAILY = "daily"
    FLUSH = "flush"


class Layer(StrEnum):
    """Where a recollection comes from. In order of priority: L4, L1, L2, L3."""

    L1 = "L1"
    L2 = "L2"
    L3 = "L3"
    L4 = "L4"


class TurnState(StrEnum):
    """What became of a turn. The last four are final."""

    WAITING = "waiting"
    SEGMENTED = "segmented"
    REMEMBERED = "remembered"
    DISCARDED = "discarded"
    EXPIRED = "expired"
    DEAD_LETTERED = "dead_lettered"


class SegmentState(StrEnum):
    """``closed`` waits for the analyst, ``analysed`` is done, ``failed`` gave up."""

    CLOSED = "closed"
    ANALYSED = "analysed"
    FAILED = "failed"


class EventState(StrEnum):
    """``pool`` waits for the promoter; the others are final.

    ``replaced``: its segment was analysed again, by the analyst that was wanted and had failed.
    """

    POOL = "pool"
    FLASHBULB = "flashbulb"
    LONG_TERM = "long_term"
    DISCARDED = "discarded"
    EXPIRED = "expired"
    REPLACED = "replaced"


class EntityType(StrEnum):
    """What an entity is."""

    PERSON = "person"
    PLACE = "place"
    ORGANISATION = "organisation"
    OBJECT = "object"
    HAPPENING = "happening"


@dataclass(frozen=True, slots=True)
class SessionRef:
    """One conversation of one user. Users never meet: every query and key carries all three."""

    tenant: str
    user_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message, cleaned and accepted.

    Attributes:
        speaker: the person's (or agent's) name; the role's name where the producer gave none.
        occurred_at: when it was said, by the speaker's clock, aware, UTC.
        received_at: when intake accepted it, by our clock, aware, UTC.
        seq: order of intake within the session; settles ties of occurred_at. 0 before intake.
    """

    tenant: str
    user_id: str
    session_id: str
    turn_id: str
    role: Role
    speaker: str
    content: str
    occurred_at: datetime
    received_at: datetime
    seq: int = 0

    @property
    def session(self) -> SessionRef:
        return SessionRef(self.tenant, self.user_id, self.session_id)

    @property
    def by_person(self) -> bool:
        """Whether a person said it, so that it may become a fact about its speaker."""
        return self.role is Role.USER


@dataclass(frozen=True, slots=True)
class Segment:
    """A closed window, immutable.

    Attributes:
        turns: in order of (occurred_at, seq); never empty.
        context: earlier turns of the same session, given to the analyst when the segment is
            short. They are not part of it and no event may be drawn from them.
        boundary: why it closed.
        measured: the value behind the reason: seconds of silence, cosine of the shift, number
            of rounds; None where nothing was measured (daily, flush, closing phrase).
        threshold: what ``measured`` was held against, or None.
    """

    id: str
    session: SessionRef
    turns: tuple[Turn, ...]
    boundary: Boundary
    measured: float | None = None
    threshold: float | None = None
    context: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A self-contained sentence about an event; becomes a gist when its event is promoted.

    Attributes:
        turn_ids: the turns it was drawn from; never empty.
        occurred_at: when what it tells of happened (a resolved "yesterday"), or None for the
            time of its event.
    """

    text: str
    turn_ids: tuple[str, ...]
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """A named thing seen in an event. ``turn_ids`` are the turns that mention it."""

    name: str
    type: EntityType
    turn_ids: tuple[str, ...]
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateFact:
    """A triple that an analyst proposes; the promoter decides whether it is written.

    Attributes:
        subject: ``user`` for the owner of the memory, else a name.
        predicate: lower_snake_case, e.g. ``lives_in``, ``allergic_to``.
        valid_from, valid_to: when it is true in the world; None is unknown or open.
        confidence: 0 to 1.
        told_by: the speaker who said it.
    """

    subject: str
    predicate: str
    object: str
    confidence: float
    turn_ids: tuple[str, ...]
    told_by: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """What an analyst found in a segment.

    Attributes:
        description: one or two sentences, third person, in the language of the talk.
        statements: the sentences worth keeping, at least one.
        salience: 0 to 1.
        salience_parts: the summands and multipliers behind ``salience``, by name.
        occurred_at, occurred_until: when it happened, UTC; ``until`` is None for a moment.
        turn_ids: all turns it rests on, in order.
        language: BCP 47 primary tag of the talk, ``zh`` or ``en``.
        emotion: a word, or "" where none was found.
    """

    description: str
    statements: tuple[Statement, ...]
    salience: float
    salience_parts: Mapping[str, float]
    occurred_at: datetime
    turn_ids: tuple[str, ...]
    occurred_until: datetime | None = None
    entities: tuple[FoundEntity, ...] = ()
    facts: tuple[CandidateFact, ...] = ()
    language: str = "en"
    emotion: str = ""


@dataclass(frozen=True, slots=True)
class Analysis:
    """An analyst's whole answer about one segment.

    Every turn of the segment is either in some event's ``turn_ids`` or a key of ``discarded``.

    Attributes:
        discarded: turn_id to reason, e.g. ``small_talk``, ``no_content``, ``agent_talk``.
        analyst: who answered, e.g. ``offline-1`` or ``llm:qwen3``.
        outcome: ``complete``, or ``partial`` when some of the segment could not be analysed.
        tokens_in, tokens_out, calls: what it cost; 0 offline. A segment asked about in pieces took several calls.
        why: a fixed word for what made it partial, "" when complete. An answer that ended early: ``cut``,
            ``budget``. None: ``empty``, ``not_json``, ``no_event``, ``refusal``, ``too_long``, ``rejected``,
            ``unavailable``. Without worth: ``repeats_itself``, ``copied``, ``unrelated``, ``identical``,
            ``no_salience``, ``nothing_found``. ``lost``: parts of it were of no known form. ``shortened``:
            a turn was not shown whole.
    """

    events: tuple[FoundEvent, ...]
    discarded: Mapping[str, str]
    analyst: str
    outcome: str = "complete"
    tokens_in: int = 0
    tokens_out: int = 0
    why: str = ""
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """What an analyst may know of the user before it reads: names of entities already kept."""

    entity_names: frozenset[str] = frozenset()
    core_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recollection:
    """One item that recall returns.

    Attributes:
        score: what it is ranked by; ``parts`` are its summands by name (vector,
            keyword, event, time, importance, layer).
        source_turns: ids of the turns it rests on, best first.
        flags: e.g. ``possibly_outdated``.
    """

    layer: Layer
    id: str
    text: str
    score: float
    parts: Mapping[str, float]
    occurred_at: datetime | None
    session_id: str | None
    event_id: str | None
    source_turns: tuple[str, ...]
    flags: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
