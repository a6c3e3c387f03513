"""The answer we ask an LLM for, as pydantic models: strict in what is asked, lenient in what is read.

What becomes of an answer that was read is in llm_reading.py.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from hmind.model import EntityType
from hmind.text.clean import clean

DISCARD_REASONS = ("small_talk", "no_content", "question", "request", "agent_talk", "duplicate", "other")
"""The reasons an answer may give for letting a turn go: those of the offline analyst, and ``other``, as which
any other is read, so that no text of a user reaches the ledger as a reason."""

_REASON_WORDS = {"repeated": "duplicate", "repetition": "duplicate", "greeting": "small_talk", "闲聊": "small_talk"}

TEXT_CHARS = 1000
"""Sentences are cut at this length, and so are the objects of facts."""

NAME_CHARS = 200
"""A longer name, alias, subject or predicate is none, and its item is dropped."""

_WORDS = {
    0.2: ("low", "minor", "trivial", "低", "较低"),
    0.5: ("medium", "moderate", "mid", "normal", "中", "中等", "一般"),
    0.8: ("high", "important", "strong", "高", "较高", "重要"),
    0.9: ("very high", "critical", "certain", "很高", "极高", "非常重要"),
}
_LEVELS = {word: level for level, words in _WORDS.items() for word in words}
_TYPES: dict[str, EntityType] = {
    **{kind.value: kind for kind in EntityType},
    **dict.fromkeys(("people", "human", "pet", "animal", "人", "人物"), EntityType.PERSON),
    **dict.fromkeys(("location", "city", "country", "gpe", "地点", "地方"), EntityType.PLACE),
    **dict.fromkeys(("organization", "org", "company", "school", "组织", "机构", "公司"), EntityType.ORGANISATION),
    **dict.fromkeys(("event", "activity", "事件", "活动"), EntityType.HAPPENING),
}
_DATE = re.compile(
    r"(?P<year>\d{4})(?:[-/.年](?P<month>\d{1,2})(?:[-/.月](?P<day>\d{1,2})日?)?月?)?年?"
)  # 2023, 2023-05, 2023/5/7, 2023年5月7日


class _Dropped:
    """Stands for an item that was no such item, until the list is closed up again."""


_DROPPED = _Dropped()


@dataclass
class Reading:
    """How an answer is read; passed as pydantic's context.

    Attributes:
        zone: of the times that name none.
        lost: items dropped so far.
        lost_told: how many of them were events or statements.
    """

    zone: tzinfo = UTC
    lost: int = 0
    lost_told: int = 0


def _or_dropped(value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    try:
        return handler(value)
    except (ValidationError, ValueError, OverflowError):
        if isinstance(info.context, Reading):
            info.context.lost += 1
            info.context.lost_told += info.field_name in {"events", "statements"}
        return _DROPPED


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _without_dropped(items: list[Any]) -> list[Any]:
    return [item for item in items if item is not _DROPPED]


T = TypeVar("T")
ListOf = Annotated[
    list[Annotated[T, WrapValidator(_or_dropped)]],
    BeforeValidator(_as_list),
    AfterValidator(_without_dropped),
]
"""A list in which a bad item is dropped and counted, and never stops the good ones beside it."""


def _read_sentence(value: Any) -> Any:
    return clean(value)[:TEXT_CHARS] if isinstance(value, str) else value


def _read_name(value: Any) -> Any:
    return " ".join(clean(value).split()) if isinstance(value, str) else value


def _read_object(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else _read_sentence(value)


def _read_predicate(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", _read_name(value))
    return re.sub(r"\W+", "_", words).strip("_").lower()


def read_unit(value: Any) -> float:
    """A number from 0 to 1, whatever the model took for its scale: 0.7, "0.7", 7 (of 10), 70, "70%", "high".

    Below 0 is 0; between 1 and 2, which is no scale's, is 1.

    Raises:
        ValueError: it is none of these.
    """
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _LEVELS:
            return _LEVELS[word]
        number = float(word.removesuffix("%").removesuffix("/10"))
        value = number / 100 if word.endswith("%") else number / 10 if word.endswith("/10") else number
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value > 100:
        raise ValueError("no number from 0 to 1")
    scale = 1 if value < 2 else 10 if value <= 10 else 100
    return min(1.0, max(0.0, float(value) / scale))


def _read_turn(value: Any) -> Any:
    if isinstance(value, str) and (digits := re.fullmatch(r"\W*(?:turn|t)?\s*#?(\d{1,6})\W*", value.strip(), re.I)):
        return int(digits.group(1))
    if isinstance(value, bool):
        raise ValueError("no turn number")
    return value


def read_time(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """A time or date as ISO 8601 or close to it, in UTC; the first moment of a day, month or year. Else None."""
    if not isinstance(value, str):
        return None
    text = clean(value)
    try:
        if date := _DATE.fullmatch(text):
            year, month, day = (int(date[part] or 1) for part in ("year", "month", "day"))
            return datetime(year, month, day, tzinfo=zone).astimezone(UTC)
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _read_time(value: Any, info: ValidationInfo) -> datetime | None:
    return read_time(value, info.context.zone if isinstance(info.context, Reading) else UTC)


def _read_type(value: Any) -> Any:
    return _TYPES.get(value.strip().lower(), EntityType.OBJECT) if isinstance(value, str) else value


def _read_reason(value: Any) -> Any:
    word = _read_predicate(value)
    word = _REASON_WORDS.get(word, word) if isinstance(word, str) else ""
    return word if word in DISCARD_REASONS else "other"


def _read_word(value: Any) -> str:
    return _read_name(value) if isinstance(value, str) and len(value) <= 40 else ""


Sentence = Annotated[str, BeforeValidator(_read_sentence), Field(min_length=1)]
Name = Annotated[str, BeforeValidator(_read_name), Field(min_length=1, max_length=NAME_CHARS)]
Predicate = Annotated[str, BeforeValidator(_read_predicate), Field(min_length=1, max_length=60)]
FactObject = Annotated[str, BeforeValidator(_read_object), Field(min_length=1)]
Unit = Annotated[float, BeforeValidator(read_unit), WithJsonSchema({"type": "number"})]
TurnNumber = Annotated[int, BeforeValidator(_read_turn)]
Time = Annotated[
    datetime | None, BeforeValidator(_read_time), WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]})
]
Kind = Annotated[EntityType, BeforeValidator(_read_type)]
Reason = Annotated[
    str, BeforeValidator(_read_reason), WithJsonSchema({"type": "string", "enum": list(DISCARD_REASONS)})
]
Word = Annotated[str, BeforeValidator(_read_word)]


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"additionalProperties": False})


class StatementAnswer(_Answer):
    """A self-contained sentence and the numbers of the turns it comes from."""

    text: Sentence
    occurred_on: Time = None
    turns: ListOf[TurnNumber] = []


class EntityAnswer(_Answer):
    """A named thing."""

    name: Name
    type: Kind = EntityType.OBJECT
    aliases: ListOf[Name] = []
    turns: ListOf[TurnNumber] = []


class FactAnswer(_Answer):
    """A triple with the time in which it holds."""

    subject: Name
    predicate: Predicate
    object: FactObject
    confidence: Unit
    valid_from: Time = None
    valid_to: Time = None
    turns: ListOf[TurnNumber] = []


class EventAnswer(_Answer):
    """One event. What it cannot do without stands before its lists, so that an answer cut short loses little."""

    description: Sentence
    salience: Unit
    occurred_at: Time = None
    occurred_until: Time = None
    emotion: Word = ""
    statements: ListOf[StatementAnswer]
    entities: ListOf[EntityAnswer] = []
    facts: ListOf[FactAnswer] = []


class DiscardAnswer(_Answer):
    """A turn that is let go, and why."""

    turn: TurnNumber
    reason: Reason = "other"


class SegmentAnswer(_Answer):
    """The whole answer about one segment."""

    events: ListOf[EventAnswer]
    discarded: ListOf[DiscardAnswer] = []


def answer_schema() -> dict[str, Any]:
    """The JSON schema of :class:`SegmentAnswer` in the dialect of strict structured output.

    That dialect wants every property required, none besides, and knows no defaults.
    """
    schema: dict[str, Any] = _strict(SegmentAnswer.model_json_schema())
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            kept[key] = {name: _strict(shape) for name, shape in value.items()}
            kept["required"] = list(value)
        elif key not in {"default", "title", "description", "minLength", "maxLength", "required"}:
            kept[key] = _strict(value)
    return kept
