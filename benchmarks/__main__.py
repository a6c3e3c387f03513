"""Runs every benchmark: python -m benchmarks [name ...]. `record` runs only when named: it writes a file."""

from __future__ import annotations

import sys
from importlib import import_module

ALL = ("boundary_speed", "intake")

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        print(f"== {name}")
        import_module(f"benchmarks.{name}").main()
