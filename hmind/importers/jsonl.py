"""H-Mind's own JSON lines: one turn a line, as docs/producers.md describes it.

The file is read twice and never held: once to learn where each session ends, once for its turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from hmind.errors import BadTurn
from hmind.importers.message import Defaults, Message
from hmind.intake.wire import Delivery, session_from
from hmind.model import SessionRef
from hmind.settings import Intake

_BOM = b"\xef\xbb\xbf"


class JsonLines:
    """A file with a turn on each line; blank lines count for nothing but their number."""

    format = "jsonl"

    def __init__(self, path: Path, defaults: Defaults, settings: Intake, at: datetime) -> None:
        """``at`` stands in for the time of turns that bear none."""
        self._path = path
        self._defaults = defaults
        self._settings = settings
        self._at = at
        self._last: dict[SessionRef, int] = {}
        self._total = 0
        for number, delivery in self._deliveries():
            self._total += 1
            if session := self._session(delivery):
                self._last[session] = number

    @property
    def total(self) -> int:
        return self._total

    def messages(self) -> Iterator[Message]:
        for number, delivery in self._deliveries():
            session = self._session(delivery)
            last = session is not None and self._last.get(session) == number
            yield Message(delivery, f"line {number}", session, last)

    def _deliveries(self) -> Iterator[tuple[int, Delivery]]:
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                told = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
                if told:
                    id_ = f"{hashlib.sha256(told).hexdigest()[:32]}:{number}"
                    yield number, Delivery(self._completed(told), id_, self._at)

    def _completed(self, line: bytes) -> bytes | dict[str, Any]:
        """The line's object with what was said of the whole file; the line as it is where it is none."""
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError:
            return line
        if not isinstance(fields, dict):
            return line
        said = {
            "user_id": self._defaults.user_id,
            "tenant": self._defaults.tenant,
            "timezone": self._defaults.timezone,
        }
        return fields | {name: value for name, value in said.items() if value and fields.get(name) in (None, "")}

    def _session(self, delivery: Delivery) -> SessionRef | None:
        try:
            return session_from(delivery, self._settings)
        except BadTurn:
            return None
