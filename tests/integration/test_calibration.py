"""From an embedder that nobody has measured to workers that may start: by labels, by talk, and by name."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from support.chat import Chat, MovedClock

from hmind.bootstrap import Hmind
from hmind.cli.app import run
from hmind.cli.exits import Exit
from hmind.embedding.use import UseEmbedder
from hmind.errors import SettingsError
from hmind.evaluation import samples
from hmind.intake.wire import Delivery
from hmind.memory.talks import talks
from hmind.model import Boundary
from hmind.settings import Settings, load
from hmind.storage import meta
from hmind.storage.meta import Calibration
from hmind.storage.schema import MetaRow
from tests.servers.embeddings_server import EmbeddingsServer, serving

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "chat.jsonl"
NOW = datetime(2026, 12, 2, 9, tzinfo=UTC)
Command = Callable[..., Any]


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingsServer]:
    with serving(UseEmbedder(threads=1)) as running:
        yield running


@pytest.fixture
def command(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: EmbeddingsServer
) -> Command:
    """Runs a command with --json on the test's stores, with an endpoint at hand; returns what it printed."""
    monkeypatch.setenv("HMIND_DATABASE_URL", settings.stores.database_url.get_secret_value())
    monkeypatch.setenv("HMIND_REDIS_URL", settings.stores.redis_url.get_secret_value())
    for name, value in (("URL", server.url), ("MODEL", "big"), ("DIM", "512")):
        monkeypatch.setenv(f"HMIND_EMBEDDING_ENDPOINT_{name}", value)

    def call(*argv: str, code: int = 0) -> Any:
        assert run([*argv, "--json"]) == code, capsys.readouterr()
        return json.loads(capsys.readouterr().out)

    return call


def _check() -> None:
    hmind = Hmind(load())
    try:
        hmind.check()
    finally:
        hmind.close()


def _finding(report: Any, what: str) -> Any:
    return next(finding for finding in report["findings"] if finding["what"] == what)


def _set_of(stem: str) -> str:
    return str(samples.own("segmentation") / f"{stem}.jsonl")


