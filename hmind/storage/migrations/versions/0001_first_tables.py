"""The first tables: ledger, windows, segments, events, gists, entities, facts, reviews, profiles."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

GIST_PARTITIONS = 16

TABLES = """
CREATE TABLE audit (
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    details JSONB DEFAULT '{}' NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX audit_target ON audit (tenant, user_id, target_kind, target_id);
CREATE TABLE dead_letters (
    id UUID NOT NULL,
    tenant TEXT,
    user_id TEXT,
    session_id TEXT,
    turn_id TEXT,
    origin TEXT NOT NULL,
    field TEXT NOT NULL,
    reason TEXT NOT NULL,
    payload TEXT,
    received_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX dead_letters_time ON dead_letters (received_at);
CREATE TABLE entities (
    id UUID NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    type TEXT NOT NULL,
    aliases TEXT[] DEFAULT '{}' NOT NULL,
    mention_count INTEGER DEFAULT 0 NOT NULL,
    first_seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
    last_seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT entities_name UNIQUE (tenant, user_id, name_key)
);
CREATE TABLE events (
    id UUID NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    segment_id UUID NOT NULL,
    ordinal INTEGER NOT NULL,
    description TEXT,
    statements JSONB,
    entities JSONB,
    facts JSONB,
    salience DOUBLE PRECISION NOT NULL,
    salience_parts JSONB NOT NULL,
    emotion TEXT NOT NULL,
    language TEXT NOT NULL,
    told_at TIMESTAMP WITH TIME ZONE NOT NULL,
    occurred_at TIMESTAMP WITH TIME ZONE NOT NULL,
    occurred_until TIMESTAMP WITH TIME ZONE,
    turn_ids TEXT[] NOT NULL,
    state TEXT NOT NULL,
    decision JSONB,
    attempts INTEGER DEFAULT 0 NOT NULL,
    due_at TIMESTAMP WITH TIME ZONE NOT NULL,
    last_error TEXT,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT events_segment_ordinal UNIQUE (segment_id, ordinal)
);
CREATE INDEX events_due ON events (due_at) WHERE state = 'pool';
CREATE INDEX events_pool ON events (tenant, user_id, due_at) WHERE state = 'pool';
CREATE INDEX events_text ON events (expires_at) WHERE statements is not null;
CREATE INDEX events_user ON events (tenant, user_id, occurred_at);
CREATE TABLE facts (
    id UUID NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    event_id UUID NOT NULL,
    session_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    told_by TEXT NOT NULL,
    source_turns TEXT[] NOT NULL,
    valid_from TIMESTAMP WITH TIME ZONE,
    valid_to TIMESTAMP WITH TIME ZONE,
    recorded_at TIMESTAMP WITH TIME ZONE NOT NULL,
    invalidated_at TIMESTAMP WITH TIME ZONE,
    superseded_by UUID,
    last_used_at TIMESTAMP WITH TIME ZONE NOT NULL,
    use_count INTEGER DEFAULT 0 NOT NULL,
    PRIMARY KEY (id),
    CONSTRAINT facts_once UNIQUE (tenant, user_id, event_id, subject, predicate, object)
);
CREATE INDEX facts_subject ON facts (tenant, user_id, subject, predicate);
CREATE TABLE gists (
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id UUID NOT NULL,
    event_id UUID NOT NULL,
    ordinal INTEGER NOT NULL,
    layer TEXT NOT NULL,
    session_id TEXT NOT NULL,
    text TEXT NOT NULL,
    keywords TEXT[] NOT NULL,
    embedding HALFVEC NOT NULL,
    source_turns TEXT[] NOT NULL,
    occurred_at TIMESTAMP WITH TIME ZONE NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    base_importance DOUBLE PRECISION NOT NULL,
    importance DOUBLE PRECISION NOT NULL,
    last_used_at TIMESTAMP WITH TIME ZONE NOT NULL,
    use_count INTEGER DEFAULT 0 NOT NULL,
    state TEXT DEFAULT 'live' NOT NULL,
    evicted_at TIMESTAMP WITH TIME ZONE,
    merged_into UUID,
    merged_from UUID[] DEFAULT '{}' NOT NULL,
    merged_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, user_id, id),
    CONSTRAINT gists_event_ordinal UNIQUE (tenant, user_id, event_id, ordinal)
) PARTITION BY HASH (tenant, user_id);
CREATE TABLE ledger (
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    seq BIGINT GENERATED ALWAYS AS IDENTITY,
    role TEXT NOT NULL,
    origin TEXT NOT NULL,
    occurred_at TIMESTAMP WITH TIME ZONE NOT NULL,
    received_at TIMESTAMP WITH TIME ZONE NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    segment_id UUID,
    sightings INTEGER DEFAULT 1 NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (tenant, user_id, session_id, turn_id)
);
CREATE INDEX ledger_segment ON ledger (segment_id);
CREATE INDEX ledger_stale ON ledger (received_at) WHERE state = 'waiting';
CREATE INDEX ledger_time ON ledger (tenant, user_id, occurred_at);
CREATE INDEX ledger_waiting ON ledger (tenant, user_id, session_id, occurred_at, seq) WHERE state = 'waiting';
CREATE TABLE mentions (
    entity_id UUID NOT NULL,
    event_id UUID NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    turn_ids TEXT[] NOT NULL,
    occurred_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (entity_id, event_id)
);
CREATE INDEX mentions_user ON mentions (tenant, user_id, occurred_at);
CREATE TABLE meta (
    key TEXT NOT NULL,
    value JSONB NOT NULL,
    PRIMARY KEY (key)
);
CREATE TABLE profiles (
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    core_values TEXT[] DEFAULT '{}' NOT NULL,
    rules TEXT[] DEFAULT '{}' NOT NULL,
    status JSONB DEFAULT '{}' NOT NULL,
    reflection TEXT DEFAULT '' NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (tenant, user_id)
);
CREATE TABLE reviews (
    id UUID NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    event_id UUID NOT NULL,
    session_id TEXT NOT NULL,
    subject TEXT,
    predicate TEXT NOT NULL,
    object TEXT,
    digest TEXT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    told_by TEXT NOT NULL,
    source_turns TEXT[] NOT NULL,
    valid_from TIMESTAMP WITH TIME ZONE,
    valid_to TIMESTAMP WITH TIME ZONE,
    state TEXT DEFAULT 'pending' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
    decided_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (id),
    CONSTRAINT reviews_once UNIQUE (tenant, user_id, event_id, subject, predicate, object)
);
CREATE INDEX reviews_pending ON reviews (tenant, user_id, expires_at) WHERE state = 'pending';
CREATE INDEX reviews_digest ON reviews (tenant, user_id, digest);
CREATE INDEX reviews_text ON reviews (decided_at) WHERE object IS NOT NULL AND decided_at IS NOT NULL;
CREATE TABLE segments (
    id UUID NOT NULL,
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    boundary TEXT NOT NULL,
    measured DOUBLE PRECISION,
    threshold DOUBLE PRECISION,
    opened_at TIMESTAMP WITH TIME ZONE NOT NULL,
    closed_at TIMESTAMP WITH TIME ZONE NOT NULL,
    turn_count INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    backfill BOOLEAN DEFAULT false NOT NULL,
    turns JSONB,
    context JSONB,
    state TEXT NOT NULL,
    analyst TEXT,
    outcome TEXT,
    tokens_in INTEGER DEFAULT 0 NOT NULL,
    tokens_out INTEGER DEFAULT 0 NOT NULL,
    attempts INTEGER DEFAULT 0 NOT NULL,
    due_at TIMESTAMP WITH TIME ZONE,
    last_error TEXT,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (id)
);
CREATE INDEX segments_due ON segments (due_at) WHERE state = 'closed';
CREATE INDEX segments_order ON segments (tenant, user_id, opened_at, id) WHERE state = 'closed';
CREATE INDEX segments_text ON segments (created_at) WHERE turns is not null;
CREATE INDEX segments_user ON segments (tenant, user_id, closed_at);
CREATE TABLE windows (
    tenant TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    last_seq BIGINT NOT NULL,
    last_occurred_at TIMESTAMP WITH TIME ZONE NOT NULL,
    last_received_at TIMESTAMP WITH TIME ZONE NOT NULL,
    due_at TIMESTAMP WITH TIME ZONE,
    flush_seq BIGINT,
    held BOOLEAN DEFAULT false NOT NULL,
    attempts INTEGER DEFAULT 0 NOT NULL,
    last_error TEXT,
    PRIMARY KEY (tenant, user_id, session_id)
);
CREATE INDEX windows_due ON windows (due_at) WHERE due_at is not null;
"""


def upgrade() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.execute(TABLES)
    for part in range(GIST_PARTITIONS):
        op.execute(
            f"CREATE TABLE gists_{part:02} PARTITION OF gists "
            f"FOR VALUES WITH (MODULUS {GIST_PARTITIONS}, REMAINDER {part})"
        )


def downgrade() -> None:
    for table in (
        "audit", "dead_letters", "entities", "events", "facts", "gists", "ledger", "mentions",
        "meta", "profiles", "reviews", "segments", "windows",
    ):
        op.execute(f"DROP TABLE {table}")
