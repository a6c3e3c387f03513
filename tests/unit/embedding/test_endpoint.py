"""The endpoint embedder against a server that misbehaves, over real HTTP."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import numpy as np
import pytest

from hmind.embedding.endpoint import EndpointEmbedder
from hmind.embedding.use import UseEmbedder
from hmind.errors import EmbeddingUnavailable
from tests.servers.embeddings_server import EmbeddingsServer, serving

SECRET = "the plumber's name is Zebulon"
MODEL = UseEmbedder(threads=1)


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    with serving(MODEL) as running:
        yield running


def _embedder(server: EmbeddingsServer, **changes: object) -> EndpointEmbedder:
    options: dict[str, object] = {"dim": 512, "first_wait_s": 0.01, "max_wait_s": 0.1, "timeout_s": 10.0} | changes
    return EndpointEmbedder(server.url, "small", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("fault", ["429", "500", "503", "truncated", "too_few", "ragged", "error_body"])
def test_a_fault_that_passes_is_retried(server: EmbeddingsServer, fault: str) -> None:
    server.faults = [fault, fault]
    vectors = _embedder(server).passages([SECRET, "hello"])
    assert np.allclose(vectors, MODEL.passages([SECRET, "hello"]), atol=1e-3)
    assert server.batches == [2, 2, 2]


@pytest.mark.parametrize("fault", ["429", "500", "truncated", "too_few", "ragged", "error_body"])
def test_a_fault_that_stays_is_reported_without_the_text(server: EmbeddingsServer, fault: str) -> None:
    server.faults = [fault] * 10
    with pytest.raises(EmbeddingUnavailable) as caught:
        _embedder(server, attempts=3).passages([SECRET, "hello"])
    assert len(server.batches) == 3
    assert "Zebulon" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("fault", ["400", "401", "404", "wrong_dimension"])
def test_a_fault_that_cannot_pass_is_not_asked_again(server: EmbeddingsServer, fault: str) -> None:
    server.faults = [fault]
    with pytest.raises(EmbeddingUnavailable) as caught:
        _embedder(server).passages([SECRET])
    assert len(server.batches) == 1
    assert "Zebulon" not in str(caught.value)
    assert ("7 dimensions" if fault == "wrong_dimension" else fault) in str(caught.value)


def test_vectors_out_of_order_are_put_in_order(server: EmbeddingsServer) -> None:
    texts = ["a red bicycle", "the tax office", "牛肉面"]
    server.faults = ["shuffled"]
    assert np.allclose(_embedder(server).passages(texts), MODEL.passages(texts), atol=1e-3)


def test_many_texts_go_in_batches_and_each_text_once(server: EmbeddingsServer) -> None:
    texts = [f"item {number % 10}" for number in range(50)] + ["", " "]
    vectors = _embedder(server, batch_texts=4).passages(texts)
    assert server.batches == [4, 4, 2]
    assert np.allclose(vectors, MODEL.passages(texts), atol=1e-3)


def test_nothing_is_asked_for_nothing(server: EmbeddingsServer) -> None:
    assert _embedder(server).passages(["", "  "]).shape == (2, 512)
    assert server.batches == []


def test_retry_after_is_waited_for_but_never_longer_than_the_limit(server: EmbeddingsServer) -> None:
    server.retry_after, server.faults = "3600", ["429"]
    assert _embedder(server, max_wait_s=0.05).passages(["hello"]).any()
    server.retry_after, server.faults = "Wed, 21 Oct 2015 07:28:00 GMT", ["429"]
    assert _embedder(server).passages(["hello"]).any()


def test_the_key_is_sent(server: EmbeddingsServer) -> None:
    _embedder(server, key="sesame").passages(["hello"])
    assert server.keys == ["Bearer sesame"]


def test_an_endpoint_that_is_not_there_is_said_to_be_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    embedder = EndpointEmbedder(f"http://127.0.0.1:{port}/v1", "small", dim=512, attempts=2, first_wait_s=0.01)
    with pytest.raises(EmbeddingUnavailable, match="no connection"):
        embedder.passages([SECRET])
