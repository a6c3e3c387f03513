"""The examinations of `hmind doctor`, each a function that returns findings and never raises for a fault it seeks."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from redis import Redis
    from sqlalchemy import Connection

    from hmind.bootstrap import Hmind
    from hmind.settings import Settings

OK, WARN, FAIL = "ok", "warn", "fail"

SKEW_WARN_S, SKEW_FAIL_S = 2.0, 60.0
DISK_WARN_B, DISK_FAIL_B = 2 * 1024**3, 200 * 1024**2
VECTOR_AT_LEAST = (0, 7)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was looked at, how it is, what was seen, and what to do unless it is well."""

    level: str
    what: str
    seen: str
    todo: str = ""


def python() -> Iterator[Finding]:
    """The interpreter and the packages of this installation, against what this version asks for."""
    seen = ".".join(str(part) for part in sys.version_info[:3])
    old = sys.version_info < (3, 11)
    yield Finding(FAIL if old else OK, "Python", seen, "Use Python 3.11 or later." if old else "")
    yield Finding(OK, "H-Mind", metadata.version("hmind"))


def packages(settings: Settings) -> Iterator[Finding]:
    """Every package that this version needs for these settings."""
    from packaging.requirements import Requirement

    wanted = {"pipeline"}
    if not (settings.stores.database_url.get_secret_value() and settings.stores.redis_url.get_secret_value()):
        wanted.add("local")
    if settings.analysis.llm_url or "endpoint" in (settings.embedding.boundary, settings.embedding.memory):
        wanted.add("llm")
    missing, odd, fine = [], [], 0
    for line in metadata.requires("hmind") or ():
        needed = Requirement(line)
        if needed.marker and not any(needed.marker.evaluate({"extra": extra}) for extra in ("", *wanted)):
            continue
        try:
            has = metadata.version(needed.name)
        except metadata.PackageNotFoundError:
            missing.append(needed.name)
            continue
        if needed.specifier.contains(has, prereleases=True):
            fine += 1
        else:
            odd.append(f"{needed.name} {has}, asked for {needed.specifier}")
    todo = f"Run: pip install 'hmind[{','.join(sorted(wanted))}]'."
    if missing:
        yield Finding(FAIL, "packages", f"missing: {', '.join(sorted(set(missing)))}", todo)
    if odd:
        yield Finding(WARN, "packages", "; ".join(odd), todo)
    if not (missing or odd):
        yield Finding(OK, "packages", f"{fine} needed, all there")


def disk(home: Path) -> Iterator[Finding]:
    """Room for the embedded services' data."""
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    level = FAIL if free < DISK_FAIL_B else WARN if free < DISK_WARN_B else OK
    todo = "" if level == OK else "Make room there, or set HMIND_HOME to another disk."
    yield Finding(level, "disk", f"{free / 1024**3:.1f} GB free for {home}", todo)


