"""Answers that are sometimes thoughtless: how far is the learning loop behind a search that knows the positions?

    python -m research.lapses            # a minute, small
    python -m research.lapses --full     # about 20 minutes on one core

Simulated people compare 300 items by 5 features of their own, which they see with noise 0.5 (features have variance 1).
Now and then they click any of the items shown: so often that 10% of the answers are another than the one they would
have given (a lapse rate of 0.1 k / (k - 1)), or never. Two or four items are shown. Compared are

    positions known                the posterior on the true features, which knows how often people lapse
    positions known, lapses not    the same without
    before                         the learning loop with lapse=0: neither its fits nor its searches expect lapses
    given                          with lapse= the true rate
    learnt                         with lapse="fit": the rate is learnt from the searches that judge a fit

The number of axes is given. Nothing here is tuned; the seeds are those of this module alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import Mean, mean_over, print_table

N, D, NOISE = 300, 5, 0.5
SHOWN, FLIPPED = (2, 4), (0.1, 0.0)
KNOWN = "positions known"
METHODS: dict[str, dict[str, Any]] = {
    KNOWN: {"embedding": "true"},
    f"{KNOWN}, lapses not": {"embedding": "true", "lapse": 0.0},
    "before": {"lapse": 0.0},
    "given": {},
    "learnt": {"lapse": "fit"},
}
SEARCHES, REPETITIONS = 1600, 3
WINDOWS = ((0, 100), (100, 400), (400, 800), (800, 1200), (1200, 1600))
COST = Table(
    "lapses",
    "cost",
    {"k": SHOWN, "flipped": FLIPPED, "method": tuple(METHODS), "seed": int, "start": int, "stop": int},
)


def measure(k: int, flipped: float, method: str, seed: int, searches: int, n_items: int) -> list[Row]:
    """Mean questions of a search in each window, and the lapse rate that the loop ends with."""
    features = np.random.default_rng([seed, N, D]).normal(size=(n_items, D))
    lapse = flipped * k / (k - 1)
    people = l2s.ProbitOracle(features, NOISE, seed=1000 + seed, lapse=lapse)
    options = {"lapse": lapse} | METHODS[method]
    learner = l2s.Learner(people, n_items, k=k, seed=seed, n_components=D, **options)
    costs = [episode.cost for episode in learner.searches(searches)]
    return [
        {"start": start, "stop": stop, "mean": float(np.mean(costs[start:stop])), "lapse": round(learner.lapse, 3)}
        for start, stop in WINDOWS
        if start < searches
    ]


def run(study: Study) -> None:
    repetitions = study.repetitions or (1 if study.quick else REPETITIONS)
    cases = [
        {
            "k": k,
            "flipped": flipped,
            "method": method,
            "seed": seed,
            "searches": 100 if study.quick else SEARCHES,
            "n_items": 40 if study.quick else N,
        }
        for seed in range(repetitions)
        for flipped in FLIPPED
        for k in SHOWN
        for method in METHODS
    ]
    study.measure_many(COST, measure, cases)


def known_cost(results: Results, k: int, flipped: float) -> Mean:
    """Of the search that knows the positions and the lapse rate: it learns nothing, so over all its searches."""
    rows = results.select(COST, k=k, flipped=flipped, method=KNOWN)
    seeds = sorted({row["seed"] for row in rows})
    return mean_over([_over(row for row in rows if row["seed"] == seed) for seed in seeds])


def _over(rows: Any) -> float:
    """The mean over windows, by their lengths."""
    listed: Sequence[Row] = list(rows)
    return float(np.average([row["mean"] for row in listed], weights=[row["stop"] - row["start"] for row in listed]))


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error, and how far the last window is behind the search that knows all."""
    windows = [window for window in WINDOWS if results.select(COST, stop=window[1])]
    columns = ["flipped", "shown", "search", *(f"{start + 1}-{stop}" for start, stop in windows), "behind", "lapse"]
    table = []
    for flipped in FLIPPED:
        for k in SHOWN:
            for method in METHODS:
                found = [
                    results.select(COST, k=k, flipped=flipped, method=method, start=start, stop=stop)
                    for start, stop in windows
                ]
                if not found[-1]:
                    continue
                means = [mean_over([row["mean"] for row in rows]) for rows in found]
                behind = means[-1].value / known_cost(results, k, flipped).value - 1
                lapse = mean_over([row["lapse"] for row in found[-1]])
                head = [f"{flipped:.0%}", str(k), method]
                table.append([*head, *(mean.text(1) for mean in means), f"{behind:+.0%}", lapse.text(2)])
    print_table("Questions a search", columns, table)


if __name__ == "__main__":
    main("lapses")
