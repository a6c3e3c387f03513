"""The embedded services with real servers: shared, stopped by the last, and safe against kill -9."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
from support.waiting import wait_for

from hmind import settings as settings_module
from hmind.errors import SettingsError, StoreUnavailable
from hmind.local.daemon import Daemon
from hmind.local.postgres import EmbeddedPostgres, copy_for_all, readable_by_all, wheel_programs
from hmind.local.services import embedded, stores
from hmind.local.valkey import EmbeddedValkey

AS_ROOT = os.geteuid() == 0
HOLDER = """
import sys
from pathlib import Path
from hmind.local.services import embedded
with embedded(Path(sys.argv[1])) as urls:
    print(urls.database_url, urls.redis_url, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def parent() -> Iterator[Path]:
    """A folder that every user may enter, in a short path, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="hm-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def home(parent: Path) -> Path:
    return parent / "home"


def running(home: Path) -> tuple[bool, bool]:
    return EmbeddedPostgres(home).daemon.running(), EmbeddedValkey(home).daemon.running()


def server(home: Path) -> psutil.Process:
    pid = EmbeddedPostgres(home).daemon.pid()
    assert pid is not None
    return psutil.Process(pid)


def holder(home: Path) -> subprocess.Popen[str]:
    """Another process that uses the services until its standard input closes."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def urls_of(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    return process.stdout.readline().split()


def leave(process: subprocess.Popen[str]) -> None:
    process.communicate("\n", timeout=60)
    assert process.returncode == 0


def query(database_url: str, statement: str) -> object:
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone()[0] if cursor.description else None


def test_both_stores_keep_their_data_and_stop_with_the_last_user(home: Path) -> None:
    with embedded(home) as urls:
        query(urls.database_url, "CREATE EXTENSION vector")
        query(urls.database_url, "CREATE TABLE kept AS SELECT '[1,2,3]'::vector AS v")
        redis.Redis.from_url(urls.redis_url).set("kept", "yes")
    assert running(home) == (False, False)

    with embedded(home) as again:
        assert again == urls
        assert query(again.database_url, "SELECT v::text FROM kept") == "[1,2,3]"
        assert redis.Redis.from_url(again.redis_url).get("kept") == b"yes"
    assert running(home) == (False, False)


def test_settings_of_the_stores_are_safe_ones(home: Path) -> None:
    with embedded(home) as urls:
        shown = {
            name: query(urls.database_url, f"SHOW {name}")
            for name in (
                "fsync",
                "listen_addresses",
                "max_connections",
                "server_encoding",
                "TimeZone",
                "data_checksums",
            )
        }
        client = redis.Redis.from_url(urls.redis_url)
        config = client.config_get("*")
    assert shown == {
        "fsync": "on",
        "listen_addresses": "",
        "max_connections": "100",
        "server_encoding": "UTF8",
        "TimeZone": "UTC",
        "data_checksums": "on",
    }
    expected = {
        "appendonly": "yes",
        "appendfsync": "everysec",
        "maxmemory-policy": "noeviction",
        "save": "",
        "bind": "127.0.0.1",
    }
    assert {key: config[key] for key in expected} == expected


def test_nobody_else_can_read_what_is_stored(home: Path) -> None:
    with embedded(home) as urls:
        private = {path.name: stat.S_IMODE(path.stat().st_mode) & 0o077 for path in home.iterdir()}
        assert private == dict.fromkeys(private, 0)
        for path in (home / "valkey" / "password", home / "valkey" / "valkey.conf"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        without_password = redis.Redis.from_url("redis://" + urls.redis_url.rpartition("@")[2])
        with pytest.raises(redis.AuthenticationError):
            without_password.ping()
        for process in psutil.process_iter(["cmdline"]):
            assert urls.redis_url.split("@")[0].rpartition(":")[2] not in " ".join(process.info["cmdline"] or ())


def test_text_of_a_failed_statement_stays_out_of_the_log(home: Path) -> None:
    canary = "the heron ate my sandwich"
    with embedded(home) as urls:
        query(urls.database_url, "CREATE TABLE short (word text CHECK (length(word) < 5) UNIQUE)")
        with pytest.raises(psycopg.errors.CheckViolation):
            query(urls.database_url, f"INSERT INTO short VALUES ('{canary}')")
    log = (home / "postgres.log").read_text()
    assert "short_word_check" in log
    assert canary not in log


def test_processes_share_the_services_and_the_last_one_stops_them(home: Path) -> None:
    first, second = holder(home), holder(home)
    assert urls_of(first) == urls_of(second)
    leave(first)
    assert running(home) == (True, True)
    leave(second)
    assert running(home) == (False, False)


def test_who_is_killed_does_not_keep_the_services_alive(home: Path) -> None:
    killed = holder(home)
    before = urls_of(killed)
    killed.kill()
    killed.communicate()
    assert running(home) == (True, True)
    with embedded(home) as urls:
        assert [urls.database_url, urls.redis_url] == before
    assert running(home) == (False, False)


def test_many_who_come_and_go_at_once_leave_nothing_running(home: Path) -> None:
    holders = [holder(home) for _ in range(4)]
    assert len({tuple(urls_of(process)) for process in holders}) == 1
    for process in holders:
        assert process.stdin is not None
        process.stdin.close()
    assert [process.wait(60) for process in holders] == [0, 0, 0, 0]
    for process in holders:
        assert process.stdout is not None
        process.stdout.close()
    assert running(home) == (False, False)


def test_killed_servers_come_back_with_what_was_committed(home: Path) -> None:
    database, cache = EmbeddedPostgres(home), EmbeddedValkey(home)
    with embedded(home) as urls:
        query(urls.database_url, "CREATE TABLE kept AS SELECT 7 AS n")
        client = redis.Redis.from_url(urls.redis_url)
        client.config_set("appendfsync", "always")
        client.set("kept", "yes")
        for daemon in (database.daemon, cache.daemon):
            pid = daemon.pid()
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
        with embedded(home) as again:
            assert query(again.database_url, "SELECT n FROM kept") == 7
            assert redis.Redis.from_url(again.redis_url).get("kept") == b"yes"
    assert running(home) == (False, False)


def test_a_stale_pid_that_another_process_bears_does_not_matter(home: Path) -> None:
    with embedded(home):
        pass
    stale = home / "postgres" / "postmaster.pid"
    stale.write_text(f"{os.getppid()}\n{home}/postgres\n0\n5432\n/nowhere\n\n0\nready\n")
    with embedded(home) as urls:
        assert query(urls.database_url, "SELECT 1") == 1


def test_a_taken_port_is_replaced(home: Path) -> None:
    import socket

    with embedded(home, postgres=False) as urls:
        port = int(urls.redis_url.rpartition(":")[2].partition("/")[0])
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        with embedded(home, postgres=False) as again:
            assert again.redis_url != urls.redis_url
            assert redis.Redis.from_url(again.redis_url).ping()


@pytest.mark.parametrize("name", ["a" * 120, "with space, 'quotes\" and %40?#$HOME", "记忆"])
def test_any_path_can_be_home(parent: Path, name: str) -> None:
    home = parent / name
    with embedded(home) as urls:
        assert query(urls.database_url, "SELECT current_database()") == "hmind"
        assert redis.Redis.from_url(urls.redis_url).ping()
        sockets = Path(urls.database_url.rpartition("=")[2])
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    assert not sockets.exists()
    assert running(home) == (False, False)


def test_a_server_that_cannot_start_says_why_and_where_to_look(home: Path) -> None:
    with embedded(home, valkey=False):
        pass
    (home / "postgres" / "postgresql.conf").write_text("no such setting\n")
    with (
        pytest.raises(
            StoreUnavailable,
            match=r"PostgreSQL does not start: .*postgresql\.conf.* contains errors\. See .*postgres\.log",
        ),
        embedded(home),
    ):
        pass
    assert running(home) == (False, False)


def test_data_of_another_version_are_refused(home: Path) -> None:
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "PG_VERSION").write_text("16\n")
    with pytest.raises(SettingsError, match=r"PostgreSQL 16.*HMIND_HOME"), embedded(home):
        pass


def test_a_server_that_will_not_stop_is_killed(parent: Path) -> None:
    daemon = Daemon("Stubborn", parent / "lock", parent / "log")
    stubborn = (
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(600)"
    )
    daemon.start([sys.executable, "-c", stubborn], cwd=parent, env={})
    wait_for(lambda: daemon.log_path.read_text() == "up\n")
    began = time.monotonic()
    daemon.stop(signal.SIGTERM, grace_s=0.3)
    assert 0.3 <= time.monotonic() - began < 10
    assert not daemon.running()


def test_configured_stores_are_used_and_nothing_is_started(home: Path) -> None:
    environ = {
        "HMIND_HOME": str(home),
        "HMIND_DATABASE_URL": "postgresql+psycopg://db/x",
        "HMIND_REDIS_URL": "redis://r/3",
    }
    with stores(settings_module.load(environ)) as settings:
        assert settings.stores.redis_url.get_secret_value() == "redis://r/3"
    assert not home.exists()


def test_only_the_missing_store_is_started(home: Path) -> None:
    environ = {"HMIND_HOME": str(home), "HMIND_DATABASE_URL": "postgresql+psycopg://db/x"}
    with stores(settings_module.load(environ)) as settings:
        assert settings.stores.database_url.get_secret_value() == "postgresql+psycopg://db/x"
        assert redis.Redis.from_url(settings.stores.redis_url.get_secret_value()).ping()
        assert running(home) == (False, True)
    assert running(home) == (False, False)


def test_a_copy_of_the_programs_is_made_readable_for_all(parent: Path) -> None:
    closed = parent / "closed"
    closed.mkdir(mode=0o700)
    copy_for_all(wheel_programs(), closed / "first")
    (first,) = closed.glob("first/*/pginstall18")
    assert not readable_by_all(first)
    (first / "share").chmod(0o700)
    (first / "bin" / "initdb").chmod(0o700)
    copy_for_all(first, parent / "open")
    (opened,) = parent.glob("open/*/pginstall18")
    assert readable_by_all(opened)
    (opened / "bin" / "initdb").chmod(0o700)
    assert not readable_by_all(opened)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


# As root PostgreSQL runs as another user; nothing of root's may be opened for it.


def test_a_private_folder_stays_private(parent: Path) -> None:
    closed = parent / "closed"
    closed.mkdir(mode=0o700)
    if AS_ROOT:
        refused = pytest.raises(SettingsError, match=r"cannot enter .*closed .*HMIND_HOME=/var/lib/hmind")
        with refused, embedded(closed / "deep" / "home"):
            pass
        assert list(closed.iterdir()) == []
    else:
        with embedded(closed / "deep" / "home") as urls:
            assert query(urls.database_url, "SELECT 1") == 1
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_programs_in_a_private_folder_are_copied_once_and_only_for_root(
    parent: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = parent / "closed"
    closed.mkdir(mode=0o700)
    copy_for_all(wheel_programs(), closed / "venv")
    (programs,) = closed.glob("venv/*/pginstall18")
    monkeypatch.setattr("hmind.local.postgres.wheel_programs", lambda: programs)
    inodes = []
    for _ in range(2):
        with embedded(home, valkey=False) as urls:
            assert query(urls.database_url, "SELECT 1") == 1
            program = Path(server(home).exe())
            assert program.is_relative_to(home if AS_ROOT else closed)
            inodes.append(program.stat().st_ino)
    assert len(set(inodes)) == 1
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_the_server_has_no_rights_of_root(home: Path) -> None:
    with embedded(home, valkey=False):
        process = server(home)
        assert 0 not in (*process.uids(), *process.gids())
        if AS_ROOT:
            assert re.search(r"^Groups:\s*$", Path(f"/proc/{process.pid}/status").read_text(), flags=re.MULTILINE)
