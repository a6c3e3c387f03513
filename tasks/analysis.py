"""Analysis tasks: one closed segment, and one that is analysed again."""

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


@app.task(name="hmind.analysis.analyze_again", base=QuietTask)
def analyze_again(segment_id: str, then: int = 1) -> int:
    """Gives a segment to the language model again; returns the number of its new events.

    Unless the endpoint is away ``then`` others follow, each followed by one, as long as no new segment waits.
    """
    asked = hmind().again.analyze(segment_id)
    if not asked.away and not wake.waits("analysis"):
        wake.analyze_again(hmind().again.due(then), then=1)
    if asked.replaced is None:
        return 0
    if asked.replaced.due:
        wake.promote([(asked.replaced.tenant, asked.replaced.user_id)])
    return asked.replaced.events
