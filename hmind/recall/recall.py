"""Recall: one question to all layers at once, one ranked list back. Writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Row

from hmind.embedding.embedder import Embedder
from hmind.model import Clock, Layer, Recollection, utc_now
from hmind.recall import entities, facts, gists, outdated, turns
from hmind.recall.asking import Asking
from hmind.recall.question import Question
from hmind.recall.score import below_unrelated
from hmind.recall.turns import ReadableTurns, TurnKey, TurnVectors
from hmind.settings import RecallSettings

_PRIORITY = {layer: rank for rank, layer in enumerate((Layer.L4, Layer.L1, Layer.L2, Layer.L3))}
_GISTS = frozenset({Layer.L2, Layer.L4})
_THREADS = 8
"""At most; started as they are needed, two for each question that is asked at the same time."""


@dataclass(frozen=True)
class _Beside:
    """What is read while the question is embedded: facts that ended, named entities, turns that still wait."""

    ended: Sequence[Row[Any]]
    named: list[Recollection]
    waiting: frozenset[TurnKey]


class Recall:
    """Answers questions about one user from everything that is kept of that user.

    Holds no connection between calls nor while a question is embedded; safe to share between threads.

    Args:
        shortterm: where raw turns are read.
        embedder: the memory embedder that the stored gists were embedded by.
    """

    def __init__(
        self,
        engine: Engine,
        shortterm: ReadableTurns,
        embedder: Embedder,
        settings: RecallSettings,
        clock: Clock = utc_now,
    ) -> None:
        # Single statements that only read: no transaction to begin and to end for each.
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._threads = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="recall")
        self._shortterm = shortterm
        self._embedder = embedder
        self._settings = settings
        self._clock = clock
        self._turn_vectors = TurnVectors(embedder)

    def ask(
        self,
        question: str,
        tenant: str,
        user_id: str,
        *,
        now: datetime | None = None,
        limit: int | None = None,
        layers: Collection[Layer] | None = None,
    ) -> list[Recollection]:
        """The recollections that answer ``question`` best, best first.

        The score is that of score.py; equal scores go L4, L1, L2, L3. A raw turn that a
        returned memory rests on is left out, since the memory says it. An empty question and an
        unknown user have no answer.

        Args:
            question: any text at all; it is never read as a query language.
            now: aware; the moment that ages are counted to, the clock's by default.
            limit: how many at most; settings.limit by default.
            layers: the layers to ask; all by default.

        Raises:
            EmbeddingUnavailable: the question could not be embedded.
        """
        asked = Question.of(question)
        wanted = frozenset(Layer if layers is None else layers)
        most = self._settings.limit if limit is None else limit
        if not asked.text or not wanted or most < 1:
            return []
        asking = Asking(
            tenant=tenant,
            user_id=user_id,
            question=asked,
            unrelated_cos=below_unrelated(self._embedder.unrelated_cos),
            now=now or self._clock(),
            settings=self._settings,
        )
        # What needs no vector is read while the question is embedded.
        raw = self._threads.submit(self._shortterm.readable, tenant, user_id) if Layer.L1 in wanted else None
        beside = self._threads.submit(self._read_beside, asking, wanted)
        asking = replace(asking, vector=self._embedder.questions([asked.text])[0])
        found: list[Recollection] = []
        live: Sequence[Row[Any]] = []
        if layers_of_gists := wanted & _GISTS:
            with self._reading.connect() as connection:
                if Layer.L4 in wanted:
                    live = facts.read(connection, asking)
                found, asking = gists.find(connection, asking, layers_of_gists)
        others = beside.result()
        found = outdated.flagged(found, others.ended) + facts.score(live, asking) + others.named
        if raw is not None:
            found += turns.find(raw.result(), others.waiting, asking, self._turn_vectors)
        return choose(found, most)

    def _read_beside(self, asking: Asking, wanted: Collection[Layer]) -> _Beside:
        with self._reading.connect() as connection:
            return _Beside(
                ended=outdated.read(connection, asking) if _GISTS & set(wanted) else [],
                named=entities.find(connection, asking) if Layer.L3 in wanted else [],
                waiting=turns.waiting(connection, asking.tenant, asking.user_id) if Layer.L1 in wanted else frozenset(),
            )


def choose(found: Sequence[Recollection], limit: int) -> list[Recollection]:
    """The best ``limit`` of ``found``, without raw turns that a chosen memory rests on.

    Taking a turn out makes room for the next, which may be a memory that covers another turn;
    so it is done again until nothing changes.
    """
    ranked = sorted(found, key=lambda item: (-item.score, _PRIORITY[item.layer], item.id))
    while True:
        chosen = ranked[:limit]
        covered = {
            (item.session_id, turn_id) for item in chosen if item.layer in _GISTS for turn_id in item.source_turns
        }
        kept = [item for item in ranked if item.layer is not Layer.L1 or (item.session_id, item.id) not in covered]
        if len(kept) == len(ranked):
            return chosen
        ranked = kept
