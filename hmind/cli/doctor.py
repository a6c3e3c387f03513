"""`hmind doctor`: tries every dependency and setting, and says in one line each what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from hmind.cli import screen
from hmind.cli.doctor_checks import FAIL, WARN, Finding
from hmind.cli.exits import Exit
from hmind.cli.options import AsJson

if TYPE_CHECKING:
    from hmind.bootstrap import Hmind
    from hmind.settings import Settings

_STYLES = {"ok": "good", "warn": "warn", "fail": "bad"}


def doctor(as_json: AsJson = False) -> None:
    """Examine the installation, the stores, the models and the settings.

    Exit code 1 when anything fails.
    """
    terminal = screen.console(stderr=True)
    findings: list[Finding] = []
    if as_json or not terminal.is_terminal:
        findings.extend(_all())
    else:
        with terminal.status("examining") as status:
            for finding in _all():
                findings.append(finding)
                status.update(f"examining, {finding.what} done")
    failed = sum(finding.level == FAIL for finding in findings)
    if as_json:
        screen.print_json({"failed": failed, "findings": findings})
    else:
        _show(findings, failed)
    if failed:
        raise typer.Exit(Exit.FAILED)


def _show(findings: list[Finding], failed: int) -> None:
    out = screen.console()
    table = screen.table("", "", ("what", {"max_width": 20}), ("seen, and what to do", {"ratio": 1}))
    for finding in findings:
        said = Text(finding.seen)
        if finding.todo:
            said.append(f"\n{finding.todo}", style=_STYLES[finding.level])
        table.add_row(Text(finding.level, style=_STYLES[finding.level]), finding.what, said)
    out.print(table)
    warned = sum(finding.level == WARN for finding in findings)
    verdict = f"{failed} to mend" if failed else "All is well" if not warned else "It works"
    out.print(f"{verdict}; {warned} to look at.", style="bad" if failed else "warn" if warned else "good")


def _all() -> Iterator[Finding]:
    from hmind import settings as settings_module
    from hmind.cli import doctor_checks as checks
    from hmind.errors import SettingsError

    yield from checks.examined("Python", checks.python)
    try:
        settings = settings_module.load()
    except SettingsError as error:
        seen, _, todo = str(error).partition(". ")
        yield Finding(FAIL, "settings", seen, todo)
        return
    yield Finding("ok", "settings", f"read from {settings_module.config_dir()} and the environment")
    yield from checks.examined("packages", lambda: checks.packages(settings))
    yield from checks.examined("closing phrases", checks.phrases)
    yield from checks.examined("disk", lambda: checks.disk(settings.home))
    yield from checks.examined("analyst", lambda: checks.analyst(settings))
    yield from checks.examined("stores", lambda: _stores(settings))


def _stores(settings: Settings) -> Iterator[Finding]:
    from hmind.bootstrap import Hmind
    from hmind.cli import doctor_checks as checks
    from hmind.cli.opened import connected

    own = not settings.stores.database_url.get_secret_value()
    with connected(settings) as ready:
        hmind = Hmind(ready)
        try:
            yield from _and_then(
                checks.examined("PostgreSQL", lambda: _database(hmind, own)),
                checks.examined("tables", lambda: checks.schema(hmind)),
                checks.examined("topic shift", lambda: checks.calibration(hmind)),
            )
            yield from checks.examined("embedder", lambda: checks.embedders(hmind))
            yield from _and_then(
                checks.examined("Redis", lambda: checks.redis(hmind.redis)),
                checks.examined("workers", lambda: checks.running(hmind)),
            )
        finally:
            hmind.close()


def _and_then(*examinations: Iterator[Finding]) -> Iterator[Finding]:
    """All in order, up to the first that failed in anything: what follows would fail for the same cause."""
    failed = False
    for findings in examinations:
        if failed:
            return
        for finding in findings:
            failed = failed or finding.level == FAIL
            yield finding


def _database(hmind: Hmind, own: bool) -> Iterator[Finding]:
    from hmind.cli import doctor_checks as checks
    from hmind.storage import migrate

    with hmind.engine.connect() as connection:
        new = migrate.current(connection) is None
    if new and own:
        hmind.migrate()
    with hmind.engine.connect() as connection:
        yield from checks.postgres(connection)
