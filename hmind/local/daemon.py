"""A server process that outlives its starter, known to be alive by the lock it holds.

What the server is (PostgreSQL, Valkey) is told in their own modules.

The starter opens a lock file, locks it with flock and hands the open file to the server. The lock
then lives exactly as long as the server and its children do: no stale pid file after kill -9, no
mix-up with another process of the same pid, and never two servers on one data folder.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmind.errors import StoreUnavailable

if TYPE_CHECKING:
    import pwd
    from collections.abc import Iterator

POLL_S = 0.05
_started: dict[int, subprocess.Popen[bytes]] = {}


@contextmanager
def locked(path: Path, kind: int = fcntl.LOCK_EX) -> Iterator[int]:
    """Holds an flock on ``path`` (created when missing) and yields its file descriptor.

    Raises:
        BlockingIOError: ``kind`` has LOCK_NB and another process holds the lock.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, kind)
        yield handle
    finally:
        os.close(handle)


def identity(run_as: pwd.struct_passwd | None) -> dict[str, Any]:
    """Arguments of subprocess that run a program as that user and no more; none for ourselves."""
    return {} if run_as is None else {"user": run_as.pw_uid, "group": run_as.pw_gid, "extra_groups": []}


@dataclass(frozen=True, slots=True)
class Daemon:
    """One server: how it is called, the lock it holds, the file its output goes to."""

    name: str
    lock_path: Path
    log_path: Path

    def running(self) -> bool:
        """Whether the server or a child of it is alive."""
        try:
            with locked(self.lock_path, fcntl.LOCK_SH | fcntl.LOCK_NB):
                return False
        except BlockingIOError:
            return True

    def pid(self) -> int | None:
        """Process id of the server, or None when it does not run."""
        if not self.running():
            return None
        return int(self.lock_path.read_text(encoding="ascii").strip() or 0) or None

    def start(
        self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], run_as: pwd.struct_passwd | None = None
    ) -> None:
        """Starts the server in a session of its own, so that Ctrl-C does not reach it.

        Raises:
            StoreUnavailable: the program cannot be run.
        """
        with locked(self.lock_path) as handle, self.log_path.open("ab") as log:
            self.log_path.chmod(0o600)
            try:
                process = subprocess.Popen(
                    list(argv),
                    cwd=cwd,
                    env=dict(env),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    pass_fds=(handle,),
                    **identity(run_as),
                )
            except OSError as error:
                raise StoreUnavailable(
                    f"The embedded {self.name} cannot be run ({error.strerror}: {argv[0]}). "
                    "Install hmind[local] again, or set HMIND_DATABASE_URL and HMIND_REDIS_URL."
                ) from error
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{process.pid}\n".encode("ascii"), 0)
            _started[process.pid] = process

    def bring_up(self, start: Callable[[], None], answers: Callable[[], bool], within_s: float, tries: int = 2) -> None:
        """Starts the server unless it runs, and waits until it answers.

        Raises:
            StoreUnavailable: it died ``tries`` times, or does not answer ``within_s`` seconds.
        """
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            if not self.running():
                if tries == 0:
                    raise StoreUnavailable(
                        f"The embedded {self.name} does not start: {self.last_words()} See {self.log_path}."
                    )
                tries -= 1
                start()
            if answers():
                return
            time.sleep(POLL_S)
        raise StoreUnavailable(f"The embedded {self.name} does not answer after {within_s:.0f} s. See {self.log_path}.")

    def stop(self, by: signal.Signals, grace_s: float) -> None:
        """Asks the server to stop, kills it after ``grace_s`` seconds, and returns when it is gone."""
        pid = stopped = self.pid()
        for signum, wait_s in ((by, grace_s), (signal.SIGKILL, 10.0)):
            if pid is None:
                break
            with suppress(ProcessLookupError):
                os.kill(pid, signum)
            deadline = time.monotonic() + wait_s
            while self.running() and time.monotonic() < deadline:
                time.sleep(POLL_S)
            pid = self.pid()
        _reap(stopped)

    def last_words(self) -> str:
        """The last line of the log that says what went wrong."""
        try:
            lines = self.log_path.read_bytes()[-8192:].decode("utf-8", "replace").splitlines()
        except OSError:
            return "it left no log."
        telling = [line for line in lines if "FATAL" in line or "rror" in line or " # " in line]
        last = (telling or [line for line in lines if line.strip()] or ["it left no log."])[-1]
        return last.rpartition("FATAL:")[2].strip().removesuffix(".") + "."


def _reap(stopped: int | None) -> None:
    """Collects those of our own children that have ended, so that none stays as a zombie."""
    for pid, process in list(_started.items()):
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5 if pid == stopped else 0)
            del _started[pid]
