"""Facts as sentences, in both languages. The table is config/predicates.toml; what asks for them is recall's."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from hmind.errors import SettingsError
from hmind.settings import config_dir
from hmind.text.language import detect
from hmind.text.times_calendar import MONTHS

LANGUAGES = ("en", "zh")
TIMES = ("", "since", "on", "planned")
"""What the date of a fact can mean; "" shows none."""

_SELF = {"en": "The user", "zh": "用户"}
_WHEN = {
    "en": {"since": "since {}", "from": "from {}", "on": "on {}", "planned": "planned for {}", "until": "until {}"},
    "zh": {"since": "自 {}", "from": "从 {} 起", "on": "{}", "planned": "定于 {}", "until": "至 {}"},
}
_BRACKETS = {"en": (" (", ", ", ")"), "zh": ("（", "，", "）")}
_HOLE = re.compile(r"\{(subject|object|a object)\}")
_DETERMINED = re.compile(
    r"(?:an?|the|my|his|her|our|their|its|some|any|no|one|two|three|four|five|six|this|that)\b|[^a-z]|.*(?<![su])s$"
)
_HAN, _LATIN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]"), re.compile(r"[0-9A-Za-z]")


@dataclass(frozen=True, slots=True)
class Wording:
    """One predicate.

    Attributes:
        sentence: by language, with {subject} and {object} to be filled in.
        time: what its date means, one of TIMES.
        asked: words of a question that ask for it.
    """

    sentence: dict[str, str]
    time: str
    asked: tuple[str, ...]


@cache
def wordings() -> dict[str, Wording]:
    """The table of config/predicates.toml by predicate.

    Raises:
        SettingsError: the table is broken.
    """
    path = config_dir() / "predicates.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        return {
            name: Wording(
                {language: entry[language] for language in LANGUAGES}, entry.get("time", ""), tuple(entry["asked"])
            )
            for predicate, entry in table.items()
            for name in (predicate, *entry.get("also", ()))
        }
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise SettingsError(f"{path}: cannot be read as a table of predicates. Restore it from the release.") from error


def sentence(
    subject: str,
    predicate: str,
    object_: str,
    language: str,
    *,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    told_at: datetime | None = None,
) -> str:
    """A fact as a sentence without full stop: ``The user lives in Denver (since 1 November 2026)``.

    A date stands only where it means something: of a state its beginning, of what happened or is
    planned its day, if that is another than ``told_at``; of anything its end. What began on the day
    it ended was only told of then, so its beginning is not known. Days are UTC.

    Args:
        language: ``en`` or ``zh``.
        told_at: when the event was that the fact came from, which is the date of a fact that bears
            none of its own; None where it is not known.
    """
    known = wordings().get(predicate)
    template = known.sentence[language] if known else f"{{subject}} {predicate.replace('_', ' ').strip()} {{object}}"
    values = {
        "subject": _SELF[language] if subject == "user" else subject,
        "object": object_,
        "a object": _with_article(object_),
    }
    filled = _joined([values.get(piece, piece) for piece in _HOLE.split(template)])
    kind = known.time if known else ""
    when = [_date(*told, language) for told in _dates(kind, valid_from, valid_to, told_at)]
    opening, between, closing = _BRACKETS[language]
    return filled + (opening + between.join(when) + closing if when else "")


def language_of(object_: str, event_language: str | None) -> str:
    """What a fact is shown in where no question sets it: the event's language, else that of its object."""
    return event_language if event_language in LANGUAGES else detect(object_)


def _dates(
    kind: str, valid_from: datetime | None, valid_to: datetime | None, told_at: datetime | None
) -> list[tuple[str, datetime]]:
    dates = []
    began = valid_from is not None and (valid_to is None or valid_from.date() < valid_to.date())
    if valid_from is not None and kind and began:
        later = told_at is not None and valid_from.date() > told_at.date()
        another_day = told_at is not None and valid_from.date() != told_at.date()
        if kind == "since":
            dates.append(("from" if later else "since", valid_from))
        elif (kind == "on" and another_day) or (kind == "planned" and later):
            dates.append((kind, valid_from))
    if valid_to is not None:
        dates.append(("until", valid_to))
    return dates


def _date(kind: str, moment: datetime, language: str) -> str:
    day = moment.date()
    told = day.isoformat() if language == "zh" else f"{day.day} {MONTHS[day.month - 1]} {day.year}"
    return _WHEN[language][kind].format(told)


def _with_article(noun: str) -> str:
    """``sound engineer`` with its article; names, plurals, numbers and what has one stay as they are."""
    if not noun or _DETERMINED.match(noun):
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _joined(pieces: list[str]) -> str:
    """The pieces in a row, with a blank where Chinese and Latin letters meet."""
    text = ""
    for piece in filter(None, pieces):
        if text and (
            (_HAN.match(text[-1]) and _LATIN.match(piece[0])) or (_LATIN.match(text[-1]) and _HAN.match(piece[0]))
        ):
            text += " "
        text += piece
    return text
