"""Fixtures that start the real stores once a test run and hand each test its own database.

For one test:       database_url, redis_url, settings
For a whole module: module_database_url, redis_url, module_settings (when worker processes live longer than a test)
For more:           databases.fresh() as a context manager

redis_url is one of Redis' numbered databases, the same for all tests of a module; ``settings`` empties
it before each test, ``module_settings`` once.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import redis
from support import leaks
from support.databases import Databases

from hmind import settings as settings_module
from hmind.local.services import StoreUrls, embedded
from hmind.settings import Settings

# A busy machine is slow at making examples too, and that says nothing about the code.
hypothesis.settings.register_profile(
    "here", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.load_profile("here")

LEAK_CHECKED = ("integration", "smoke", "chaos")
_RUN = uuid.uuid4().hex
os.environ[leaks.RUN_MARK] = _RUN


@pytest.fixture(scope="session")
def services() -> Iterator[StoreUrls]:
    """The embedded PostgreSQL and Valkey, in a folder that goes away with the test run."""
    # Not pytest's tmp_path: as root PostgreSQL runs as another user, who could not enter it.
    home = Path(tempfile.mkdtemp(prefix="hmind-tests-"))
    home.chmod(0o755)
    try:
        with embedded(home) as urls:
            yield urls
    finally:
        shutil.rmtree(home)


@pytest.fixture(scope="session")
def databases(services: StoreUrls) -> Databases:
    """Makes fresh databases: ``with databases.fresh() as url``."""
    made = Databases(services.database_url)
    made.make_template()
    return made


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """SQLAlchemy URL of a migrated database for this test alone."""
    with databases.fresh() as url:
        yield url


@pytest.fixture(scope="module")
def module_database_url(databases: Databases) -> Iterator[str]:
    """SQLAlchemy URL of a migrated database for the tests of this module."""
    with databases.fresh() as url:
        yield url


@pytest.fixture(scope="session")
def _redis_numbers() -> list[int]:
    return list(range(15, 0, -1))


@pytest.fixture(scope="module")
def redis_url(services: StoreUrls, _redis_numbers: list[int]) -> Iterator[str]:
    """URL of an empty Redis database for the tests of this module."""
    number = _redis_numbers.pop()
    url = f"{services.redis_url.rpartition('/')[0]}/{number}"
    _flush(url)
    yield url
    _flush(url)
    _redis_numbers.append(number)


@pytest.fixture
def settings(database_url: str, redis_url: str) -> Settings:
    """The default settings with a database of this test alone and an emptied Redis."""
    _flush(redis_url)
    return settings_module.load({}).with_stores(database_url, redis_url)


@pytest.fixture(scope="module")
def module_settings(module_database_url: str, redis_url: str) -> Settings:
    """The default settings with stores that live as long as the module's tests."""
    return settings_module.load({}).with_stores(module_database_url, redis_url)


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails an integration test that leaves a process, or a Redis key that never expires."""
    if not set(LEAK_CHECKED) & set(request.node.path.relative_to(Path(__file__).parent).parts):
        yield
        return
    before = _processes_to_come(request)
    url = request.getfixturevalue("redis_url") if "redis_url" in request.fixturenames else None
    yield
    left = leaks.processes_left(_RUN, before)
    assert not left, f"processes left behind: {left}"
    if url is not None:
        keys = leaks.keys_without_ttl(url)
        assert not keys, f"Redis keys without a time to live: {sorted(keys)}"


def _processes_to_come(request: pytest.FixtureRequest) -> set[int]:
    """Processes that were there before the test; the stores' are started first, so that they count as such."""
    if "services" in request.fixturenames:
        request.getfixturevalue("services")
    return set(leaks.processes_of_run(_RUN))


def _flush(url: str) -> None:
    with redis.Redis.from_url(url) as client:
        client.flushdb()
