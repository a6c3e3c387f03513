"""Marked words, and finding them again in whatever clothes: JSON, HTML or URL escapes, reprs, base64."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote_plus

from redis import Redis

_ESCAPES = re.compile(r"\\+u([0-9a-fA-F]{4})|\\+x([0-9a-fA-F]{2})")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_DEPTH = 4


@dataclass(frozen=True)
class Canaries:
    """Words by the way they travel; a word is in no other text of the project."""

    words: dict[str, str]

    def in_text(self, text: str) -> set[str]:
        """The ways of the words found in ``text``."""
        seen: set[str] = set()
        todo = {text}
        for _ in range(_DEPTH):
            seen |= todo
            todo = {undone for one in todo for undone in _undone(one)} - seen
        everything = "\n".join(seen | todo).casefold()
        return {way for way, word in self.words.items() if word.casefold() in everything}

    def in_places(self, places: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
        """The ways of the words found, by place, which may come more than once; empty when there are none."""
        found: dict[str, set[str]] = {}
        for place, text in places:
            if ways := self.in_text(text):
                found.setdefault(place, set()).update(ways)
        return found


def redis_texts(redis: Redis) -> list[tuple[str, str]]:
    """Every key of the database with all that it holds."""
    readers = {
        b"string": lambda key: redis.get(key),
        b"list": lambda key: redis.lrange(key, 0, -1),
        b"hash": lambda key: redis.hgetall(key),
        b"set": lambda key: redis.smembers(key),
        b"zset": lambda key: redis.zrange(key, 0, -1),
        b"stream": lambda key: redis.xrange(key),
    }
    found = []
    for key in redis.scan_iter(count=1000):
        kind = redis.type(key)
        held = readers[kind](key) if kind != b"none" else None
        found.append((key.decode(), f"{key.decode()} {_text(held)}"))
    return found


def _text(held: object) -> str:
    if isinstance(held, bytes):
        return held.decode("utf-8", "replace")
    if isinstance(held, dict):
        return " ".join(f"{_text(key)} {_text(value)}" for key, value in held.items())
    if isinstance(held, list | tuple | set):
        return " ".join(_text(one) for one in held)
    return str(held)


def _undone(text: str) -> set[str]:
    """The text with one kind of clothes taken off, for each kind."""
    out = {html.unescape(text), unquote_plus(text), _ESCAPES.sub(_character, text)}
    # Bytes that were taken for Latin-1, as in the repr of bytes.
    out |= {one.encode("latin-1", "ignore").decode("utf-8", "ignore") for one in set(out)}
    for run in _BASE64.findall(text):
        try:
            plain = base64.b64decode(run.replace("-", "+").replace("_", "/") + "=" * (-len(run) % 4))
        except (binascii.Error, ValueError):
            continue
        out.add(plain.decode("utf-8", "ignore"))
    return out


def _character(match: re.Match[str]) -> str:
    return chr(int(match[1] or match[2], 16))
