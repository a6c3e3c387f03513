"""What `hmind eval analysis` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hmind.cli.app import run
from hmind.evaluation import samples

SMALL = str(samples.own("analysis/locomo_small.json"))


def test_the_tables_fit_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "analysis", "--data", SMALL]) == 0
    printed = capsys.readouterr().out
    assert max(len(line.rstrip()) for line in printed.splitlines() if not line.startswith("data")) <= 80
    for heading in ("events covered", "AUC", "facts", "times", "offline-1", "turns/s"):
        assert heading in printed


def test_json_has_three_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "analysis", "--data", SMALL, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"locomo", "facts", "times"}
    assert 0 < found["locomo"]["kept"]["hmind"]["covered"] <= 1
    assert 0 < found["facts"]["precision"] <= 1
    assert 0 < found["times"]["accuracy"] <= 1


def test_a_file_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "talk.json"
    path.write_text("{}", encoding="utf-8")
    assert run(["eval", "analysis", "--data", str(path)]) != 0
    assert "talk.json" in capsys.readouterr().err
