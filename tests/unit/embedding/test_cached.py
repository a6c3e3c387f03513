"""What the cache asks its embedder for, and what it keeps."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from hmind.embedding.cached import CachedEmbedder
from hmind.embedding.endpoint import EndpointEmbedder
from hmind.embedding.use import UseEmbedder
from tests.servers.embeddings_server import EmbeddingsServer, serving


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    with serving(UseEmbedder(threads=1)) as running:
        yield running


def test_a_text_seen_lately_is_not_embedded_again(server: EmbeddingsServer) -> None:
    cached = CachedEmbedder(EndpointEmbedder(server.url, "small", dim=512))
    first = cached.passages(["one pear", "two pears"])
    second = cached.passages(["two pears", "three pears", "one pear", "two pears"])
    assert server.batches == [2, 1]
    assert (second[[2, 0]] == first).all()
    assert (second[0] == second[3]).all()


def test_questions_and_passages_are_kept_apart(server: EmbeddingsServer) -> None:
    cached = CachedEmbedder(EndpointEmbedder(server.url, "small", dim=512))
    cached.passages(["one pear"])
    cached.questions(["one pear"])
    assert server.batches == [1, 1]


def test_what_was_used_longest_ago_is_forgotten_first(server: EmbeddingsServer) -> None:
    cached = CachedEmbedder(EndpointEmbedder(server.url, "small", dim=512), rows=2)
    for text in ("one", "two", "one", "three", "one", "two"):
        cached.passages([text])
    assert sum(server.batches) == 4
    many = cached.passages(["a", "b", "c", "d"])
    assert np.allclose(many, UseEmbedder().passages(["a", "b", "c", "d"]), atol=1e-3)


def test_no_text_stays_in_memory() -> None:
    cached = CachedEmbedder(UseEmbedder(threads=1))
    cached.passages([" ".join(["Zebulon", "the", "plumber"])])
    kept = [each for each in gc.get_referents(cached._kept) if isinstance(each, str | bytes)]
    assert len(set(kept)) == 1
    assert not any("Zebulon" in str(each) for each in kept)
