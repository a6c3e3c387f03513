"""The `hmind` program: all commands together, and the one place where errors become a line and a code."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hmind.cli import exits
from hmind.cli.exits import Exit

app = typer.Typer(
    name="hmind",
    help="Long-term memory for AI agents: a queue in, memories with reasons out.",
    epilog="Exit codes: 0 ok, 1 not found or an expectation failed, 2 wrong use, 65 bad input, "
    "69 a store is unavailable, 75 try later, 78 settings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"hmind {version('hmind')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


def _register() -> None:
    """Each module brings its commands; what they need they import when they run."""
    from hmind.cli import commands

    commands.register(app)


_register()


def run(argv: list[str]) -> int:
    """Runs one command and returns its exit code. No traceback for what a person can mend."""
    if any("\ud800" <= letter <= "\udfff" for word in argv for letter in word):
        print("hmind: An argument is not UTF-8. Set the terminal to UTF-8, for example LANG=C.UTF-8.", file=sys.stderr)  # noqa: T201
        return Exit.USAGE
    try:
        app(args=argv, prog_name="hmind")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else Exit.OK if end.code is None else Exit.FAILED
    except KeyboardInterrupt:
        print("hmind: interrupted; what was done so far stays, run it again to go on.", file=sys.stderr)  # noqa: T201
        return Exit.INTERRUPTED
    except Exception as error:
        ours = exits.as_ours(error)
        if ours is None:
            raise
        print(f"hmind: {ours}", file=sys.stderr)  # noqa: T201 - this is the command line
        return exits.code_of(ours)
    return Exit.OK


def main() -> None:
    """Entry point of the `hmind` program."""
    sys.exit(run(sys.argv[1:]))
