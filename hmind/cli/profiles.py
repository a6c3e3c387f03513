"""`hmind profile` and `hmind promote`: who a user is, and the daily run for one user, now."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from hmind.cli import screen
from hmind.cli.options import AsJson, Tenant, User, tenant_of


def profile(
    user: User,
    tenant: Tenant = "",
    core_values: Annotated[
        list[str] | None,
        typer.Option("--core-value", help="What matters most to the user; repeat it. Replaces those there were."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a user's profile, or say what matters most to the user.

    An event in which a core value appears weighs 0.2 more when it is promoted.
    """
    from sqlalchemy import select

    from hmind.cli.opened import opened
    from hmind.memory.profiles import set_core_values
    from hmind.storage.schema import ProfileRow

    with opened() as stores:
        whose = tenant_of(tenant, stores.settings)
        with stores.engine.begin() as connection:
            if core_values:
                set_core_values(connection, whose, user, core_values, datetime.now(UTC))
            wanted = select(ProfileRow.__table__).where(ProfileRow.tenant == whose, ProfileRow.user_id == user)
            row = connection.execute(wanted).mappings().one_or_none()
    if as_json:
        empty = {"tenant": whose, "user_id": user, "core_values": [], "rules": [], "status": {}, "reflection": ""}
        screen.print_json(dict(row) if row else empty)
        return
    out = screen.console()
    if row is None:
        out.print(f"Nothing is known of {user} yet. Say what matters: hmind profile --user {user} --core-value …")
        return
    table = screen.table("", "", ("", {"ratio": 1}))
    table.show_header = False
    table.add_row("core values", ", ".join(row["core_values"]) or "–")
    table.add_row("rules", "\n".join(row["rules"]) or "–")
    table.add_row("status", "\n".join(f"{name}: {value}" for name, value in row["status"].items()) or "–")
    table.add_row("reflection", row["reflection"] or "–")
    table.add_row("changed", Text(screen.when(row["updated_at"]), style="dim"))
    out.print(table)


def promote(
    user: User,
    tenant: Tenant = "",
    resting: Annotated[
        bool, typer.Option("--resting/--due", help="Also events that would rest until the daily run, or only due ones.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Promote a user's events now, without waiting for the daily run."""
    from sqlalchemy import update

    from hmind.cli.opened import opened
    from hmind.model import EventState
    from hmind.storage.schema import EventRow

    with opened() as stores:
        whose = tenant_of(tenant, stores.settings)
        if resting:
            # Made due, so that a worker takes over should this command die.
            with stores.engine.begin() as connection:
                connection.execute(
                    update(EventRow)
                    .where(EventRow.tenant == whose, EventRow.user_id == user, EventRow.state == EventState.POOL)
                    .where(EventRow.due_at > datetime.now(UTC), EventRow.attempts == 0)
                    .values(due_at=datetime.now(UTC))
                )
        promoted = stores.hmind.promotion.promote(whose, user)
    if as_json:
        screen.print_json(asdict(promoted))
        return
    screen.console().print(
        f"{promoted.flashbulb} events became flashbulbs, {promoted.long_term} went to long-term memory, "
        f"{promoted.discarded} were let go."
    )
