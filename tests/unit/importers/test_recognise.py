"""A file is known by its content; what cannot be imported is refused with the nearest guess."""

from __future__ import annotations

import contextlib
import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from hmind.errors import ImportRefused
from hmind.importers.message import Defaults, Reader
from hmind.importers.recognise import open_file
from hmind.settings import load

INTAKE = load({}).intake
AT = datetime(2026, 11, 28, tzinfo=UTC)
TALK = {
    "session_1_date_time": "9:05 am on 3 March, 2024",
    "session_1": [{"speaker": "Ida", "dia_id": "D1:1", "text": "Hi"}],
}


def opened(path: Path, format_: str = "") -> Reader:
    return open_file(path, format_, Defaults(), INTAKE, AT)


def written(folder: Path, content: bytes | str, name: str = "file.dat") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["chat.jsonl", "chat.json", "chat.csv", "chat"])
def test_lines_of_turns_are_known_whatever_the_name(tmp_path: Path, name: str) -> None:
    assert opened(written(tmp_path, '{"user_id": "ida", "content": "hello"}\n', name)).format == "jsonl"


@pytest.mark.parametrize("bad_first", ["", "\n\n", "not json\n", "[1]\n", "\ufeff"])
def test_a_bad_beginning_does_not_hide_the_turns(tmp_path: Path, bad_first: str) -> None:
    assert opened(written(tmp_path, bad_first + '{"user_id": "ida", "content": "hello"}')).format == "jsonl"


@pytest.mark.parametrize(
    "content",
    [[{"sample_id": "s", "conversation": TALK}], {"sample_id": "s", "conversation": TALK}, {"sample_id": "s", **TALK}],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_locomo_is_known_as_list_as_one_sample_and_bare(tmp_path: Path, content: Any, indent: int | None) -> None:
    assert opened(written(tmp_path, json.dumps(content, indent=indent))).format == "locomo"


@pytest.mark.parametrize(
    ("content", "guess"),
    [
        (b"", "is empty"),
        (b"  \n ", "is empty"),
        (gzip.compress(b"{}"), "gunzip"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"%PDF-1.7", "PDF"),
        ('{"user_id": "ida", "content": "x"}'.encode("utf-16"), "UTF-16"),
        (b"\x7fELF\x00\x00", "no text"),
        ("user,text\nida,hello\n", "table (CSV)"),
        ("Ida: hello there\nBo: hi\n", "plain text"),
        ('[{"user_id": "ida", "content": "x"},\n', "cut off"),
        ('[{"user_id": "ida", "content": "x"}]', "one list of turns"),
        ('{\n"user_id": "ida",\n"content": "x"\n}', "over several lines"),
        ('[{"mapping": {}}]', "ChatGPT"),
        ('{"messages": []}', "list of messages"),
        ('{"conversation": {"session_1": []}}', "no conversation of it has a session_1"),
        ("[]", "one turn a line"),
        ("3", "one turn a line"),
    ],
)
def test_everything_else_is_refused_with_a_guess(tmp_path: Path, content: bytes | str, guess: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(ImportRefused) as refused:
        opened(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert guess in str(refused.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.jsonl"):
        with pytest.raises(ImportRefused, match="cannot be read"):
            opened(path)


def test_the_format_named_insists(tmp_path: Path) -> None:
    path = written(tmp_path, "Ida: hello\n")
    reader = opened(path, "jsonl")
    assert (reader.format, reader.total) == ("jsonl", 1)
    with pytest.raises(ImportRefused, match="is not JSON"):
        opened(path, "locomo")
    with pytest.raises(ImportRefused, match="jsonl, locomo"):
        opened(path, "csv")


@given(
    content=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace")))
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_file_at_all_breaks_it(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    for format_ in ("", "jsonl", "locomo"):
        with contextlib.suppress(ImportRefused):
            list(opened(path, format_).messages())
