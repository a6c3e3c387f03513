"""How many turns a second the boundary detector reads on one core, embedding included.

Run: python -m benchmarks.boundary_speed. Its talk is made of everyday sentences in English and
Chinese. Two ways: whole windows (an import), and one turn at a time (a live session, where the
open window is read again at each turn).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from hmind.boundary import build as detectors
from hmind.boundary.detector import Tail
from hmind.embedding.build import build
from hmind.embedding.cached import CachedEmbedder
from hmind.model import Boundary, Role, Turn
from hmind.settings import load

TOPICS = [
    [
        "I finally painted the kitchen, it took the whole weekend",
        "Which colour did you take in the end?",
        "A pale green, my sister chose it for the kitchen walls",
        "Green walls must look fresh with the wooden shelves",
    ],
    [
        "我们公司下个月要搬到新的办公楼去了",
        "新办公楼离你家远吗？",
        "坐地铁要四十分钟，比以前多二十分钟",
        "那你早上得早点出门，地铁上可以看看书",
    ],
    [
        "The vet says our dog has to lose three kilos",
        "Poor thing, does she get fewer treats now?",
        "No treats at all, and two long walks a day",
        "Long walks will do both of you good",
    ],
]
WINDOWS = 25
WINDOW_TURNS = 40


def window(number: int) -> list[Turn]:
    """A window of turns that no other window has."""
    at = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
    turns = []
    for index in range(WINDOW_TURNS):
        topic = TOPICS[index // 8 % len(TOPICS)]
        content = f"{topic[index % len(topic)]} ({number}.{index})"
        when = at + timedelta(seconds=15 * index)
        turns.append(Turn("t", "u", "s", str(index), Role.USER, "AB"[index % 2], content, when, when, index))
    return turns


def main() -> None:
    """Prints both speeds."""
    settings = load({})
    embedder = CachedEmbedder(build(settings.embedding.boundary, settings.embedding))
    detector = detectors.detector(settings.boundary, embedder)
    tail = Tail(Boundary.FLUSH, None, None)
    detector.cuts(window(-1), tail)

    windows = [window(number) for number in range(WINDOWS)]
    began = time.process_time()
    cuts = sum(len(detector.cuts(turns, tail)) for turns in windows)
    spent = time.process_time() - began
    print(f"whole windows: {WINDOWS * WINDOW_TURNS / spent:.0f} turns/s of one core, {cuts} segments ({embedder.name})")

    began = time.process_time()
    for turns in (window(number) for number in range(1000, 1005)):
        start = 0
        for seen in range(1, len(turns) + 1):
            found = detector.cuts(turns[start:seen], None)
            start += found[-1].end if found else 0
    spent = time.process_time() - began
    print(f"turn by turn: {5 * WINDOW_TURNS / spent:.0f} turns/s of one core ({embedder.name})")


if __name__ == "__main__":
    main()
