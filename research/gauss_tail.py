"""Why some searches of GaussSearch are very long, with true features and answers that follow the model.

    python -m research.gauss_tail           # a minute: red wine alone, one search a target
    python -m research.gauss_tail --full    # all: about five minutes on one core

Red wine: five searches for each item that lies more than 6 standard deviations from the mean of all (Mahalanobis), 400
for the others, and ten for every item with `gauss` alone; σ flips 10% of the answers, as in `blind`. Synthetic: 1,000
items from N(0, I) on 5 axes, and the target so many standard deviations from their mean, 50 searches a distance.
Strategies: `gauss`, whose first belief is the items' mean and covariance; the same with 4 and 16 times this covariance;
and `sampled`, which has the exact posterior over the items.

`belief` follows single searches of `gauss` for the farthest item of red wine: how far the target is from the belief's
mean, in units of the features and in standard deviations of the belief, and how many answers were wrong so far.
"""

from typing import Any

import numpy as np

import learn2search as l2s
from research import Array
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import print_table

SEED = 0
WINE_SIGMA = 0.324  # of `blind`: 10% of the answers of gauss are flipped
FAR = 6.0
N, D, SYNTHETIC_SIGMA = 1000, 5, 0.4
DISTANCES = (1, 2, 4, 6, 8, 10, 12)
STRATEGIES: dict[str, tuple[str, float | None]] = {
    "gauss": ("gauss", 1.0),
    "gauss, 4 Σ": ("gauss", 4.0),
    "gauss, 16 Σ": ("gauss", 16.0),
    "sampled": ("sampled", None),
}
WINE = Table("gauss_tail", "wine", {"strategy": tuple(STRATEGIES), "targets": ("far", "others")})
SYNTHETIC = Table("gauss_tail", "synthetic", {"strategy": tuple(STRATEGIES), "distance": DISTANCES})
ALL = Table("gauss_tail", "all", {"stop": ("shown", "mode")})
LOOKED_AT = (1, 10, 30, 50, 100)
BELIEF = Table("gauss_tail", "belief", {"seed": (0, 1, 2), "questions": LOOKED_AT})


def distances(features: Array) -> Array:
    """How far each item is from the mean, in standard deviations."""
    centred = features - features.mean(axis=0)
    return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", centred, np.linalg.inv(np.cov(features.T)), centred)))


def costs(strategy: str, features: Array, sigma: float, targets: Array) -> Row:
    space, (name, scale) = l2s.Embedding(features), STRATEGIES[strategy]
    options: dict[str, Any] = {} if scale is None else {"prior": l2s.Belief.of(space, scale)}
    person = l2s.ProbitOracle(features, sigma, seed=SEED + 1)
    run = l2s.simulate(name, space, person, targets, seed=SEED + 2, workers=1, progress=False, **options)
    return {
        "searches": len(targets),
        "mean": run.mean,
        "standard_error": run.standard_error,
        "most": int(run.costs.max()),
        "flips": run.flip_rate,
    }


def wine(strategy: str, targets: str, repeats: int) -> Row:
    features = l2s.fetch_red_wine()
    far = distances(features) > FAR
    if targets == "far":
        return costs(strategy, features, WINE_SIGMA, np.flatnonzero(far).repeat(repeats))
    some = np.random.default_rng(SEED).choice(np.flatnonzero(~far), 80 * repeats)
    return costs(strategy, features, WINE_SIGMA, some)


def all_items(stop: str, repeats: int) -> Row:
    """Searches of `gauss` for every item of red wine."""
    features = l2s.fetch_red_wine()
    targets = np.tile(np.arange(len(features)), repeats)
    person = l2s.ProbitOracle(features, WINE_SIGMA, seed=SEED + 1)
    run = l2s.simulate(
        "gauss", l2s.Embedding(features), person, targets, stop=stop, seed=SEED + 2, workers=1, progress=False
    )
    longest = np.argsort(-run.costs)[:20]
    return {
        "searches": len(targets),
        "mean": run.mean,
        **{f"quantile_{share}": float(np.quantile(run.costs, share)) for share in (0.5, 0.9, 0.99, 0.999)},
        "most": int(run.costs.max()),
        "not_found": int((~run.found).sum()),
        "distance_of_longest": distances(features)[targets[longest]].round(1).tolist(),
    }


