"""What the tests of the analysts share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.openai_server import OpenAIServer


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running
