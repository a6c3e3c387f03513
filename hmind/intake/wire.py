"""The wire format of producers: one JSON object, read leniently, to a Turn or a BadTurn.

docs/producers.md is its reference. Unknown fields are ignored, so that a producer may add its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from hmind.errors import BadTurn
from hmind.model import Role, SessionRef, Turn
from hmind.settings import Intake as IntakeSettings
from hmind.text.clean import clean

MAX_ID_CHARS = 256
_MILLIS_FROM = 1e11  # as seconds, the year 5138: a larger number is in milliseconds
_EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
_ROLES = {role.value: role for role in Role} | {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "developer": Role.SYSTEM,
    "function": Role.TOOL,
}


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message as it came.

    Attributes:
        payload: JSON text, or the object itself.
        id: what the transport calls this delivery; the same at every redelivery.
        at: when the transport received it, aware; stands in for a missing occurred_at.
    """

    payload: bytes | str | Mapping[str, Any]
    id: str
    at: datetime

    @property
    def text(self) -> str:
        """The payload as text fit for PostgreSQL, for the dead letters."""
        if isinstance(self.payload, bytes):
            return clean(self.payload.decode("utf-8", errors="replace"))
        return clean(self.payload if isinstance(self.payload, str) else json.dumps(self.payload, default=str))


def turn_from(delivery: Delivery, settings: IntakeSettings, now: datetime) -> Turn:
    """The turn that a delivery holds, cleaned, received at ``now``.

    Raises:
        BadTurn: names the field at fault.
    """
    fields = _object(delivery.payload)
    session = _session(fields, settings)
    content = _content(fields.get("content"), settings.max_content_chars)
    role = _role(fields.get("role"))
    occurred_at = _instant(fields.get("occurred_at"), fields.get("timezone"))
    if occurred_at is None:
        occurred_at, salt = delivery.at, f"delivery:{delivery.id}"
    else:
        salt = occurred_at.isoformat()
    if occurred_at > now + timedelta(seconds=settings.max_ahead_s):
        raise BadTurn("occurred_at", "lies in the future; is it in seconds, and is the clock right?")
    turn = Turn(
        tenant=session.tenant,
        user_id=session.user_id,
        session_id=session.session_id,
        turn_id=_name(fields, "turn_id", ""),
        role=role,
        speaker=_name(fields, "speaker", role.value),
        content=content,
        occurred_at=occurred_at,
        received_at=now,
    )
    return turn if turn.turn_id else replace(turn, turn_id=_derived_id(turn, salt))


def session_from(delivery: Delivery, settings: IntakeSettings) -> SessionRef:
    """The session that a flush message names. Raises BadTurn."""
    return _session(_object(delivery.payload), settings)


def name_in(delivery: Delivery, field: str) -> str | None:
    """A name in a bad message, where it can be read at all, so that its user can still be found."""
    try:
        return _name(_object(delivery.payload), field, "") or None
    except BadTurn:
        return None


def _derived_id(turn: Turn, salt: str) -> str:
    told = "\x1f".join((turn.session_id, salt, turn.role.value, turn.content))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _object(payload: bytes | str | Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(payload, Mapping):
        return payload
    try:
        value = orjson.loads(payload)
    except orjson.JSONDecodeError:
        value = _loads_leniently(payload)
    if not isinstance(value, dict):
        raise BadTurn("turn", f"is a JSON {type(value).__name__}, not an object with user_id and content")
    return value


def _loads_leniently(payload: bytes | str) -> Any:
    """JSON with lone surrogates or stray bytes, which are cleaned later; strict JSON refuses them."""
    text = payload.decode("utf-8", errors="replace") if isinstance(payload, bytes) else payload
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        raise BadTurn("turn", "is not JSON") from None


def _session(fields: Mapping[str, Any], settings: IntakeSettings) -> SessionRef:
    user_id = _name(fields, "user_id", "")
    if not user_id:
        raise BadTurn("user_id", "is missing")
    return SessionRef(_name(fields, "tenant", settings.default_tenant), user_id, _name(fields, "session_id", "main"))


def _name(fields: Mapping[str, Any], field: str, default: str) -> str:
    value = fields.get(field)
    if value is None:
        return default
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise BadTurn(field, f"is a JSON {type(value).__name__}, not a string")
    value = clean(value)
    if len(value) > MAX_ID_CHARS:
        raise BadTurn(field, f"has {len(value)} characters, at most {MAX_ID_CHARS} are taken")
    return value or default


def _role(value: Any) -> Role:
    if value is None:
        return Role.USER
    role = _ROLES.get(value.strip().lower()) if isinstance(value, str) else None
    if role is None:
        raise BadTurn("role", f"is none of {', '.join(r.value for r in Role)}")
    return role


def _content(value: Any, max_chars: int) -> str:
    if value is None:
        raise BadTurn("content", "is missing")
    if isinstance(value, list):
        # The content parts of OpenAI messages; pictures and sounds have no text to remember.
        value = "\n".join(
            part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    if not isinstance(value, str):
        raise BadTurn("content", f"is a JSON {type(value).__name__}, not a string")
    content = clean(value)
    if not content:
        raise BadTurn("content", "is empty")
    if len(content) > max_chars:
        raise BadTurn("content", f"has {len(content)} characters, at most {max_chars} are taken")
    return content


def _instant(value: Any, zone_name: Any) -> datetime | None:
    _zone(zone_name)  # a zone that does not exist is told, also where the time bears its own
    if value is None or value == "":
        return None
    try:
        instant = _parsed(value, zone_name)
        if instant < _EARLIEST:
            raise BadTurn("occurred_at", "lies before 1900")
    except (ValueError, OverflowError, OSError):
        raise BadTurn("occurred_at", "is neither ISO 8601 nor Unix seconds or milliseconds") from None
    return instant


def _parsed(value: Any, zone_name: Any) -> datetime:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("no time")
    try:
        number = float(value)
    except ValueError:
        moment = datetime.fromisoformat(str(value).strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=_zone(zone_name))).astimezone(UTC)
    return datetime.fromtimestamp(number / 1000 if abs(number) >= _MILLIS_FROM else number, UTC)


def _zone(name: Any) -> ZoneInfo:
    try:
        return ZoneInfo(name or "UTC")
    except (KeyError, ValueError, OSError, TypeError):
        raise BadTurn("timezone", "is no IANA time zone such as Asia/Shanghai") from None
