"""What a person or a script meets before any store is needed: help, wrong use, settings, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hmind import errors
from hmind.cli import exits
from hmind.cli.app import run
from hmind.cli.commands import register
from hmind.cli.exits import Exit, as_ours, code_of

COMMANDS = [
    *("ingest", "flush", "import", "recall"),
    *("memories", "why", "explain-boundaries", "ledger", "profile", "status"),
    *("doctor", "up", "demo", "promote", "migrate", "reembed", "calibrate", "deadletters"),
]


@pytest.fixture(autouse=True)
def no_stores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A command of these tests that reaches for a store fails at once, and starts none."""
    monkeypatch.setenv("HMIND_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("HMIND_REDIS_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("COLUMNS", "200")


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == Exit.OK
    shown = capsys.readouterr().out
    assert [command for command in COMMANDS if f" {command} " not in shown] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_json(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == Exit.OK
    assert "--json" in capsys.readouterr().out


def test_help_comes_at_once_and_loads_no_store() -> None:
    code = (
        "import sys; import hmind.cli; print(sorted({'sqlalchemy', 'redis', 'numpy', 'pydantic'} & set(sys.modules)))"
    )
    began = time.process_time()
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
    assert time.process_time() - began < 5


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == Exit.OK
    assert capsys.readouterr().out.startswith("hmind ")


@pytest.mark.parametrize(
    "argv",
    [
        ["nothing"],
        ["recall"],
        ["recall", "who?"],
        ["recall", "who?", "--user", "ida", "--layer", "L9"],
        ["recall", "who?", "--user", "ida", "--limit", "0"],
        ["recall", "who?", "--user", "ida", "--now", "yesterday"],
        ["ledger", "--user", "ida", "--state", "lost"],
        ["ledger", "--user", "ida", "--since", "monday"],
        ["import"],
        ["flush"],
    ],
)
def test_wrong_use_is_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == Exit.USAGE
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["ingest", "--user", "ida", "--role", "boss", "hello"], "role"),
        (["ingest", "hello"], "user_id"),
        (["ingest", "--user", "ida", "  "], "content"),
        (["ingest", "--user", "ida", "--at", "tomorrow", "hello"], "occurred_at"),
        (["ingest", "--user", "ida", "--timezone", "Mars", "--at", "2026-01-01T00:00", "hello"], "timezone"),
        (["flush", "--user", " "], "user_id"),
        (["import", "no-such-file"], "no-such-file"),
    ],
)
def test_bad_input_is_65_in_one_line(argv: list[str], names: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == Exit.BAD_INPUT
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"hmind: {names}: ")
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    "argv",
    [
        ["ingest", "--user", "ida", "hello"],
        ["flush", "--user", "ida"],
        ["ledger", "--user", "ida"],
        ["memories", "--user", "ida", "--json"],
        ["why", "abcdef12"],
        ["status"],
        ["recall", "who?", "--user", "ida"],
        ["migrate"],
        ["deadletters"],
        ["profile", "--user", "ida"],
    ],
)
def test_a_store_that_does_not_answer_is_69_in_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == Exit.UNAVAILABLE
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("hmind: ")
    assert "HMIND_REDIS_URL" in told.err or "HMIND_DATABASE_URL" in told.err
    assert told.err.count("\n") == 1


def test_an_unknown_setting_is_78_and_names_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HMIND_BOUNDARY_MAX_ROUND", "9")
    assert run(["status"]) == Exit.SETTINGS
    assert capsys.readouterr().err.strip().endswith("Did you mean HMIND_BOUNDARY_MAX_ROUNDS?")


def test_doctor_says_it_of_the_same_setting_and_goes_no_further(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HMIND_BOUNDARY_MAX_ROUND", "9")
    assert run(["doctor", "--json"]) == Exit.FAILED
    last = json.loads(capsys.readouterr().out)["findings"][-1]
    assert (last["level"], last["what"]) == ("fail", "settings")


def test_doctor_names_both_stores_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == Exit.FAILED
    found = {each["what"]: each for each in json.loads(capsys.readouterr().out)["findings"]}
    for what, name in (("PostgreSQL", "HMIND_DATABASE_URL"), ("Redis", "HMIND_REDIS_URL")):
        assert found[what]["level"] == "fail"
        assert "Start it" in found[what]["todo"]
        assert name in found[what]["todo"]
    assert found["memory embedder"]["level"] == "ok"
    assert "tables" not in found, "it would fail for the same cause"
    assert "workers" not in found


def test_a_password_never_shows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("HMIND_DATABASE_URL", "postgresql://nobody:sesame@127.0.0.1:1/none")
    monkeypatch.setenv("HMIND_REDIS_URL", "redis://:sesame@127.0.0.1:1/0")
    for argv in (["ledger", "--user", "ida"], ["flush", "--user", "ida"], ["doctor"]):
        assert run(argv) != Exit.OK
    told = capsys.readouterr()
    assert "sesame" not in told.out + told.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.BadTurn("role", "is none"), 65),
        (errors.ImportRefused("x"), 65),
        (errors.StoreUnavailable("x"), 69),
        (errors.EmbeddingUnavailable("x"), 75),
        (errors.AnalystUnavailable("x"), 75),
        (exits.TryLater("x"), 75),
        (errors.SettingsError("x"), 78),
        (errors.SchemaMismatch("x"), 78),
        (errors.UnknownId("x"), 1),
        (errors.AnalystMisbehaved("x"), 1),
    ],
)
def test_every_error_has_its_code(error: errors.HmindError, code: int) -> None:
    assert code_of(error) == code


def test_a_fault_of_the_program_is_not_dressed_up() -> None:
    assert as_ours(KeyError("x")) is None


def test_registering_is_all_there_is() -> None:
    import typer

    app = typer.Typer()
    register(app)
    assert [command.name for command in app.registered_commands] == COMMANDS


def test_the_reference_tells_of_every_command_and_exit_code() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
    headings = [line for line in page.splitlines() if line.startswith("### ")]
    assert [command for command in COMMANDS if not any(f"hmind {command}" in line for line in headings)] == []
    for code in Exit:
        assert f"\n| {code.value} |" in page
