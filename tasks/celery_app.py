"""The Celery app and its configuration. docs/operators.md says what each value protects from."""

from __future__ import annotations

import warnings
from urllib.parse import unquote, urlsplit

from celery import Celery
from celery.platforms import SecurityWarning
from kombu.entity import Exchange, Queue

from beat_schedule import schedule
from hmind import settings as settings_module
from hmind.errors import SettingsError
from tasks.stream_reader import StreamReader

try:
    SETTINGS = settings_module.load()
except SettingsError as error:
    # The command is celery's; a wrong setting is told in one line all the same.
    raise SystemExit(f"hmind: {error}") from None
KEY_PREFIX = "hmind:celery:"
QUEUES = ("intake", "boundary", "analysis", "promotion", "upkeep")
SOFT_LIMIT_S, HARD_LIMIT_S, VISIBILITY_S = 240, 270, 330

# Only JSON is read, so that running as root in a container opens no door; the warning would hide others.
warnings.filterwarnings("ignore", category=SecurityWarning)

REDIS_URL = SETTINGS.stores.redis_url.get_secret_value() or "redis://127.0.0.1:6379/0"
_REDIS = urlsplit(REDIS_URL)

app = Celery("hmind", include=[f"tasks.{name}" for name in (*QUEUES, "lifecycle")])
app.steps["worker"].add(StreamReader)
app.conf.update(
    broker_url=REDIS_URL,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "global_keyprefix": KEY_PREFIX,
        # Above the hard limit, or a long task would be given out twice.
        "visibility_timeout": VISIBILITY_S,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 10,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
    },
    # Text travels in stores, ids in messages; what a task returns is read by nobody.
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in QUEUES],
    task_default_queue="upkeep",
    task_create_missing_queues=False,
    task_routes={f"hmind.{name}.*": {"queue": name} for name in QUEUES},
    # A message is a wake-up for a row that says what is due; running it twice changes nothing.
    task_acks_late=True,
    task_retry_on_worker_lost=True,
    task_soft_time_limit=SOFT_LIMIT_S,
    task_time_limit=HARD_LIMIT_S,
    worker_prefetch_multiplier=1,
    worker_max_tasks_per_child=5000,
    worker_max_memory_per_child=1_500_000,
    worker_send_task_events=True,
    worker_soft_shutdown_timeout=30,
    worker_consumer="tasks.consumer:QuietConsumer",
    worker_redirect_stdouts=False,
    worker_log_format="%(asctime)s %(levelname)s %(message)s",
    worker_task_log_format="%(asctime)s %(levelname)s %(task_name)s %(message)s",
    beat_scheduler="redbeat.RedBeatScheduler",
    beat_schedule=schedule(SETTINGS.schedule),
    beat_max_loop_interval=2,
    timezone=SETTINGS.schedule.timezone,
    # Flower shows the configuration. Celery hides a password by its name, in this URL it would not.
    redbeat_redis_url=_REDIS._replace(netloc=_REDIS.netloc.rpartition("@")[2]).geturl(),
    redbeat_redis_options={
        "username": unquote(_REDIS.username) if _REDIS.username else None,
        "password": unquote(_REDIS.password) if _REDIS.password else None,
        "socket_timeout": 10,
        "socket_connect_timeout": 5,
    },
    redbeat_key_prefix="hmind:beat:",
    # Another Beat takes over this long after one died.
    redbeat_lock_timeout=10,
)