def test_an_endpoint_is_refused_then_calibrated_then_accepted_and_refused_under_another_name(
    settings: Settings, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("migrate")
    _check()
    monkeypatch.setenv("HMIND_EMBEDDING_BOUNDARY", "endpoint")
    command("migrate")
    with pytest.raises(SettingsError, match=r"endpoint:big\. Run `hmind calibrate`"):
        _check()
    finding = _finding(command("doctor", code=1), "topic shift")
    assert (finding["level"], finding["todo"].startswith("Run `hmind calibrate`")) == ("fail", True)

    dry = command("calibrate", "--data", _set_of("chat_en"), "--dry-run")
    assert (dry["stored"], dry["before"]) == (False, None)
    with pytest.raises(SettingsError):
        _check()

    measured = command("calibrate", "--data", _set_of("chat_en"))
    below = measured["boundary"]["threshold"]
    assert measured["boundary"]["embedder"] == "endpoint:big"
    assert measured["boundary"]["source"] == "1 labelled set"
    assert (measured["stored"], measured["memory"]) == (True, None)
    # The server's vectors are those of USE, so what it ships with is near.
    assert 0.15 < below < 0.45
    assert measured["scores"]["chat_en"] >= max(tried["score"] for tried in measured["curve"]) - 0.03
    _check()
    report = command("doctor")
    told = _finding(report, "topic shift")["seen"]
    assert f"cosine < {below:g} for endpoint:big, measured" in told
    assert command("explain-boundaries", str(EXAMPLE), "--session", "lin-1012")["below"] == below

    monkeypatch.setenv("HMIND_EMBEDDING_ENDPOINT_MODEL", "bigger")
    with pytest.raises(SettingsError, match="endpoint:bigger"):
        _check()
    monkeypatch.setenv("HMIND_BOUNDARY_TOPIC_SHIFT_BELOW_COS", "0.2")
    _check()


def test_a_worker_on_an_endpoint_nobody_measured_ends_with_78_and_says_what_to_run(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("migrate")
    monkeypatch.setenv("HMIND_EMBEDDING_BOUNDARY", "endpoint")
    celery = str(Path(sys.executable).with_name("celery"))
    started = [celery, "-A", "tasks", "worker", "--pool", "solo", "--queues", "boundary", "--without-gossip"]
    ended = subprocess.run(started, capture_output=True, text=True, timeout=90, check=False)
    assert ended.returncode == Exit.SETTINGS, ended.stderr
    assert "nobody has measured yet" in ended.stderr
    assert "Run `hmind calibrate`" in ended.stderr


def test_what_was_measured_is_what_segments_are_cut_by(
    settings: Settings, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMIND_BOUNDARY_COHERENCE", "false")
    monkeypatch.setenv("HMIND_BOUNDARY_MAX_ROUNDS", "100")
    below = command("calibrate", "--data", _set_of("chat_en"))["boundary"]["threshold"]
    clock = MovedClock(NOW)
    app = Hmind(load(), clock)
    try:
        chat = Chat(app, clock, "ida")
        chat.say(
            "Ida: Our boat leaks again.",
            "Agent: Which boat, the red one?",
            "Ida: The red boat, near the mast.",
            "Agent: A boat needs care.",
            "Ida: For dinner I cook onion soup tonight.",
            "Agent: Soup with cheese and bread?",
            "Ida: Cheese soup, yes.",
            "Agent: Slice the onions thin.",
        )
        app.detection.detect(chat.session, Boundary.FLUSH)
        shifts = [seen for seen in chat.segments() if seen.boundary == "topic_shift"]
        assert [(seen.turns[-1], seen.threshold) for seen in shifts] == [("t4", below)]
    finally:
        app.close()


def test_the_deployments_own_talk_of_one_tenant_gives_a_threshold(settings: Settings, command: Command) -> None:
    clock = MovedClock(NOW)
    app = Hmind(settings, clock)
    try:
        lines = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
        given = [Delivery(line, f"d{at}", NOW) for at, line in enumerate(lines)]
        # Of another customer, and never looked at.
        theirs = [Delivery({**line, "tenant": "other"}, f"o{at}", NOW) for at, line in enumerate(lines)]
        app.intake.accept([*given, *theirs], "test")
        everything = {line["turn_id"] for line in lines}
        closed = {line["session_id"]: line["user_id"] for line in lines[:90]}
        for session_id, user_id in closed.items():
            app.detection.detect(Chat(app, clock, user_id, session_id).session, Boundary.FLUSH)

        found = talks(app.engine, app.shortterm, "default", [], 300)
        assert {turn.tenant for talk in found for turn in talk} == {"default"}
        assert sorted(turn.turn_id for talk in found for turn in talk) == sorted(everything)
        assert all(
            (after.occurred_at - before.occurred_at).total_seconds() < 300
            for talk in found
            for before, after in pairwise(talk)
        )
        of_lin = talks(app.engine, app.shortterm, "default", ["lin"], 300)
        assert {turn.user_id for talk in of_lin for turn in talk} == {"lin"}

        measured = command("calibrate", "--from-chat")
        assert 0.1 < measured["boundary"]["threshold"] < 0.5
        assert measured["before"] == {"value": 0.3, "source": "shipped with the embedder"}
        assert command("calibrate", "--chat", str(EXAMPLE), "--dry-run")["boundary"]["source"] == "a chat file"
        assert run(["calibrate", "--from-chat", "--user", "nobody"]) != Exit.OK

        with app.engine.connect() as connection:
            rows = connection.execute(select(MetaRow.key, MetaRow.value).where(MetaRow.key.like("calib%"))).all()
        [(key, value)] = [(row.key, row.value) for row in rows]
        assert key == "calibration:use-multilingual-3"
        assert not any(line["content"] in json.dumps(value, ensure_ascii=False) for line in lines)
    finally:
        app.close()


def test_an_endpoint_that_only_remembers_needs_to_know_what_is_unrelated(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMIND_EMBEDDING_MEMORY", "endpoint")
    command("reembed")
    _check()
    unknown = _finding(command("doctor"), "unrelated texts")
    assert (unknown["level"], "hmind calibrate" in unknown["todo"]) == ("warn", True)
    measured = command("calibrate", "--data", _set_of("chat_en"))
    assert measured["memory"]["embedder"] == "endpoint:big"
    assert measured["memory"]["threshold"] is None
    assert measured["memory"]["unrelated_cos"] == pytest.approx(measured["boundary"]["unrelated_cos"], abs=0.002)
    known = _finding(command("doctor"), "unrelated texts")
    assert known["level"] == "ok"
    assert f"cosine {measured['memory']['unrelated_cos']:g} for endpoint:big, measured" in known["seen"]


def test_a_threshold_outlives_a_measurement_of_what_is_unrelated_only(settings: Settings) -> None:
    app = Hmind(settings)
    first = Calibration("endpoint:big", 0.4, 0.2, "chat", NOW, 100, 2)
    second = Calibration("endpoint:big", None, 0.3, "1 labelled set", NOW, 50, 3)
    try:
        with app.engine.begin() as connection:
            assert meta.calibration(connection, "endpoint:big") is None
            meta.record_calibration(connection, first)
            assert meta.calibration(connection, "endpoint:big") == first
            meta.record_calibration(connection, second)
            kept = meta.calibration(connection, "endpoint:big")
            assert kept is not None
            assert (kept.threshold, kept.lookahead_turns, kept.unrelated_cos) == (0.4, 2, 0.3)
            assert meta.calibration(connection, "endpoint:small") is None
    finally:
        app.close()


def test_a_threshold_of_another_lookahead_is_told_of(
    settings: Settings, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    command("migrate")
    app = Hmind(settings)
    with app.engine.begin() as connection:
        meta.record_calibration(connection, Calibration("use-multilingual-3", 0.28, 0.1, "chat", NOW, 100, 2))
    app.close()
    assert _finding(command("doctor"), "topic shift")["level"] == "ok"
    monkeypatch.setenv("HMIND_BOUNDARY_LOOKAHEAD_TURNS", "3")
    finding = _finding(command("doctor"), "topic shift")
    assert (finding["level"], "hmind calibrate" in finding["todo"]) == ("warn", True)
