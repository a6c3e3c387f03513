"""The Celery app and its thin tasks: read ids, call one hmind function, say what follows."""

from tasks.celery_app import app

__all__ = ["app"]
