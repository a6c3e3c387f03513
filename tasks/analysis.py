"""Analysis task: one closed segment."""

from __future__ import annotations

from tasks import wake
from tasks.base import QuietTask, hmind
from tasks.celery_app import app


@app.task(name="hmind.analysis.analyze", base=QuietTask)
def analyze(segment_id: str) -> int:
    """Analyses a segment; returns the number of events. What is due at once is promoted at once."""
    analysed = hmind().analysis.analyze(segment_id)
    if analysed is None:
        return 0
    if analysed.next_segment is not None:
        wake.analyze([analysed.next_segment])
    if analysed.due:
        wake.promote([(analysed.tenant, analysed.user_id)])
    return analysed.events
