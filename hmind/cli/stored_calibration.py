"""The boundary embedder with the numbers that count for it here, for commands that need no store otherwise."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from hmind.cli import screen

if TYPE_CHECKING:
    from hmind.embedding.embedder import Embedder
    from hmind.settings import Settings
    from hmind.storage.meta import Calibration


def boundary_embedder(settings: Settings) -> Embedder:
    """The boundary embedder, calibrated as a worker would find it.

    The database is asked where the threshold matters and may be in it; one that does not answer is
    told of on stderr, and what the embedder ships with counts.

    Raises:
        SettingsError: nothing says below which cosine a topic shifts.
    """
    from hmind.boundary.build import coherence
    from hmind.embedding.build import build
    from hmind.embedding.calibrated import CalibratedEmbedder, topic_shift_below

    embedder = build(settings.embedding.boundary, settings.embedding)
    if coherence(settings.boundary, embedder.name) is not None:
        return embedder
    stored = None
    if not settings.boundary.topic_shift_below_cos:
        stored = _stored(settings, embedder.name)
    below = topic_shift_below(settings, embedder, stored).value
    return CalibratedEmbedder(embedder, topic_shift_below=below)


def _stored(settings: Settings, embedder: str) -> Calibration | None:
    """What the database knows of the embedder; an embedded database that was never made is not made for this."""
    url = settings.stores.database_url.get_secret_value()
    if not url and not (settings.home / "postgres").is_dir():
        return None
    from sqlalchemy.exc import SQLAlchemyError

    from hmind.errors import HmindError
    from hmind.storage import meta, migrate
    from hmind.storage.engine import connect

    try:
        with ExitStack() as exits:
            if not url:
                from hmind.local.services import embedded

                url = exits.enter_context(embedded(settings.home, valkey=False)).database_url
            engine = connect(url)
            exits.callback(engine.dispose)
            with engine.connect() as connection:
                return meta.calibration(connection, embedder) if migrate.current(connection) else None
    except (SQLAlchemyError, HmindError) as error:
        told = f"The database does not tell its calibration ({type(error).__name__}); what is shipped counts."
        screen.console(stderr=True).print(told, style="warn")
        return None
