"""What every format's reader gives: messages in order, each with its place in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from hmind.intake.wire import Delivery
from hmind.model import SessionRef


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a file.

    Attributes:
        delivery: as intake takes it; its id follows from the file's content, so that a second
            import of the same file is recognised.
        place: where it stands, for a person: ``line 17``, ``session_3, turn 4``.
        session: whose session it belongs to, or None where that cannot be read.
        last: no later message of the file belongs to its session.
    """

    delivery: Delivery
    place: str
    session: SessionRef | None
    last: bool = False


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the person who imports says of the whole file; empty where nothing was said.

    Attributes:
        user_id: JSON lines: of turns that name no user. LoCoMo: in place of the sample's id.
        tenant: of turns that name none.
        timezone: IANA zone of times without an offset; UTC where empty.
    """

    user_id: str = ""
    tenant: str = ""
    timezone: str = ""


class Reader(Protocol):
    """A file that was recognised. ``messages`` reads it from the start each time it is called."""

    @property
    def format(self) -> str: ...
    @property
    def total(self) -> int: ...
    def messages(self) -> Iterator[Message]: ...
