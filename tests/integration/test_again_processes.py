"""Real workers and Beat with a language model that first refuses, is then away, and then answers."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from servers.openai_server import OpenAIServer, Request, Response, completion, failure
from sqlalchemy import text
from support.again import GOOD, TALK, good
from support.waiting import wait_for
from support.workers import STAGES, wait_until_final, working

from hmind.bootstrap import Hmind
from hmind.settings import Settings

USERS = 6
# So long ago that what is found is due for promotion at once.
DAYS_AGO = datetime.now(UTC) - timedelta(days=9)


class Moody:
    """What the model does, until it is told to do otherwise; ``asked`` counts by mood."""

    def __init__(self) -> None:
        self.mood = "refuses"
        self.asked = {"refuses": 0, "away": 0, "answers": 0}

    def __call__(self, request: Request) -> Response:
        self.asked[self.mood] += 1
        return {"refuses": completion(None, refusal="No."), "away": failure(503), "answers": good()}[self.mood]


def environment(server: OpenAIServer) -> dict[str, str]:
    return {
        "HMIND_ANALYSIS_LLM_URL": server.url,
        "HMIND_ANALYSIS_LLM_MODEL": "qwen-test",
        "HMIND_ANALYSIS_LLM_ATTEMPTS": "1",
        "HMIND_ANALYSIS_LLM_TIMEOUT_S": "2",
        "HMIND_ANALYSIS_LLM_PIECES": "0",
        "HMIND_ANALYSIS_AGAIN_AFTER_S": "0.5",
        "HMIND_ANALYSIS_AGAIN_ATTEMPTS": "50",
        "HMIND_SCHEDULE_AGAIN_S": "1",
        "HMIND_UPKEEP_LEASE_S": "1",
        "HMIND_BOUNDARY_COHERENCE": "false",
    }


def push(app: Hmind, user: str) -> None:
    for n, line in enumerate(TALK):
        speaker, _, content = line.partition(": ")
        turn = {"user_id": user, "session_id": "s", "role": "assistant" if speaker == "Agent" else "user"}
        turn |= {"speaker": speaker, "content": content, "occurred_at": (DAYS_AGO + timedelta(seconds=n)).isoformat()}
        app.redis.xadd("hmind:turns", {"turn": json.dumps(turn)})
    app.redis.xadd("hmind:turns", {"flush": json.dumps({"user_id": user, "session_id": "s"})})


def test_what_the_model_failed_is_read_again_once_it_answers(settings: Settings, tmp_path: Path) -> None:
    app = Hmind(settings)
    app.migrate()
    model = Moody()
    turns = USERS * len(TALK)

    def count(query: str) -> int:
        with app.engine.connect() as connection:
            return int(connection.execute(text(query)).scalar_one())

    def read_by(analyst: str) -> int:
        return count(f"SELECT count(*) FROM segments WHERE analyst = '{analyst}' AND state = 'analysed'")

    with OpenAIServer() as server, working(settings, tmp_path, (*STAGES, "beat"), environment(server)):
        server.then(*[model] * 10_000)
        for n in range(USERS):
            push(app, f"user-{n}")
        wait_for(lambda: read_by("offline-1") == USERS, within_s=90, what="the offline analyst")
        model.mood = "away"
        wait_until_final(app.engine, turns)
        wait_for(lambda: model.asked["away"] >= 2, within_s=60, what="a look at an endpoint that is away")
        assert read_by("offline-1") == USERS
        assert count("SELECT count(*) FROM gists") > 0
        model.mood = "answers"
        wait_for(lambda: read_by("llm:qwen-test") == USERS, within_s=120, what="the language model")
        wait_until_final(app.engine, turns)
        wait_for(lambda: count("SELECT count(*) FROM events WHERE state = 'pool'") == 0, what="the promoter")

    assert model.asked["answers"] == USERS, "each once"
    with app.engine.connect() as connection:
        told = connection.execute(text("SELECT user_id, text FROM gists ORDER BY user_id, text")).all()
    assert [tuple(row) for row in told] == [
        (f"user-{n}", words) for n in range(USERS) for words in sorted(event["description"] for event in GOOD)
    ]
    assert count("SELECT count(*) FROM segments WHERE again_at IS NOT NULL") == 0
    app.close()
