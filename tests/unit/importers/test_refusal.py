"""A file in which nothing is a turn is refused before anything of it is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from hmind import settings as settings_module
from hmind.errors import ImportRefused
from hmind.importers.message import Defaults
from hmind.importers.recognise import open_file
from hmind.importers.run import run


class Untouched:
    """A store that nobody may ask for anything."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"{name} was asked for")


def test_a_format_insisted_on_that_fits_no_line_imports_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pretty.json"
    file.write_text('[\n  {\n    "said": "hello"\n  }\n]\n')
    intake = settings_module.load({}).intake
    reader = open_file(file, "jsonl", Defaults(), intake, datetime.now(UTC))
    with pytest.raises(ImportRefused, match="None of the first 5 lines is a turn"):
        run(reader, Untouched(), Untouched(), Untouched(), intake)
