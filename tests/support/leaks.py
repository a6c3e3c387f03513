"""Finds what a test left behind: Redis keys that never expire, and processes."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

import psutil
import redis

RUN_MARK = "TESTS_OF_HMIND_RUN"  # set in os.environ by conftest under a name that settings do not read
PERSISTENT = {
    "turns that no worker has taken yet": r"hmind:turns(:.*)?",
    "kombu's bindings of exchanges to queues": r"_kombu\..*",
    "Celery's queues": r"(celery|intake|boundary|analysis|promotion|upkeep)(\x06\x16\d)?",  # kombu's priority suffix
    "messages that kombu has handed out": r"unacked(_index|_mutex)?",
    "the schedule": r"(redbeat|beat:).*",
    "broadcast to workers": r"(.*\.)?(celery\.pidbox|reply\.celery\.pidbox|celeryev.*)",
}
"""Keys that may live without a time to live, and why. A prefix of the broker's is allowed before each."""

_PERSISTENT = re.compile(r"(hmind:)?(\w+:)?(" + "|".join(PERSISTENT.values()) + ")")


def keys_without_ttl(redis_url: str) -> set[str]:
    """Keys of that database which would stay for ever and are not documented to."""
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        keys = [key for key in client.scan_iter(count=1000) if not _PERSISTENT.fullmatch(key)]
        with client.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.ttl(key)
            return {key for key, ttl in zip(keys, pipe.execute(), strict=True) if ttl == -1}


def processes_of_run(run: str) -> dict[int, psutil.Process]:
    """Living processes started by this test run, however deep, also those whose parent has died."""
    found = {child.pid: child for child in psutil.Process().children(recursive=True)}
    for process in psutil.process_iter(["environ"]):
        if process.pid != os.getpid() and (process.info["environ"] or {}).get(RUN_MARK) == run:
            found[process.pid] = process
    return {pid: process for pid, process in found.items() if _alive(process)}


def processes_left(run: str, before: Collection[int]) -> dict[int, str]:
    """Processes that came since, by their command; what one of ``before`` forked is its own affair."""
    left = {}
    for pid, process in processes_of_run(run).items():
        try:
            if pid not in before and not any(parent.pid in before for parent in process.parents()):
                left[pid] = " ".join(process.cmdline())[:120]
        except psutil.NoSuchProcess:
            continue
    return left


def _alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
