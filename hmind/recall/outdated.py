"""Gists that a fact outdates: facts win, and the gist is still shown, with a flag and the fact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, text

from hmind.model import Recollection
from hmind.recall.asking import Asking
from hmind.recall.question import fold

ENDED = text("""
SELECT ended.id, ended.event_id, ended.object, ended.source_turns, ended.superseded_by, successor.object AS successor
FROM facts AS ended LEFT JOIN facts AS successor
  ON successor.id = ended.superseded_by AND successor.tenant = :tenant AND successor.user_id = :user_id
WHERE ended.tenant = :tenant AND ended.user_id = :user_id
  AND (ended.invalidated_at IS NOT NULL OR ended.superseded_by IS NOT NULL)
ORDER BY ended.recorded_at, ended.id
""")


def read(connection: Connection, asking: Asking) -> Sequence[Row[Any]]:
    """The user's facts that no longer hold, each with what took its place."""
    return connection.execute(ENDED, asking.whose).all()


def flagged(gists: Sequence[Recollection], ended: Sequence[Row[Any]]) -> list[Recollection]:
    """The gists, those flagged ``possibly_outdated`` that tell of a fact that no longer holds.

    A gist tells of a fact of its own event when it was drawn from the same turn or names the
    fact's object. A fact that was only made more or less exact (a town, then a street of that
    town) has not changed and outdates nothing.
    """
    changed: dict[str, list[Row[Any]]] = {}
    by_id = {str(row.id): row for row in ended}
    for row in ended:
        if row.successor is None or any(not _nested(row.object, later) for later in _successors(row, by_id)):
            changed.setdefault(str(row.event_id), []).append(row)
    return [_flag(gist, changed.get(gist.event_id or "", ())) for gist in gists]


def _successors(row: Row[Any], by_id: dict[str, Row[Any]]) -> Iterator[str]:
    """Objects of the facts that took its place, one after another."""
    seen: set[str] = set()
    following: Row[Any] | None = row
    while following is not None and following.successor is not None and str(following.id) not in seen:
        seen.add(str(following.id))
        yield following.successor
        following = by_id.get(str(following.superseded_by))


def _nested(one: str, other: str) -> bool:
    first, second = fold(one).strip(), fold(other).strip()
    return first in second or second in first


def _flag(gist: Recollection, facts: Sequence[Row[Any]]) -> Recollection:
    turns, said = set(gist.source_turns), fold(gist.text)
    told = [
        {"fact": str(row.id), "superseded_by": str(row.superseded_by) if row.superseded_by else None}
        for row in facts
        if turns & set(row.source_turns) or fold(row.object) in said
    ]
    if not told:
        return gist
    return replace(gist, flags=("possibly_outdated",), details={**gist.details, "outdated": told})
