"""The embedded services together: started by the first who needs them, stopped by the last who leaves.

Every user of them holds a shared flock on <home>/users.lock. Who leaves tries to make it exclusive;
whoever succeeds was the last and stops the servers. A user who dies without leaving loses the lock
with its process, so the next one to leave stops them.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from hmind.errors import SettingsError
from hmind.local.daemon import locked
from hmind.local.home import prepare
from hmind.local.postgres import EmbeddedPostgres
from hmind.local.valkey import EmbeddedValkey
from hmind.settings import Settings


@dataclass(frozen=True, slots=True)
class StoreUrls:
    """Where the stores are; empty for one that was not asked for. Secrets: not for logs."""

    database_url: str
    redis_url: str


@contextmanager
def embedded(home: Path, *, postgres: bool = True, valkey: bool = True) -> Iterator[StoreUrls]:
    """The embedded services for as long as the context is open, shared with other processes.

    Raises:
        SettingsError: a wheel is missing, or ``home`` cannot be used.
        StoreUnavailable: a server does not start.
    """
    home = prepare(home, for_postgres=postgres)
    database, cache = EmbeddedPostgres(home), EmbeddedValkey(home)
    with ExitStack() as exits:
        with _own_files_only(home):
            users = exits.enter_context(locked(home / "users.lock", fcntl.LOCK_SH))
            exits.callback(_leave, home, users, database, cache)
            with locked(home / "control.lock"):
                urls = StoreUrls(database.bring_up() if postgres else "", cache.bring_up() if valkey else "")
        yield urls


@contextmanager
def stores(settings: Settings) -> Iterator[Settings]:
    """The settings with both URLs set: those configured, else the embedded services'.

    Raises:
        SettingsError, StoreUnavailable: as ``embedded``; never when both are configured.
    """
    database_url = settings.stores.database_url.get_secret_value()
    redis_url = settings.stores.redis_url.get_secret_value()
    if database_url and redis_url:
        yield settings
        return
    with embedded(settings.home, postgres=not database_url, valkey=not redis_url) as urls:
        yield settings.with_stores(database_url or urls.database_url, redis_url or urls.redis_url)


def _leave(home: Path, users: int, database: EmbeddedPostgres, cache: EmbeddedValkey) -> None:
    """Stops both servers if nobody else holds the lock of the users."""
    with locked(home / "control.lock"):
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        cache.stop()
        database.stop()


@contextmanager
def _own_files_only(home: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise SettingsError(
            f"HMIND_HOME: {home} holds files of another user ({error.filename}). Set HMIND_HOME to a folder of yours."
        ) from error
