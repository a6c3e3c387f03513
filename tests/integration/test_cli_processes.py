"""Commands that start or miss processes: up, demo and import on embedded services, import without workers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from support.waiting import wait_for
from support.workers import ROOT

from hmind.cli import waiting
from hmind.cli.app import run
from hmind.settings import Settings

HMIND = str(ROOT / ".venv" / "bin" / "hmind")


pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL may enter also when root starts it."""
    made = Path(tempfile.mkdtemp(prefix="hmind-cli-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("HMIND_")} | more


def started(*argv: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [HMIND, *argv], env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/"
    )


def ended(process: subprocess.Popen[str], within_s: float) -> tuple[str, str]:
    """What it printed; one that does not end in time is ended, so that it stops what it had started."""
    try:
        return process.communicate(timeout=within_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        raise


def told(*argv: str, **more: str) -> Any:
    done = subprocess.run(
        [HMIND, *argv, "--json"], env=environment(**more), capture_output=True, text=True, check=False, cwd="/"
    )
    return json.loads(done.stdout)


def test_without_workers_import_says_so_and_keeps_the_turns(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HMIND_DATABASE_URL", settings.stores.database_url.get_secret_value())
    monkeypatch.setenv("HMIND_REDIS_URL", settings.stores.redis_url.get_secret_value())
    monkeypatch.setattr(waiting, "NO_WORKER_S", 1.0)
    path = tmp_path / "talk"
    path.write_text('{"user_id":"idle","content":"hello","turn_id":"t"}\n', encoding="utf-8")
    assert run(["migrate"]) == 0
    assert run(["import", str(path)]) == 75
    assert capsys.readouterr().err.strip().splitlines()[-1] == f"hmind: {waiting.NO_WORKER}"
    assert run(["ledger", "--user", "idle", "--json"]) == 0
    assert [entry["state"] for entry in json.loads(capsys.readouterr().out)] == ["waiting"]
    assert run(["status", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "stuck"
    with redis.Redis.from_url(settings.stores.redis_url.get_secret_value()) as client:
        client.flushdb()


def test_up_runs_until_ctrl_c(folder: Path) -> None:
    home = str(folder / "home")
    process = started("up", HMIND_HOME=home)
    try:
        wait_for(lambda: told("status", HMIND_HOME=home)["stream"]["readers"], within_s=90, what="a worker")
        found = {each["what"]: each["level"] for each in told("doctor", HMIND_HOME=home)["findings"]}
        assert found["workers"] == found["Beat"] == "ok"
    finally:
        process.send_signal(signal.SIGINT)
        out, err = ended(process, within_s=60)
    assert process.returncode == 0, err
    assert "Ctrl-C stops it" in err
    assert home in err
    assert "intake" in out


def test_import_on_a_fresh_machine_starts_workers_and_stops_them(folder: Path) -> None:
    home = str(folder / "home")
    path = folder / "talk"
    path.write_text(
        '{"user_id":"ida","turn_id":"t","content":"My name is Ida.","occurred_at":"2026-01-05T10:00Z"}',
        encoding="utf-8",
    )
    first = told("import", str(path), HMIND_HOME=home)
    assert (first["accepted"], first["drained"]) == (1, True)
    again = told("import", str(path), HMIND_HOME=home)
    assert (again["accepted"], again["duplicate"], again["drained"]) == (0, 1, True)
    status = told("status", HMIND_HOME=home)
    assert (status["verdict"], status["stream"]["length"]) == ("idle", 0)


def test_demo_holds_and_leaves_nothing_behind(folder: Path) -> None:
    process = started("demo", TMPDIR=str(folder), HMIND_BOUNDARY_MAX_ROUNDS="2")
    out, err = ended(process, within_s=150)
    assert process.returncode == 0, out[-5000:] + err
    assert "✗" not in out
    assert "Which medicine must not be given to me?" in out
    assert list(folder.iterdir()) == []


def test_demo_leaves_nothing_behind_after_ctrl_c(folder: Path) -> None:
    process = started("demo", TMPDIR=str(folder))
    wait_for(lambda: list(folder.glob("hmind-demo-*/logs/intake.log")), within_s=60, what="workers")
    process.send_signal(signal.SIGINT)
    ended(process, within_s=60)
    assert process.returncode == 130
    assert list(folder.iterdir()) == []
