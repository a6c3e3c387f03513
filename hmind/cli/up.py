"""`hmind up`: the stores, the schema and every process of the Procfile, until Ctrl-C."""

from __future__ import annotations

import os
import re
import socket

from hmind.cli import screen
from hmind.cli.exits import TryLater
from hmind.cli.options import AsJson


def up(as_json: AsJson = False) -> None:
    """Run workers, Beat and Flower until Ctrl-C, with the embedded services unless others are set.

    Each process' lines bear its name; one that dies is started again.
    """
    from hmind.cli.interrupts import ending_by_signal
    from hmind.cli.opened import connected
    from hmind.cli.workers import shipped
    from hmind.local.supervisor import Supervisor, process_environment, read_procfile
    from hmind.settings import load

    settings = load()
    commands = read_procfile(shipped("Procfile"))
    own = not settings.stores.database_url.get_secret_value()
    out = screen.console(stderr=True)
    with ending_by_signal(), connected(settings) as ready:
        from hmind.bootstrap import Hmind

        hmind = Hmind(ready)
        try:
            if own:
                hmind.migrate()
            hmind.check()
        finally:
            hmind.close()
        where = flower_address(commands)
        _refuse_a_second_flower(where)
        if as_json:
            screen.print_json({"home": str(settings.home), "flower": where, "processes": list(commands)})
        else:
            out.print("H-Mind is up. Ctrl-C stops it.", style="good")
            if own:
                out.print(f"data    {settings.home}")
            if where:
                out.print(f"Flower  {where}")
            out.print("Ctrl-C lets each finish what it has in hand, up to 45 s; a second Ctrl-C does not wait.")
        Supervisor(commands, process_environment(ready, os.environ)).run()
        out.print("H-Mind is down.")


def _refuse_a_second_flower(where: str) -> None:
    """Two sets of processes with the same names would confuse Flower and each other."""
    host, _, port = where.removeprefix("http://").partition(":")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host or "127.0.0.1", int(port or 0)))
        except OSError:
            raise TryLater(
                f"{host}:{port} is taken: H-Mind is up already, or another program has Flower's port. End that first."
            ) from None


def flower_address(commands: dict[str, str]) -> str:
    """Where Flower will be, by its own command; "" where it is not started."""
    command = commands.get("flower", "")
    port = re.search(r"--port=(\d+)", command)
    address = re.search(r"--address=(\S+)", command)
    return f"http://{address[1] if address else '127.0.0.1'}:{port[1] if port else 5555}" if command else ""
