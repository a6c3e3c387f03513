"""What Beat does, and when. Data only: name, task, period or hour, expiry, queue."""

from __future__ import annotations

from typing import Any

from celery.schedules import crontab

from hmind.settings import ScheduleSettings

_DAY_S = 86_400


def schedule(settings: ScheduleSettings) -> dict[str, dict[str, Any]]:
    """Celery's ``beat_schedule``. Each tick expires when the next is due, so that none pile up."""
    return {
        "silence-sweep": _every(settings.silence_sweep_s, "hmind.boundary.silence_sweep", "boundary"),
        "rescue": _every(settings.rescue_s, "hmind.upkeep.rescue", "upkeep"),
        "analyse-again": _every(settings.again_s, "hmind.upkeep.analyze_again", "upkeep"),
        "trim-short-term": _every(settings.trim_s, "hmind.upkeep.trim", "upkeep"),
        "daily-sweep": _daily(settings.daily_sweep_at, "hmind.boundary.daily_sweep", "boundary"),
        "promote": _daily(settings.promote_at, "hmind.promotion.promote_due", "promotion"),
        "evict": _daily(settings.evict_at, "hmind.upkeep.evict", "upkeep"),
        "decay": _daily(settings.decay_at, "hmind.upkeep.decay", "upkeep"),
        "expire": _daily(settings.expire_at, "hmind.upkeep.expire", "upkeep"),
    }


def _every(period_s: float, task: str, queue: str) -> dict[str, Any]:
    return {"task": task, "schedule": period_s, "options": {"queue": queue, "expires": period_s}}


def _daily(at: str, task: str, queue: str) -> dict[str, Any]:
    hour, minute = at.split(":")
    when = crontab(hour=int(hour), minute=int(minute))
    return {"task": task, "schedule": when, "options": {"queue": queue, "expires": _DAY_S}}
