"""Which format a file has: by its content, never by its name."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from hmind.errors import ImportRefused
from hmind.importers.jsonl import JsonLines
from hmind.importers.locomo import Locomo, samples_in
from hmind.importers.message import Defaults, Reader
from hmind.settings import Intake

FORMATS = ("jsonl", "locomo")

_LINES_LOOKED_AT = 50
_OTHERS = {
    b"PK\x03\x04": "is a zip archive or an office document. Unpack it, or save it as text",
    b"\x1f\x8b": "is packed with gzip. Unpack it first: gunzip",
    b"BZh": "is packed with bzip2. Unpack it first: bunzip2",
    b"\xfd7zXZ": "is packed with xz. Unpack it first: unxz",
    b"\x28\xb5\x2f\xfd": "is packed with zstd. Unpack it first: unzstd",
    b"%PDF": "is a PDF. Save the conversation as JSON lines",
    b"SQLite format 3": "is an SQLite database. Export the conversation as JSON lines",
    b"\xff\xfe": "is text in UTF-16. Save it as UTF-8",
    b"\xfe\xff": "is text in UTF-16. Save it as UTF-8",
    b"\x89PNG": "is a picture. Only text can be imported",
    b"\xff\xd8\xff": "is a picture. Only text can be imported",
}
_WRITE_LINES = 'Write one turn a line: {"user_id": "…", "content": "…"}, see docs/producers.md'


def open_file(path: Path, format_: str, defaults: Defaults, settings: Intake, at: datetime) -> Reader:
    """A reader for the file; ``format_`` insists on a format, "" lets the content decide.

    Raises:
        ImportRefused: no such file, an unknown format, or nothing that can be imported.
    """
    if format_ and format_ not in FORMATS:
        raise ImportRefused(f"The format {format_} is not known. Known are: {', '.join(FORMATS)}.")
    try:
        head = _head(path)
        known = format_ or _format(path, head)
        if known == "jsonl":
            return JsonLines(path, defaults, settings, at)
        return Locomo(_whole(path), defaults, settings, at)
    except OSError as error:
        raise ImportRefused(f"{path}: cannot be read ({error.strerror}). Check the path.") from None
    except ImportRefused as error:
        message = str(error)
        raise ImportRefused(message if message.startswith(str(path)) else f"{path}: {message}") from None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        head = file.read(64)
    if not head.strip():
        raise ImportRefused("is empty. Nothing was imported.")
    for magic, what in _OTHERS.items():
        if head.startswith(magic):
            raise ImportRefused(f"{what}.")
    if b"\0" in head:
        raise ImportRefused(f"is no text. {_WRITE_LINES}.")
    return head


def _format(path: Path, head: bytes) -> str:
    lines = _first_objects(path)
    if any("user_id" in line or "content" in line for line in lines):
        return "jsonl"
    try:
        content = _whole(path)
    except ImportRefused:
        raise ImportRefused(f"is neither JSON lines nor a LoCoMo file. {_guess_of_text(head, lines)}.") from None
    if samples_in(content):
        return "locomo"
    raise ImportRefused(f"is JSON, but neither turns nor a LoCoMo file. {_guess_of_json(content)}.")


def _first_objects(path: Path) -> list[dict[str, Any]]:
    """The objects among the first lines; a turn is a line of its own, so a long first line is still one."""
    found = []
    with path.open("rb") as file:
        for _, line in zip(range(_LINES_LOOKED_AT), file, strict=False):
            try:
                value = orjson.loads(line.removeprefix(b"\xef\xbb\xbf"))
            except orjson.JSONDecodeError:
                continue
            if isinstance(value, dict):
                found.append(value)
    return found


def _whole(path: Path) -> Any:
    try:
        return orjson.loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        raise ImportRefused("is not JSON. A LoCoMo file is one list of conversations.") from None


def _guess_of_text(head: bytes, lines: list[dict[str, Any]]) -> str:
    if lines:
        return f"Its lines are objects without user_id and content. {_WRITE_LINES}"
    if head.lstrip().startswith((b"{", b"[")):
        return "It looks like JSON that was cut off or has a fault; check it with: python -m json.tool"
    if b"," in head or b"\t" in head or b";" in head:
        return f"It looks like a table (CSV). {_WRITE_LINES}"
    return f"It looks like plain text. {_WRITE_LINES}"


def _guess_of_json(content: Any) -> str:
    first = content[0] if isinstance(content, list) and content else content
    if isinstance(first, dict):
        if isinstance(content, list) and "content" in first:
            return "It looks like one list of turns. Write each on a line of its own: jq -c '.[]'"
        if "mapping" in first:
            return f"It looks like an export of ChatGPT, which is not supported. {_WRITE_LINES}"
        if "messages" in first:
            return f"It looks like a list of messages of a chat application. {_WRITE_LINES}"
        if "user_id" in first and "content" in first:
            return "It looks like a turn over several lines. Write it on one: jq -c ."
        if "conversation" in first:
            return "It looks like LoCoMo, but no conversation of it has a session_1 with speakers"
    return _WRITE_LINES
