"""The fixtures of conftest.py and the leak checks do what they promise."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest
import redis
from support import leaks
from support.waiting import wait_for

from hmind.settings import Settings


def _tables(settings: Settings) -> set[str]:
    url = settings.stores.database_url.get_secret_value().replace("+psycopg", "")
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
        return {row[0] for row in rows}


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_has_a_migrated_database_and_an_empty_redis(settings: Settings, attempt: int) -> None:
    assert "alembic_version" in _tables(settings)
    assert "left_by_another_test" not in _tables(settings)
    client = redis.Redis.from_url(settings.stores.redis_url.get_secret_value())
    assert client.keys() == []
    client.set("left_by_another_test", attempt, ex=60)
    url = settings.stores.database_url.get_secret_value().replace("+psycopg", "")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE left_by_another_test ()")


def test_a_module_keeps_its_stores(module_settings: Settings) -> None:
    assert "alembic_version" in _tables(module_settings)


def test_keys_without_a_time_to_live_are_found(redis_url: str) -> None:
    client = redis.Redis.from_url(redis_url)
    client.set("hmind:{t:u}:profile", "kept for ever")
    client.set("hmind:{t:u}:lock", "short", ex=5)
    client.xadd("hmind:turns", {"turn": "{}"})
    client.lpush("analysis", "a message")
    client.hset("unacked", "tag", "a message")
    client.sadd("_kombu.binding.analysis", "analysis")
    client.set("redbeat:decay", "an entry")
    assert leaks.keys_without_ttl(redis_url) == {"hmind:{t:u}:profile"}
    client.flushdb()


@pytest.fixture
def orphan() -> Iterator[int]:
    """A process whose parent has died, in a session of its own."""
    code = "from subprocess import *; print(Popen(['sleep', '600'], start_new_session=True, stdout=DEVNULL).pid)"
    made = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    pid = int(made.stdout)
    yield pid
    os.kill(pid, 9)
    wait_for(lambda: pid not in leaks.processes_of_run(os.environ[leaks.RUN_MARK]))


def test_a_process_is_found_even_when_its_parent_has_died(orphan: int) -> None:
    assert orphan in leaks.processes_left(os.environ[leaks.RUN_MARK], before=())
    assert (
        leaks.processes_left(
            os.environ[leaks.RUN_MARK], before={orphan, *leaks.processes_of_run(os.environ[leaks.RUN_MARK])}
        )
        == {}
    )
