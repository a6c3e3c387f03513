"""Which commands there are, in the order in which help lists them."""

from __future__ import annotations

import typer

from hmind.cli import (
    asking,
    calibrating,
    demo,
    doctor,
    evaluating,
    evaluating_analysis,
    explaining,
    explaining_boundaries,
    importing,
    keeping,
    operating,
    profiles,
    sending,
    standing,
    up,
)

_DAILY = "Turns in, memories out"
_LOOKING = "Looking"
_RUNNING = "Running it"
_MEASURING = "Measuring it"


def register(app: typer.Typer) -> None:
    """Adds every command to the program."""
    for panel, name, command in (
        (_DAILY, "ingest", sending.ingest),
        (_DAILY, "flush", sending.flush),
        (_DAILY, "import", importing.import_),
        (_DAILY, "recall", asking.recall),
        (_LOOKING, "memories", keeping.memories),
        (_LOOKING, "why", explaining.why),
        (_LOOKING, "explain-boundaries", explaining_boundaries.explain_boundaries),
        (_LOOKING, "ledger", keeping.ledger),
        (_LOOKING, "profile", profiles.profile),
        (_LOOKING, "status", standing.status),
        (_RUNNING, "doctor", doctor.doctor),
        (_RUNNING, "up", up.up),
        (_RUNNING, "demo", demo.demo),
        (_RUNNING, "promote", profiles.promote),
        (_RUNNING, "migrate", operating.migrate),
        (_RUNNING, "reembed", operating.reembed),
        (_RUNNING, "calibrate", calibrating.calibrate),
        (_RUNNING, "deadletters", operating.deadletters),
    ):
        app.command(name, rich_help_panel=panel)(command)
    evaluating.group.command("analysis")(evaluating_analysis.analysis)
    app.add_typer(evaluating.group, name="eval", rich_help_panel=_MEASURING)
