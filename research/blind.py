"""Learning to search without features: the paper's blind experiment, and a simulated face search.

    python -m research.blind                            # a few minutes, small sizes
    python -m research.blind --full                     # hours on one core; goes on where it was stopped
    python -m research.blind --full --repetitions 3     # the first three repetitions of everything
    python -m research.blind --full --only "wine best" --only "wine true gauss"
    python -m research.blind --full --scheduler tcp://host:8786    # on a Dask cluster

Red wine and music, standardised; people answer by the probit model on the true features. Their noise is such that 10%
of the answers are flipped on the pairs that GaussSearch asks with the true features. Red wine keeps its 240 duplicate
rows: a search for one of them ends when that very row is shown, not when its twin is. Each run is a file in
results/blind-runs; the rows of results/blind.json are means over all repetitions of a line of the plan. The figure is
`figure2.py`.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import learn2search as l2s
from research import Array
from research.rows import Columns, Results, Row, Table
from research.study import Study, main, run_name
from research.summary import mean_over

FLIP_RATE = 0.1
FLIP_TOLERANCE = 0.003
REPETITIONS = 10
FACES = 513
WINDOWS = ((0, 64), (64, 128), (256, 512), (0, 512), (1000, 2000), (2000, 4000), (4000, 8000))
TRIPLETS = (1000, 3000, 5000, 10_000, 20_000, 40_000)
METHODS: dict[str, dict[str, Any]] = {
    "true gauss": {"embedding": "true", "strategy": "gauss"},
    "true posterior": {"embedding": "true"},
    "best": {},
    "best gauss": {"strategy": "gauss"},
    "paper": {"preset": "paper"},
    "paper euclidean": {"preset": "paper", "metric": "euclidean"},
    "paper tste": {"preset": "paper", "embedding": "tste"},
    "paper ckl": {"preset": "paper", "embedding": "ckl"},
    "paper estimated": {"preset": "paper", "n_components": "estimated"},
    "best auto": {"n_components": "auto"},
}
COLD_SEARCHES = 512
COLD: dict[str, dict[str, Any]] = {  # what may shorten the first searches, each a change of the best preset
    "as it is": {},
    "refits by doubling": {"refit": "doubling"},
    "refits by a tenth": {"refit": 1.1},
    "one variance for all axes": {"prior": "empirical"},
    "variance 1 for all axes": {"prior": "standard"},
    "never online": {"online_from": np.inf},
    "explore below 20": {"explore_below": 20},
    "give up after 200": {"give_up": 200},
    "all features": {"known": 11},
    "3 features of 11": {"known": 3},
}
COMPONENTS = {"wine": 11, "music": 20}  # D; music has 68 features, 20 is the paper's estimate
SEARCHES = {"wine": 9000, "music": 4000}
DATASETS = ("wine", "music")
POPULARITY = ("uniform", "skewed")

# "questions" of searches `start` to `stop`, by all targets or by those that were least known; "seconds" of CPU, and
# "triplets", of all searches
_WINDOW: Columns = {
    "measure": ("questions", "seconds", "triplets"),
    "targets": ("all", "rarest tenth"),
    "start": int,
    "stop": int,
}
NOISE = Table("blind", "noise", {"dataset": (*DATASETS, "faces"), "d": (None, 5, 20)})
BLIND = Table("blind", "blind", {"dataset": DATASETS, "method": tuple(METHODS), **_WINDOW})
COLD_START = Table("blind", "cold start", {"dataset": DATASETS, "change": tuple(COLD), **_WINDOW})
# "screens" with so many triplets, by all targets or by the half that more or less of them are about; "searches" that
# gave the triplets
FACE_SEARCH = Table(
    "blind",
    "face search",
    {
        "d": (5, 20),
        "popularity": POPULARITY,
        "method": tuple(METHODS),
        "measure": ("screens", "searches"),
        "targets": ("all", "top half", "bottom half"),
        "triplets": TRIPLETS,
    },
)


def data(name: str) -> Array:
    return {"wine": l2s.fetch_red_wine, "music": l2s.fetch_music_origin}[name]()


def faces(d: int) -> Array:
    """The hidden features of the simulated faces."""
    return np.random.default_rng([FACES, d]).normal(size=(FACES, d))


# --- one run, in a process of its own --------------------------------------------------------------


def blind(dataset: str, method: str, seed: int, searches: int, noise: float) -> list[Row]:
    """The loop on a data set, without its features."""
    return loop(dataset, METHODS[method], seed, searches, noise)


def cold_start(dataset: str, change: str, seed: int, searches: int, noise: float) -> list[Row]:
    """The first searches, with one change of the best preset; `known` features are the prior mean of the places."""
    changes = dict(COLD[change])
    if known := changes.pop("known", 0):
        changes["features"] = data(dataset)[:, :known]
    return loop(dataset, changes, seed, searches, noise)


def loop(dataset: str, options: Mapping[str, Any], seed: int, searches: int, noise: float) -> list[Row]:
    """A loop of `searches` searches: mean costs in windows, and of the targets that were least known."""
    features = data(dataset)
    oracle = l2s.ProbitOracle(features, noise, seed=10_000 + seed)
    learner = l2s.Learner(oracle, len(features), seed=seed, **{"n_components": COMPONENTS[dataset], **options})
    costs, known, began = np.empty(searches), np.empty(searches), time.process_time()
    for at in range(searches):
        counts = learner.counts
        episode = learner.search()
        own = counts[episode.target]
        costs[at] = episode.cost
        known[at] = (np.mean(counts < own) + np.mean(counts <= own)) / 2  # its rank by m(i), from 0 to 1
    whole = {"targets": "all", "start": 0, "stop": searches}
    return [
        *in_windows(costs, np.ones(searches, bool), "all"),
        *in_windows(costs, known < 0.1, "rarest tenth"),
        {"measure": "seconds", **whole, "value": time.process_time() - began},
        {"measure": "triplets", **whole, "value": len(learner.triplets)},
    ]


def in_windows(costs: Array, counted: Array, targets: str) -> Iterator[Row]:
    """Mean questions in each window, of the searches that are `counted`."""
    thousands = [(start, start + 1000) for start in range(0, len(costs), 1000)]
    for start, stop in dict.fromkeys([*WINDOWS, *thousands]):
        chosen = counted[start:stop]
        if stop <= len(costs) and chosen.any():
            mean = float(costs[start:stop][chosen].mean())
            yield {"measure": "questions", "targets": targets, "start": start, "stop": stop, "value": mean}


def face_search(
    d: int, popularity: str, method: str, seed: int, noise: float, most: int, evaluations: int
) -> list[Row]:
    """Four pictures: screens a search on the embeddings at 1,000, 3,000, ... live triplets.

    Each embedding is frozen, and `evaluations` new people look for targets drawn uniformly, as in the paper.
    """
    features = faces(d)
    weights = 1.0 / np.arange(1, FACES + 1) if popularity == "skewed" else None
    oracle = l2s.ProbitOracle(features, noise, seed=20_000 + seed)
    learner = l2s.Learner(oracle, FACES, k=4, seed=seed, targets=weights, **{"n_components": d, **METHODS[method]})
    found: list[Row] = []
    for goal in (count for count in TRIPLETS if count <= most):
        while len(learner.triplets) < goal:
            learner.search()
        wanted = np.random.default_rng([seed, goal]).integers(0, FACES, evaluations)
        people = l2s.ProbitOracle(features, noise, seed=30_000 + seed)
        given: dict[str, Any] = {"metric": learner.recipe.metric} if learner.recipe.strategy == "gauss" else {}
        run = l2s.simulate(
            learner.recipe.strategy, learner.embedding, people, wanted, k=4, noise=1.0, seed=goal, workers=1, **given
        )
        dense = learner.counts[wanted] > np.median(learner.counts)
        for targets, chosen in (("all", slice(None)), ("top half", dense), ("bottom half", ~dense)):
            value = float(run.costs[chosen].mean())
            found.append({"measure": "screens", "targets": targets, "triplets": goal, "value": value})
    return [*found, {"measure": "searches", "targets": "all", "triplets": goal, "value": learner.number}]


# --- the plan --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line of the plan: what is run again and again with other seeds. named: the columns that name its rows."""

    name: str
    table: Table
    named: Row


