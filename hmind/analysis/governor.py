"""The cost governor: what a language model may cost a day, and what it did cost."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from hmind.analysis.llm_prompt import instructions
from hmind.memory import usage
from hmind.model import Analysis, Clock, Segment, utc_now
from hmind.settings import Settings

log = logging.getLogger(__name__)

USER, DEPLOYMENT = "user_tokens", "deployment_tokens"

CHARS_PER_TOKEN = 4
"""Of text in letters; a Chinese, Japanese or Korean character counts as a token of its own."""

_FIRST_OF_CJK = "\u2e80"


class Governor:
    """Holds calls against the budgets of a user and of the deployment.

    A call is refused once what was spent has reached a budget; calls that are under way then go
    beyond it. Days are those of ``schedule.timezone``.
    """

    def __init__(self, engine: Engine, settings: Settings, clock: Clock = utc_now) -> None:
        self._engine = engine
        self._of_all = settings.analysis.llm_tokens_per_day
        self._of_user = settings.analysis.llm_user_tokens_per_day
        self._zone = ZoneInfo(settings.schedule.timezone)
        self._clock = clock
        self._told: set[tuple[date, str, str]] = set()

    def refuses(self, segment: Segment) -> str | None:
        """Which budget is spent, ``user_tokens`` or ``deployment_tokens``; None when a call may be made."""
        if not self._of_all and not self._of_user:
            return None
        day, session = self._today(), segment.session
        with self._engine.connect() as connection:
            if self._of_all and usage.of_all(connection, day) >= self._of_all:
                return self._tell(day, DEPLOYMENT, "the deployment", self._of_all)
            if self._of_user and usage.of_user(connection, session.tenant, session.user_id, day) >= self._of_user:
                return self._tell(day, USER, f"user {session.user_id!r} of {session.tenant!r}", self._of_user)
        return None

    def note(self, segment: Segment, tokens_in: int, tokens_out: int, answer: Analysis | None = None) -> None:
        """Adds what a call cost to the day; nothing for one that cost nothing."""
        if tokens_in or tokens_out:
            self._spend(segment, tokens_in, tokens_out, 0)
        elif answer is not None:
            self.note_estimate(segment, answer)

    def note_estimate(self, segment: Segment, answer: Analysis | None = None) -> None:
        """Adds what a call must have cost whose endpoint reports no tokens, from the texts of both sides."""
        said = [turn.content for turn in (*segment.context, *segment.turns)]
        tokens_in = tokens_of(instructions()) + sum(map(tokens_of, said))
        found = [] if answer is None else [asdict(event) for event in answer.events]
        tokens_out = tokens_of(json.dumps(found, ensure_ascii=False, default=str))
        self._spend(segment, tokens_in, tokens_out, tokens_in + tokens_out)

    def next_day(self) -> datetime:
        """When the budgets start anew."""
        return datetime.combine(self._today() + timedelta(days=1), time.min, self._zone)

    def _today(self) -> date:
        return self._clock().astimezone(self._zone).date()

    def _spend(self, segment: Segment, tokens_in: int, tokens_out: int, estimated: int) -> None:
        session = segment.session
        with self._engine.begin() as connection:
            usage.spend(connection, session.tenant, session.user_id, self._today(), tokens_in, tokens_out, estimated)

    def _tell(self, day: date, budget: str, whose: str, tokens: int) -> str:
        """Says it once a day in each process."""
        if (day, budget, whose) not in self._told:
            self._told = {told for told in self._told if told[0] == day} | {(day, budget, whose)}
            log.warning("the %d tokens a day of %s are spent: the offline analyst reads until tomorrow", tokens, whose)
        return budget


def tokens_of(text: str) -> int:
    """About how many tokens a text has: a CJK character is one, of other characters four are."""
    wide = sum(char >= _FIRST_OF_CJK for char in text)
    return wide + -(-(len(text) - wide) // CHARS_PER_TOKEN)
