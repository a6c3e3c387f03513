"""Options that several commands share, and how they are read."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hmind.settings import Settings

User = Annotated[str, typer.Option("--user", "-u", help="Whose memory.", metavar="USER")]
Tenant = Annotated[
    str, typer.Option("--tenant", help="The customer or product; the setting's where it is left out.", metavar="TENANT")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def tenant_of(given: str, settings: Settings) -> str:
    """The tenant given, or the default one."""
    return given or settings.intake.default_tenant


def instant(given: str | None, option: str) -> datetime | None:
    """An ISO 8601 time; without offset it is read in the zone of whoever types it."""
    if not given:
        return None
    try:
        moment = datetime.fromisoformat(given.strip())
    except ValueError:
        raise typer.BadParameter("is no ISO 8601 time, such as 2026-11-27T09:00", param_hint=option) from None
    return moment.astimezone()
