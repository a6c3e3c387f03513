"""Makes the detector that the settings name, from the data in config/. Loads no embedder's model."""

from __future__ import annotations

from pathlib import Path

from hmind.boundary.closing import ClosingPhrases
from hmind.boundary.coherence import Coherence
from hmind.boundary.detector import ALL_REASONS, Detector, Words
from hmind.boundary.openers import Openers
from hmind.embedding.calibrated import uncalibrated
from hmind.embedding.embedder import Embedder
from hmind.model import Boundary
from hmind.settings import BoundarySettings, config_dir


def words(folder: Path | None = None) -> Words:
    """Closing phrases and openers of a config folder, by default H-Mind's own."""
    folder = folder or config_dir()
    return Words(ClosingPhrases.load(folder / "closing"), Openers.load(folder / "openers"))


def detector(settings: BoundarySettings, embedder: Embedder, reasons: frozenset[Boundary] = ALL_REASONS) -> Detector:
    """The detector for these settings; with the coherence model where they ask for it.

    Args:
        reasons: what may close a segment; fewer than all only to measure one of them by itself.

    Raises:
        SettingsError: a file in config/ cannot be read, or nobody knows below which cosine of this
            embedder a topic shifts.
    """
    if not (settings.topic_shift_below_cos or embedder.topic_shift_below):
        raise uncalibrated(embedder.name)
    return Detector(settings, embedder, words(), coherence(settings, embedder.name), reasons)


def coherence(settings: BoundarySettings, embedder: str) -> Coherence | None:
    """The model that judges topic shifts; None where the cosine rule does: by the settings, or for another embedder.

    Raises:
        SettingsError: its files cannot be read.
    """
    if not settings.coherence:
        return None
    model = Coherence.load(config_dir() / "coherence.toml")
    return model if model.embedder == embedder else None
