"""How a conversation with its curve looks, and what programs get of it. No store is there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from hmind.cli.app import run
from hmind.cli.exits import Exit

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "chat.jsonl"


@pytest.fixture(autouse=True)
def no_stores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("HMIND_DATABASE_URL", raising=False)
    monkeypatch.delenv("HMIND_REDIS_URL", raising=False)
    monkeypatch.setenv("HMIND_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("COLUMNS", raising=False)


def _shown(capsys: pytest.CaptureFixture[str], *argv: str | Path) -> list[str]:
    assert run(["explain-boundaries", *map(str, argv)]) == Exit.OK, capsys.readouterr().err
    return capsys.readouterr().out.splitlines()


def _written(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    return path


def _labelled(path: Path, texts: list[str], lengths: list[int]) -> Path:
    said = [{"speaker": "AB"[at % 2], "text": text} for at, text in enumerate(texts)]
    return _written(path, {"id": "talk-1", "utterances": said, "segments": lengths})


def test_the_examples_fit_80_columns_and_are_plain(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = _shown(capsys, EXAMPLE)
    assert max(cell_len(line) for line in lines) <= 80
    assert "\x1b" not in "".join(lines)
    assert sum(line.startswith("session ") for line in lines) == 11
    assert any(line.startswith("─── topic shift coherence .") for line in lines)
    assert any(line.startswith("─── closing phrase ─") for line in lines)
    assert not (tmp_path / "none").exists()


def test_a_wide_terminal_shows_more_of_a_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = {"user_id": "u", "content": "我昨天" + "坐船" * 200, "speaker": "林"}
    file = _written(tmp_path / "long.jsonl", told)
    narrow = next(line for line in _shown(capsys, file) if "林" in line)
    monkeypatch.setenv("COLUMNS", "150")
    wide = next(line for line in _shown(capsys, file) if "林" in line)
    assert narrow.endswith("…")
    assert 78 <= cell_len(narrow) <= 80 < 148 <= cell_len(wide) <= 150


def test_bars_stand_below_each_other_whatever_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _shown(capsys, EXAMPLE, "--session", "lin-1012")
    bars = [line for line in lines if "┊" in line][1:]
    assert len(bars) == 17
    assert len({cell_len(line.partition("┊")[0]) for line in bars}) == 1
    texts = [line for line in lines if line[2:3] == ":"]
    assert len({cell_len(line[: line.index("  ", 8)].rstrip()) for line in texts}) == 1


def test_a_line_needs_no_user_and_a_bad_one_is_told_of(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = _written(tmp_path / "some.jsonl", {"content": "hello"}, {"content": ""}, {"content": "there"})
    assert run(["explain-boundaries", str(file)]) == Exit.OK
    told = capsys.readouterr()
    assert "1 messages are no turns and left out, the first: line 2: content: is empty" in told.err
    assert "2 turns, 1 segment" in told.out


def test_nothing_in_a_text_reaches_the_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = _written(tmp_path / "evil.jsonl", {"user_id": "u", "content": "a\x1b[2Jb [bold]c[/bold]\nd"})
    shown = _shown(capsys, file)
    assert "\x1b" not in "".join(shown)
    assert any(line.endswith("a[2Jb [bold]c[/bold] d") for line in shown)


BOATS = ["Our boat leaks again.", "Which boat, the red one?", "The red boat, near the mast.", "A boat needs care."]
SOUP = ["Dinner: onion soup tonight.", "Soup with cheese and bread?", "Cheese soup, yes.", "I will slice onions."]


@pytest.fixture
def by_cosine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMIND_BOUNDARY_COHERENCE", "false")
    monkeypatch.setenv("HMIND_BOUNDARY_TOPIC_SHIFT_BELOW_COS", "0.25")


@pytest.mark.usefixtures("by_cosine")
def test_labels_stand_beside_what_was_found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    right = _shown(capsys, _labelled(tmp_path / "right.jsonl", BOATS + SOUP, [4, 4]))
    assert any(line.startswith("─── topic shift") and "labelled too" in line for line in right)
    assert any(line.startswith("Pk 0.000") and "F1 1.000" in line for line in right)
    missed = _shown(capsys, _labelled(tmp_path / "missed.jsonl", BOATS + SOUP, [1, 7]))
    assert any(line.startswith("╌╌╌ labelled boundary, not found") for line in missed)
    assert any("not labelled" in line for line in missed)


@pytest.mark.usefixtures("by_cosine")
def test_json_bears_a_value_per_gap_and_a_reason_per_cut(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = _labelled(tmp_path / "right.jsonl", BOATS + SOUP, [4, 4])
    told = json.loads("\n".join(_shown(capsys, file, "--json")))
    assert (told["measure"], told["below"], told["embedder"]) == ("cosine", 0.25, "use-multilingual-3")
    [session] = told["sessions"]
    assert session["turns"][0]["gap_before"] is None
    values = [turn["gap_before"]["value"] for turn in session["turns"][1:]]
    shift, end = session["cuts"]
    assert (shift["end"], shift["boundary"], shift["measured"]) == (4, "topic_shift", values[3])
    assert shift["reason"].startswith("topic shift cosine .")
    assert (end["end"], end["boundary"], session["gold"]) == (8, "flush", [4])
    assert session["scores"]["f1"] == 1


@pytest.mark.usefixtures("by_cosine")
def test_the_cosine_rule_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = _shown(capsys, _labelled(tmp_path / "right.jsonl", BOATS + SOUP, [4, 4]))
    assert lines[0].startswith("cosine between turns, seen by use-multilingual-3. A topic may shift below .25")


def test_what_cannot_be_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert run(["explain-boundaries", str(tmp_path / "nowhere.jsonl")]) == Exit.BAD_INPUT
    assert run(["explain-boundaries", str(EXAMPLE), "--session", "nobody"]) == Exit.USAGE
    assert "lin-1012" in capsys.readouterr().err
    for name, value in (("BOUNDARY", "endpoint"), ("ENDPOINT_URL", "http://127.0.0.1:1/v1"), ("ENDPOINT_DIM", "8")):
        monkeypatch.setenv(f"HMIND_EMBEDDING_{name}", value)
    monkeypatch.setenv("HMIND_EMBEDDING_ENDPOINT_MODEL", "big")
    assert run(["explain-boundaries", str(EXAMPLE)]) == Exit.SETTINGS
    assert "Run `hmind calibrate`" in capsys.readouterr().err
