"""Supplement, second figure: the first two principal components of the embedding learnt from the face search.

The paper: they "align well with gender and race", learnt from slightly more than 40,000 triplets alone. SIMULATED
here: the 513 drawn faces, and the triplets that simulated visitors gave to the real site (`faces.py`). Each component
is coloured by the hidden feature that it is most correlated with. A correlation is compared with the largest of 18
features that a random direction would have.
"""

from pathlib import Path

import numpy as np

import learn2search as l2s
from research import Array
from research.claims import Claim, Found
from research.drawing import figure
from research.faces import N_FACES, collected, features
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import rounded

SEED = 7
TRIPLETS = 40_000  # the supplement
DIM = 16  # axes of the demo's models
ALIGNED = 0.5  # |correlation| from which a component "aligns well" with a feature
GENDER, RACE = "presentation", "skin"  # what the drawn faces have of the paper's two
COMPONENTS = (1, 2)
MAP = Table("supplement_map", "map", {})
COMPONENT = Table("supplement_map", "component", {"component": COMPONENTS})
FACE = Table("supplement_map", "face", {"face": int, "component": COMPONENTS})
HEAVIEST = Table("supplement_map", "heaviest", {"rank": (1, 2, 3)})
TABLES = (MAP, COMPONENT, FACE, HEAVIEST)
LEADING = 3  # the features that weigh most for simulated visitors: skin, age, presentation or hair


def embed(count: int) -> list[Row]:
    """Positions on two components, their share of the variance, and the hidden features they go with."""
    names, seen = features()
    model = l2s.GaussEmbed(DIM, random_state=SEED).fit(collected(count), n_items=N_FACES)
    centred = model.embedding_ - model.embedding_.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    positions = centred @ axes[:2].T
    correlations = np.corrcoef(positions.T, seen.T)[:2, 2:]  # (2, 18)
    best = np.abs(correlations).argmax(axis=1)
    shares = rounded(lengths[:2] ** 2 / (lengths**2).sum())
    rows: list[Row] = [{"triplets": len(collected(count)), "by_chance": chance(seen)}]
    for rank, at in enumerate(np.argsort(-seen.std(axis=0))[:LEADING], start=1):
        rows.append({"table": HEAVIEST.name, "rank": rank, "feature": names[at]})
    for axis, component in enumerate(COMPONENTS):
        at = best[axis]
        (correlation,) = rounded([correlations[axis, at]])
        found = {"component": component, "share": shares[axis], "feature": names[at], "correlation": correlation}
        rows.append({"table": COMPONENT.name} | found)
        pairs = zip(rounded(positions[:, axis], 4), rounded(seen[:, at], 3), strict=True)
        rows += [
            {"table": FACE.name, "face": face, "component": component, "position": position, "feature_value": value}
            for face, (position, value) in enumerate(pairs)
        ]
    return rows


def chance(seen: Array) -> float:
    """The 99th percentile of the largest |correlation| of a random component with any feature."""
    draws = np.random.default_rng(SEED).normal(size=(2000, len(seen)))
    found = np.corrcoef(draws, seen.T)[: len(draws), len(draws) :]
    return float(np.quantile(np.abs(found).max(axis=1), 0.99))


def run(study: Study) -> None:
    count = 1500 if study.quick else TRIPLETS
    study.measure(MAP, embed, [{"count": count}])


def plot(results: Results, path: Path) -> None:
    first, second = (results.one(COMPONENT, component=component) for component in COMPONENTS)
    faces = [results.require(FACE, component=component) for component in COMPONENTS]
    x, y = ([row["position"] for row in rows] for rows in faces)
    with figure(path) as axes:
        for axis, shown, rows in zip(axes, (first, second), faces, strict=True):
            axis.scatter(x, y, c=[row["feature_value"] for row in rows], s=9, cmap="viridis", lw=0)
            named = f"component {shown['component']} and “{shown['feature']}”"
            axis.set(
                title=f"SIMULATED: {named}, r = {shown['correlation']:+.2f}",
                xlabel=f"component 1 ({first['share']:.0%})",
                ylabel=f"component 2 ({second['share']:.0%})",
            )


# --- the claims -------------------------------------------------------------------------------------


def aligns(results: Results) -> Found:
    found, components = results.one(MAP), results.require(COMPONENT)
    words = " and ".join(f"“{row['feature']}” (r = {row['correlation']:+.2f})" for row in components)
    share = f"they hold {sum(row['share'] for row in components):.0%} of the variance"
    text = f"{found['triplets']:,} triplets: {words}; {share}; by chance up to {found['by_chance']:.2f}"
    enough = max(ALIGNED, found["by_chance"])
    aligned = {row["feature"] for row in components if abs(row["correlation"]) > enough}
    return Found(text, [GENDER in aligned, RACE in aligned])


CLAIMS = (
    Claim(
        "Supplement, last figure",
        "the two principal components align well with gender and race",
        f"one is correlated most with “{GENDER}”, the other with “{RACE}”, by more than {ALIGNED}, and than chance",
        aligns,
        "the drawn faces have 18 independent features; for the simulated visitors skin, age and hair length weigh most",
    ),
)


if __name__ == "__main__":
    main("supplement_map")
