"""The supervisor with small real processes: restarts, stubborn ones, grandchildren, signals."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from support.waiting import wait_for

from hmind import settings as settings_module
from hmind.errors import SettingsError
from hmind.local.supervisor import Supervisor, process_environment, read_procfile

SLEEPER = "import time\nprint('up', flush=True)\ntime.sleep(600)"
STUBBORN = (
    "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(600)"
)
PARENT = """
import signal, subprocess, sys, time
stubborn = 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)'
same_group = subprocess.Popen([sys.executable, '-c', stubborn])
own_group = subprocess.Popen([sys.executable, '-c', stubborn], start_new_session=True)
print(same_group.pid, own_group.pid, flush=True)
time.sleep(600)
"""

Start = Callable[..., Supervisor]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a supervisor over Python scripts with short delays, and stops it after the test."""
    started: list[Supervisor] = []

    def start_one(scripts: dict[str, str], **options: object) -> Supervisor:
        commands = {}
        for name, script in scripts.items():
            (tmp_path / f"{name}.py").write_text(script)
            commands[name] = f"{sys.executable} {tmp_path / name}.py"
        defaults: dict[str, object] = {"log_dir": tmp_path / "logs", "first_delay_s": 0.1, "grace_s": 5.0}
        supervisor = Supervisor(commands, os.environ, **(defaults | options))  # type: ignore[arg-type]
        started.append(supervisor)
        supervisor.start()
        return supervisor

    yield start_one
    for supervisor in started:
        supervisor.stop()


def gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def log_of(tmp_path: Path, name: str) -> str:
    path = tmp_path / "logs" / f"{name}.log"
    return path.read_text() if path.exists() else ""


def test_a_killed_process_comes_back_and_the_others_stay(start: Start, tmp_path: Path) -> None:
    supervisor = start({"a": SLEEPER, "b": SLEEPER})
    before = supervisor.processes
    assert set(before) == {"a", "b"}
    os.kill(before["a"], signal.SIGKILL)
    wait_for(lambda: supervisor.processes.get("a") not in (None, before["a"]))
    assert supervisor.processes["b"] == before["b"]
    assert supervisor.restarts == {"a": 1, "b": 0}
    assert "supervisor: was ended by SIGKILL; starts again in 0.1 s\n" in log_of(tmp_path, "a")
    after = supervisor.processes
    supervisor.stop()
    assert all(gone(pid) for pid in {*before.values(), *after.values()})
    assert supervisor.processes == {}


def test_the_delay_between_restarts_doubles(start: Start) -> None:
    output = io.StringIO()
    supervisor = start({"failing": "raise SystemExit(3)"}, log_dir=None, stream=output)
    wait_for(lambda: supervisor.restarts["failing"] >= 3)
    supervisor.stop()
    said = [line for line in output.getvalue().splitlines() if "ended with code 3" in line]
    assert [line.rpartition("again in ")[2] for line in said[:3]] == ["0.1 s", "0.2 s", "0.4 s"]


def test_a_process_that_ran_long_enough_starts_again_soon(start: Start) -> None:
    output = io.StringIO()
    supervisor = start({"short": "print(1)"}, log_dir=None, stream=output, healthy_after_s=0.0)
    wait_for(lambda: supervisor.restarts["short"] >= 3)
    supervisor.stop()
    said = [line for line in output.getvalue().splitlines() if "ended with code 0" in line]
    assert {line.rpartition("again in ")[2] for line in said} == {"0.1 s"}


def test_who_ignores_sigterm_is_killed_after_the_grace(start: Start, tmp_path: Path) -> None:
    supervisor = start({"stubborn": STUBBORN}, grace_s=0.4)
    wait_for(lambda: log_of(tmp_path, "stubborn") == "up\n")
    pid = supervisor.processes["stubborn"]
    began = time.monotonic()
    supervisor.stop()
    assert 0.4 <= time.monotonic() - began < 5
    assert gone(pid)


def test_who_obeys_sigterm_may_finish_what_it_does(start: Start, tmp_path: Path) -> None:
    polite = (
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: (print('done', flush=True), sys.exit(0)))\n"
    )
    supervisor = start({"polite": polite + SLEEPER})
    wait_for(lambda: "up" in log_of(tmp_path, "polite"))
    supervisor.stop()
    assert log_of(tmp_path, "polite") == "up\ndone\n"


def test_grandchildren_end_too_even_those_that_ignore_sigterm_or_left_the_group(start: Start, tmp_path: Path) -> None:
    supervisor = start({"parent": PARENT})
    wait_for(lambda: log_of(tmp_path, "parent").endswith("\n"))
    same_group, own_group = (int(pid) for pid in log_of(tmp_path, "parent").split())
    supervisor.stop()
    assert gone(same_group)
    assert gone(own_group)


def test_children_of_a_killed_parent_do_not_work_beside_those_of_the_new_one(start: Start, tmp_path: Path) -> None:
    supervisor = start({"parent": PARENT.replace(", start_new_session=True", "")})
    wait_for(lambda: log_of(tmp_path, "parent").endswith("\n"))
    children = [int(pid) for pid in log_of(tmp_path, "parent").split()]
    os.kill(supervisor.processes["parent"], signal.SIGKILL)
    wait_for(lambda: supervisor.restarts["parent"] == 1)
    assert all(gone(pid) for pid in children)


