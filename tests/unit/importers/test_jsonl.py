"""JSON lines: each line is a message with its place, and the last of a session is known as such."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hmind.errors import BadTurn
from hmind.importers.jsonl import JsonLines
from hmind.importers.message import Defaults, Message
from hmind.intake.wire import turn_from
from hmind.settings import load

INTAKE = load({}).intake
AT = datetime(2026, 11, 28, tzinfo=UTC)


def messages(folder: Path, text: str, defaults: Defaults | None = None) -> list[Message]:
    path = folder / "turns"
    path.write_text(text, encoding="utf-8")
    reader = JsonLines(path, defaults or Defaults(), INTAKE, AT)
    read = list(reader.messages())
    assert reader.total == len(read)
    return read


def test_places_are_line_numbers_and_blank_lines_count(tmp_path: Path) -> None:
    read = messages(tmp_path, '\ufeff{"user_id":"a","content":"1"}\r\n\n\n{"user_id":"a","content":"2"}')
    assert [message.place for message in read] == ["line 1", "line 4"]
    assert [turn_from(message.delivery, INTAKE, AT).content for message in read] == ["1", "2"]


def test_interleaved_sessions_end_with_their_own_last_line(tmp_path: Path) -> None:
    line = '{{"user_id":"{}","session_id":"{}","content":"x"}}\n'
    order = [("a", "s"), ("b", "s"), ("a", "s"), ("b", "t"), ("b", "s")]
    read = messages(tmp_path, "".join(line.format(*each) for each in order))
    assert [message.last for message in read] == [False, False, True, True, True]


def test_a_bad_line_is_a_message_too_and_closes_nothing(tmp_path: Path) -> None:
    read = messages(tmp_path, '{"user_id":"a","content":"x"}\nnonsense\n{"content":"whose?"}\n["no object"]\n')
    assert [message.last for message in read] == [True, False, False, False]
    for message, field in zip(read[1:], ("turn", "user_id", "turn"), strict=True):
        with pytest.raises(BadTurn) as fault:
            turn_from(message.delivery, INTAKE, AT)
        assert fault.value.field == field


def test_what_is_said_of_the_whole_file_fills_gaps_only(tmp_path: Path) -> None:
    said = Defaults(user_id="ida", tenant="acme", timezone="Asia/Shanghai")
    text = '{"content":"x","occurred_at":"2026-01-01T08:00"}\n{"user_id":"bo","tenant":"other","content":"x"}\n'
    first, second = (turn_from(message.delivery, INTAKE, AT) for message in messages(tmp_path, text, said))
    assert (first.user_id, first.tenant, first.occurred_at) == ("ida", "acme", datetime(2026, 1, 1, tzinfo=UTC))
    assert (second.user_id, second.tenant) == ("bo", "other")


def test_the_same_file_gives_the_same_ids(tmp_path: Path) -> None:
    text = '{"user_id":"a","content":"no id, no time"}\nnonsense\n'
    again = [[m.delivery.id for m in messages(tmp_path, text)] for _ in range(2)]
    assert again[0] == again[1]
    ids = {turn_from(messages(tmp_path, text)[0].delivery, INTAKE, AT).turn_id for _ in range(2)}
    assert len(ids) == 1