LINES = [
    *(
        Line(f"{dataset} {method}", BLIND, {"dataset": dataset, "method": method})
        for dataset in DATASETS
        for method in METHODS
    ),
    *(Line(f"wine cold, {change}", COLD_START, {"dataset": "wine", "change": change}) for change in COLD),
    *(
        Line(f"faces d={d} {popularity} {method}", FACE_SEARCH, {"d": d, "popularity": popularity, "method": method})
        for d in (5, 20)
        for popularity in POPULARITY
        for method in ("best", "paper")
    ),
]
PARTS = tuple(line.name for line in LINES)
EXPERIMENTS: dict[str, Callable[..., list[Row]]] = {
    BLIND.name: blind,
    COLD_START.name: cold_start,
    FACE_SEARCH.name: face_search,
}


def noise_level(study: Study, dataset: str, d: int | None) -> float:
    study.measure(NOISE, calibrate, [{"dataset": dataset, "d": d}])
    return float(study.results.one(NOISE, dataset=dataset, d=d)["sigma"])


def calibrate(dataset: str, d: int | None, searches: int = 4000) -> Row:
    """σ for 10% flips on the pairs that GaussSearch asks with the true features, checked on searches of their own.

    The rate is itself an estimate, and bisection can settle beside the mark: a σ that misses it is not used.
    """
    features = data(dataset) if d is None else faces(d)
    space = l2s.Embedding(features)
    sigma = l2s.calibrate_on_policy("gauss", space, FLIP_RATE, n_searches=searches, seed=99)
    targets = np.random.default_rng(98).integers(0, len(features), searches)
    rate = l2s.simulate("gauss", space, l2s.ProbitOracle(features, sigma, seed=97), targets, seed=96).flip_rate
    if abs(rate - FLIP_RATE) > FLIP_TOLERANCE:
        raise SystemExit(f"{dataset}: σ = {sigma:.4f} flips {rate:.2%} of the answers, not {FLIP_RATE:.0%}")
    return {"sigma": sigma, "flips": rate}


