"""Which speaker of a segment owns the memory, so that facts about them have the subject ``user``."""

from __future__ import annotations

from hmind.model import Segment

OWNER = "user"
"""The subject of facts about the owner."""

_UNNAMED = {"", "user", "用户"}


def owner_speaker(segment: Segment) -> str | None:
    """The owner's name as a speaker, or None where several people speak and none goes by the user's id.

    The owner is who speaks under no name of their own or under the user's id; else the only person
    who speaks. Agents and tools are no persons. Context counts, so that a short segment of a
    chat between two people does not make either of them the owner.
    """
    speakers = sorted({turn.speaker.strip() for turn in (*segment.context, *segment.turns) if turn.by_person})
    own = _UNNAMED | {segment.session.user_id.casefold()}
    named = next((speaker for speaker in speakers if speaker.casefold() in own), None)
    if named is not None:
        return named
    return speakers[0] if len(speakers) == 1 else None
