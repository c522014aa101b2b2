"""Learning to search without features: the paper's blind experiment, and a simulated face search.

    python -m research.blind                     # hours on one core; goes on where it was stopped
    python -m research.blind --seeds 3           # the first three repetitions of everything
    python -m research.blind --only "wine best" "wine true gauss"    # some lines of the plan
    python -m research.blind --quick             # a few minutes, small sizes, results/blind-quick.json
    python -m research.blind --scheduler tcp://host:8786    # on a Dask cluster

Red wine and music, standardised; people answer by the probit model on the true features. Their noise is such that 10%
of the answers are flipped on the pairs that GaussSearch asks with the true features. Red wine keeps its 240 duplicate
rows: a search for one of them ends when that very row is shown, not when its twin is. Each run is a file in
results/blind-runs, the summary is results/blind.json.
"""

import argparse
import glob
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import learn2search as l2s
from research.recording import Recording

FLIP_RATE = 0.1
FLIP_TOLERANCE = 0.003
FACES = 513
WINDOWS = ((0, 64), (64, 128), (256, 512), (0, 512), (1000, 2000), (2000, 4000), (4000, 8000))
TRIPLETS = (1000, 3000, 5000, 10_000, 20_000, 40_000)
METHODS = {
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
COLD: dict[str, dict] = {  # what may shorten the first searches, each a change of the best preset
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


def data(name: str) -> np.ndarray:
    return {"wine": l2s.fetch_red_wine, "music": l2s.fetch_music_origin}[name]()


def faces(d: int) -> np.ndarray:
    """The hidden features of the simulated faces."""
    return np.random.default_rng([FACES, d]).normal(size=(FACES, d))


# --- one run, in a process of its own --------------------------------------------------------------


def blind(dataset: str, method: str, seed: int, searches: int, noise: float) -> dict:
    """The loop on a data set, without its features."""
    return loop(dataset, METHODS[method], seed, searches, noise)


def cold_start(dataset: str, change: str, seed: int, searches: int, noise: float) -> dict:
    """The first searches, with one change of the best preset; `known` features are the prior mean of the places."""
    changes = dict(COLD[change])
    if known := changes.pop("known", 0):
        changes["features"] = data(dataset)[:, :known]
    return loop(dataset, changes, seed, searches, noise)


def loop(dataset: str, options: dict, seed: int, searches: int, noise: float) -> dict:
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
    return {**in_windows(costs, known), "seconds": time.process_time() - began, "triplets": len(learner.triplets)}


def in_windows(costs: np.ndarray, known: np.ndarray) -> dict:
    thousands = [(start, start + 1000) for start in range(0, len(costs), 1000)]
    windows = [window for window in dict.fromkeys([*WINDOWS, *thousands]) if window[1] <= len(costs)]
    least = known < 0.1
    rare = [(start, stop) for start, stop in windows if least[start:stop].any()]
    return {
        "costs": {f"{start}-{stop}": float(costs[start:stop].mean()) for start, stop in windows},
        "rarest tenth": {f"{start}-{stop}": float(costs[start:stop][least[start:stop]].mean()) for start, stop in rare},
    }


def face_search(d: int, targets: str, method: str, seed: int, noise: float, most: int, evaluations: int) -> dict:
    """Four pictures: screens a search on the embeddings at 1,000, 3,000, ... live triplets.

    Each embedding is frozen, and `evaluations` new people look for targets drawn uniformly, as in the paper.
    """
    features = faces(d)
    popularity = 1.0 / np.arange(1, FACES + 1) if targets == "skewed" else None
    oracle = l2s.ProbitOracle(features, noise, seed=20_000 + seed)
    learner = l2s.Learner(oracle, FACES, k=4, seed=seed, targets=popularity, **{"n_components": d, **METHODS[method]})
    screens = {}
    for goal in (count for count in TRIPLETS if count <= most):
        while len(learner.triplets) < goal:
            learner.search()
        wanted = np.random.default_rng([seed, goal]).integers(0, FACES, evaluations)
        people = l2s.ProbitOracle(features, noise, seed=30_000 + seed)
        given = {"metric": learner.recipe.metric} if learner.recipe.strategy == "gauss" else {}
        run = l2s.simulate(
            learner.recipe.strategy, learner.embedding, people, wanted, k=4, noise=1.0, seed=goal, workers=1, **given
        )
        dense = learner.counts[wanted] > np.median(learner.counts)
        halves = {"top half": float(run.costs[dense].mean()), "bottom half": float(run.costs[~dense].mean())}
        screens[str(goal)] = {"all": run.mean, **halves}
    return {"screens": screens, "searches": learner.number}


# --- the plan --------------------------------------------------------------------------------------


def noise_level(record: Recording, name: str, features: np.ndarray, searches: int) -> float:
    """σ for 10% flips on the pairs that GaussSearch asks with the true features, checked on searches of their own.

    The rate is itself an estimate, and bisection can settle beside the mark: a σ that misses it is not used.
    """
    space = l2s.Embedding(features)
    noise = record.cell(
        f"noise | {name}",
        lambda: l2s.calibrate_on_policy("gauss", space, FLIP_RATE, n_searches=searches, seed=99),
    )

    def flips() -> float:
        targets = np.random.default_rng(98).integers(0, len(features), searches)
        return l2s.simulate("gauss", space, l2s.ProbitOracle(features, noise, seed=97), targets, seed=96).flip_rate

    rate = record.cell(f"flips | {name}", flips)
    if abs(rate - FLIP_RATE) > FLIP_TOLERANCE:
        raise SystemExit(f"{name}: σ = {noise:.4f} flips {rate:.2%} of the answers, not {FLIP_RATE:.0%}")
    return noise


def plan(record: Recording, seeds: int, quick: bool, only: list[str] | None) -> list[tuple[str, dict]]:
    """All runs, first repetitions first: (name, experiment and arguments)."""
    lines = all_lines(record, quick)
    chosen = [line for line in lines if only is None or line[0] in only]
    if len(chosen) < len(only or ()) or not chosen:
        raise SystemExit(f"not all of {only!r} are lines of the plan: {', '.join(line[0] for line in lines)}")
    return [
        (f"{name} seed={seed}", {"experiment": experiment.__name__, **arguments, "seed": seed})
        for seed in range(seeds)
        for name, experiment, arguments in chosen
    ]


def all_lines(record: Recording, quick: bool) -> list[tuple[str, Callable, dict]]:
    lines: list[tuple[str, Callable, dict]] = []
    for dataset in ("wine",) if quick else ("wine", "music"):
        noise = noise_level(record, dataset, data(dataset), 4000)
        searches = 150 if quick else SEARCHES[dataset]
        lines += [
            (f"{dataset} {method}", blind, {"dataset": dataset, "method": method, "searches": searches, "noise": noise})
            for method in METHODS
        ]
    wine = {"dataset": "wine", "searches": 50 if quick else COLD_SEARCHES, "noise": record.cells["noise | wine"]}
    lines += [(f"wine cold, {change}", cold_start, {"change": change, **wine}) for change in COLD]
    for d in (5,) if quick else (5, 20):
        noise = noise_level(record, f"faces d={d}", faces(d), 4000)
        sizes = {"noise": noise, "most": 3000 if quick else 40_000, "evaluations": 100 if quick else 500}
        lines += [
            (
                f"faces d={d} {targets} {method}",
                face_search,
                {"d": d, "targets": targets, "method": method, **sizes},
            )
            for targets in ("uniform", "skewed")
            for method in ("best", "paper")
        ]
    return lines


def run_one(experiment: str, **arguments) -> dict:
    return {"blind": blind, "cold_start": cold_start, "face_search": face_search}[experiment](**arguments)


def run_all(record: Recording, runs: list[tuple[str, dict]], workers: int, scheduler: str | None = None) -> None:
    """Run what has not been run yet, in parts: the summary grows with the runs."""
    size = 16 if scheduler else max(workers, 1)
    folder = record.path.with_name(f"{record.path.stem}-runs")
    for start in range(0, len(runs), size):
        part = dict(runs[start : start + size])
        l2s.run_many(run_one, part, folder, workers=workers, scheduler=scheduler)
        summarise(record, {name.rsplit(" seed=", 1)[0]: arguments for name, arguments in part.items()}, folder)


# --- the summary -----------------------------------------------------------------------------------


def summarise(record: Recording, lines: dict[str, dict], folder: Path) -> None:
    """Means with standard errors over all repetitions there are, one cell a line of the plan."""
    for line, arguments in lines.items():
        repetitions = [flat(result) for result in repeated(folder, line, arguments)]
        keys = [key for key in repetitions[0] if all(key in other for other in repetitions)]
        record.cells[line] = {
            "seeds": len(repetitions),
            **{key: mean_and_error([repetition[key] for repetition in repetitions]) for key in keys},
        }
    record.save()


def repeated(folder: Path, line: str, arguments: dict) -> Iterator[dict]:
    """The results of every run of a line, whenever it was made, that differs by its seed alone."""
    for path in sorted(folder.glob(f"{glob.escape(line)} seed=*.json")):
        run = json.loads(path.read_text())
        if run["arguments"] | {"seed": 0} == arguments | {"seed": 0}:
            yield run["result"]


def flat(result: dict, before: str = "") -> dict[str, float]:
    """Nested results by one name each: "costs | 0-64"."""
    found = {}
    for key, value in result.items():
        name = f"{before} | {key}" if before else key
        found.update(flat(value, name) if isinstance(value, dict) else {name: value})
    return found


def mean_and_error(values: list[float]) -> list[float | None]:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
    return [float(np.mean(values)), None if error is None else float(error)]


def report(record: Recording) -> None:
    """Tables of what is measured: mean questions (screens) a search ± standard error over the seeds."""
    lines = {name: cell for name, cell in record.cells.items() if isinstance(cell, dict)}
    for begins, kind, columns in (
        ("wine", "costs", ("64-128", "256-512", "0-512", "1000-2000", "2000-4000", "4000-8000")),
        ("music", "costs", ("64-128", "256-512", "0-512", "1000-2000", "2000-4000")),
        ("wine cold", "costs", ("0-64", "64-128", "256-512", "0-512")),
        ("wine cold", "rarest tenth", ("0-512", "256-512")),
        ("faces", "screens", tuple(map(str, TRIPLETS))),
    ):
        chosen = {n: c for n, c in lines.items() if n.startswith(begins) and ("cold," in n) == ("cold" in begins)}
        keys = [f"{kind} | {column}" + (" | all" if begins == "faces" else "") for column in columns]
        if chosen:
            print(f"\n| {begins}, {kind} | {' | '.join(columns)} | CPU seconds | seeds |")
            print("| --- " * (len(columns) + 3) + "|")
        for name, cell in chosen.items():
            figures = [shown(cell.get(key)) for key in keys] + [shown(cell.get("seconds")), str(cell["seeds"])]
            print(f"| {name} | {' | '.join(figures)} |")


def shown(measured: list[float | None] | None) -> str:
    if measured is None:
        return ""
    mean, error = measured
    return f"{mean:.1f}" if error is None else f"{mean:.1f} ± {error:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, a few minutes")
    parser.add_argument("--fresh", action="store_true", help="summarise anew (delete results/blind-runs to run anew)")
    parser.add_argument("--seeds", type=int, help="repetitions (10; with --quick 2)")
    parser.add_argument("--only", metavar="LINE", nargs="+", help="some lines of the plan, as 'wine best'")
    parser.add_argument("--report", action="store_true", help="only print the tables of what is measured")
    parser.add_argument("--workers", type=int, default=1, help="processes (1)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, tcp://host:8786")
    arguments = parser.parse_args()
    name = "blind-quick" if arguments.quick else "blind"
    record = Recording(name, "python -m research.blind" + (" --quick" if arguments.quick else ""), arguments.fresh)
    if arguments.report:
        report(record)
        return
    runs = plan(record, arguments.seeds or (2 if arguments.quick else 10), arguments.quick, arguments.only)
    run_all(record, runs, arguments.workers, arguments.scheduler)
    report(record)


if __name__ == "__main__":
    main()
