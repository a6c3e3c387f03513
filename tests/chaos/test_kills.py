"""Workers killed by SIGKILL on the way change nothing in what an import comes to."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis
from support.databases import Databases
from support.killing import import_with_kills
from support.snapshot import snapshot

from hmind import settings as settings_module
from hmind.importers.message import Defaults
from hmind.importers.recognise import open_file

ROOT = Path(__file__).parent.parent.parent
LOCOMO = ROOT.parent / "shared" / "data" / "locomo" / "locomo_dev5.json"
EXAMPLE = ROOT / "examples" / "chat.jsonl"


def came_to(databases: Databases, redis_url: str, file: Path, logs: Path, kills: int, within_s: float) -> dict:
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    with databases.fresh() as url:
        settings = settings_module.load({}).with_stores(url, redis_url)
        reader = open_file(file, "", Defaults(), settings.intake, datetime.now(UTC))
        app = import_with_kills(settings, reader, logs, kills, within_s)
        try:
            return snapshot(app.engine)
        finally:
            app.close()


@pytest.mark.timeout(400)
def test_an_import_with_five_kills_gives_the_same_rows(databases: Databases, redis_url: str, tmp_path: Path) -> None:
    calm = came_to(databases, redis_url, EXAMPLE, tmp_path / "calm", kills=0, within_s=120)
    assert len(calm["gists"]) > 20
    assert len(calm["facts"]) >= 5

    rough = came_to(databases, redis_url, EXAMPLE, tmp_path / "rough", kills=5, within_s=180)

    for table, rows in calm.items():
        assert rough[table] == rows, table


@pytest.mark.chaos
@pytest.mark.timeout(1800)
def test_a_large_import_with_five_kills_gives_the_same_rows(
    databases: Databases, redis_url: str, tmp_path: Path
) -> None:
    file = LOCOMO if LOCOMO.exists() else EXAMPLE
    calm = came_to(databases, redis_url, file, tmp_path / "calm", kills=0, within_s=600)
    rough = came_to(databases, redis_url, file, tmp_path / "rough", kills=5, within_s=900)
    for table, rows in calm.items():
        assert rough[table] == rows, table
