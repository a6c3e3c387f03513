"""An installation with a language model that a test scripts, for what is analysed again and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from servers.openai_server import OpenAIServer, Response, completion

from hmind.bootstrap import Hmind
from hmind.settings import Settings
from support.chat import Chat, MovedClock, changed

TALK = (
    "Ana: Hi there!",
    "Ana: I moved to Porto last week and I am allergic to walnuts.",
    "Agent: Good to know. I can also recommend the port wine cellars.",
    "Ana: My sister Clara helped me to carry the piano.",
    "Agent: That was kind of her.",
)
USAGE = {"prompt_tokens": 200, "completion_tokens": 40}


@contextmanager
def modelled(settings: Settings, server: OpenAIServer, clock: MovedClock, **analysis: Any) -> Iterator[Hmind]:
    """The working parts with the model at ``server``; what is given changes settings.analysis."""
    told = {"llm_url": server.url, "llm_model": "qwen-test", "llm_attempts": 1, "llm_timeout_s": 5.0, "llm_pieces": 0}
    # What is judged here is not where topics shift: each talk is one segment.
    settings = changed(changed(settings, "boundary", coherence=False), "analysis", **(told | analysis))
    made = Hmind(settings, clock=clock)
    try:
        yield made
    finally:
        made.close()


def closed(chat: Chat, *lines: str) -> str:
    """Says these lines and closes them; the segment's id."""
    chat.say(*(lines or TALK))
    chat.flush()
    [segment_id] = chat.detect()
    return segment_id


def event(text: str, *turns: int, salience: float = 0.6, **changes: Any) -> dict[str, Any]:
    """An event as a model writes it, about turns by their number in the question."""
    base = {"description": text, "why": "", "salience": salience, "occurred_at": None, "occurred_until": None}
    told = {"statements": [{"text": text, "occurred_on": None, "turns": list(turns)}], "emotion": ""}
    return {**base, **told, "entities": [], "facts": [], **changes}


def entity(name: str, type_: str, *turns: int) -> dict[str, Any]:
    """An entity as a model writes it."""
    return {"name": name, "type": type_, "turns": list(turns), "aliases": []}


def answer(*events: dict[str, Any], usage: Any = USAGE, **discarded: str) -> Response:
    """A model's answer; discarded turns by number: ``t1="small_talk"``."""
    gone = [{"turn": int(turn[1:]), "reason": reason} for turn, reason in discarded.items()]
    return completion({"events": list(events), "discarded": gone}, usage=usage)


GOOD = (
    event("Ana moved to Porto, and walnuts make her ill.", 2, entities=[entity("Porto", "place", 2)]),
    event(
        "Ana and her sister Clara carried a piano up the stairs.",
        4,
        entities=[entity("Clara", "person", 4), entity("Steinway", "object", 4)],
    ),
)
"""Two events about TALK, in words that no rule would find."""


def good(usage: Any = USAGE) -> Response:
    """The answer that the installation hopes for."""
    return answer(*GOOD, usage=usage, t1="small_talk", t3="agent_talk", t5="agent_talk")
