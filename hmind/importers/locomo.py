"""The LoCoMo file format: months of talk of two people, in sessions that bear a time.

One owner of the memory, two speakers: both are people, so both have the role ``user``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from hmind.errors import ImportRefused
from hmind.importers.message import Defaults, Message
from hmind.intake.wire import Delivery
from hmind.model import SessionRef
from hmind.settings import Intake

BETWEEN_TURNS = timedelta(seconds=20)
"""The format has one time a session; its turns are spaced this far apart, in their order."""

_SESSION = re.compile(r"session_(\d+)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?,?\s+(?:on\s+)?(\d{1,2})\s+([a-z]+)\.?,?\s+(\d{4})", re.IGNORECASE
)


def samples_in(content: Any) -> list[Mapping[str, Any]]:
    """The samples of a parsed file: a list of samples or one sample; empty where it is no LoCoMo."""
    listed = content if isinstance(content, list) else [content]
    samples: list[Mapping[str, Any]] = [each for each in listed if isinstance(each, dict) and _sessions(each)]
    return samples if len(samples) == len(listed) else []


def session_time(told: Any, zone: ZoneInfo) -> datetime | None:
    """When a session began, from ``1:56 pm on 8 May, 2023`` or ISO 8601, in UTC; None where it says nothing."""
    if not isinstance(told, str):
        return None
    try:
        if found := _TIME.search(told):
            hour, minute, half, day, month, year = found.groups()
            moment = datetime(
                int(year), _MONTHS.index(month.lower()[:3]) + 1, int(day), int(hour) % 12, int(minute), tzinfo=zone
            )
            return (moment + timedelta(hours=12 if half.lower() == "p" else 0)).astimezone(UTC)
        moment = datetime.fromisoformat(told.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)


class Locomo:
    """A parsed LoCoMo file. ``user_id`` is the sample's id, ``turn_id`` its ``dia_id``."""

    format = "locomo"

    def __init__(self, content: Any, defaults: Defaults, settings: Intake, at: datetime) -> None:
        """
        Raises:
            ImportRefused: no conversation, a sample without an id, or an unknown time zone.
        """
        self._samples = samples_in(content)
        if not self._samples:
            raise ImportRefused("The file holds no LoCoMo conversation: no session_1 with turns.")
        try:
            self._zone = ZoneInfo(defaults.timezone or "UTC")
        except (KeyError, ValueError, OSError):
            raise ImportRefused(
                f"{defaults.timezone!r} is no IANA time zone. Write one such as Asia/Shanghai."
            ) from None
        if not defaults.user_id and not all(sample.get("sample_id") for sample in self._samples):
            raise ImportRefused("A conversation of the file has no sample_id. Say whose memory it is with --user.")
        self._user_id = defaults.user_id
        self._tenant = defaults.tenant or settings.default_tenant
        self._at = at

    @property
    def total(self) -> int:
        return sum(len(turns) for sample in self._samples for _, _, turns in _sessions(sample))

    def messages(self) -> Iterator[Message]:
        for ordinal, sample in enumerate(self._samples, 1):
            own_name = str(sample.get("sample_id") or ordinal)
            # Several samples given to one user must not share their session names.
            prefix = f"{own_name}/" if self._user_id and len(self._samples) > 1 else ""
            for name, told_at, turns in _sessions(sample):
                session = SessionRef(self._tenant, self._user_id or own_name, prefix + name)
                yield from self._turns(session, name, session_time(told_at, self._zone), turns)

    def _turns(self, session: SessionRef, name: str, start: datetime | None, turns: list[Any]) -> Iterator[Message]:
        number = name.removeprefix("session_")
        for place, told in enumerate(turns):
            payload: Any = orjson.dumps(told)
            turn_id = f"D{number}:{place + 1}"
            if isinstance(told, dict):
                turn_id = str(told.get("dia_id") or turn_id)
                payload = {
                    "tenant": session.tenant,
                    "user_id": session.user_id,
                    "session_id": session.session_id,
                    "turn_id": turn_id,
                    "role": "user",
                    "speaker": told.get("speaker"),
                    "content": _content(told),
                    # A session whose time cannot be read must not be remembered as of today.
                    "occurred_at": (start + place * BETWEEN_TURNS).isoformat() if start else "unknown",
                }
            id_ = "\x1f".join([session.tenant, session.user_id, session.session_id, turn_id, str(place)])
            delivery = Delivery(payload, f"locomo:{id_}", self._at)
            yield Message(delivery, f"{session.session_id}, turn {place + 1}", session, place + 1 == len(turns))


def _sessions(sample: Mapping[str, Any]) -> list[tuple[str, Any, list[Any]]]:
    """Name, told time and turns of each session that has turns, in order of their numbers."""
    conversation = sample.get("conversation", sample)
    if not isinstance(conversation, dict):
        return []
    found = []
    for key, turns in conversation.items():
        matched = _SESSION.fullmatch(str(key))
        if matched and isinstance(turns, list) and any(isinstance(turn, dict) and "speaker" in turn for turn in turns):
            found.append((int(matched.group(1)), key, conversation.get(f"{key}_date_time"), turns))
    return [(key, told_at, turns) for _, key, told_at, turns in sorted(found, key=lambda each: each[0])]


def _content(turn: Mapping[str, Any]) -> Any:
    """What was said, and what the photo that was sent with it shows."""
    text, caption = turn.get("text"), turn.get("blip_caption")
    if isinstance(caption, list):
        caption = "; ".join(part for part in caption if isinstance(part, str))
    if not isinstance(caption, str) or not caption.strip():
        return text
    photo = f"[photo: {caption.strip()}]"
    return f"{text} {photo}" if isinstance(text, str) and text.strip() else photo
