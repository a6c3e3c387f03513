"""Entities (L3) that a question names, with the turns that mention them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, text

from hmind.model import Layer, Recollection
from hmind.recall.asking import Asking
from hmind.recall.question import fold
from hmind.text.tokens import keywords

_MENTIONS_SHOWN = 5

NAMED = text("""
SELECT entities.id, name, type, aliases, mention_count, last_seen_at, latest.mentions
FROM entities
LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('event', event_id, 'session', session_id, 'turns', turn_ids)) AS mentions
    FROM (
        SELECT event_id, session_id, turn_ids FROM mentions
        WHERE tenant = :tenant AND user_id = :user_id AND entity_id = entities.id
        ORDER BY occurred_at DESC, event_id LIMIT :shown
    ) AS newest
) AS latest ON true
WHERE tenant = :tenant AND user_id = :user_id
  AND (strpos(:asked, lower(name)) > 0
       OR EXISTS (SELECT FROM unnest(aliases) AS alias WHERE alias <> '' AND strpos(:asked, lower(alias)) > 0))
""")
"""Coarse on purpose: "Ann" is found in "planning" here and refused by the word's edges below."""

_WORDED = {
    "en": "{name} ({type}), mentioned in {count} {events}, last on {day}",
    "zh": "{name}（{type}），在 {count} 个事件中提到，最近一次 {day}",
}
_TYPES_ZH = {"person": "人", "place": "地点", "organisation": "组织", "object": "物品", "happening": "活动"}


def find(connection: Connection, asking: Asking) -> list[Recollection]:
    """The entities whose name or alias stands in the question, scored, unordered.

    The keyword part is the share of the question's keywords that the name makes up.
    """
    question = asking.question
    parameters = asking.whose | {"asked": f"{question.text.lower()}\n{question.folded}", "shown": _MENTIONS_SHOWN}
    terms = set(question.terms)
    found = []
    for row in connection.execute(NAMED, parameters):
        said = [name for name in (row.name, *row.aliases) if question.names(name)]
        if not said:
            continue
        named = {term for name in said for term in keywords(name)} & terms
        share = len(named) / len(terms) if named else 1 / (1 + len(terms))
        score = asking.score(Layer.L3, cosine=None, keyword=share, occurred_at=row.last_seen_at, importance=None)
        if score is None:
            continue
        mentions = row.mentions or []
        found.append(
            Recollection(
                layer=Layer.L3,
                id=str(row.id),
                text=_worded(question.language, row.name, row.type, row.mention_count, row.last_seen_at),
                score=score.total,
                parts=score.parts,
                occurred_at=row.last_seen_at,
                session_id=mentions[0]["session"] if mentions else None,
                event_id=mentions[0]["event"] if mentions else None,
                source_turns=tuple(mentions[0]["turns"]) if mentions else (),
                details={
                    "kind": "entity",
                    "name": row.name,
                    "type": row.type,
                    "aliases": [alias for alias in row.aliases if fold(alias) != fold(row.name)],
                    "mentions": mentions,
                },
            )
        )
    return found


def _worded(language: str, name: str, type_: str, count: int, last: datetime) -> str:
    return _WORDED[language].format(
        name=name,
        type=_TYPES_ZH.get(type_, type_) if language == "zh" else type_,
        count=count,
        events="event" if count == 1 else "events",
        day=last.date().isoformat(),
    )
