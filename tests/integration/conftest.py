"""What tests of a step share: working parts on real stores, a clock that is moved, somebody who chats, a model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers.openai_server import OpenAIServer
from support.chat import NOW, Chat, MovedClock

from hmind.bootstrap import Hmind
from hmind.settings import Settings


@pytest.fixture(scope="module")
def clock() -> MovedClock:
    return MovedClock(NOW)


@pytest.fixture(scope="module")
def app(module_settings: Settings, clock: MovedClock) -> Iterator[Hmind]:
    made = Hmind(module_settings, clock=clock)
    made.migrate()
    yield made
    made.close()


@pytest.fixture
def chat(app: Hmind, clock: MovedClock, request: pytest.FixtureRequest) -> Chat:
    """A session of a user of this test's own."""
    clock.now = NOW
    return Chat(app, clock, request.node.name)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A chat endpoint that does what a test scripts."""
    with OpenAIServer() as running:
        yield running
