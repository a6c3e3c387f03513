"""Keeps the processes of the Procfile running, and ends them all together.

honcho was considered: it ends everything when one process dies, and a worker that was killed has
to come back by itself. What the processes do is told in the Procfile.
"""

from __future__ import annotations

import itertools
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, TextIO

import psutil

from hmind.errors import SettingsError
from hmind.settings import Settings

GRACE_S = 45.0
LONGEST_DELAY_S = 30.0
POLL_S = 0.05
_COLOURS = (36, 33, 32, 35, 34, 96, 93, 92, 95, 94)
_LINE = re.compile(r"^([A-Za-z0-9_-]+):\s*(.+)$")


def read_procfile(path: Path) -> dict[str, str]:
    """The commands of a Procfile by the name of their process, in its order.

    Raises:
        SettingsError: it cannot be read, or a line is not ``name: command``.
    """
    commands: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}). Run it where the Procfile lies.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.match(line)
        if match is None:
            raise SettingsError(f"{path}, line {number}: is no process. Write it as name: command.")
        if match[1] in commands:
            raise SettingsError(f"{path}, line {number}: {match[1]} is there twice. Give each process its own name.")
        commands[match[1]] = match[2].strip()
    return commands


def process_environment(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for processes that shall use the stores of ``settings``.

    REMAP_SIGTERM gives Celery's workers their soft shutdown: what they hold goes back to the queue.
    """
    other_names = re.compile(r"HMIND_(STORES_)?(DATABASE|REDIS)_URL(_FILE)?")
    kept = {key: value for key, value in environ.items() if not other_names.fullmatch(key)}
    return (
        {"REMAP_SIGTERM": "SIGQUIT"}
        | kept
        | {
            "HMIND_DATABASE_URL": settings.stores.database_url.get_secret_value(),
            "HMIND_REDIS_URL": settings.stores.redis_url.get_secret_value(),
        }
    )


@dataclass(slots=True)
class _Process:
    """One line of the Procfile and what runs for it now."""

    name: str
    argv: list[str]
    colour: int
    running: subprocess.Popen[bytes] | None = None
    pump: threading.Thread | None = None
    started_at: float = 0.0
    due_at: float = 0.0
    delay_s: float = 0.0
    restarts: int = 0


@dataclass(slots=True)
class _Output:
    """Where lines go: one stream for all, each line under its process' name."""

    stream: TextIO
    width: int
    coloured: bool
    lock: threading.Lock = field(default_factory=threading.Lock)

    def line(self, process: _Process, text: str) -> None:
        label = f"{process.name:<{self.width}} |"
        if self.coloured:
            label = f"\x1b[{process.colour}m{label}\x1b[0m"
        with self.lock, suppress(OSError, ValueError):  # a closed terminal must not stop the workers
            self.stream.write(f"{label} {text}\n")
            self.stream.flush()


class Supervisor:
    """Starts every command in a session of its own, restarts what dies, stops all at once.

    The first restart comes after 1 s, then 2, 4, ... 30 s; a process that ran for ``healthy_after_s``
    begins again at 1 s. Commands are split like a shell's words but are not run by a shell.
    As a context manager it starts all on entry and stops all on exit, also on an error.
    """

    def __init__(
        self,
        commands: Mapping[str, str],
        env: Mapping[str, str],
        log_dir: Path | None = None,
        *,
        cwd: Path | None = None,
        grace_s: float = GRACE_S,
        first_delay_s: float = 1.0,
        healthy_after_s: float = 60.0,
        stream: TextIO | None = None,
    ) -> None:
        """Output goes to <log_dir>/<name>.log, or without ``log_dir`` to ``stream`` (stdout) behind the name.

        Args:
            env: the processes' whole environment; the folder of this Python's programs is put before its PATH.
            grace_s: seconds between SIGTERM and SIGKILL.
        """
        self._env = _with_own_programs(env)
        self._log_dir, self._cwd = log_dir, cwd
        self._grace_s, self._first_delay_s, self._healthy_after_s = grace_s, first_delay_s, healthy_after_s
        colours = itertools.cycle(_COLOURS)
        self._all = [_Process(name, shlex.split(command), next(colours)) for name, command in commands.items()]
        stream = sys.stdout if stream is None else stream
        coloured = stream.isatty() and "NO_COLOR" not in os.environ
        self._output = _Output(stream, max((len(name) for name in commands), default=0), coloured)
        self._stopping = threading.Event()
        self._signals_seen = 0  # an Event must not be set in a signal handler: the thread may hold its lock
        self._watcher: threading.Thread | None = None

    def __enter__(self) -> Supervisor:
        self.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    @property
    def processes(self) -> dict[str, int]:
        """Pid of each process that runs now, by name."""
        running = [(process.name, process.running) for process in self._all]
        return {name: popen.pid for name, popen in running if popen is not None and popen.poll() is None}

    @property
    def restarts(self) -> dict[str, int]:
        """How often each process has been started again."""
        return {process.name: process.restarts for process in self._all}

    def start(self) -> None:
        """Starts every process and the watch over them.

        Raises:
            SettingsError: a program does not exist; nothing is left running.
        """
        if self._log_dir is not None:
            self._log_dir.mkdir(parents=True, exist_ok=True)
        try:
            for process in self._all:
                self._spawn(process)
        except OSError as error:
            self.stop()
            raise SettingsError(
                f"{process.name}: {process.argv[0]} cannot be run ({error.strerror}). Run: pip install 'hmind[all]'."
            ) from error
        self._watcher = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._watcher.start()

    def stop(self) -> None:
        """SIGTERM to every process, SIGKILL to what is left of its group and children after the grace."""
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.join()
        running = [process.running for process in self._all if process.running is not None]
        family = [member for popen in running for member in _descendants(popen.pid)]
        for popen in running:
            if popen.poll() is None:
                popen.terminate()
        deadline = time.monotonic() + self._grace_s
        while any(popen.poll() is None for popen in running) and time.monotonic() < deadline:
            if self._signals_seen > 1:
                break
            time.sleep(POLL_S)
        for popen in running:
            _kill_group(popen.pid)
        for member in family:
            with suppress(psutil.NoSuchProcess):
                member.kill()
        psutil.wait_procs(family, timeout=10)
        for process in self._all:
            if process.running is not None:
                process.running.wait()
                process.running = None
            if process.pump is not None:
                process.pump.join(timeout=5)

    def run(self) -> None:
        """Starts all, returns when SIGINT, SIGTERM or SIGHUP came and all have ended. A second signal kills at once."""
        with self._signals():
            self.start()
            while not self._signals_seen and not self._stopping.is_set():
                time.sleep(POLL_S)
            self.stop()

    def _spawn(self, process: _Process) -> None:
        if self._log_dir is None:
            process.running = self._popen(process.argv, subprocess.PIPE)
            process.pump = threading.Thread(target=self._forward, args=(process, process.running.stdout), daemon=True)
            process.pump.start()
        else:
            with self._log_of(process) as log:
                process.running = self._popen(process.argv, log)
        process.started_at = time.monotonic()

    def _popen(self, argv: list[str], output: int | IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv,
            cwd=self._cwd,
            env=self._env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def _forward(self, process: _Process, pipe: IO[bytes]) -> None:
        with pipe:
            for line in pipe:
                self._output.line(process, line.decode("utf-8", "replace").rstrip("\r\n"))

    def _watch(self) -> None:
        while not self._stopping.wait(POLL_S):
            for process in self._all:
                if process.running is not None and process.running.poll() is not None:
                    self._bury(process)
                elif process.running is None and time.monotonic() >= process.due_at:
                    process.restarts += 1
                    try:
                        self._spawn(process)
                    except OSError as error:
                        self._postpone(process, f"cannot be run ({error.strerror})")

    def _bury(self, process: _Process) -> None:
        assert process.running is not None
        _kill_group(process.running.pid)  # children of a dead parent would work beside those of the new one
        code = process.running.returncode
        if time.monotonic() - process.started_at >= self._healthy_after_s:
            process.delay_s = 0.0
        process.running = None
        self._postpone(process, f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}")

    def _postpone(self, process: _Process, why: str) -> None:
        process.delay_s = min(max(2 * process.delay_s, self._first_delay_s), LONGEST_DELAY_S)
        process.due_at = time.monotonic() + process.delay_s
        self._say(process, f"{why}; starts again in {process.delay_s:g} s")

    def _say(self, process: _Process, text: str) -> None:
        """Our own word on a process, where its output goes."""
        if self._log_dir is None:
            self._output.line(process, text)
        else:
            with suppress(OSError), self._log_of(process) as log:
                log.write(f"supervisor: {text}\n".encode())

    def _log_of(self, process: _Process) -> IO[bytes]:
        assert self._log_dir is not None
        return (self._log_dir / f"{process.name}.log").open("ab")

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def on_signal(_number: int, _frame: FrameType | None) -> None:
            self._signals_seen += 1

        wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, on_signal) for number in wanted}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _with_own_programs(env: Mapping[str, str]) -> dict[str, str]:
    programs = str(Path(sys.executable).parent)
    return dict(env) | {"PATH": f"{programs}{os.pathsep}{env.get('PATH', os.defpath)}", "PYTHONUNBUFFERED": "1"}


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
