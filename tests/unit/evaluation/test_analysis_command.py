"""What `hmind eval analysis` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hmind.cli.app import run
from hmind.evaluation import samples
from tests.servers.openai_server import OpenAIServer, completion

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


@pytest.mark.parametrize("part", ["locomo", "facts", "times"])
def test_one_part_by_itself(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "analysis", "--only", part, "--data", SMALL]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    headings = {"locomo": "what is kept ", "facts": "facts ", "times": "times "}
    assert {name for name, head in headings.items() if any(line.startswith(head) for line in lines)} == {part}


def test_a_model_that_gives_no_analysis_is_counted_and_read_offline(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with OpenAIServer() as server:
        server.then(*[completion("I am sorry, no.")] * 100)
        monkeypatch.setenv("HMIND_ANALYSIS_LLM_URL", server.url)
        monkeypatch.setenv("HMIND_ANALYSIS_LLM_MODEL", "weak")
        monkeypatch.setenv("HMIND_ANALYSIS_LLM_PIECES", "0")
        assert run(["eval", "analysis", "--only", "locomo", "--data", SMALL, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["locomo"]
    assert figures["fell_back"] == figures["segments"] == len(server.requests) > 0
    assert figures["calls_per_segment"] == 1
    assert figures["tokens_per_1000_turns"] == pytest.approx(1000 * 244 * len(server.requests) / 81, abs=0.01)
    assert figures["kept"]["hmind"]["covered"] > 0.8


def test_a_folder_or_a_missing_file_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place in (tmp_path, tmp_path / "none.json"):
        assert run(["eval", "analysis", "--data", str(place)]) == 65
        assert capsys.readouterr().err.startswith(f"hmind: {place}: cannot be read (")
