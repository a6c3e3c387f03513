"""pytest-celery's own fixtures over local processes: a Valkey and a worker of ours in place of its images.

Its nodes, clusters and ``celery_setup`` are the real ones; only what would start a container is overridden.
``celery_worker`` is pytest-celery's here, not the one of celery.contrib.pytest.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery
from pytest_celery import (
    CeleryBrokerCluster,
    CeleryTestSetup,
    CeleryWorkerContainer,
    RedisContainer,
    RedisTestBroker,
)
from support.local_container import LocalContainer
from support.waiting import wait_for

from hmind import settings as settings_module
from hmind.bootstrap import Hmind
from hmind.local.supervisor import process_environment
from hmind.local.valkey import wheel_binary
from hmind.settings import Settings

TOP = Path(__file__).parents[2]
QUEUES = "intake,boundary,analysis,promotion,upkeep"


class ValkeyContainer(RedisContainer):
    """RedisContainer whose server listens on a port of this machine instead of a published one."""

    @property
    def port(self) -> int:
        return int(self.env["PORT"])

    @property
    def host_url(self) -> str:
        return f"{self.prefix()}{self.hostname}:{self.port}/{self.vhost}"

    @property
    def url(self) -> str:
        return self.host_url


class HmindWorkerContainer(CeleryWorkerContainer):
    """One worker of H-Mind that serves every queue."""

    @classmethod
    def command(cls, *args: str, debugpy: bool = False, wait_for_client: bool = True, **kwargs: dict) -> list[str]:
        celery = str(Path(sys.executable).with_name("celery"))
        options = ["-n", f"{cls.worker_name()}@%h", "-Q", cls.worker_queue(), "-c", "1", "-l", cls.log_level()]
        return [celery, "-A", "tasks", "worker", "--without-gossip", "--without-mingle", *options, *args]

    @classmethod
    def worker_name(cls) -> str:
        return "smoke"

    @classmethod
    def worker_queue(cls) -> str:
        return QUEUES


class ForeignSetup(CeleryTestSetup):
    """The tests' own Celery app: a producer that knows the broker and its key prefix, and nothing of ours."""

    @classmethod
    def update_app_config(cls, app: Celery) -> None:
        app.conf.update(broker_transport_options={"global_keyprefix": "hmind:celery:"}, task_ignore_result=True)


@pytest.fixture
def celery_setup_cls() -> type[CeleryTestSetup]:
    return ForeignSetup


@pytest.fixture
def celery_broker_cluster(celery_redis_broker: RedisTestBroker) -> Iterator[CeleryBrokerCluster]:
    cluster = CeleryBrokerCluster(celery_redis_broker)
    yield cluster
    cluster.teardown()


@pytest.fixture
def celery_backend_cluster() -> None:
    """None: what a task returns is read by nobody."""


@pytest.fixture
def default_redis_broker_cls() -> type[RedisContainer]:
    return ValkeyContainer


@pytest.fixture
def default_redis_broker(
    default_redis_broker_cls: type[RedisContainer], default_redis_broker_command: list[str], tmp_path: Path
) -> Iterator[RedisContainer]:
    port = str(_free_port())
    command = [str(wheel_binary()), *default_redis_broker_command[1:], "--bind", "127.0.0.1", "--port", port]
    container = LocalContainer("valkey", command, {"PORT": port, "LC_ALL": "C"}, tmp_path, tmp_path)
    container.start()
    try:
        broker = default_redis_broker_cls(container)
        wait_for(lambda: "Ready to accept connections" in broker.logs())
        yield broker
    finally:
        container.remove(force=True)


@pytest.fixture
def settings(database_url: str, default_redis_broker: RedisContainer) -> Settings:
    """The default settings, with the store that is also the broker."""
    return settings_module.load({}).with_stores(database_url, default_redis_broker.celeryconfig["host_url"])


@pytest.fixture
def stores(settings: Settings) -> Iterator[Hmind]:
    """The stores, ready for a worker, and a look at what it has written."""
    made = Hmind(settings)
    made.migrate()
    yield made
    made.close()


@pytest.fixture
def default_worker_container_cls() -> type[CeleryWorkerContainer]:
    return HmindWorkerContainer


@pytest.fixture
def default_worker_env(stores: Hmind) -> dict[str, str]:
    return process_environment(stores.settings, os.environ) | {"HMIND_BOUNDARY_SILENCE_AFTER_S": "2"}


@pytest.fixture
def default_worker_container(
    default_worker_container_cls: type[CeleryWorkerContainer],
    default_worker_command: list[str],
    default_worker_env: dict[str, str],
    tmp_path: Path,
) -> Iterator[CeleryWorkerContainer]:
    container = LocalContainer("worker", default_worker_command, default_worker_env, tmp_path, TOP)
    container.start()
    try:
        worker = default_worker_container_cls(container)
        wait_for(lambda: worker.ready_prompt in worker.logs() or _ended(container), within_s=60)
        yield worker
    finally:
        container.remove(force=True)


def _ended(container: LocalContainer) -> bool:
    container.reload()
    assert container.status == "running", container.logs().decode()
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
