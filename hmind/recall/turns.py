"""Raw turns (L1) that may answer a question, before any of them became a memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from hashlib import blake2b
from itertools import islice
from threading import Lock
from typing import Protocol

from sqlalchemy import Connection, select

from hmind.embedding.embedder import Embedder, Vectors
from hmind.model import Layer, Recollection, Role, Turn, TurnState
from hmind.recall.asking import Asking
from hmind.recall.bm25 import KeywordIndex
from hmind.recall.question import fold
from hmind.storage.schema import LedgerRow
from hmind.text.tokens import keywords

TurnKey = tuple[str, str]
"""(session_id, turn_id): a turn within one user."""


class ReadableTurns(Protocol):
    """What recall needs of the short-term store."""

    def readable(self, tenant: str, user_id: str) -> list[Turn]:
        """The user's raw turns younger than the time to live, of all sessions."""
        ...


class TurnVectors:
    """Vectors of raw turns, computed at most once in this process while they are being asked about.

    Keeps a hash and a vector, no text; the oldest used goes first. Safe between threads.
    """

    def __init__(self, embedder: Embedder, room: int = 2_000) -> None:
        self._embedder = embedder
        self._room = room
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = Lock()

    def of(self, texts: Sequence[str], most_new: int) -> list[Vectors | None]:
        """A vector of shape (dim,) for each text; None for those that are not known yet beyond ``most_new``.

        New ones are computed from the last text backwards.
        """
        names = [blake2b(text.encode(), digest_size=16).digest() for text in texts]
        with self._lock:
            vectors = {name: self._kept[name] for name in names if name in self._kept}
        missing = {
            name: text for name, text in zip(reversed(names), reversed(texts), strict=True) if name not in vectors
        }
        new = dict(islice(missing.items(), most_new))
        if new:
            vectors |= zip(new, self._embedder.passages(list(new.values())), strict=True)
        with self._lock:
            for name, vector in vectors.items():
                self._kept[name] = vector
                self._kept.move_to_end(name)
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)
        return [vectors.get(name) for name in names]


_NO_MEMORY_YET = (TurnState.WAITING, TurnState.SEGMENTED)


def waiting(connection: Connection, tenant: str, user_id: str) -> frozenset[TurnKey]:
    """The user's turns that are no memory yet and are not let go, by the ledger."""
    rows = connection.execute(
        select(LedgerRow.session_id, LedgerRow.turn_id).where(
            LedgerRow.tenant == tenant, LedgerRow.user_id == user_id, LedgerRow.state.in_(_NO_MEMORY_YET)
        )
    )
    return frozenset((row.session_id, row.turn_id) for row in rows)


def find(
    turns: Sequence[Turn], still_waiting: Collection[TurnKey], asking: Asking, vectors: TurnVectors
) -> list[Recollection]:
    """The raw turns that have to do with the question, scored, unordered.

    All count by keywords and time; the newest ``embed_turns`` of those still waiting by meaning
    too (the others have their gists), as far as their vectors are known or among the
    ``embed_new_turns`` that are computed for one question. What is word for word the question is left out: an agent
    that asks with the turn it just sent is not answered by it.
    """
    asked = fold(asking.question.text)
    said = [turn for turn in turns if turn.role in (Role.USER, Role.ASSISTANT) and fold(turn.content.strip()) != asked]
    index = KeywordIndex([keywords(turn.content) for turn in said], asking.settings)
    cosines = _cosines(said, still_waiting, asking, vectors)
    found = []
    for turn, words in zip(said, index.scores(asking.question.terms), strict=True):
        score = asking.score(
            Layer.L1,
            cosine=cosines.get((turn.session_id, turn.turn_id)),
            keyword=words,
            occurred_at=turn.occurred_at,
            importance=None,
        )
        if score is None:
            continue
        found.append(
            Recollection(
                layer=Layer.L1,
                id=turn.turn_id,
                text=turn.content,
                score=score.total,
                parts=score.parts,
                occurred_at=turn.occurred_at,
                session_id=turn.session_id,
                event_id=None,
                source_turns=(turn.turn_id,),
                details={"kind": "turn", "speaker": turn.speaker, "role": turn.role.value},
            )
        )
    return found


def _cosines(
    turns: Sequence[Turn], still_waiting: Collection[TurnKey], asking: Asking, vectors: TurnVectors
) -> dict[TurnKey, float]:
    open_turns = [turn for turn in turns if (turn.session_id, turn.turn_id) in still_waiting]
    most = asking.settings.embed_turns
    newest = sorted(open_turns, key=lambda turn: (turn.received_at, turn.seq))[-most:] if most else []
    if not newest:
        return {}
    known = vectors.of([turn.content for turn in newest], asking.settings.embed_new_turns)
    return {
        (turn.session_id, turn.turn_id): float(vector @ asking.vector)
        for turn, vector in zip(newest, known, strict=True)
        if vector is not None
    }
