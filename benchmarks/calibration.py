"""How near a threshold measured on unlabelled talk comes to one measured with labels: python -m benchmarks calibration.

Each set is measured twice, once with its labels and once as if it were plain talk, a dialogue a talk. Both
thresholds are then scored on the labels. The embedder is that of the settings.
"""

from __future__ import annotations

from hmind.embedding.build import build
from hmind.evaluation import calibration, dialogues, labels, samples
from hmind.evaluation.calibration import choose, joined, known, score, spread
from hmind.settings import load


def main() -> None:
    """Prints a line a set, and the mean of what is lost without labels."""
    settings = load()
    place = samples.folder("segmentation")
    embedder = build(settings.embedding.boundary, settings.embedding)
    said, lost = calibration.words(), []
    print(f"{embedder.name} on {place.name}: threshold and Score of the cosine rule")
    print(f"{'set':24}{'labelled':>16}{'unlabelled':>16}{'lost':>8}")
    for name, whole in labels.folder(place, dialogues.read).items():
        some = spread(whole)
        vectors = known(embedder, [turn for dialogue in some for turn in dialogue.turns])
        with_labels = choose({name: some}, vectors, settings.boundary)
        without = choose({name: joined([dialogue.turns for dialogue in some])}, vectors, settings.boundary)
        known_score = with_labels.scores[name]
        plain_score = score(some, vectors, settings.boundary, without.below, said)
        lost.append(known_score - plain_score)
        print(
            f"{name:24}{with_labels.below:8.3f}{known_score:8.3f}{without.below:8.3f}{plain_score:8.3f}{lost[-1]:8.3f}",
            flush=True,
        )
    print(f"{'mean':56}{sum(lost) / len(lost):8.3f}")
