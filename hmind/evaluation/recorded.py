"""What the small samples measured when it was last written down, and whether today's figures are worse.

`python -m benchmarks record` writes benchmarks/samples/recorded.toml anew; a test holds the code to it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

from hmind.evaluation import analysis, boundaries, closing, dialogues, labels, samples
from hmind.settings import Settings

Figures = Mapping[str, Mapping[str, float]]
"""By set, then by name of the figure: shares from 0 to 1."""

WORSE_BY = 0.02
"""A figure may be so much worse than the recorded one: what is more is a loss, not chance."""
LOWER_IS_BETTER = frozenset({"pk", "wd", "chars"})
DECIMALS = 4


def of_boundaries(settings: Settings) -> Figures:
    """Where topics end, for each set of our own samples."""
    sets = labels.folder(samples.own("segmentation"), dialogues.read)
    judge = boundaries.judge(settings)
    measured = {stem: boundaries.measure(labelled, judge) for stem, labelled in sets.items()}
    return {stem: {"pk": one.pk, "wd": one.wd, "f1": one.f1, "score": one.score} for stem, one in measured.items()}


def of_closing(_settings: Settings) -> Figures:
    """What ends a talk, for each set of our own samples and each side of it: ``en_user``, ``zh_all``."""
    sets = labels.folder(samples.own("closing"), closing.read)
    phrases = closing.phrases()
    return {
        f"{stem}_{who}": {"precision": one.precision, "recall": one.recall}
        for stem, lines in sets.items()
        for who, one in closing.measure(lines, phrases).items()
    }


def of_analysis(settings: Settings) -> Figures:
    """What the offline analyst keeps of our own conversations, and how it reads our own facts and times."""
    return analysis.small_figures(settings)


KINDS: Mapping[str, Callable[[Settings], Figures]] = {
    "boundaries": of_boundaries,
    "closing": of_closing,
    "analysis": of_analysis,
}
"""What is recorded, by the name of its `hmind eval`. Another one is added here, and recorded."""


def read(path: Path | None = None) -> Mapping[str, Figures]:
    """The recorded figures by kind."""
    path = path or samples.own() / "recorded.toml"
    recorded: dict[str, dict[str, dict[str, float]]] = tomllib.loads(path.read_text(encoding="utf-8"))
    return recorded


def losses(recorded: Figures, measured: Figures, by: float = WORSE_BY) -> list[str]:
    """A sentence for each figure that is worse than its recorded one by more than ``by``, missing, or not recorded."""
    found = []
    for name in sorted({*recorded, *measured}):
        before, now = recorded.get(name, {}), measured.get(name, {})
        for figure in sorted({*before, *now}):
            if figure not in now:
                found.append(f"{name}: {figure} is recorded and no longer measured")
            elif figure not in before:
                found.append(f"{name}: {figure} is not recorded; run python -m benchmarks record")
            elif _worse(figure, before[figure], now[figure]) > by:
                found.append(f"{name}: {figure} was {before[figure]:.3f} and is {now[figure]:.3f}")
    return found


def written(recorded: Mapping[str, Figures]) -> str:
    """The text of recorded.toml."""
    parts = [
        "# Figures of the small samples, as `python -m benchmarks record` measured them with the default settings.\n"
        f"# A test fails when one gets worse by more than {WORSE_BY}; written anew only with a reason in the commit.\n"
    ]
    for kind, sets in recorded.items():
        for name, figures in sets.items():
            rows = "".join(f"{figure} = {round(value, DECIMALS)}\n" for figure, value in figures.items())
            parts.append(f"[{kind}.{name}]\n{rows}")
    return "\n".join(parts)


def _worse(figure: str, before: float, now: float) -> float:
    """By how much; rounded as it was recorded, so that a loss of just what is allowed is allowed."""
    return round(now - before if figure in LOWER_IS_BETTER else before - now, DECIMALS)
