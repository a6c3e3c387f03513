"""A local process behind the face of docker-py's Container, so that pytest-celery's nodes can drive it.

Only what pytest_celery and pytest_docker_tools look at is there. What a container engine does for
a container is done for the process group: it ends as a whole, and its log goes on over restarts.
"""

from __future__ import annotations

import os
import signal as signals
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any


class LocalContainer:
    """Runs ``command``; ``id``, ``name``, ``attrs``, ``status`` and the methods mean what docker-py's mean.

    Nothing is isolated: networks and published ports are empty, the address is this machine's.
    """

    def __init__(self, name: str, command: Sequence[str], env: Mapping[str, str], folder: Path, cwd: Path) -> None:
        self.id = uuid.uuid4().hex
        self.name = name
        self.attrs: dict[str, Any] = {
            "Config": {"Hostname": "127.0.0.1", "Env": [f"{key}={value}" for key, value in env.items()]},
            "NetworkSettings": {"Networks": {}, "Ports": {}},
        }
        self.status = "created"
        self._command = [word.replace("%h", self.id[:12]) for word in command]
        self._env, self._cwd, self._log = dict(env), cwd, folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, env=self._env, cwd=self._cwd, stdout=log, stderr=log, start_new_session=True
            )
        self.status = "running"

    def reload(self) -> None:
        """Looks whether the process still runs; what it leaves behind ends with it."""
        if self._process is not None and self._process.poll() is not None:
            self._kill_group()
            self.status = "exited"

    def kill(self, signal: str | int | None = None) -> None:
        """SIGKILL, to all at once and until they are dead, or another signal, to the first process alone."""
        number = signals.Signals[signal] if isinstance(signal, str) else signals.Signals(signal or signals.SIGKILL)
        assert self._process is not None, f"{self.name} was never started"
        if number is signals.SIGKILL:
            self._kill_group()
            self._process.wait()
        else:
            self._process.send_signal(number)
        self.reload()

    def stop(self, timeout: float = 10) -> None:
        """SIGTERM, and SIGKILL after ``timeout`` seconds."""
        if self._process is None:
            return
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)
        self.kill()

    def restart(self, timeout: float = 10) -> None:
        self.stop(timeout)
        self.start()

    def remove(self, force: bool = False) -> None:
        self.reload()
        assert force or self.status != "running", f"{self.name} runs; stop it first"
        if self._process is not None:
            self.kill()

    def logs(self) -> bytes:
        return self._log.read_bytes() if self._log.exists() else b""

    def _kill_group(self) -> None:
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signals.SIGKILL)
