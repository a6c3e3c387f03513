"""Where labelled data lies: the sets beside the project where they are there, else the small samples of our own."""

from __future__ import annotations

from pathlib import Path

import hmind
from hmind.errors import SettingsError

_PACKAGE = Path(hmind.__file__).parent
_BESIDE = Path("shared") / "data"


def folder(kind: str) -> Path:
    """``../shared/data/<kind>``, seen from the project's root; where that is missing, ``own(kind)``.

    Raises:
        SettingsError: neither is there.
    """
    beside = _PACKAGE.parent.parent / _BESIDE / kind
    in_checkout = (_PACKAGE.parent / "pyproject.toml").is_file()
    return beside if in_checkout and beside.is_dir() else own(kind)


def own(kind: str = "") -> Path:
    """Our own samples: ``segmentation``, ``closing``; "" for the folder of all. In the wheel, or in the checkout.

    Raises:
        SettingsError: they are in neither.
    """
    for place in (_PACKAGE / "_shipped" / "samples", _PACKAGE.parent / "benchmarks" / "samples"):
        if (place / kind).exists():
            return place / kind
    raise SettingsError(f"samples/{kind}: is not installed with hmind. Give a folder with --data.")
