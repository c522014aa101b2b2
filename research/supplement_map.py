"""Supplement, second figure: the first two principal components of the embedding learnt from the face search.

The paper: they "align well with gender and race", learnt from slightly more than 40,000 triplets alone. SIMULATED
here: the 513 drawn faces, and the triplets that simulated visitors gave to the real site (`faces.py`). Each component
is coloured by the hidden feature that it is most correlated with. A correlation is compared with the largest of 18
features that a random direction would have.
"""

from pathlib import Path
from typing import Any

import numpy as np

import learn2search as l2s
from research.faces import N_FACES, collected, features
from research.study import Cells, Study, figure, main, rounded

SEED = 7
TRIPLETS = 40_000  # the supplement
DIM = 16  # axes of the demo's models
ALIGNED = 0.5  # |correlation| from which a component "aligns well" with a feature
LEADING = 3  # the features that weigh most for simulated visitors: skin, age, presentation or hair


def embed(count: int) -> dict[str, Any]:
    """Positions on two components, their share of the variance, and the hidden features they go with."""
    names, seen = features()
    model = l2s.GaussEmbed(DIM, random_state=SEED).fit(collected(count), n_items=N_FACES)
    centred = model.embedding_ - model.embedding_.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    places = centred @ axes[:2].T
    correlations = np.corrcoef(places.T, seen.T)[:2, 2:]  # (2, 18)
    best = np.abs(correlations).argmax(axis=1)
    weights = seen.std(axis=0)
    return {
        "places": [rounded(place, 4) for place in places],
        "share": rounded(lengths[:2] ** 2 / (lengths**2).sum()),
        "features": [names[at] for at in best],
        "correlations": rounded(correlations[row, at] for row, at in enumerate(best)),
        "values": [rounded(seen[:, at], 3) for at in best],
        "heaviest": [names[at] for at in np.argsort(-weights)[:LEADING]],
        "by chance": chance(seen),
        "triplets": len(collected(count)),
    }


def chance(seen: np.ndarray) -> float:
    """The 99th percentile of the largest |correlation| of a random component with any feature."""
    draws = np.random.default_rng(SEED).normal(size=(2000, len(seen)))
    found = np.corrcoef(draws, seen.T)[: len(draws), len(draws) :]
    return float(np.quantile(np.abs(found).max(axis=1), 0.99))


def run(study: Study) -> None:
    count = 1500 if study.quick else TRIPLETS
    study.record(SEED).cell("map", lambda: embed(count))


def plot(cells: Cells, path: Path) -> None:
    cell = cells["map"]
    x, y = np.array(cell["places"]).T
    with figure(path) as axes:
        for axis, name, values, place in zip(axes, cell["features"], cell["values"], (1, 2), strict=True):
            axis.scatter(x, y, c=values, s=9, cmap="viridis", lw=0)
            told = f"SIMULATED: component {place} and “{name}”, r = {cell['correlations'][place - 1]:+.2f}"
            axis.set(
                title=told,
                xlabel=f"component 1 ({cell['share'][0]:.0%})",
                ylabel=f"component 2 ({cell['share'][1]:.0%})",
            )


if __name__ == "__main__":
    main("supplement_map")
