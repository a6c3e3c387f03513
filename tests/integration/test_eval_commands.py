"""`hmind eval boundaries` and `hmind eval closing` as a person and a script use them. They need no store."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hmind.cli.app import run
from hmind.cli.exits import Exit
from hmind.evaluation import samples
from hmind.settings import SHORT_FORMS

SHARES = ("pk", "wd", "f1", "score")


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script's environment, with stores that no command may reach for."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("HMIND_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    monkeypatch.setenv("HMIND_REDIS_URL", "redis://127.0.0.1:1/0")


@pytest.fixture
def one_set(tmp_path: Path) -> Path:
    """A folder with one small set, named like one that others have published on."""
    lines = (samples.own("segmentation") / "chat_zh.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "tiage_own.jsonl").write_text("\n".join(lines[:3]), encoding="utf-8")
    return tmp_path


def test_boundaries_for_programs_from_anywhere(one_set: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if name not in SHORT_FORMS}
    told = subprocess.run(
        [str(Path(sys.executable).with_name("hmind")), "eval", "boundaries", "--data", str(one_set), "--json"],
        capture_output=True,
        text=True,
        cwd="/",
        env=environ,
        check=True,
    )
    [(name, figures)] = json.loads(told.stdout).items()
    assert name == "tiage_own"
    assert list(figures) == [*SHARES, "dialogues", "turns_per_s"]
    assert figures["dialogues"] == 3
    assert all(0 <= figures[share] <= 1 for share in SHARES)
    assert figures["score"] == pytest.approx((2 * figures["f1"] + 2 - figures["pk"] - figures["wd"]) / 4, abs=1e-3)
    assert figures["turns_per_s"] > 0
    assert told.stderr.splitlines() == ["measuring tiage_own: 3"]


def test_boundaries_for_people_fit_80_columns(one_set: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "boundaries", "--data", str(one_set)]) == Exit.OK
    shown = capsys.readouterr().out
    assert max(map(len, shown.replace(str(one_set), "").splitlines())) <= 80
    assert f"data      {one_set}" in shown
    assert "use-multilingual-3" in shown
    rows = [line.split() for line in shown.splitlines()]
    for method in ("H-Mind", "none", "random", "TextTiling"):
        [measured] = [row for row in rows if row[:1] == [method]]
        assert all(re.fullmatch(r"1?\.\d{3}", share) for share in measured[1:5]), measured
    assert ["·", "Def-DTS", ".232", ".256", ".699", ".728", "needs", "GPT-4o"] in rows
    assert ["tiage_own", "3", "dialogues"] in rows


def test_without_nltk_only_its_baseline_is_missing(
    one_set: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "nltk.tokenize.texttiling", None)
    assert run(["eval", "boundaries", "--data", str(one_set)]) == Exit.OK
    shown = capsys.readouterr().out
    assert "  random" in shown
    assert "TextTiling is left out: it needs NLTK, `pip install 'hmind[eval]'`." in shown


def test_the_settings_are_those_measured(
    one_set: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HMIND_BOUNDARY_COHERENCE", "false")
    monkeypatch.setenv("HMIND_BOUNDARY_TOPIC_SHIFT_BELOW_COS", "0.01")
    assert run(["eval", "boundaries", "--data", str(one_set), "--json"]) == Exit.OK
    assert json.loads(capsys.readouterr().out)["tiage_own"]["f1"] < 0.4
    assert run(["eval", "boundaries", "--data", str(one_set)]) == Exit.OK
    assert "cosine below 0.01" in capsys.readouterr().out


def test_closing_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "closing", "--data", str(samples.own("closing")), "--json"]) == Exit.OK
    told = json.loads(capsys.readouterr().out)
    assert {name: list(groups) for name, groups in told.items()} == {
        "en": ["user", "agent", "all", "farewells"],
        "zh": ["all"],
    }
    figures = told["en"]["user"]
    assert list(figures) == ["precision", "recall", "f1", "gold", "found", "right", "turns"]
    assert figures["precision"] == pytest.approx(figures["right"] / figures["found"], abs=1e-4)


def test_closing_for_people_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "closing", "--data", str(samples.own("closing"))]) == Exit.OK
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "phrases  config/closing: en, zh" in shown
    assert len([line for line in shown.splitlines() if line.strip().startswith("user turns")]) == 1


@pytest.mark.parametrize("what", ["boundaries", "closing"])
def test_without_a_folder_it_finds_data(what: str) -> None:
    kind = {"boundaries": "segmentation", "closing": "closing"}[what]
    assert list(samples.folder(kind).glob("*.jsonl"))


@pytest.mark.parametrize("what", ["boundaries", "closing"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "is no folder"),
        ({}, "holds no *.jsonl files"),
        ({"a.jsonl": ""}, "a.jsonl: holds no samples"),
        ({"a.jsonl": "secret words\n"}, "a.jsonl, line 1: is no "),
    ],
)
def test_bad_data_is_65_in_one_line(
    tmp_path: Path, what: str, content: dict[str, str] | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    if content is not None:
        folder.mkdir()
        for name, text in content.items():
            (folder / name).write_text(text, encoding="utf-8")
    assert run(["eval", what, "--data", str(folder), "--json"]) == Exit.BAD_INPUT
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("hmind: ")
    assert said in told.err
    assert "secret" not in told.err
    assert told.err.count("\n") == 1


def test_wrong_use_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "everything"]) == Exit.USAGE
    assert "Traceback" not in capsys.readouterr().err
    run(["eval"])
    shown = capsys.readouterr()
    assert "boundaries" in shown.out + shown.err
