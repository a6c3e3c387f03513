"""What comes from a terminal of another encoding is told in one line, and never taken for something else."""

from __future__ import annotations

import pytest

from hmind.cli.app import run
from hmind.cli.exits import Exit

GBK = b"\xce\xd2\xb6\xd4".decode("utf-8", errors="surrogateescape")


@pytest.mark.parametrize(
    "argv",
    [
        ["ingest", "--user", "z", GBK],
        ["recall", "hi", "--user", GBK],
        ["flush", "--user", GBK],
        ["ledger", "--user", GBK],
    ],
)
def test_arguments(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == Exit.USAGE
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hmind: An argument is not UTF-8.")
    assert err.count("\n") == 1
