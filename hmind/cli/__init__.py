"""The command line. One module per group of commands; app.py puts them together."""

from hmind.cli.app import main

__all__ = ["main"]
