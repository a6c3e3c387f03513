"""Conversations in the LoCoMo format with what annotators found in them. Reads; measures nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from hmind.errors import BadLabels, BadTurn, ImportRefused
from hmind.importers.locomo import Locomo, samples_in
from hmind.importers.message import Defaults
from hmind.intake.wire import turn_from
from hmind.model import Turn, utc_now
from hmind.settings import Intake

_TURN_ID = re.compile(r"D(\d+):0*(\d+)")
_EVENTS = "events_session_"


@dataclass(frozen=True, slots=True)
class GoldEvent:
    """A sentence in which an annotator says what happened to ``speaker``."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One session: its turns in order, and the annotated events."""

    name: str
    turns: tuple[Turn, ...]
    gold: tuple[GoldEvent, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One sample. ``evidence`` holds for each question the ids of the turns that answer it; never empty sets."""

    id: str
    talks: tuple[Talk, ...]
    evidence: tuple[frozenset[str], ...]


def read(path: Path, settings: Intake) -> list[Conversation]:
    """The conversations of a file, their turns as intake would accept them.

    Raises:
        BadLabels: it cannot be read, is no JSON, no LoCoMo, or has no annotated events.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = [_conversation(sample, number, settings) for number, sample in enumerate(samples_in(content), 1)]
    except OSError as error:
        raise BadLabels(f"{path}: cannot be read ({error.strerror}). Name a file of LoCoMo conversations.") from None
    except (ValueError, ImportRefused, BadTurn):
        raise BadLabels(f"{path}: is no file of LoCoMo conversations.") from None
    if not any(talk.gold for conversation in found for talk in conversation.talks):
        raise BadLabels(f"{path}: holds no conversation with annotated events (event_summary).")
    return found


def _conversation(sample: Mapping[str, Any], number: int, settings: Intake) -> Conversation:
    name = str(sample.get("sample_id") or number)
    now = utc_now()
    reader = Locomo([sample], Defaults(user_id=name), settings, now)
    turns = [turn_from(message.delivery, settings, now) for message in reader.messages() if _says(message)]
    events = sample.get("event_summary")
    talks = tuple(
        Talk(session, tuple(its), _gold(events, session))
        for session, its in groupby(turns, key=lambda turn: turn.session_id)
    )
    known = {turn.turn_id for turn in turns}
    asked = [_evidence(question) & known for question in sample.get("qa") or () if isinstance(question, dict)]
    return Conversation(name, talks, tuple(frozenset(ids) for ids in asked if ids))


def _says(message: Any) -> bool:
    payload = message.delivery.payload
    return isinstance(payload, dict) and bool(str(payload.get("content") or "").strip())


def _gold(events: Any, session: str) -> tuple[GoldEvent, ...]:
    told = events.get(_EVENTS + session.removeprefix("session_")) if isinstance(events, dict) else None
    if not isinstance(told, dict):
        return ()
    return tuple(
        GoldEvent(speaker, text.strip())
        for speaker, texts in told.items()
        if isinstance(texts, list)
        for text in texts
        if isinstance(text, str) and text.strip()
    )


def _evidence(question: Mapping[str, Any]) -> set[str]:
    """Every well-formed id, also from "D8:6; D9:17"."""
    listed = question.get("evidence")
    told = " ".join(map(str, listed)) if isinstance(listed, list) else str(listed or "")
    return {f"D{session}:{turn}" for session, turn in _TURN_ID.findall(told)}
