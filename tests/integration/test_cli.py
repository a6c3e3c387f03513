"""The commands as a person and a script use them, on real stores with real workers."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.waiting import wait_for
from support.workers import working

from hmind.bootstrap import Hmind
from hmind.cli import waiting
from hmind.cli.app import run
from hmind.settings import Settings

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def app(module_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hmind]:
    made = Hmind(module_settings)
    made.migrate()
    with working(module_settings, tmp_path_factory.mktemp("logs")):
        wait_for(lambda: waiting.workers_answer(made.redis, module_settings, 0), within_s=60)
        yield made
    made.close()


@pytest.fixture
def stores(module_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The commands of a test work on the stores of this module."""
    monkeypatch.setenv("HMIND_DATABASE_URL", module_settings.stores.database_url.get_secret_value())
    monkeypatch.setenv("HMIND_REDIS_URL", module_settings.stores.redis_url.get_secret_value())
    monkeypatch.delenv("COLUMNS", raising=False)
    return module_settings


@pytest.fixture
def command(stores: Settings, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command with --json and returns what it printed; ``code`` is the exit code it must have."""

    def call(*argv: str, code: int = 0) -> Any:
        assert run([*argv, "--json"]) == code, capsys.readouterr()
        return json.loads(capsys.readouterr().out)

    return call


def settled(command: Command, user: str, turns: int) -> list[dict[str, Any]]:
    """The user's ledger once ``turns`` turns are in it and none waits for its boundary."""

    def ended() -> list[dict[str, Any]] | None:
        entries = command("ledger", "--user", user)
        done = len(entries) >= turns and all(entry["state"] not in {"waiting", "segmented"} for entry in entries)
        return entries if done else None

    return wait_for(ended, within_s=60, every_s=0.3, what=f"{turns} settled turns of {user}")


def test_from_one_turn_to_why(app: Hmind, command: Command) -> None:
    said = ["--user", "ana", "--session", "s1", "--at", "2026-11-02T18:00:00+01:00"]
    sent = command("ingest", *said, "I'm Ana, I live in Porto and I'm allergic to peanuts.")
    assert sent["worker_running"] is True
    flushed = command("flush", "--user", "ana", "--session", "s1")
    assert flushed["flushed"] == {"tenant": "default", "user_id": "ana", "session_id": "s1"}

    [entry] = settled(command, "ana", 1)
    assert (entry["turn_id"], entry["state"]) == (sent["turn_id"], "remembered")
    kept = command("memories", "--user", "ana")
    allergy = next(fact for fact in kept["facts"] if fact["predicate"] == "allergic_to")
    assert "peanut" in allergy["object"]
    assert allergy["because"]["boundary"] == "flush"

    best = command("recall", "What can Ana not eat?", "--user", "ana", "--limit", "3")
    assert any(sent["turn_id"] in item["source_turns"] for item in best)
    assert all(item["score"] == pytest.approx(sum(item["parts"].values())) for item in best)

    told = command("why", allergy["id"][:8], "--user", "ana")
    assert (told["kind"], told["id"]) == ("fact", allergy["id"])
    [way] = told["ways"]
    assert way["turns"][0]["turn_id"] == sent["turn_id"]
    assert way["boundary"]["reason"] == "flush"
    assert command("status")["verdict"] in {"healthy", "lagging"}


def test_a_turn_without_a_time_is_told_the_id_that_intake_gives_it(app: Hmind, command: Command) -> None:
    sent = command("ingest", "--user", "timeless", "hello there")
    [entry] = wait_for(lambda: command("ledger", "--user", "timeless"), within_s=30, every_s=0.2)
    assert entry["turn_id"] == sent["turn_id"]


def test_lines_on_stdin_take_what_they_leave_out_from_the_options(
    app: Hmind, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = b'{"content":"one","turn_id":"1"}\n\n{"content":"two","turn_id":"2","session_id":"own"}\nnonsense\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert command("ingest", "--user", "stdin", "--session", "given")["sent"] == 3

    def entries() -> set[tuple[str, str]]:
        found = {(entry["turn_id"], entry["session_id"]) for entry in command("ledger", "--user", "stdin")}
        return found if len(found) == 2 else set()

    assert wait_for(entries, within_s=30, every_s=0.2) == {("1", "given"), ("2", "own")}


def test_import_names_bad_lines_drains_and_changes_nothing_the_second_time(
    app: Hmind, command: Command, tmp_path: Path
) -> None:
    turn = {"user_id": "ida", "session_id": "old", "role": "user"}
    talk = [
        "My name is Ida and I moved to Bergen last week.",
        "My cat is called Pixel.",
        "Goodnight, talk to you soon!",
    ]
    lines = [
        json.dumps({**turn, "turn_id": f"t{n}", "content": content, "occurred_at": f"2024-03-03T09:0{n}:00Z"})
        for n, content in enumerate(talk)
    ]
    lines.insert(1, "not json")
    lines.insert(3, json.dumps({"content": "whose?"}))
    path = tmp_path / "talk"
    path.write_text("\n".join(lines), encoding="utf-8")

    first = command("import", str(path))

    assert (first["format"], first["read"], first["accepted"], first["dead"]) == ("jsonl", 5, 3, 2)
    assert [(dead["place"], dead["field"]) for dead in first["dead_lines"]] == [
        ("line 2", "turn"),
        ("line 4", "user_id"),
    ]
    assert first["drained"] is True
    assert sum(first["progress"]["turns"].values()) == 3
    before = command("memories", "--user", "ida"), command("deadletters")

    again = command("import", str(path))

    assert (again["accepted"], again["duplicate"], again["dead"]) == (0, 3, 2)
    assert (command("memories", "--user", "ida"), command("deadletters")) == before


def test_import_of_locomo_keeps_its_times(app: Hmind, command: Command, tmp_path: Path) -> None:
    told = [
        {"speaker": "Ida", "dia_id": "D1:1", "text": "Yesterday I adopted a greyhound named Comma!"},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Wonderful, I paint birds these days.", "blip_caption": "a heron"},
    ]
    talk = {"session_1_date_time": "9:05 am on 3 March, 2024", "session_1": told}
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([{"sample_id": "ida-bo", "conversation": talk}]), encoding="utf-8")

    assert command("import", str(path))["drained"] is True

    entries = command("ledger", "--user", "ida-bo")
    assert [entry["turn_id"] for entry in entries] == ["D1:1", "D1:2"]
    assert entries[0]["occurred_at"] == "2024-03-03T09:05:00+00:00"
    best = command("recall", "Which dog does Ida have?", "--user", "ida-bo", "--limit", "5")
    assert any("D1:1" in item["source_turns"] for item in best)


def test_dead_letters_become_turns_once_their_cause_is_mended(
    app: Hmind, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HMIND_INTAKE_MAX_CONTENT_CHARS", "10")
    path = tmp_path / "talk"
    path.write_text('{"user_id":"long","turn_id":"t1","content":"longer than that"}', encoding="utf-8")
    assert command("import", str(path), "--no-wait")["dead"] == 1
    [letter] = command("deadletters", "--user", "long")
    assert letter["field"] == "content"

    refused = command("deadletters", "--retry", letter["id"][:8], code=65)
    assert (refused["accepted"], len(refused["still_bad"])) == (0, 1)
    monkeypatch.delenv("HMIND_INTAKE_MAX_CONTENT_CHARS")
    assert command("deadletters", "--retry", letter["id"][:8])["accepted"] == 1

    assert [entry["turn_id"] for entry in command("ledger", "--user", "long")] == ["t1"]
    assert command("deadletters", "--user", "long") == []


def test_profile_reembed_and_migrate(app: Hmind, command: Command) -> None:
    command("profile", "--user", "pia", "--core-value", "the sea", "--core-value", "Mina")
    assert command("profile", "--user", "pia")["core_values"] == ["the sea", "Mina"]
    moved = command("migrate")
    assert moved["before"] == moved["after"] is not None
    assert command("reembed")["memory_embedder"] == moved["memory_embedder"]
    app.check()


def test_tables_fit_80_columns_without_colour(
    app: Hmind, stores: Settings, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command(
        "ingest", "--user", "wide", "--at", "2026-11-01T10:00Z", f"I live in Bergen. {'very ' * 60}long. 我对虾过敏。"
    )
    command("flush", "--user", "wide")
    settled(command, "wide", 1)
    for argv in (["recall", "Bergen?", "--explain"], ["memories"], ["ledger"]):
        assert run([*argv, "--user", "wide"]) == 0
    for argv in (["status"], ["doctor"], ["deadletters"]):
        run(argv)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    from rich.cells import cell_len

    assert max(cell_len(line) for line in shown.splitlines()) <= 80


def test_what_is_not_there_is_1(app: Hmind, stores: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "abcdef123456"]) == 1
    assert "hmind memories" in capsys.readouterr().err