def is_small(line: Line) -> bool:
    """Whether the line is run at small sizes, too."""
    return line.named.get("dataset") != "music" and line.named.get("d") != 20


def arguments(study: Study, line: Line) -> Row:
    """Of one run, without its seed."""
    if line.table is FACE_SEARCH:
        sizes = {"most": 3000, "evaluations": 100} if study.quick else {"most": 40_000, "evaluations": 500}
        return {**line.named, **sizes, "noise": noise_level(study, "faces", line.named["d"])}
    dataset = line.named["dataset"]
    full, small = (SEARCHES[dataset], 150) if line.table is BLIND else (COLD_SEARCHES, 50)
    return {**line.named, "searches": small if study.quick else full, "noise": noise_level(study, dataset, None)}


def run(study: Study) -> None:
    repetitions = study.repetitions or (2 if study.quick else REPETITIONS)
    run_lines(study, [line for line in LINES if study.wants(line.name)], repetitions)


def run_lines(study: Study, lines: Sequence[Line], repetitions: int) -> None:
    """Run what has not been run yet, first repetitions first; the summary grows with the runs."""
    chosen = [line for line in lines if is_small(line) or not study.quick]
    plan = {line.name: (line, arguments(study, line)) for line in chosen if is_missing(study, line, repetitions)}
    runs = {
        f"{name} seed={seed}": {"experiment": line.table.name, **given, "seed": seed}
        for seed in range(repetitions)
        for name, (line, given) in plan.items()
    }
    for line, _ in plan.values() if study.fresh else ():
        for path in kept_runs(study, line):
            path.unlink()
    for made in study.run_many(run_one, runs, NOISE.file):
        for name in dict.fromkeys(run.rsplit(" seed=", 1)[0] for run in made):
            line, given = plan[name]
            study.add(line.table, line.named, summary(repeated(study, line, given)))
        study.save(NOISE.file)


def run_one(experiment: str, **given: Any) -> list[Row]:
    return EXPERIMENTS[experiment](**given)


def is_missing(study: Study, line: Line, repetitions: int) -> bool:
    found = study.results.select(line.table, **line.named)
    return study.fresh or not found or found[0]["repetitions"] < repetitions


# --- the summary -----------------------------------------------------------------------------------


def repeated(study: Study, line: Line, given: Row) -> list[list[Row]]:
    """The results of every run of a line, whenever it was made, that differs by its seed alone."""
    runs = [json.loads(path.read_text()) for path in kept_runs(study, line)]
    wanted = {"experiment": line.table.name, **given}
    return [run["result"] for run in runs if run["arguments"] | {"seed": 0} == wanted | {"seed": 0}]


def kept_runs(study: Study, line: Line) -> list[Path]:
    return sorted(study.runs_folder(NOISE.file).glob(f"{run_name(line.name)} seed=*.json"))


def summary(repetitions: Sequence[Sequence[Row]]) -> list[Row]:
    """Means with standard errors of the values that all repetitions have."""
    values: dict[str, list[float]] = {}
    for row in (row for repetition in repetitions for row in repetition):
        named = {column: value for column, value in row.items() if column != "value"}
        values.setdefault(json.dumps(named), []).append(row["value"])
    means = {key: mean_over(found) for key, found in values.items() if len(found) == len(repetitions)}
    return [
        json.loads(key) | {"mean": mean.value, "error": mean.error, "repetitions": len(repetitions)}
        for key, mean in means.items()
    ]


def report(results: Results) -> None:
    from research.blind_tables import print_tables

    print_tables(results)


if __name__ == "__main__":
    main("blind")
