"""All tables as SQLAlchemy models. Changes to them are Alembic migrations, in migrations/versions.

Times are ``timestamptz``, UTC. Every table of memories starts its key with (tenant, user_id).
Rows that need work say so: ``state``, ``attempts``, ``due_at``, ``last_error``. Ids are joined by
hand, without foreign keys: a segment that is dropped must not take its memories along.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Identity,
    Index,
    Text,
    UniqueConstraint,
    Uuid,
)
from sqlalchemy import (
    text as sql,
)
from sqlalchemy.dialects.postgresql import DOUBLE_PRECISION, JSONB, TIMESTAMP
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Json = dict[str, Any]
Instant = TIMESTAMP(timezone=True)


class Base(DeclarativeBase):
    """Base of all models."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: Text,
        datetime: Instant,
        float: DOUBLE_PRECISION,
        list[str]: ARRAY(Text),
        Json: JSONB,
        list[Json]: JSONB,
    }


def _uuid(**kwargs: Any) -> Mapped[str]:
    return mapped_column(Uuid(as_uuid=False), **kwargs)


class MetaRow(Base):
    """What this database was set up with, e.g. the memory embedder and its dimension."""

    __tablename__ = "meta"
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[Json]


class LedgerRow(Base):
    """One row per turn ever accepted, no text: what became of it, and why."""

    __tablename__ = "ledger"
    tenant: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(primary_key=True)
    turn_id: Mapped[str] = mapped_column(primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, Identity(always=True))
    role: Mapped[str]
    origin: Mapped[str]
    occurred_at: Mapped[datetime]
    received_at: Mapped[datetime]
    state: Mapped[str]
    reason: Mapped[str | None]
    segment_id: Mapped[str | None] = _uuid()
    sightings: Mapped[int] = mapped_column(server_default=sql("1"))
    updated_at: Mapped[datetime]
    __table_args__ = (
        Index(
            "ledger_waiting",
            "tenant",
            "user_id",
            "session_id",
            "occurred_at",
            "seq",
            postgresql_where=sql("state = 'waiting'"),
        ),
        Index("ledger_stale", "received_at", postgresql_where=sql("state = 'waiting'")),
        Index("ledger_segment", "segment_id"),
        Index("ledger_time", "tenant", "user_id", "occurred_at"),
    )


class WindowRow(Base):
    """One row per session: when its open window has to be looked at next, if it is open.

    ``due_at`` is null when nothing waits. A ``held`` window belongs to an import that brings the
    session whole: only a flush, or its due time, closes it. ``last_seq`` guards the closing of a window against
    a turn that comes in at the same moment.
    """

    __tablename__ = "windows"
    tenant: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(primary_key=True)
    last_seq: Mapped[int] = mapped_column(BigInteger)
    last_occurred_at: Mapped[datetime]
    last_received_at: Mapped[datetime]
    due_at: Mapped[datetime | None]
    flush_seq: Mapped[int | None] = mapped_column(BigInteger)
    held: Mapped[bool] = mapped_column(server_default=sql("false"))
    attempts: Mapped[int] = mapped_column(server_default=sql("0"))
    last_error: Mapped[str | None]
    __table_args__ = (Index("windows_due", "due_at", postgresql_where=sql("due_at is not null")),)


class SegmentRow(Base):
    """A closed window. ``turns`` and ``context`` hold its text and are emptied after 7 days.

    ``backfill``: it came by an import; a user's segments are analysed in order of time, those of an
    import among themselves, so that a long one does not delay what is said today.
    ``outcome``: of the analyst that was wanted, ``complete``, ``partial`` or ``failed``, with the reason in
    ``outcome_reason``; ``analyst`` is the one whose events these are. ``again_at``: when the wanted one is
    asked again, null if not.
    """

    __tablename__ = "segments"
    id: Mapped[str] = _uuid(primary_key=True)
    tenant: Mapped[str]
    user_id: Mapped[str]
    session_id: Mapped[str]
    boundary: Mapped[str]
    measured: Mapped[float | None]
    threshold: Mapped[float | None]
    opened_at: Mapped[datetime]
    closed_at: Mapped[datetime]
    turn_count: Mapped[int]
    rounds: Mapped[int]
    backfill: Mapped[bool] = mapped_column(server_default=sql("false"))
    turns: Mapped[list[Json] | None]
    context: Mapped[list[Json] | None]
    state: Mapped[str]
    analyst: Mapped[str | None]
    outcome: Mapped[str | None]
    outcome_reason: Mapped[str | None]
    tokens_in: Mapped[int] = mapped_column(server_default=sql("0"))
    tokens_out: Mapped[int] = mapped_column(server_default=sql("0"))
    attempts: Mapped[int] = mapped_column(server_default=sql("0"))
    due_at: Mapped[datetime | None]
    again_at: Mapped[datetime | None]
    again_attempts: Mapped[int] = mapped_column(server_default=sql("0"))
    last_error: Mapped[str | None]
    created_at: Mapped[datetime]
    __table_args__ = (
        Index("segments_again", "again_at", postgresql_where=sql("again_at is not null")),
        Index("segments_due", "due_at", postgresql_where=sql("state = 'closed'")),
        Index("segments_user", "tenant", "user_id", "closed_at"),
        Index("segments_order", "tenant", "user_id", "opened_at", "id", postgresql_where=sql("state = 'closed'")),
        Index("segments_text", "created_at", postgresql_where=sql("turns is not null")),
    )


