"""What an LLM is asked about a segment: fixed instructions, and the turns as data that cannot leave its block."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cache
from typing import Any

from hmind.analysis.owner import owner_speaker
from hmind.errors import SettingsError
from hmind.model import Known, Segment, Turn
from hmind.settings import config_dir
from hmind.text.clean import clean

TURN_CHARS = 6000
"""What is shown of a turn of the segment; a longer one keeps its beginning and its end."""

CONTEXT_CHARS = 600
"""What is shown of a turn of the context."""

KNOWN_NAMES = 40
"""Names and values offered at most, those that occur in the talk first."""

_KNOWN_CHARS = 60
_GAP = " […] "
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e"})
"""In JSON strings these mean the same, and cannot close a block; that nothing begins a line is JSON's own escaping."""


@dataclass(frozen=True, slots=True)
class Question:
    """Messages for the chat endpoint, and whether turns were shortened in them."""

    messages: tuple[dict[str, str], ...]
    shortened: bool


@cache
def instructions() -> str:
    """The system prompt, from config/prompts/analyst.md. Raises SettingsError when it is not there."""
    path = config_dir() / "prompts" / "analyst.md"
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"{path}: cannot be read as UTF-8. Install hmind again, it comes with it.") from None


def ask_about(segment: Segment, known: Known, zone: tzinfo = UTC, numbers: Collection[int] | None = None) -> Question:
    """The question about ``segment``: its turns numbered from 1, what is around them without numbers.

    Args:
        zone: of the times shown.
        numbers: of the turns that are asked about, all by default. A turn keeps its number, whoever is
            asked about besides; the others are shown as context.
    """
    numbered = list(enumerate(segment.turns, start=1))
    asked = [(number, turn) for number, turn in numbered if numbers is None or number in numbers]
    around = [*segment.context, *(turn for number, turn in numbered if numbers is not None and number not in numbers)]
    about = _as_data(
        {
            "owner": _owner(segment),
            "known_names": _nearest(known.entity_names, segment),
            "core_values": [clean(value)[:_KNOWN_CHARS] for value in known.core_values[:KNOWN_NAMES]],
        }
    )
    lines = ["<about>", about, "</about>", "<context>"]
    lines += [f"[context] {_line(turn, CONTEXT_CHARS, zone)}" for turn in around]
    lines += ["</context>", "<turns>"]
    lines += [f"[{number}] {_line(turn, TURN_CHARS, zone)}" for number, turn in asked]
    lines += ["</turns>", "Answer with the JSON object about the numbered turns."]
    messages = ({"role": "system", "content": instructions()}, {"role": "user", "content": "\n".join(lines)})
    return Question(messages, shortened=any(len(clean(turn.content)) > TURN_CHARS for _, turn in asked))


def _owner(segment: Segment) -> str:
    speaker = owner_speaker(segment)
    if speaker is None:
        return "not known: name every speaker, call none of them user"
    return f"speaks as {clean(speaker)[:_KNOWN_CHARS] or 'user'}"


def _nearest(names: Iterable[str], segment: Segment) -> list[str]:
    talk = "\n".join(turn.content for turn in (*segment.context, *segment.turns)).casefold()
    short = [name for name in (clean(name) for name in names) if 0 < len(name) <= _KNOWN_CHARS]
    return sorted(short, key=lambda name: (name.casefold() not in talk, name))[:KNOWN_NAMES]


def _line(turn: Turn, most_chars: int, zone: tzinfo) -> str:
    """A turn as data; its speaker is left out where it is but the role again, since every letter is paid for."""
    speaker = clean(turn.speaker)[:_KNOWN_CHARS]
    return _as_data(
        {
            "at": turn.occurred_at.astimezone(zone).strftime("%Y-%m-%d %a %H:%M"),
            "role": turn.role.value,
            **({"speaker": speaker} if speaker.casefold() != turn.role.value else {}),
            "text": _shortened(clean(turn.content), most_chars),
        }
    )


def _shortened(text: str, most_chars: int) -> str:
    if len(text) <= most_chars:
        return text
    tail = most_chars // 3
    return text[: most_chars - tail - len(_GAP)] + _GAP + text[-tail:]


def _as_data(value: dict[str, Any]) -> str:
    """One line of JSON without angle brackets."""
    return json.dumps(value, ensure_ascii=False).translate(_ESCAPES)
