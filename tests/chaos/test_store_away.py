"""PostgreSQL goes away under a running worker and comes back: nothing that was sent is lost."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import Celery
from support.waiting import wait_for
from support.workers import states, working

from hmind import settings as settings_module
from hmind.bootstrap import Hmind
from hmind.local.postgres import EmbeddedPostgres
from hmind.local.services import embedded


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="hmind-away-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_turns_wait_for_postgres_on_both_ways_in(home: Path, tmp_path: Path) -> None:
    with embedded(home) as urls:
        settings = settings_module.load({}).with_stores(urls.database_url, urls.redis_url)
        app = Hmind(settings)
        app.migrate()
        with working(settings, tmp_path, names=("intake",)):
            log = tmp_path / "intake.log"
            wait_for(lambda: "ready" in log.read_text(), within_s=60)
            EmbeddedPostgres(home).stop()

            app.redis.xadd(
                "hmind:turns", {"turn": json.dumps({"user_id": "u", "turn_id": "1", "content": "by stream"})}
            )
            producer = Celery("someone", broker=urls.redis_url)
            producer.conf.broker_transport_options = {"global_keyprefix": "hmind:celery:"}
            with producer:
                turn = {"user_id": "u", "turn_id": "2", "content": "by task"}
                producer.send_task("hmind.intake.accept", args=[[turn]], queue="intake")
            wait_for(lambda: log.read_text().count("PostgreSQL does not answer") >= 3, within_s=60)
            assert "by stream" not in log.read_text()

            EmbeddedPostgres(home).bring_up()
            wait_for(lambda: states(app.engine).get("waiting") == 2, within_s=90, what="both turns in the ledger")
            assert {t.content for t in app.shortterm.readable("default", "u")} == {"by stream", "by task"}
        app.close()
