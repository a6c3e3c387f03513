"""Any OpenAI-compatible /v1/embeddings as an embedder: retries, batches, and checks of the answer."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from json import JSONDecodeError
from typing import Any

import numpy as np

from hmind.embedding.embedder import Vectors
from hmind.embedding.texts import embed, readable
from hmind.errors import EmbeddingUnavailable

MAX_CHARS = 6_000
"""Longer texts are cut here, so that a Chinese text stays within a limit of 8,192 tokens."""


class _BadAnswer(Exception):
    """The endpoint answered with something that is no list of vectors. May be a passing fault."""


class EndpointEmbedder:
    """An embedder behind HTTP.

    Retries what may pass: 408, 409, 429, 5xx, a lost connection, an answer cut short. The wait
    grows from ``first_wait_s``, or is what Retry-After asks for, and never longer than ``max_wait_s``.

    Args:
        url: the base with its version, e.g. ``http://127.0.0.1:8000/v1``.
        dim: what the model answers with; any other length is refused, never stored.
        key: sent as a bearer token; "" where the endpoint asks for none.
        unrelated_cos, topic_shift_below: what is known of the model; 0 where nothing is.
        timeout_s: of one request.
        batch_texts: texts sent in one request.
        attempts: requests made for one batch before giving up.
    """

    def __init__(
        self,
        url: str,
        model: str,
        dim: int,
        *,
        key: str = "",
        timeout_s: float = 30.0,
        unrelated_cos: float = 0.0,
        topic_shift_below: float = 0.0,
        batch_texts: int = 64,
        attempts: int = 4,
        first_wait_s: float = 0.5,
        max_wait_s: float = 20.0,
    ) -> None:
        self.name = f"endpoint:{model}"
        self.dim = dim
        self.topic_shift_below = topic_shift_below
        self.unrelated_cos = unrelated_cos
        self._url, self._model, self._key, self._timeout_s = url, model, key, timeout_s
        self._batch_texts, self._attempts = batch_texts, attempts
        self._first_wait_s, self._max_wait_s = first_wait_s, max_wait_s
        self._opened: Any = None
        self._lock = threading.Lock()

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dim). Raises EmbeddingUnavailable when the endpoint gives none."""
        return embed([readable(text, MAX_CHARS) for text in texts], self.dim, self._encode)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """The same as ``passages``: the protocol knows no difference."""
        return self.passages(texts)

    def _encode(self, texts: list[str]) -> Vectors:
        batches = [texts[start : start + self._batch_texts] for start in range(0, len(texts), self._batch_texts)]
        return np.concatenate([self._batch(batch) for batch in batches])

    def _batch(self, texts: list[str]) -> Vectors:
        import openai
        from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_exponential

        grow = wait_exponential(multiplier=self._first_wait_s, max=self._max_wait_s)

        def wait(state: RetryCallState) -> float:
            asked = _retry_after_s(state.outcome.exception() if state.outcome else None)
            return grow(state) if asked is None else min(asked, self._max_wait_s)

        retrying = Retrying(
            stop=stop_after_attempt(self._attempts),
            wait=wait,
            retry=retry_if_exception(_may_pass),
            reraise=True,
        )
        try:
            return retrying(self._ask, texts)
        except (openai.OpenAIError, JSONDecodeError, _BadAnswer) as error:
            # The cause is cut off on purpose: an endpoint may quote the request in its error.
            raise EmbeddingUnavailable(f"The embedder {self.name} did not answer: {_why(error)}.") from None

    def _ask(self, texts: list[str]) -> Vectors:
        answer = self._client().embeddings.create(model=self._model, input=texts, encoding_format="float")
        try:
            rows = sorted(answer.data, key=lambda row: row.index)
            vectors = np.asarray([row.embedding for row in rows], dtype=np.float32)
        except (AttributeError, TypeError, ValueError):
            raise _BadAnswer("the answer is no list of vectors") from None
        if [row.index for row in rows] != list(range(len(texts))):
            raise _BadAnswer(f"{len(rows)} vectors for {len(texts)} texts")
        if vectors.ndim != 2 or vectors.shape[1] != self.dim:
            found = vectors.shape[1] if vectors.ndim == 2 else "no common number of"
            raise EmbeddingUnavailable(
                f"The embedder {self.name} did not answer: its vectors have {found} dimensions, "
                f"embedding.endpoint_dim says {self.dim}."
            )
        return vectors

    def _client(self) -> Any:
        with self._lock:
            if self._opened is None:
                from openai import OpenAI

                # A local endpoint wants no key, the client insists on one. Retries are ours.
                self._opened = OpenAI(
                    base_url=self._url, api_key=self._key or "none", timeout=self._timeout_s, max_retries=0
                )
        return self._opened


def _may_pass(error: BaseException) -> bool:
    import openai

    if isinstance(error, openai.APIStatusError):
        return error.status_code in (408, 409, 429) or error.status_code >= 500
    return isinstance(
        error, openai.APIConnectionError | openai.APIResponseValidationError | JSONDecodeError | _BadAnswer
    )


def _retry_after_s(error: BaseException | None) -> float | None:
    response = getattr(error, "response", None)
    try:
        asked = float(response.headers["retry-after"]) if response is not None else math.nan
    except (KeyError, ValueError):
        return None
    return asked if math.isfinite(asked) and asked >= 0 else None


def _why(error: Exception) -> str:
    """The kind of fault, without anything the endpoint wrote."""
    import openai

    if isinstance(error, openai.APIStatusError):
        return f"HTTP {error.status_code}"
    if isinstance(error, openai.APITimeoutError):
        return "no answer in time"
    if isinstance(error, openai.APIConnectionError):
        return "no connection"
    if isinstance(error, _BadAnswer):
        return str(error)
    return "the answer is not JSON"