class UsageRow(Base):
    """What a language model cost a user on a day of schedule.timezone.

    ``estimated``: how many of the tokens were estimated, since the endpoint reported none.
    """

    __tablename__ = "llm_usage"
    tenant: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    calls: Mapped[int] = mapped_column(BigInteger, server_default=sql("0"))
    tokens_in: Mapped[int] = mapped_column(BigInteger, server_default=sql("0"))
    tokens_out: Mapped[int] = mapped_column(BigInteger, server_default=sql("0"))
    estimated: Mapped[int] = mapped_column(BigInteger, server_default=sql("0"))
    __table_args__ = (Index("llm_usage_day", "day", postgresql_include=["tokens_in", "tokens_out"]),)


class EventRow(Base):
    """The event pool: what an analyst found, and after the promoter's run what was decided.

    ``told_at`` is when its segment began, ``occurred_at`` when what it tells of happened.
    """

    __tablename__ = "events"
    id: Mapped[str] = _uuid(primary_key=True)
    tenant: Mapped[str]
    user_id: Mapped[str]
    session_id: Mapped[str]
    segment_id: Mapped[str] = _uuid()
    ordinal: Mapped[int]
    description: Mapped[str | None]
    statements: Mapped[list[Json] | None]
    entities: Mapped[list[Json] | None]
    facts: Mapped[list[Json] | None]
    salience: Mapped[float]
    salience_parts: Mapped[Json]
    emotion: Mapped[str]
    language: Mapped[str]
    told_at: Mapped[datetime]
    occurred_at: Mapped[datetime]
    occurred_until: Mapped[datetime | None]
    turn_ids: Mapped[list[str]]
    state: Mapped[str]
    decision: Mapped[Json | None]
    attempts: Mapped[int] = mapped_column(server_default=sql("0"))
    due_at: Mapped[datetime]
    last_error: Mapped[str | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    __table_args__ = (
        UniqueConstraint("segment_id", "ordinal", name="events_segment_ordinal"),
        Index("events_pool", "tenant", "user_id", "due_at", postgresql_where=sql("state = 'pool'")),
        Index("events_due", "due_at", postgresql_where=sql("state = 'pool'")),
        Index("events_user", "tenant", "user_id", "occurred_at"),
        Index("events_text", "expires_at", postgresql_where=sql("statements is not null")),
    )


class GistRow(Base):
    """A self-contained sentence with its vector; layer L2, or L4 when its event was promoted.

    Partitioned by hash of the user, so that one user's rows lie together and search within a
    user is exact (measured: an index over all users finds the wrong neighbours).
    ``importance`` is the effective one; decay computes it from ``base_importance``.
    """

    __tablename__ = "gists"
    tenant: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = _uuid(primary_key=True)
    event_id: Mapped[str] = _uuid()
    ordinal: Mapped[int]
    layer: Mapped[str]
    session_id: Mapped[str]
    text: Mapped[str]
    keywords: Mapped[list[str]]
    embedding: Mapped[Any] = mapped_column(HALFVEC())
    source_turns: Mapped[list[str]]
    occurred_at: Mapped[datetime]
    created_at: Mapped[datetime]
    base_importance: Mapped[float]
    importance: Mapped[float]
    last_used_at: Mapped[datetime]
    use_count: Mapped[int] = mapped_column(server_default=sql("0"))
    state: Mapped[str] = mapped_column(server_default=sql("'live'"))
    evicted_at: Mapped[datetime | None]
    merged_into: Mapped[str | None] = _uuid()
    merged_from: Mapped[list[str]] = mapped_column(ARRAY(Uuid(as_uuid=False)), server_default=sql("'{}'"))
    merged_at: Mapped[datetime | None]
    __table_args__ = (
        UniqueConstraint("tenant", "user_id", "event_id", "ordinal", name="gists_event_ordinal"),
        {"postgresql_partition_by": "HASH (tenant, user_id)"},
    )


class EntityRow(Base):
    """L3: a named person, place, object, organisation or happening."""

    __tablename__ = "entities"
    id: Mapped[str] = _uuid(primary_key=True)
    tenant: Mapped[str]
    user_id: Mapped[str]
    name: Mapped[str]
    name_key: Mapped[str]
    type: Mapped[str]
    aliases: Mapped[list[str]] = mapped_column(server_default=sql("'{}'"))
    mention_count: Mapped[int] = mapped_column(server_default=sql("0"))
    first_seen_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    __table_args__ = (UniqueConstraint("tenant", "user_id", "name_key", name="entities_name"),)


class MentionRow(Base):
    """That an event mentions an entity, and in which turns."""

    __tablename__ = "mentions"
    entity_id: Mapped[str] = _uuid(primary_key=True)
    event_id: Mapped[str] = _uuid(primary_key=True)
    tenant: Mapped[str]
    user_id: Mapped[str]
    session_id: Mapped[str]
    turn_ids: Mapped[list[str]]
    occurred_at: Mapped[datetime]
    __table_args__ = (Index("mentions_user", "tenant", "user_id", "occurred_at"),)


class FactRow(Base):
    """L4: subject, predicate, object with two clocks: true from/to, known from/to."""

    __tablename__ = "facts"
    id: Mapped[str] = _uuid(primary_key=True)
    tenant: Mapped[str]
    user_id: Mapped[str]
    event_id: Mapped[str] = _uuid()
    session_id: Mapped[str]
    subject: Mapped[str]
    predicate: Mapped[str]
    object: Mapped[str]
    confidence: Mapped[float]
    told_by: Mapped[str]
    source_turns: Mapped[list[str]]
    valid_from: Mapped[datetime | None]
    valid_to: Mapped[datetime | None]
    recorded_at: Mapped[datetime]
    invalidated_at: Mapped[datetime | None]
    superseded_by: Mapped[str | None] = _uuid()
    last_used_at: Mapped[datetime]
    use_count: Mapped[int] = mapped_column(server_default=sql("0"))
    __table_args__ = (
        UniqueConstraint("tenant", "user_id", "event_id", "subject", "predicate", "object", name="facts_once"),
        Index("facts_subject", "tenant", "user_id", "subject", "predicate"),
    )


class ReviewRow(Base):
    """A candidate fact that waits for a person.

    ``subject`` and ``object`` are emptied some days after it was rejected or lapsed; ``digest``
    (of subject, predicate and object, see hmind.memory.facts.digest) stays, so that the same
    words are known when they are said again.
    """

    __tablename__ = "reviews"
    id: Mapped[str] = _uuid(primary_key=True)
    tenant: Mapped[str]
    user_id: Mapped[str]
    event_id: Mapped[str] = _uuid()
    session_id: Mapped[str]
    subject: Mapped[str | None]
    predicate: Mapped[str]
    object: Mapped[str | None]
    digest: Mapped[str]
    confidence: Mapped[float]
    told_by: Mapped[str]
    source_turns: Mapped[list[str]]
    valid_from: Mapped[datetime | None]
    valid_to: Mapped[datetime | None]
    state: Mapped[str] = mapped_column(server_default=sql("'pending'"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    __table_args__ = (
        UniqueConstraint("tenant", "user_id", "event_id", "subject", "predicate", "object", name="reviews_once"),
        Index("reviews_pending", "tenant", "user_id", "expires_at", postgresql_where=sql("state = 'pending'")),
        Index("reviews_digest", "tenant", "user_id", "digest"),
        Index("reviews_text", "decided_at", postgresql_where=sql("object is not null and decided_at is not null")),
    )


class ProfileRow(Base):
    """core_values, rules, status and reflection summary of one user."""

    __tablename__ = "profiles"
    tenant: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(primary_key=True)
    core_values: Mapped[list[str]] = mapped_column(server_default=sql("'{}'"))
    rules: Mapped[list[str]] = mapped_column(server_default=sql("'{}'"))
    status: Mapped[Json] = mapped_column(server_default=sql("'{}'"))
    reflection: Mapped[str] = mapped_column(server_default=sql("''"))
    updated_at: Mapped[datetime]


class DeadLetterRow(Base):
    """A message that could not become a turn, and the field at fault.

    ``payload`` is its text as it came, emptied after 72 h like every raw turn.
    """

    __tablename__ = "dead_letters"
    id: Mapped[str] = _uuid(primary_key=True)
    tenant: Mapped[str | None]
    user_id: Mapped[str | None]
    session_id: Mapped[str | None]
    turn_id: Mapped[str | None]
    origin: Mapped[str]
    field: Mapped[str]
    reason: Mapped[str]
    payload: Mapped[str | None]
    received_at: Mapped[datetime]
    __table_args__ = (Index("dead_letters_time", "received_at"),)


class AuditRow(Base):
    """Who changed what, when. Ids and values of settings, never a user's text."""

    __tablename__ = "audit"
    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[datetime]
    tenant: Mapped[str]
    user_id: Mapped[str]
    actor: Mapped[str]
    action: Mapped[str]
    target_kind: Mapped[str]
    target_id: Mapped[str]
    details: Mapped[Json] = mapped_column(server_default=sql("'{}'"))
    __table_args__ = (Index("audit_target", "tenant", "user_id", "target_kind", "target_id"),)
