"""What a language model cost, per user and day: noting it, and adding it up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection, text

_SPEND = text("""
INSERT INTO llm_usage (tenant, user_id, day, calls, tokens_in, tokens_out, estimated)
VALUES (:tenant, :user_id, :day, 1, :tokens_in, :tokens_out, :estimated)
ON CONFLICT (tenant, user_id, day) DO UPDATE SET calls = llm_usage.calls + 1,
    tokens_in = llm_usage.tokens_in + excluded.tokens_in, tokens_out = llm_usage.tokens_out + excluded.tokens_out,
    estimated = llm_usage.estimated + excluded.estimated
""")
_OF_USER = text("""
SELECT tokens_in + tokens_out FROM llm_usage WHERE tenant = :tenant AND user_id = :user_id AND day = :day
""")
_OF_ALL = text("SELECT coalesce(sum(tokens_in + tokens_out), 0)::bigint FROM llm_usage WHERE day = :day")
_OF_DAY = text("""
SELECT count(*) AS users, coalesce(sum(calls), 0)::bigint AS calls,
    coalesce(sum(tokens_in), 0)::bigint AS tokens_in, coalesce(sum(tokens_out), 0)::bigint AS tokens_out,
    coalesce(sum(estimated), 0)::bigint AS estimated, coalesce(max(tokens_in + tokens_out), 0) AS most_of_a_user
FROM llm_usage WHERE day = :day AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
""")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a day cost.

    Attributes:
        calls: segments that the language model was asked about and that cost something.
        estimated: how many of the tokens were estimated, since the endpoint reported none.
        most_of_a_user: tokens of the user who cost most.
    """

    users: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    most_of_a_user: int = 0

    @property
    def tokens(self) -> int:
        """In and out together, which is what budgets count."""
        return self.tokens_in + self.tokens_out


def spend(
    connection: Connection, tenant: str, user_id: str, day: date, tokens_in: int, tokens_out: int, estimated: int = 0
) -> None:
    """Adds what a call cost to the user's day."""
    values = {"tenant": tenant, "user_id": user_id, "day": day}
    connection.execute(_SPEND, {**values, "tokens_in": tokens_in, "tokens_out": tokens_out, "estimated": estimated})


def of_user(connection: Connection, tenant: str, user_id: str, day: date) -> int:
    """Tokens that the user cost on a day."""
    values = {"tenant": tenant, "user_id": user_id, "day": day}
    return connection.execute(_OF_USER, values).scalar_one_or_none() or 0


def of_all(connection: Connection, day: date) -> int:
    """Tokens that all users of all tenants cost on a day."""
    total: int = connection.execute(_OF_ALL, {"day": day}).scalar_one()
    return total


def of_day(connection: Connection, day: date, tenant: str | None = None) -> Usage:
    """What a day cost; of one tenant, or of all."""
    return Usage(**connection.execute(_OF_DAY, {"day": day, "tenant": tenant}).one()._mapping)
