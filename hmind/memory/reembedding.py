"""Computing all vectors anew with another memory embedder."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Engine, func, select, text

from hmind.embedding.embedder import Embedder
from hmind.storage import meta
from hmind.storage.schema import GistRow

BATCH = 200

_NEXT = text("""
SELECT tenant, user_id, id, text FROM gists
WHERE (tenant, user_id, id) > (:tenant, :user_id, CAST(:id AS uuid))
ORDER BY tenant, user_id, id LIMIT :limit
""")
_SET = text("""
UPDATE gists SET embedding = CAST(:vector AS halfvec) WHERE tenant = :tenant AND user_id = :user_id AND id = :id
""")


def reembed(engine: Engine, embedder: Embedder, tell: Callable[[int, int], None] = lambda _done, _all: None) -> int:
    """Computes the vectors of all gists with ``embedder``; returns their number. ``tell`` hears (done, all).

    Until it is through, the database names an embedder that no settings match, so that no worker
    mixes vectors of two models; running it again finishes what was interrupted.
    """
    with engine.begin() as connection:
        meta.replace_embedder(connection, f"unfinished {embedder.name}", embedder.dim)
        whole = connection.execute(select(func.count()).select_from(GistRow)).scalar_one()
    done = 0
    last = {"tenant": "", "user_id": "", "id": "00000000-0000-0000-0000-000000000000"}
    while True:
        with engine.connect() as connection:
            rows = connection.execute(_NEXT, {**last, "limit": BATCH}).all()
        if not rows:
            break
        vectors = embedder.passages([row.text for row in rows])
        changed = [
            {"tenant": row.tenant, "user_id": row.user_id, "id": row.id, "vector": str([float(x) for x in vector])}
            for row, vector in zip(rows, vectors, strict=True)
        ]
        with engine.begin() as connection:
            connection.execute(_SET, changed)
        last = {"tenant": rows[-1].tenant, "user_id": rows[-1].user_id, "id": str(rows[-1].id)}
        done += len(rows)
        tell(done, whole)
    with engine.begin() as connection:
        meta.replace_embedder(connection, embedder.name, embedder.dim)
    return done
