"""Gists (L2, L4) that may answer a question: one statement, exact within the user."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, text

from hmind.model import Layer, Recollection
from hmind.recall.asking import Asking

FIND = text("""
WITH mine AS MATERIALIZED (
    SELECT id, event_id, ordinal, keywords, cardinality(keywords) AS length,
           nullif(embedding <=> CAST(:vector AS halfvec), 'NaN') AS distance
    FROM gists
    WHERE tenant = :tenant AND user_id = :user_id AND state = 'live' AND layer = ANY(CAST(:layers AS text[]))
), size AS MATERIALIZED (
    SELECT count(*)::float8 AS gists, greatest(avg(length), 1)::float8 AS mean_length,
           least(CAST(:unrelated AS float8), avg(1 - distance) - 2 * stddev_samp(distance)) AS unrelated
    FROM mine
), hits AS (
    SELECT id, event_id, ordinal, distance, length, term, count(*)::float8 AS times,
           (count(*) OVER (PARTITION BY term))::float8 AS frequency
    FROM mine CROSS JOIN LATERAL unnest(keywords) AS term
    WHERE keywords && CAST(:terms AS text[]) AND term = ANY(CAST(:terms AS text[]))
    GROUP BY id, event_id, ordinal, distance, length, term
), weighed AS (
    SELECT hits.*, ln(1 + (gists - frequency + 0.5) / (frequency + 0.5)) AS idf,
           times * (:k1 + 1) / (times + :k1 * (1 - :b + :b * length / mean_length)) AS weight
    FROM hits CROSS JOIN size
), asked AS MATERIALIZED (
    SELECT unseen * cardinality(CAST(:terms AS text[])) + coalesce((
        SELECT sum(idf - unseen) FROM (SELECT DISTINCT term, idf FROM weighed) AS found
    ), 0) AS idf
    FROM size CROSS JOIN LATERAL (SELECT ln(1 + (gists - 0.5) / 1.5) AS unseen) AS of
), worded AS (
    SELECT id, event_id, ordinal, distance, sum(bm25) AS bm25
    FROM (
        SELECT id, event_id, ordinal, distance, 0::float8 AS bm25 FROM mine
        UNION ALL
        SELECT id, event_id, ordinal, distance, idf * weight FROM weighed
    ) AS told
    GROUP BY id, event_id, ordinal, distance
), hit AS MATERIALIZED (
    SELECT worded.id, event_id, ordinal, distance, unrelated, keyword, :vector_weight * nearness
           + :keyword_weight * keyword AS own
    FROM worded CROSS JOIN size CROSS JOIN asked CROSS JOIN LATERAL (
        SELECT least(1, coalesce(bm25 / nullif(asked.idf, 0), 0)) AS keyword,
               least(1, greatest(0, coalesce((1 - distance - unrelated) / (1 - unrelated), 0))) AS nearness
    ) AS as_evidence
), supported AS (
    SELECT id, event_id, ordinal, distance, unrelated, keyword, own, greatest(
        0,
        power(:fade, ordinal - 1) * max(own * power(:fade, -ordinal)) OVER before,
        power(:fade, -ordinal - 1) * max(own * power(:fade, ordinal)) OVER after
    ) AS support
    FROM hit
    WINDOW before AS (PARTITION BY event_id ORDER BY ordinal ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
           after AS (PARTITION BY event_id ORDER BY ordinal ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
), best AS (
    SELECT * FROM supported
    ORDER BY own + :event_weight * greatest(0, support - own) DESC, id LIMIT :candidates
)
SELECT best.id, 1 - distance AS cosine, unrelated, keyword, support,
       layer, session_id, event_id, text, source_turns, occurred_at, importance
FROM best CROSS JOIN LATERAL (
    SELECT layer, session_id, text, source_turns, occurred_at, importance FROM gists
    WHERE tenant = :tenant AND user_id = :user_id
      AND gists.event_id = best.event_id AND gists.ordinal = best.ordinal AND gists.id = best.id
    OFFSET 0
) AS gist
""")
"""Keywords, vectors and neighbours of one user in one pass, since the planner must never be given
the choice of an index over all users. The BM25 is bm25.py's, own and support are score.py's.

Nothing is joined by id: of a user whose gists are newer than the planner's statistics it expects
one row, and would go through all of them once for each. The texts are looked up one by one at the
end, by all columns that an index has, lest it takes one by the user alone. The fading maximum over one side of an
event is a running maximum of own / fade^ordinal, scaled back."""


def find(connection: Connection, asking: Asking, layers: Collection[Layer]) -> tuple[list[Recollection], Asking]:
    """The gists that have most to do with the question by meaning, words and neighbours, scored, unordered.

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
        "unrelated": asking.unrelated_cos,
        "vector_weight": settings.vector_weight,
        "keyword_weight": settings.keyword_weight,
        "event_weight": settings.event_weight,
        "fade": settings.event_fade,
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
            support=row.support,
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