def synthetic(strategy: str, distance: int) -> Row:
    """The target is item 0."""
    generator = np.random.default_rng(SEED + distance)
    features = generator.normal(size=(N, D))
    features[0] *= distance / np.linalg.norm(features[0])
    return costs(strategy, features, SYNTHETIC_SIGMA, np.zeros(50, int))


def belief(seed: int) -> list[Row]:
    """One search for the farthest item of red wine."""
    features = l2s.fetch_red_wine()
    target = int(np.argmax(distances(features)))
    search = l2s.GaussSearch(l2s.Embedding(features), WINE_SIGMA, seed=seed)
    person, wrong, found = l2s.ProbitOracle(features, WINE_SIGMA, seed=seed + 10), 0, []
    for questions in range(1, LOOKED_AT[-1] + 1):
        query = search.ask()
        chosen = person.choose(query, target)
        nearest = min(query, key=lambda item: float(((features[item] - features[target]) ** 2).sum()))
        wrong += chosen != nearest
        if target in query:
            break
        search.tell(chosen)
        away = features[target] - search.belief.mean
        if questions in LOOKED_AT:
            far = float(np.sqrt(away @ np.linalg.solve(search.belief.cov, away)))
            found.append(
                {"questions": questions, "away": float(np.linalg.norm(away)), "in_sd": far, "wrong": int(wrong)}
            )
    return found


def run(study: Study) -> None:
    repeats = 1 if study.quick else 5
    cases = [
        {"strategy": strategy, "targets": targets, "repeats": repeats}
        for strategy in STRATEGIES
        for targets in ("far", "others")
    ]
    study.measure(WINE, wine, cases)
    study.measure(ALL, all_items, [{"stop": stop, "repeats": 2 * repeats} for stop in ("shown", "mode")])
    study.measure(BELIEF, belief, [{"seed": seed} for seed in (0, 1, 2)])
    if not study.quick:
        study.measure(
            SYNTHETIC, synthetic, [{"strategy": name, "distance": far} for name in STRATEGIES for far in DISTANCES]
        )


def report(results: Results) -> None:
    kinds = ["quantile_0.5", "quantile_0.9", "quantile_0.99", "quantile_0.999", "most", "not_found", "searches"]
    print_table(
        "### All of red wine, gauss",
        ["ends when", "mean", "half", "90%", "99%", "99.9%", "most", "not found", "searches"],
        [[row["stop"], f"{row['mean']:.1f}", *(f"{row[kind]:.0f}" for kind in kinds)] for row in results.select(ALL)],
    )
    columns = ["strategy", "far targets: mean", "most", "others: mean", "most"]
    print_table(
        "### Red wine",
        columns,
        [
            [
                name,
                *(text for part in ("far", "others") for text in words(results.one(WINE, strategy=name, targets=part))),
            ]
            for name in results.distinct(WINE, "strategy")
        ],
    )
    print_table(
        "### Synthetic: mean questions by the target's distance, in standard deviations",
        ["strategy", *map(str, DISTANCES)],
        [
            [name, *(f"{results.one(SYNTHETIC, strategy=name, distance=far)['mean']:.1f}" for far in DISTANCES)]
            for name in results.distinct(SYNTHETIC, "strategy")
        ],
    )
    print_table(
        "### The belief, when the target is the farthest item of red wine",
        ["search", "questions", "away", "in standard deviations of the belief", "wrong answers so far"],
        [
            [str(row["seed"]), str(row["questions"]), f"{row['away']:.1f}", f"{row['in_sd']:.0f}", str(row["wrong"])]
            for row in results.select(BELIEF)
        ],
    )


def words(row: Row) -> list[str]:
    return [f"{row['mean']:.1f} ± {row['standard_error']:.1f}", str(row["most"])]


if __name__ == "__main__":
    main("gauss_tail")