def test_lines_stand_behind_the_name_of_their_process(start: Start) -> None:
    output = io.StringIO()
    supervisor = start(
        {"a": "print('one')\n" + SLEEPER, "longer": "print('两')\n" + SLEEPER}, log_dir=None, stream=output
    )
    wait_for(lambda: output.getvalue().count("up") == 2)
    supervisor.stop()
    assert sorted(output.getvalue().splitlines()) == ["a      | one", "a      | up", "longer | up", "longer | 两"]


def test_a_closed_terminal_stops_nothing() -> None:
    supervisor = Supervisor({"a": f"{sys.executable} -c print(1)"}, os.environ, stream=_Closed(), first_delay_s=0.05)
    supervisor.start()
    wait_for(lambda: supervisor.restarts["a"] >= 2)
    supervisor.stop()


class _Closed(io.StringIO):
    def write(self, _text: str) -> int:
        raise BrokenPipeError


def test_programs_of_this_environment_come_first(start: Start, tmp_path: Path) -> None:
    script = "import os\nprint(os.environ['PATH'].split(os.pathsep)[0], os.environ['PYTHONUNBUFFERED'])\n" + SLEEPER
    start({"shows": script})
    wait_for(lambda: "up" in log_of(tmp_path, "shows"))
    assert log_of(tmp_path, "shows").splitlines()[0] == f"{Path(sys.executable).parent} 1"


def test_a_program_that_does_not_exist_is_named_and_nothing_is_left() -> None:
    supervisor = Supervisor({"a": f"{sys.executable} -c 'import time; time.sleep(600)'", "b": "no-such-program -x"}, {})
    with pytest.raises(SettingsError, match=r"b: no-such-program cannot be run"):
        supervisor.start()
    assert supervisor.processes == {}
    assert [child for child in psutil.Process().children() if "sleep(600)" in " ".join(child.cmdline())] == []


def test_an_error_in_the_context_leaves_nothing_running() -> None:
    def fail_while_it_runs() -> None:
        with Supervisor({"a": f"{sys.executable} -c 'import time; time.sleep(600)'"}, os.environ, grace_s=5) as running:
            pids.update(running.processes)
            raise LookupError

    pids: dict[str, int] = {}
    with pytest.raises(LookupError):
        fail_while_it_runs()
    assert gone(pids["a"])


RUN = """
import os, sys
from hmind.local.supervisor import Supervisor
script = "import os, signal, time; signal.signal(signal.SIGTERM, signal.{on_term}); print(os.getpid()); time.sleep(600)"
Supervisor({{"a": f'{{sys.executable}} -c "{{script}}"'}}, os.environ, grace_s={grace_s}).run()
print("ended")
"""


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_run_ends_all_on_a_signal(signum: signal.Signals) -> None:
    code = RUN.format(on_term="SIG_DFL", grace_s=30)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline().rpartition("|")[2])
        process.send_signal(signum)
        assert process.stdout.read() == "ended\n"
    assert process.returncode == 0
    assert gone(child)


def test_a_second_signal_does_not_wait_for_the_grace() -> None:
    code = RUN.format(on_term="SIG_IGN", grace_s=120)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline().rpartition("|")[2])
        again = threading.Thread(target=_signal_until_ended, args=(process,))
        again.start()
        assert process.stdout.read() == "ended\n"
        again.join()
    assert gone(child)


def _signal_until_ended(process: subprocess.Popen[str]) -> None:
    def signal_again() -> bool:
        process.send_signal(signal.SIGINT)
        return process.poll() is not None

    wait_for(signal_again, within_s=30, every_s=0.2)


def test_a_procfile_is_read_in_its_order(tmp_path: Path) -> None:
    (tmp_path / "Procfile").write_text("# comment\nb: run it -x  \n\na-1: other: thing\n")
    assert list(read_procfile(tmp_path / "Procfile").items()) == [("b", "run it -x"), ("a-1", "other: thing")]


@pytest.mark.parametrize(
    ("text", "complaint"), [("a: x\nnonsense\n", "line 2: is no process"), ("a: x\na: y\n", "line 2: a is there twice")]
)
def test_a_bad_procfile_is_refused_by_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "Procfile").write_text(text)
    with pytest.raises(SettingsError, match=complaint):
        read_procfile(tmp_path / "Procfile")


def test_a_missing_procfile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_procfile(tmp_path / "Procfile")


def test_processes_get_the_stores_that_run_and_no_other() -> None:
    settings = settings_module.load({}).with_stores("postgresql://here/x", "redis://here/1")
    environ = {"HMIND_STORES_REDIS_URL": "redis://elsewhere", "HMIND_DATABASE_URL_FILE": "/nowhere", "HOME": "/h"}
    made = process_environment(settings, environ)
    assert made == {
        "HOME": "/h",
        "REMAP_SIGTERM": "SIGQUIT",
        "HMIND_DATABASE_URL": "postgresql://here/x",
        "HMIND_REDIS_URL": "redis://here/1",
    }
    assert settings_module.load(made).stores == settings.stores
