"""Facts (L4) that may answer a question: the user's live ones, by their words and their event's gists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from hmind.memory.wording import sentence
from hmind.model import Layer, Recollection
from hmind.recall.asking import Asking
from hmind.recall.bm25 import KeywordIndex
from hmind.recall.predicates import terms_of_fact, terms_of_question

LIVE = text("""
SELECT facts.id, facts.event_id, facts.session_id, subject, predicate, object, confidence, told_by,
       facts.source_turns, valid_from, valid_to, recorded_at, near.cosine,
       (SELECT occurred_at FROM events WHERE events.id = facts.event_id) AS occurred_at
FROM facts
LEFT JOIN LATERAL (
    SELECT coalesce(
        max(cosine) FILTER (WHERE gist.source_turns && facts.source_turns), max(cosine)
    ) AS cosine
    FROM (
        SELECT source_turns, 1 - (embedding <=> CAST(:vector AS halfvec)) AS cosine
        FROM gists
        WHERE tenant = :tenant AND user_id = :user_id AND event_id = facts.event_id
    ) AS gist
) AS near ON true
WHERE facts.tenant = :tenant AND facts.user_id = :user_id AND facts.invalidated_at IS NULL
""")
"""A fact bears no vector; it is as near as the gist that was drawn from the same turn, whatever
became of that gist, else as the nearest of its event."""


def read(connection: Connection, asking: Asking) -> Sequence[Row[Any]]:
    """The user's live facts, each with the cosine of its gist."""
    return connection.execute(LIVE, asking.whose | {"vector": asking.vector_text}).all()


def score(rows: Sequence[Row[Any]], asking: Asking) -> list[Recollection]:
    """Those of the facts that have to do with the question, scored, unordered.

    ``text`` is a sentence in the question's language. A fact whose ``valid_to`` has passed is
    flagged ``no_longer_true``: it still answers "where did I live before?".
    """
    question = asking.question
    index = KeywordIndex([terms_of_fact(row.subject, row.predicate, row.object) for row in rows], asking.settings)
    keyword = index.scores(terms_of_question(question, (row.predicate for row in rows)))
    found = []
    for row, words in zip(rows, keyword, strict=True):
        occurred_at = row.occurred_at or row.recorded_at
        worth = asking.score(
            Layer.L4, cosine=row.cosine, keyword=words, occurred_at=occurred_at, importance=row.confidence
        )
        if worth is None:
            continue
        past = row.valid_to is not None and row.valid_to <= asking.now
        found.append(
            Recollection(
                layer=Layer.L4,
                id=str(row.id),
                text=sentence(
                    row.subject,
                    row.predicate,
                    row.object,
                    question.language,
                    valid_from=row.valid_from,
                    valid_to=row.valid_to,
                    told_at=row.occurred_at,
                ),
                score=worth.total,
                parts=worth.parts,
                occurred_at=occurred_at,
                session_id=row.session_id,
                event_id=str(row.event_id),
                source_turns=tuple(row.source_turns),
                flags=("no_longer_true",) if past else (),
                details={
                    "kind": "fact",
                    "subject": row.subject,
                    "predicate": row.predicate,
                    "object": row.object,
                    "confidence": row.confidence,
                    "told_by": row.told_by,
                },
            )
        )
    return found
