"""Gists (L2, L4) that may answer a question: one statement, exact within the user."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, text

from hmind.model import Layer, Recollection
from hmind.recall.asking import Asking

FIND = text("""
WITH mine AS MATERIALIZED (
    SELECT id, keywords, cardinality(keywords) AS length, embedding <=> CAST(:vector AS halfvec) AS distance
    FROM gists
    WHERE tenant = :tenant AND user_id = :user_id AND state = 'live' AND layer = ANY(CAST(:layers AS text[]))
), size AS (
    SELECT count(*)::float8 AS gists, greatest(avg(length), 1)::float8 AS mean_length,
           avg(1 - distance) - 2 * stddev_samp(distance) AS unrelated
    FROM mine
), hits AS (
    SELECT mine.id, mine.length, term, count(*)::float8 AS times
    FROM mine CROSS JOIN LATERAL unnest(mine.keywords) AS term
    WHERE mine.keywords && CAST(:terms AS text[]) AND term = ANY(CAST(:terms AS text[]))
    GROUP BY mine.id, mine.length, term
), weights AS (
    SELECT term, ln(1 + (size.gists - frequency + 0.5) / (frequency + 0.5)) AS idf
    FROM size CROSS JOIN (
        SELECT term, greatest(count(hits.id), 1)::float8 AS frequency
        FROM unnest(CAST(:terms AS text[])) AS term LEFT JOIN hits USING (term)
        GROUP BY term
    ) AS seen
), ranked AS (
    SELECT hits.id, sum(
        idf * times * (:k1 + 1) / (times + :k1 * (1 - :b + :b * hits.length / size.mean_length))
    ) AS bm25
    FROM hits JOIN weights USING (term) CROSS JOIN size
    GROUP BY hits.id
), candidates AS (
    (SELECT id FROM mine ORDER BY distance, id LIMIT :candidates)
    UNION
    (SELECT id FROM ranked ORDER BY bm25 DESC, id LIMIT :candidates)
)
SELECT gists.id, gists.layer, gists.session_id, gists.event_id, gists.text, gists.source_turns,
       gists.occurred_at, gists.importance, 1 - mine.distance AS cosine,
       least(1, coalesce(ranked.bm25 / nullif((SELECT sum(idf) FROM weights), 0), 0)) AS keyword,
       size.unrelated
FROM candidates CROSS JOIN size
JOIN mine USING (id)
JOIN gists ON gists.tenant = :tenant AND gists.user_id = :user_id AND gists.id = candidates.id
LEFT JOIN ranked ON ranked.id = candidates.id
""")
"""Keywords and vectors of one user in one pass, since the planner must never be given the choice
of an index over all users. The BM25 is bm25.py's."""


def find(connection: Connection, asking: Asking, layers: Collection[Layer]) -> tuple[list[Recollection], Asking]:
    """The gists nearest to the question and those that share its rarest words, scored, unordered.

    Also the asking with its ``unrelated_cos`` as measured on this user's gists: two deviations
    below the mean of their cosines with this question, never above what it was. A question in
    another language than the memories is further from all of them, and still nearest to one.

    Args:
        layers: L2, L4 or both.
    """
    settings = asking.settings
    parameters = asking.whose | {
        "vector": asking.vector_text,
        "terms": list(asking.question.terms),
        "layers": [layer.value for layer in layers],
        "candidates": settings.candidates,
        "k1": settings.bm25_k1,
        "b": settings.bm25_b,
    }
    found = []
    rows = connection.execute(FIND, parameters).all()
    if rows:
        asking = asking.against(rows[0].unrelated)
    for row in rows:
        score = asking.score(
            Layer(row.layer),
            cosine=row.cosine,
            keyword=row.keyword,
            occurred_at=row.occurred_at,
            importance=row.importance,
        )
        if score is None:
            continue
        found.append(
            Recollection(
                layer=Layer(row.layer),
                id=str(row.id),
                text=row.text,
                score=score.total,
                parts=score.parts,
                occurred_at=row.occurred_at,
                session_id=row.session_id,
                event_id=str(row.event_id),
                source_turns=tuple(row.source_turns),
                details={"kind": "gist", "importance": row.importance},
            )
        )
    return found, asking
