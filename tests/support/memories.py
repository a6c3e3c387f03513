"""Writes rows of memories into a database for tests that only read them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from hmind.embedding.embedder import Embedder
from hmind.memory.facts import digest
from hmind.storage import schema
from hmind.text.tokens import keywords


def new_id() -> str:
    return str(uuid.uuid4())


@dataclass
class Scribe:
    """Writes for one user; every method returns the id of the row."""

    engine: Engine
    embedder: Embedder
    now: datetime
    tenant: str = "default"
    user_id: str = "lin"
    session_id: str = "s-1"

    def gist(self, text: str, **columns: Any) -> str:
        id_ = new_id()
        values = {
            "event_id": new_id(),
            "ordinal": 0,
            "layer": "L2",
            "source_turns": [],
            "occurred_at": self.now,
            "created_at": self.now,
            "base_importance": 0.5,
            "importance": columns.get("base_importance", 0.5),
            "last_used_at": self.now,
            "state": "live",
        } | columns
        vector = self.embedder.passages([text])[0]
        self.add(
            schema.GistRow(id=id_, text=text, keywords=keywords(text), embedding=vector, **self._whose(), **values)
        )
        return id_

    def fact(self, subject: str, predicate: str, object_: str, **columns: Any) -> str:
        id_ = new_id()
        values = {
            "event_id": new_id(),
            "confidence": 0.9,
            "told_by": "lin",
            "source_turns": [],
            "recorded_at": self.now,
            "last_used_at": self.now,
        } | columns
        self.add(
            schema.FactRow(id=id_, subject=subject, predicate=predicate, object=object_, **self._whose(), **values)
        )
        return id_

    def entity(self, name: str, type_: str, **columns: Any) -> str:
        id_ = new_id()
        values = {"aliases": [], "mention_count": 1, "first_seen_at": self.now, "last_seen_at": self.now} | columns
        self.add(
            schema.EntityRow(
                id=id_,
                tenant=self.tenant,
                user_id=self.user_id,
                name=name,
                name_key=name.casefold(),
                type=type_,
                **values,
            )
        )
        return id_

    def mention(self, entity_id: str, event_id: str, turn_ids: list[str]) -> None:
        self.add(
            schema.MentionRow(
                entity_id=entity_id, event_id=event_id, turn_ids=turn_ids, occurred_at=self.now, **self._whose()
            )
        )

    def turn(self, turn_id: str, state: str, **columns: Any) -> None:
        values = {
            "role": "user",
            "origin": "stream",
            "occurred_at": self.now,
            "received_at": self.now,
            "updated_at": self.now,
        } | columns
        self.add(schema.LedgerRow(turn_id=turn_id, state=state, **(self._whose() | values)))

    def segment(self, turn_ids: list[str], **columns: Any) -> str:
        id_ = new_id()
        values = {
            "boundary": "silence",
            "measured": 400.0,
            "threshold": 300.0,
            "opened_at": self.now,
            "closed_at": self.now,
            "turn_count": len(turn_ids),
            "rounds": 1,
            "turns": [{"turn_id": turn_id, "content": f"what {turn_id} says"} for turn_id in turn_ids],
            "context": [],
            "state": "analysed",
            "analyst": "offline-1",
            "outcome": "complete",
            "created_at": self.now,
        } | columns
        self.add(schema.SegmentRow(id=id_, **self._whose(), **values))
        return id_

    def event(self, turn_ids: list[str], **columns: Any) -> str:
        id_ = columns.pop("id", new_id())
        values = {
            "segment_id": new_id(),
            "ordinal": 0,
            "description": "Something happened.",
            "statements": [],
            "entities": [],
            "facts": [],
            "salience": 0.8,
            "salience_parts": {"intent": 0.4, "entities": 0.4},
            "emotion": "",
            "language": "en",
            "told_at": self.now,
            "occurred_at": self.now,
            "state": "pool",
            "due_at": self.now,
            "created_at": self.now,
            "expires_at": self.now,
        } | columns
        self.add(schema.EventRow(id=id_, turn_ids=turn_ids, **self._whose(), **values))
        return id_

    def review(self, subject: str, predicate: str, object_: str, **columns: Any) -> str:
        id_ = new_id()
        values = {
            "event_id": new_id(),
            "confidence": 0.7,
            "told_by": "lin",
            "source_turns": [],
            "created_at": self.now,
            "expires_at": self.now,
            "digest": digest(subject, predicate, object_),
        } | columns
        self.add(
            schema.ReviewRow(id=id_, subject=subject, predicate=predicate, object=object_, **self._whose(), **values)
        )
        return id_

    def add(self, row: schema.Base) -> None:
        with Session(self.engine) as session, session.begin():
            session.add(row)

    def _whose(self) -> dict[str, str]:
        return {"tenant": self.tenant, "user_id": self.user_id, "session_id": self.session_id}
