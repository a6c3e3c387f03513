"""Names of the Redis keys of one user. All bear the hash tag ``{tenant/user}``."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote

from hmind.model import SessionRef

SCAN_TURNS = "hmind:{*}:l1:*"
"""Pattern that finds every L1 stream."""


@lru_cache(maxsize=65_536)
def _part(name: str) -> str:
    return quote(name, safe="")


def user_tag(tenant: str, user_id: str) -> str:
    """``hmind:{tenant/user}``, each part percent-encoded so that no name can leave its place."""
    return f"hmind:{{{_part(tenant)}/{_part(user_id)}}}"


def turns(session: SessionRef) -> str:
    """The stream of a session's raw turns."""
    return f"{user_tag(session.tenant, session.user_id)}:l1:{_part(session.session_id)}"


def seen(session: SessionRef) -> str:
    """Sorted set of the turn ids in that stream, so that a turn is appended once."""
    return f"{user_tag(session.tenant, session.user_id)}:seen:{_part(session.session_id)}"


def sessions(tenant: str, user_id: str) -> str:
    """Sorted set of the user's sessions by the time of their last turn: the activity index."""
    return f"{user_tag(tenant, user_id)}:sessions"


def detecting(session: SessionRef) -> str:
    """Lock: one detector at a time per session."""
    return f"{user_tag(session.tenant, session.user_id)}:detecting:{_part(session.session_id)}"


def wake(session: SessionRef) -> str:
    """Debounce: a detection of this session is already on its way."""
    return f"{user_tag(session.tenant, session.user_id)}:wake:{_part(session.session_id)}"


def wake_promotion(tenant: str, user_id: str) -> str:
    """Debounce: a promotion of this user is already on its way."""
    return f"{user_tag(tenant, user_id)}:wake-promotion"
