"""Outcomes of analyses, segments that are analysed again, and what a language model cost each day.

Only additions: workers of the version before go on working.
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
    ALTER TABLE segments
        ADD COLUMN outcome_reason TEXT,
        ADD COLUMN again_at TIMESTAMP WITH TIME ZONE,
        ADD COLUMN again_attempts INTEGER DEFAULT 0 NOT NULL;
    CREATE INDEX segments_again ON segments (again_at) WHERE again_at is not null;
    CREATE TABLE llm_usage (
        tenant TEXT NOT NULL,
        user_id TEXT NOT NULL,
        day DATE NOT NULL,
        calls BIGINT DEFAULT 0 NOT NULL,
        tokens_in BIGINT DEFAULT 0 NOT NULL,
        tokens_out BIGINT DEFAULT 0 NOT NULL,
        estimated BIGINT DEFAULT 0 NOT NULL,
        PRIMARY KEY (tenant, user_id, day)
    );
    CREATE INDEX llm_usage_day ON llm_usage (day) INCLUDE (tokens_in, tokens_out);
    """)


def downgrade() -> None:
    op.execute("""
    DROP TABLE llm_usage;
    DROP INDEX segments_again;
    ALTER TABLE segments DROP COLUMN outcome_reason, DROP COLUMN again_at, DROP COLUMN again_attempts;
    """)
