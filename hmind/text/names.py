"""Finds named things in a sentence, Chinese or English. The rules of each tongue are in names_en and names_zh."""

from __future__ import annotations

from collections.abc import Collection

from hmind.model import EntityType
from hmind.text import names_en, names_zh
from hmind.text.named import Named


def find(text: str, language: str, known: Collection[str] = (), owner: str = "user") -> list[Named]:
    """Named people, places, organisations, objects and happenings, in order, each name once.

    Args:
        language: ``zh`` or ``en``; the rules to read by.
        known: names to trust wherever they stand (speakers, entities already kept).
        owner: who "my mother" belongs to; gives ``user's mother`` or ``用户的妈妈``.
    """
    found = names_zh.find(text, known, owner) if language == "zh" else names_en.find(text, known, owner)
    seen: dict[str, Named] = {}
    for named in found:
        seen.setdefault(named.name.casefold(), named)
    return list(seen.values())


def possessive(owner: str, relation: str, language: str) -> str:
    """The name of somebody without one: ``user's sister``, ``用户的妹妹``."""
    if language == "zh":
        return f"{'用户' if owner == 'user' else owner}的{relation}"
    return f"{owner}'s {relation}"


__all__ = ["EntityType", "Named", "find", "possessive"]
