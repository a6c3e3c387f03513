"""Connections to PostgreSQL: the engine and what every connection is set to."""

from __future__ import annotations

import re
from typing import Any

import orjson
from sqlalchemy import Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError

from hmind.errors import SettingsError


def _dumps(value: Any) -> str:
    return orjson.dumps(value).decode()


def connect(database_url: str, pool_size: int = 5) -> Engine:
    """An engine for ``database_url``; connects at first use, not here.

    Statements are bounded to 60 s, waiting for a lock to 10 s: a stuck store becomes an error
    that the rescue sweep can deal with, not a worker that hangs.

    Raises:
        SettingsError: the URL is no PostgreSQL URL.
    """
    try:
        url = make_url(re.sub(r"^postgres(ql)?(\+\w+)?://", "postgresql+psycopg://", database_url))
    except ArgumentError:
        raise SettingsError("stores.database_url: is no URL. Write postgresql://user@host/database.") from None
    if url.drivername != "postgresql+psycopg":
        raise SettingsError(
            f"stores.database_url: {url.drivername} is not PostgreSQL. Write postgresql://user@host/database."
        )
    return create_engine(
        url,
        pool_size=pool_size,
        max_overflow=5,
        pool_pre_ping=True,
        json_serializer=_dumps,
        json_deserializer=orjson.loads,
        # Parameters hold what users said; they must not reach an exception's text.
        hide_parameters=True,
        connect_args={
            "connect_timeout": 5,
            "options": "-c statement_timeout=60000 -c lock_timeout=10000 -c timezone=UTC",
            "application_name": "hmind",
        },
    )
