"""The composition root: the one place where settings become connected, working parts.

Nothing connects before it is used; nothing else in H-Mind builds these objects.
"""

from __future__ import annotations

from functools import cached_property
from zoneinfo import ZoneInfo

from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from hmind.analysis.again import AnalysisAgain
from hmind.analysis.analyst import Analyst
from hmind.analysis.llm import LlmAnalyst
from hmind.analysis.offline import OfflineAnalyst
from hmind.analysis.step import AnalysisStep
from hmind.boundary import build as detectors
from hmind.boundary.detection import Detection
from hmind.embedding import build as embedders
from hmind.embedding import calibrated
from hmind.embedding.cached import CachedEmbedder
from hmind.embedding.calibrated import CalibratedEmbedder
from hmind.embedding.embedder import Embedder
from hmind.errors import SettingsError, StoreUnavailable
from hmind.intake.accept import Intake
from hmind.intake.stream import TurnStream
from hmind.model import Clock, utc_now
from hmind.promotion.promoter import Promoter
from hmind.promotion.step import PromotionStep
from hmind.recall.recall import Recall
from hmind.settings import Settings
from hmind.shortterm.store import ShortTerm
from hmind.storage import engine as engines
from hmind.storage import meta, migrate
from hmind.storage import redis as redises


class Hmind:
    """Everything that works on one pair of stores. Parts are built when first asked for."""

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        self.settings = settings
        self.clock = clock

    @cached_property
    def engine(self) -> Engine:
        return engines.connect(self.settings.stores.database_url.get_secret_value())

    @cached_property
    def redis(self) -> Redis:
        return redises.connect(self.settings.stores.redis_url.get_secret_value())

    @cached_property
    def shortterm(self) -> ShortTerm:
        return ShortTerm(self.redis, self.settings.shortterm.ttl_ms, self.clock)

    @cached_property
    def boundary_embedder(self) -> Embedder:
        """With a memory of the last vectors: an open window is read again at each of its turns."""
        return CachedEmbedder(embedders.build(self.settings.embedding.boundary, self.settings.embedding))

    @cached_property
    def memory_embedder(self) -> Embedder:
        return embedders.build(self.settings.embedding.memory, self.settings.embedding)

    @cached_property
    def analyst(self) -> Analyst:
        """The LLM analyst where an endpoint is set, else the offline one."""
        if not self.settings.analysis.llm_url:
            return OfflineAnalyst()
        return LlmAnalyst(self.settings.analysis, zone=ZoneInfo(self.settings.schedule.timezone))

    @cached_property
    def intake(self) -> Intake:
        return Intake(self.engine, self.redis, self.shortterm, self.settings, self.clock)

    @cached_property
    def detection(self) -> Detection:
        embedder = self.boundary_embedder
        below = calibrated.topic_shift_below(self.settings, embedder, self._calibration(embedder)).value
        judged_by = CalibratedEmbedder(embedder, topic_shift_below=below)
        detector = detectors.detector(self.settings.boundary, judged_by)
        return Detection(self.engine, self.redis, self.shortterm, detector, self.settings, self.clock)

    @cached_property
    def analysis(self) -> AnalysisStep:
        return AnalysisStep(self.engine, self.analyst, OfflineAnalyst(), self.settings, self.clock)

    @cached_property
    def again(self) -> AnalysisAgain:
        return AnalysisAgain(self.engine, self.analyst, OfflineAnalyst(), self.settings, self.clock)

    @cached_property
    def promotion(self) -> PromotionStep:
        promoter = Promoter(self.settings.promotion)
        return PromotionStep(self.engine, self.memory_embedder, promoter, self.settings, self.clock)

    @cached_property
    def recall(self) -> Recall:
        embedder, kind = self.memory_embedder, self.settings.embedding.memory
        unrelated = calibrated.unrelated_cos(self.settings, kind, embedder, self._calibration(embedder))
        found_by = CalibratedEmbedder(embedder, unrelated_cos=unrelated.value)
        return Recall(self.engine, self.shortterm, found_by, self.settings.recall, self.clock)

    def stream(self, consumer: str) -> TurnStream:
        """A consumer of the turn stream under this name."""
        return TurnStream(self.redis, self.intake, self.settings.intake, consumer)

    def migrate(self) -> None:
        """Brings the database to this version's schema and notes the memory embedder."""
        try:
            migrate.upgrade(self.settings.stores.database_url.get_secret_value())
            with self.engine.begin() as connection:
                meta.record_embedder(connection, self.memory_embedder.name, self.memory_embedder.dim)
        except SQLAlchemyError as error:
            raise _no_postgres(error) from None

    def check(self) -> None:
        """Refuses to work on stores that do not fit.

        Raises:
            SettingsError: no stores are named, or nobody knows where topics shift for the boundary embedder.
            StoreUnavailable: a store does not answer.
            SchemaMismatch: the tables are too old, or filled by another embedder.
        """
        for name, url in (("DATABASE", self.settings.stores.database_url), ("REDIS", self.settings.stores.redis_url)):
            if not url.get_secret_value():
                raise SettingsError(f"HMIND_{name}_URL is not set. Set it, or run `hmind up`, which brings its own.")
        try:
            with self.engine.connect() as connection:
                migrate.check(connection)
                meta.check_embedder(connection, self.memory_embedder.name, self.memory_embedder.dim)
                stored = meta.calibration(connection, self.boundary_embedder.name)
            calibrated.topic_shift_below(self.settings, self.boundary_embedder, stored)
        except SQLAlchemyError as error:
            raise _no_postgres(error) from None
        try:
            self.redis.ping()
        except RedisError as error:
            raise StoreUnavailable(
                f"Redis does not answer ({type(error).__name__}). Start it, or check HMIND_REDIS_URL."
            ) from None

    def _calibration(self, embedder: Embedder) -> meta.Calibration | None:
        with self.engine.connect() as connection:
            return meta.calibration(connection, embedder.name)

    def close(self) -> None:
        """Closes the connections that were opened."""
        if "engine" in self.__dict__:
            self.engine.dispose()
        if "redis" in self.__dict__:
            self.redis.close()

    def after_fork(self) -> None:
        """Forgets connections inherited from the parent process, without closing them there."""
        if "engine" in self.__dict__:
            self.engine.dispose(close=False)
        for part in ("engine", "redis", "shortterm", "intake", "detection", "analysis", "again", "promotion", "recall"):
            self.__dict__.pop(part, None)


def _no_postgres(error: SQLAlchemyError) -> StoreUnavailable:
    cause = getattr(error, "orig", None) or error
    return StoreUnavailable(
        f"PostgreSQL does not answer ({type(cause).__name__}). Start it, or check HMIND_DATABASE_URL."
    )
