"""Connections to Redis or Valkey."""

from __future__ import annotations

import redis

from hmind.errors import SettingsError


def connect(redis_url: str) -> redis.Redis:
    """A client for ``redis_url``; connects at first use. Replies are bytes.

    Raises:
        SettingsError: the URL is no Redis URL.
    """
    try:
        return redis.Redis.from_url(
            redis_url,
            socket_timeout=10,
            socket_connect_timeout=5,
            socket_keepalive=True,
            health_check_interval=10,
        )
    except ValueError:
        raise SettingsError("stores.redis_url: is no Redis URL. Write redis://host:6379/0.") from None
