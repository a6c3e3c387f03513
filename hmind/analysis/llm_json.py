"""From what an LLM wrote to one JSON object: thoughts, fences and prose off, small faults mended, cuts cut back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_ESCAPE = re.compile(r"""\\(?:(?P<good>["\\/bfnrt]|u[0-9a-fA-F]{4})|(?P<bad>u[0-9a-fA-F]{0,3})|(?P<quote>'))?""")
_ENDED_THOUGHT = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNENDED_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
_CLOSER = {"{": "}", "[": "]"}
_MOST_STARTS = 200


class NoJson(ValueError):
    """The text holds no JSON object of the kind looked for. Bears none of the text."""


@dataclass(frozen=True, slots=True)
class Found:
    """The object, and whether it was cut off, in which case ``value`` is what was whole of it."""

    value: dict[str, Any]
    cut: bool


def without_thoughts(text: str) -> str:
    """The text after the last ``</think>``; empty when a thought never ended."""
    if text.lstrip().startswith(("{", "[", "`")):
        return text.strip()
    return _UNENDED_THOUGHT.sub("", _ENDED_THOUGHT.sub("", text)).strip()


def find_object(text: str, key: str) -> Found:
    """The first JSON object in ``text`` with a list under ``key``; a bare list of objects counts as that list.

    Whole JSON is taken as it is. JSON that was cut off is cut back to its last whole list item.
    What is neither (single quotes, commas too many or too few) is mended by json_repair.

    Raises:
        NoJson: there is none.
    """
    from json_repair import repair_json

    text = _ESCAPE.sub(_mended, without_thoughts(text))
    try:
        start, bare = _start(text, key)
        if (found := _first_whole(text, key, start if bare else -1)) is not None:
            return Found(found, cut=False)
        if start < 0:
            raise NoJson("no JSON")
        whole, cut = _cut_back(text[start:])
        found = _under(repair_json(whole, return_objects=True), key, bare)
    except NoJson:
        raise
    except (RecursionError, ValueError):  # json_repair says with a ValueError that it gives up
        raise NoJson("nested too deep") from None
    if found is None:
        raise NoJson("JSON of another kind")
    return Found(found, cut)


def _mended(escape: re.Match[str]) -> str:
    if escape["good"]:
        return escape[0]
    if escape["quote"]:
        return "'"
    return "" if escape["bad"] else "\\\\"


def _start(text: str, key: str) -> tuple[int, bool]:
    """Where the object with ``key`` opens, or else a list of objects, and whether it is the latter; -1 for neither."""
    for named in re.finditer(rf"""["'“]?\b{key}\b["'”]?\s*:""", text):
        if (start := text.rfind("{", 0, named.start())) >= 0:
            return start, False
    bare = re.search(r"\[\s*\{", text)
    return (bare.start(), True) if bare else (-1, False)


def _first_whole(text: str, key: str, bare_start: int) -> dict[str, Any] | None:
    """The first object of those side by side in ``text`` that can be decoded as it is and has ``key``."""
    end = 0
    for match in list(re.finditer(r"[\[{]", text))[:_MOST_STARTS]:
        if match.start() >= end:
            try:
                value, end = _DECODER.raw_decode(text, match.start())
            except ValueError:
                continue
            if (found := _under(value, key, bare=match.start() == bare_start)) is not None:
                return found
    return None


def _under(value: Any, key: str, bare: bool) -> dict[str, Any] | None:
    if isinstance(value, dict) and isinstance(value.get(key), list):
        return value
    if bare and isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return {key: value}
    return None


def _cut_back(text: str) -> tuple[str, bool]:
    """The first value of ``text``; when it never ends, up to its last whole list item, closed; and whether so."""
    open_: list[str] = []
    safe, closers = 0, ""
    in_string = escaped = False
    for at, sign in enumerate(text):
        item_ends_at = 0
        if in_string:
            in_string = escaped or sign != '"'
            escaped = sign == "\\" and not escaped
            if not in_string and open_[-1] == "[":
                item_ends_at = at + 1
        elif sign == '"':
            in_string = True
        elif sign in "{[":
            open_.append(sign)
            item_ends_at = at + 1 if sign == "[" else 0
        elif sign in "}]":
            open_.pop()
            if not open_:
                return text[: at + 1], False
            item_ends_at = at + 1 if open_[-1] == "[" or sign == "]" else 0
        elif sign == "," and open_[-1] == "[":
            item_ends_at = at
        if item_ends_at:
            safe, closers = item_ends_at, "".join(_CLOSER[sign] for sign in reversed(open_))
    return text[:safe] + closers, True
