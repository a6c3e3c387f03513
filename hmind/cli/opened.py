"""The stores of a command: those that are set, else the embedded ones, started and stopped again as needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from hmind import settings as settings_module
from hmind.settings import Settings

if TYPE_CHECKING:
    from redis import Redis
    from sqlalchemy import Engine

    from hmind.bootstrap import Hmind


def embedded(settings: Settings) -> bool:
    """Whether both stores are the embedded ones, so that their workers may be started too."""
    return not (settings.stores.database_url.get_secret_value() or settings.stores.redis_url.get_secret_value())


@contextmanager
def connected(settings: Settings) -> Iterator[Settings]:
    """The settings with both stores running; says so where starting them takes its time."""
    from hmind.cli.screen import console
    from hmind.local.services import stores

    terminal = console(stderr=True)
    urls = (settings.stores.database_url, settings.stores.redis_url)
    local = not all(url.get_secret_value() for url in urls)
    with ExitStack() as exits:
        with terminal.status("starting the embedded services") if local and terminal.is_terminal else nullcontext():
            ready = exits.enter_context(stores(settings))
        yield ready


class Opened:
    """The stores of a command, and on demand everything that works on them."""

    def __init__(self, settings: Settings) -> None:
        """``settings`` with both URLs set."""
        self.settings = settings

    @cached_property
    def engine(self) -> Engine:
        """Connections to PostgreSQL; enough for whoever only reads, and much faster to load than ``hmind``."""
        from hmind.storage.engine import connect

        return (
            self.hmind.engine
            if "hmind" in self.__dict__
            else connect(self.settings.stores.database_url.get_secret_value())
        )

    @cached_property
    def redis(self) -> Redis:
        """A client of Redis."""
        from hmind.storage.redis import connect

        return connect(self.settings.stores.redis_url.get_secret_value())

    @cached_property
    def hmind(self) -> Hmind:
        """All working parts."""
        from hmind.bootstrap import Hmind

        return Hmind(self.settings)

    def close(self) -> None:
        """Closes what was opened."""
        for part in ("hmind", "redis"):
            if part in self.__dict__:
                getattr(self, part).close()
        if "engine" in self.__dict__:
            self.engine.dispose()


@contextmanager
def opened(settings: Settings | None = None, *, checked: bool = True) -> Iterator[Opened]:
    """The stores of a command. A new embedded database is migrated first.

    ``checked`` refuses a database whose tables are too old, naming the command that helps.

    Raises:
        SettingsError, StoreUnavailable, SchemaMismatch
    """
    settings = settings or settings_module.load()
    own_database = not settings.stores.database_url.get_secret_value()
    with connected(settings) as ready:
        from hmind.storage import migrate

        stores = Opened(ready)
        try:
            with stores.engine.connect() as connection:
                new = migrate.current(connection) is None
            if new and own_database:
                stores.hmind.migrate()
            elif checked:
                with stores.engine.connect() as connection:
                    migrate.check(connection)
            yield stores
        finally:
            stores.close()


@contextmanager
def opened_redis(settings: Settings) -> Iterator[Redis]:
    """Redis alone, for commands that only send."""
    from hmind.local.home import prepare
    from hmind.local.services import embedded as services
    from hmind.storage.redis import connect

    url = settings.stores.redis_url.get_secret_value()
    with ExitStack() as exits:
        if not url:
            prepare(settings.home)  # with the permissions that PostgreSQL will need there later
        client = connect(url or exits.enter_context(services(settings.home, postgres=False)).redis_url)
        exits.callback(client.close)
        yield client