def postgres(connection: Connection) -> Iterator[Finding]:
    """Version, clock and the vector extension of a PostgreSQL that answers."""
    from sqlalchemy import text

    before = datetime.now(UTC)
    told = connection.execute(text("SELECT current_setting('server_version') AS version, clock_timestamp() AS now"))
    answer: Any = told.one()
    after = datetime.now(UTC)
    yield Finding(OK, "PostgreSQL", answer.version)
    yield _clock("PostgreSQL", answer.now, before, after)
    has: str | None = connection.execute(
        text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
    ).scalar_one_or_none()
    can = text("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
    if has is None and connection.execute(can).scalar_one_or_none() is None:
        yield Finding(FAIL, "pgvector", "is not installed there", "Install pgvector 0.7 or later on that server.")
    elif has is None:
        yield Finding(FAIL, "pgvector", "is installed, not enabled", "Run: hmind migrate.")
    else:
        parts = tuple(int(part) for part in has.split(".")[:2])
        old = parts < VECTOR_AT_LEAST
        yield Finding(FAIL if old else OK, "pgvector", has, "Install 0.7 or later, for halfvec." if old else "")


def schema(hmind: Hmind) -> Iterator[Finding]:
    """The tables, and which embedder fills them."""
    from hmind.storage import meta, migrate

    with hmind.engine.connect() as connection:
        migrate.check(connection)
        yield Finding(OK, "tables", f"schema {migrate.current(connection)}")
        embedder = hmind.memory_embedder
        meta.check_embedder(connection, embedder.name, embedder.dim)
        yield Finding(OK, "vectors", f"by {embedder.name}, {embedder.dim} dimensions")


def redis(client: Redis) -> Iterator[Finding]:
    """Version, clock, and whether it keeps what it was given."""
    from redis.exceptions import ResponseError

    server: Any = client
    before = datetime.now(UTC)
    seconds, micros = server.time()
    after = datetime.now(UTC)
    info = server.info("server")
    name = info.get("server_name", "redis").capitalize()
    yield Finding(OK, "Redis", f"{name} {info.get('valkey_version') or info.get('redis_version')}")
    yield _clock("Redis", datetime.fromtimestamp(seconds + micros / 1e6, UTC), before, after)
    try:
        config = server.config_get("appendonly", "maxmemory-policy")
    except ResponseError:
        todo = "Make sure of appendonly yes and maxmemory-policy noeviction."
        yield Finding(WARN, "Redis settings", "cannot be read there", todo)
        return
    told = {_plain(key): _plain(value) for key, value in config.items()}
    durable = told.get("appendonly") == "yes"
    todo = "" if durable else "Set appendonly yes: turns that wait are lost with a restart."
    yield Finding(OK if durable else WARN, "appendonly", told.get("appendonly", "?"), todo)
    policy = told.get("maxmemory-policy", "?")
    keeps = policy == "noeviction"
    todo = "" if keeps else "Set maxmemory-policy noeviction: any other throws turns away."
    yield Finding(OK if keeps else FAIL, "maxmemory-policy", policy, todo)


def embedders(hmind: Hmind) -> Iterator[Finding]:
    """Whether both load and answer, and how fast."""
    for what, embedder in (("boundary embedder", hmind.boundary_embedder), ("memory embedder", hmind.memory_embedder)):
        began = time.monotonic()
        vectors = embedder.passages(["H-Mind", "记忆"])
        if vectors.shape != (2, embedder.dim):
            yield Finding(FAIL, what, f"{embedder.name} gives {vectors.shape}", "Set embedding.endpoint_dim to that.")
        else:
            yield Finding(OK, what, f"{embedder.name}, answered after {time.monotonic() - began:.1f} s")


def calibration(hmind: Hmind) -> Iterator[Finding]:
    """Which numbers of the embedders count, and where they come from."""
    from hmind.boundary import build
    from hmind.embedding.calibrated import topic_shift_below, unrelated_cos
    from hmind.storage import meta

    settings, boundary, memory = hmind.settings, hmind.boundary_embedder, hmind.memory_embedder
    with hmind.engine.connect() as connection:
        of_boundary = meta.calibration(connection, boundary.name)
        of_memory = meta.calibration(connection, memory.name)
    below = topic_shift_below(settings, boundary, of_boundary)
    reach = settings.boundary.lookahead_turns
    if of_boundary is not None and below.value == of_boundary.threshold and of_boundary.lookahead_turns != reach:
        seen = f"cosine < {below.value:g}, measured with lookahead_turns {of_boundary.lookahead_turns}, now {reach}"
        yield Finding(WARN, "topic shift", seen, "Run: hmind calibrate.")
    else:
        model = build.coherence(settings.boundary, boundary.name)
        beside = "; the coherence model judges before it" if model is not None else ""
        yield Finding(OK, "topic shift", f"cosine < {below.value:g} for {boundary.name}, {below.source}{beside}")
    unrelated = unrelated_cos(settings, settings.embedding.memory, memory, of_memory)
    unknown = unrelated.source.startswith("not measured")
    seen = f"cosine {unrelated.value:g} for {memory.name}, {unrelated.source.partition(';')[0]}"
    todo = "Run: hmind calibrate. Until then recall takes every cosine above 0 for a likeness." if unknown else ""
    yield Finding(WARN if unknown else OK, "unrelated texts", seen, todo)


def phrases() -> Iterator[Finding]:
    """Whether the closing phrases can be read."""
    from hmind.boundary.closing import ClosingPhrases
    from hmind.settings import config_dir

    yield Finding(OK, "closing phrases", ", ".join(ClosingPhrases.load(config_dir() / "closing").languages))


def analyst(settings: Settings) -> Iterator[Finding]:
    """Whether the language model answers with an analysis, where one is set."""
    from hmind.model import Boundary, Known, Role, Segment, SessionRef, Turn

    if not settings.analysis.llm_url:
        yield Finding(OK, "analyst", "offline; no language model is set")
        return
    from hmind.analysis.llm import LlmAnalyst
    from hmind.errors import AnalystMisbehaved

    now = datetime.now(UTC)
    turn = Turn("doctor", "doctor", "doctor", "t1", Role.USER, "Ana", "I moved to Porto last week.", now, now)
    segment = Segment("doctor", SessionRef("doctor", "doctor", "doctor"), (turn,), Boundary.FLUSH)
    asked = LlmAnalyst(settings.analysis.model_copy(update={"llm_attempts": 1}))
    began = time.monotonic()
    try:
        asked.analyze(segment, Known())
    except AnalystMisbehaved as error:
        todo = "Segments are read offline and marked until it does better: a stronger model, or more llm_max_tokens."
        yield Finding(FAIL, "analyst", str(error), todo)
        return
    yield Finding(OK, "analyst", f"{asked.name}, answered after {time.monotonic() - began:.1f} s")


def running(hmind: Hmind) -> Iterator[Finding]:
    """Whether workers and Beat are there."""
    from hmind.cli.standing import BEAT_LOCK
    from hmind.intake.backlog import backlog

    readers = backlog(hmind.redis, hmind.settings.intake, hmind.clock()).readers
    beat = bool(hmind.redis.exists(BEAT_LOCK))
    todo = "Start `hmind up` in another terminal."
    yield Finding(OK if readers else WARN, "workers", f"{readers} read turns", "" if readers else todo)
    yield Finding(OK if beat else WARN, "Beat", "runs" if beat else "does not run", "" if beat else todo)


def examined(what: str, examine: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """The findings of one examination; an error is a finding too."""
    from hmind.cli.exits import as_ours

    try:
        yield from examine()
    except Exception as error:
        ours = as_ours(error)
        if ours is not None:
            seen, _, todo = str(ours).partition(". ")
            yield Finding(FAIL, what, seen, todo)
        else:
            yield Finding(FAIL, what, type(error).__name__, "Run the command that needs it to see more.")


def _clock(whose: str, theirs: datetime, before: datetime, after: datetime) -> Finding:
    skew_s = max((before - theirs).total_seconds(), (theirs - after).total_seconds(), 0.0)
    level = FAIL if skew_s > SKEW_FAIL_S else WARN if skew_s > SKEW_WARN_S else OK
    todo = "" if level == OK else "Set both clocks by NTP: the 72 hours and silence are measured with them."
    return Finding(level, f"clock of {whose}", f"{skew_s:.1f} s from ours", todo)


def _plain(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
