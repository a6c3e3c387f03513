"""The documents say what the code does: wire examples, settings and their defaults, links."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hmind.errors import BadTurn
from hmind.intake.wire import Delivery, turn_from
from hmind.settings import SHORT_FORMS, load

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
NOW = datetime(2026, 11, 28, tzinfo=UTC)
SETTINGS = load({})
DEFAULTS: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "config" / "hmind.toml").read_text(encoding="utf-8"))


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def read(payload: Any) -> Any:
    return turn_from(Delivery(payload, "1-0", NOW), SETTINGS.intake, NOW)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_setting_named_exists(path: Path) -> None:
    known = (
        {f"HMIND_{s}_{k}".upper() for s, keys in DEFAULTS.items() for k in keys} | SHORT_FORMS.keys() | {"HMIND_CONFIG"}
    )
    for name in re.findall(r"\bHMIND_[A-Z][A-Z_]*[A-Z]\b", path.read_text(encoding="utf-8")):
        assert name in known or name.removesuffix("_FILE") in known, name


def test_the_defaults_in_the_readme_are_those_of_the_settings() -> None:
    flat = {f"HMIND_{s}_{k}".upper(): v for s, keys in DEFAULTS.items() for k, v in keys.items()}
    rows = re.findall(r"^\| `(HMIND_\w+)` \| `?([\w.]+)`? \|", page("README.md"), flags=re.MULTILINE)
    compared = {name: value for name, value in rows if name in flat}
    assert len(compared) >= 8
    assert compared == {name: str(flat[name]) for name in compared}


def test_the_defaults_in_tuning_are_those_of_the_settings() -> None:
    parts = re.split(r"^## .*?`\[(\w+)\]`.*$", page("docs/tuning.md"), flags=re.MULTILINE)
    compared = 0
    for section, body in zip(parts[1::2], parts[2::2], strict=True):
        for key, value in re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", body, flags=re.MULTILINE):
            assert float(value) == DEFAULTS[section][key], key
            compared += 1
    assert compared >= 12


def test_turns_in_the_documents_are_turns() -> None:
    text = page("docs/producers.md") + page("README.md")
    examples = re.findall(r"```json\n(.*?)```", text, flags=re.DOTALL) + re.findall(r" turn '(\{.*?\})'", text)
    assert len(examples) >= 3
    for example in examples:
        assert read(example).content


def test_every_line_of_the_chat_log_is_accepted() -> None:
    for line in page("examples/chat.jsonl").splitlines():
        turn, written = read(line), json.loads(line)
        assert (turn.turn_id, turn.content) == (written["turn_id"], written["content"])


GOOD = {"user_id": "u", "content": "hello"}


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ("no json", "turn"),
        ("[1, 2]", "turn"),
        ("", "turn"),
        ({"content": "hello"}, "user_id"),
        (GOOD | {"user_id": " "}, "user_id"),
        ({"user_id": "u"}, "content"),
        (GOOD | {"content": ""}, "content"),
        (GOOD | {"content": 7}, "content"),
        (GOOD | {"content": "x" * 100_001}, "content"),
        (GOOD | {"role": "boss"}, "role"),
        (GOOD | {"session_id": "s" * 257}, "session_id"),
        (GOOD | {"occurred_at": "soon"}, "occurred_at"),
        (GOOD | {"occurred_at": "1890-01-01"}, "occurred_at"),
        (GOOD | {"occurred_at": "2026-11-30"}, "occurred_at"),
        (GOOD | {"occurred_at": "2026-11-01 08:00", "timezone": "Mars/North"}, "timezone"),
    ],
)
def test_bad_input_names_the_field_that_the_table_names(payload: Any, field: str) -> None:
    with pytest.raises(BadTurn) as fault:
        read(payload)
    assert fault.value.field == field


def test_what_the_table_calls_accepted_is_accepted() -> None:
    assert read('{"user_id": "u", "content": "a\\u0000b\\ud800c"}').content == "abc"
    assert read(GOOD | {"content": "🎉"}).content == "🎉"
    assert read(GOOD | {"content": [{"type": "text", "text": "hi"}, {"type": "image_url"}]}).content == "hi"
    assert read(GOOD | {"user_id": 7, "mood": "fine"}).user_id == "7"
    assert read(GOOD | {"occurred_at": "2026-11-01 08:00", "timezone": "Asia/Shanghai"}).occurred_at.hour == 0
    assert read(GOOD | {"occurred_at": 1_790_000_000}) == read(GOOD | {"occurred_at": 1_790_000_000_000})


def test_the_readme_is_short() -> None:
    assert len(page("README.md").splitlines()) < 150
