"""Writes samples/recorded.toml anew: what the small samples measure now. Run: python -m benchmarks record.

A test holds the code to these figures, so this is for a change that is meant to move them.
"""

from __future__ import annotations

from pathlib import Path

from hmind.evaluation import recorded
from hmind.settings import load

FILE = Path(__file__).parent / "samples" / "recorded.toml"


def main() -> None:
    """Measures everything, writes the file, and prints what got worse by more than the test allows."""
    before = recorded.read(FILE)
    now = {kind: measure(load({})) for kind, measure in recorded.KINDS.items()}
    FILE.write_text(recorded.written(now), encoding="utf-8")
    for kind, figures in now.items():
        for loss in recorded.losses(before.get(kind, {}), figures):
            print(f"{kind}, {loss}")
    print(f"wrote {FILE}")
