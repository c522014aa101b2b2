"""Search with known features: how many questions, how long a step (the paper's first figure, and more).

    python -m research.known_features           # a minute, small sizes
    python -m research.known_features --full    # about 25 minutes on two cores; goes on where it was stopped

Uniform points in the 5-dimensional unit cube, as in the paper, several sets of points for each n. One noise level for
all strategies, such that 10% of answers are flipped: on random pairs ("random pairs"), or on the pairs that
GaussSearch asks ("on policy"). The noise is calibrated on other points than those that are searched. The figure is
`figure1.py`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import learn2search as l2s
from research import Array, memory
from research.plain_numpy import PlainGaussSearch, TunedGaussSearch, search_once
from research.rows import Results, Row, Table
from research.study import Study, in_new_process, main

DIM = 5
FLIP_RATE = 0.1
POINTS = ("uniform", "normal")
CALIBRATIONS = ("on policy", "random pairs")
STOPS = ("mode", "shown")
STRATEGIES = ("ig", "eff", "sampled", "gauss", "random")
NUMPY = {"plain NumPy": PlainGaussSearch, "tuned NumPy": TunedGaussSearch}
PICTURES_N = 513
EXACT_UP_TO = 300  # ig and eff
RANDOM_SHOWN_UP_TO = 1000  # above, "random, until shown" is (n/2 + 1)/2 questions and nothing to learn
CONVENTIONS = {  # what the paper may have meant by GaussSearch: times the data covariance, items shown again
    (1, False): "data covariance, no reuse (ours)",
    (1, True): "data covariance, items reused",
    (2, False): "twice the data covariance, no reuse",
    (2, True): "twice the data covariance, items reused",
    (4, True): "four times the data covariance, items reused",
}


@dataclass(frozen=True)
class Plan:
    """Sizes and repetitions; every cost is a mean over `searches` searches on `sets` sets of points."""

    sizes: tuple[int, ...] = (50, 100, 300, 1000, 10_000, 100_000)
    searches: int = 1000
    sets: int = 10
    picture_dims: tuple[int, ...] = (5, 10, 20)
    step_sizes: tuple[int, ...] = (1000, 10_000, 100_000, 1_000_000)
    small_step_sizes: tuple[int, ...] = (50, 100, EXACT_UP_TO)
    memory_items: int = 1_000_000


FULL = Plan()
QUICK = Plan((50, 100), 100, 2, (5,), (1000, 10_000), (50, 100), 10_000)

SIZES = (*FULL.sizes, FULL.memory_items)
NOISE = Table(
    "known_features", "noise", {"points": POINTS, "n": (*SIZES, PICTURES_N), "d": (5, 10, 20), "noise": CALIBRATIONS}
)
COST = Table("known_features", "cost", {"n": SIZES, "noise": CALIBRATIONS, "stop": STOPS, "strategy": STRATEGIES})
CONVENTION = Table(
    "known_features",
    "convention",
    {"n": (50, 100), "noise": CALIBRATIONS, "prior_scale": (1, 2, 4), "reuse": (False, True)},
)
PICTURES = Table(
    "known_features",
    "pictures",
    {"points": POINTS, "d": FULL.picture_dims, "noise": CALIBRATIONS, "strategy": STRATEGIES},
)
STEP = Table("known_features", "step", {"n": SIZES, "d": (5, 20), "strategy": (*STRATEGIES, *NUMPY)})
CORES = Table("known_features", "cores", {"strategy": STRATEGIES})
MEMORY = Table("known_features", "memory", {"n": SIZES, "d": (20,)})


def plan(quick: bool) -> Plan:
    return QUICK if quick else FULL


def make_points(kind: str, n: int, d: int, number: int) -> Array:
    generator = np.random.default_rng([number, n, d])
    return generator.random((n, d)) if kind == "uniform" else generator.normal(size=(n, d))


# --- the noise -------------------------------------------------------------------------------------


def calibrate(points: str, n: int, d: int, noise: str, quick: bool) -> Row:
    """σ for 10% flips: the geometric mean over sets of points (numbers from 900 on) that are not searched."""
    numbers = range(900, 900 + (plan(quick).sets if n <= 1000 else 2))
    sigmas = [calibrate_set(make_points(points, n, d, number), noise) for number in numbers]
    return {"sigma": float(np.exp(np.mean(np.log(sigmas))))}


def calibrate_set(x: Array, noise: str) -> float:
    if noise == "random pairs":
        return l2s.calibrate_noise(l2s.random_margins(x, seed=1), FLIP_RATE)
    return l2s.calibrate_on_policy("gauss", l2s.Embedding(x), FLIP_RATE, stop="mode", n_searches=200, seed=1)


def noise_level(study: Study, points: str, n: int, d: int, noise: str) -> float:
    named = {"points": points, "n": n, "d": d, "noise": noise}
    study.measure(NOISE, calibrate, [{**named, "quick": study.quick}])
    return float(study.results.one(NOISE, **named)["sigma"])


# --- questions -------------------------------------------------------------------------------------


def mean_cost(quick: bool, strategy: str, points: str, n: int, d: int, sigma: float, **options: Any) -> Row:
    """Mean number of questions with its standard error over the sets of points."""
    sizes = plan(quick)
    sets = sizes.sets if n <= 1000 else max(2, sizes.sets // 3)
    slow = n == EXACT_UP_TO and strategy in ("ig", "eff")
    searches = sizes.searches // 2 if slow else sizes.searches
    runs = []
    for number in range(sets):
        x = make_points(points, n, d, number)
        targets = np.random.default_rng([number, 7]).integers(0, n, -(-searches // sets))
        space, oracle = l2s.Embedding(x), l2s.ProbitOracle(x, sigma, seed=1000 + number)
        given = dict(options)
        if scale := given.pop("prior_scale", None):
            given["prior"] = l2s.Belief.of(space, scale)
        runs.append(l2s.simulate(strategy, space, oracle, targets, seed=number, **given))
    every, means = np.concatenate([run.costs for run in runs]), np.array([run.costs.mean() for run in runs])
    within = every.std(ddof=1) / np.sqrt(len(every))
    between = means.std(ddof=1) / np.sqrt(len(means))  # honest about the choice of points, too
    return {
        "mean": float(every.mean()),
        "error": float(max(within, between)),
        "set_sd": float(means.std(ddof=1)),  # how much the mean varies from one set of points to another
        "searches": len(every),
        "sets": sets,
        "flips": float(np.mean([run.flip_rate for run in runs])),
        "found": float(np.mean([run.found.mean() for run in runs])),
    }


def question_cost(n: int, noise: str, stop: str, strategy: str, sigma: float, quick: bool) -> Row:
    """A point of Figure 1a. Until shown, the exact rules get the same bonus for a hit as ours."""
    bonus = {"hit_bonus": 3.0} if stop == "shown" and strategy in ("ig", "eff") else {}
    return mean_cost(quick, strategy, "uniform", n, DIM, sigma, stop=stop, **bonus)


def measure_questions(study: Study) -> None:
    """Over all cores by threads, or over a cluster."""
    cases = [
        {"n": n, "noise": noise, "stop": stop, "strategy": strategy, "sigma": sigma, "quick": study.quick}
        for n in plan(study.quick).sizes
        for noise in CALIBRATIONS
        for sigma in [noise_level(study, "uniform", n, DIM, noise)]
        for stop in STOPS
        for strategy in strategies_for(n, stop)
    ]
    measure = study.measure_many if study.scheduler else study.measure
    measure(COST, question_cost, cases)


def strategies_for(n: int, stop: str) -> list[str]:
    exact = ["ig", "eff"] if n <= EXACT_UP_TO else []
    return ["gauss", "sampled", *exact, *(["random"] if stop == "mode" or n <= RANDOM_SHOWN_UP_TO else [])]


def convention_cost(n: int, noise: str, prior_scale: int, reuse: bool, sigma: float, quick: bool) -> Row:
    options = {"prior_scale": float(prior_scale)} if prior_scale != 1 else {}
    return mean_cost(quick, "gauss", "uniform", n, DIM, sigma, stop="mode", reuse=reuse, **options)


def measure_conventions(study: Study) -> None:
    cases = [
        {"n": n, "noise": noise, "prior_scale": scale, "reuse": reuse, "sigma": sigma, "quick": study.quick}
        for n in (50, 100)
        for noise in CALIBRATIONS
        for sigma in [noise_level(study, "uniform", n, DIM, noise)]
        for scale, reuse in CONVENTIONS
    ]
    study.measure(CONVENTION, convention_cost, cases)


def pictures_cost(points: str, d: int, noise: str, strategy: str, sigma: float, quick: bool) -> Row:
    """Four pictures."""
    return mean_cost(quick, strategy, points, PICTURES_N, d, sigma, k=4, stop="shown")


def measure_pictures(study: Study) -> None:
    cases = [
        {"points": points, "d": d, "noise": noise, "strategy": strategy, "sigma": sigma, "quick": study.quick}
        for points in POINTS
        for d in plan(study.quick).picture_dims
        for noise in CALIBRATIONS
        for sigma in [noise_level(study, points, PICTURES_N, d, noise)]
        for strategy in ("gauss", "sampled", "random")
    ]
    study.measure(PICTURES, pictures_cost, cases)


# --- time of a step (Figure 1b), against plain NumPy in the same run --------------------------------


def time_step(n: int, d: int, strategy: str) -> Row:
    x, sigma = make_points("uniform", n, d, 0), 0.05
    return {"microseconds": time_numpy(strategy, x, sigma) if strategy in NUMPY else time_ours(strategy, x, sigma)}


def time_ours(strategy: str, x: Array, sigma: float, seconds: float = 1.0) -> float:
    """Microseconds a step (question, answer, update) in one thread: the median of five batches of searches."""
    space, oracle = l2s.Embedding(x), l2s.ProbitOracle(x, sigma, seed=1)
    targets = np.random.default_rng(2).integers(0, len(x), 4096)

    def batch(count: int, seed: int) -> tuple[float, int]:
        began = time.perf_counter()
        run = l2s.simulate(
            strategy, space, oracle, targets[:count], seed=seed, workers=1, max_queries=40, progress=False
        )
        return time.perf_counter() - began, int(run.costs.sum())

    batch(2, 0)  # compiles, and builds the index
    took, _ = batch(2, 1)
    count = int(np.clip(2 * seconds / 5 / max(took, 1e-6), 2, len(targets)))
    return float(np.median([took / steps * 1e6 for took, steps in (batch(count, seed) for seed in range(5))]))


def time_numpy(name: str, x: Array, sigma: float, seconds: float = 2.0) -> float:
    generator = np.random.default_rng(3)
    search = NUMPY[name](x, sigma, generator)
    times: list[float] = []
    began = time.perf_counter()
    while time.perf_counter() - began < seconds or len(times) < 2:
        start = time.perf_counter()
        steps = search_once(search, x, sigma, int(generator.integers(len(x))), generator, 40 if len(x) < 1e6 else 6)
        times.append((time.perf_counter() - start) / steps * 1e6)
    return float(np.median(times))


def measure_steps(study: Study) -> None:
    sizes = plan(study.quick)
    cases = [
        {"n": n, "d": d, "strategy": strategy}
        for n, d in [*((n, d) for d in (5, 20) for n in sizes.step_sizes), *((n, DIM) for n in sizes.small_step_sizes)]
        for exact in [("ig", "eff") if n <= EXACT_UP_TO else ()]
        for strategy in ("gauss", "sampled", *exact, *(("random",) if d == DIM else ()), *NUMPY)
    ]
    study.measure(STEP, time_step, cases)


# --- cores and memory ------------------------------------------------------------------------------


def speedup(strategy: str) -> Row:
    """Two threads over one, among 10,000 items."""
    x = make_points("uniform", 10_000, DIM, 0)
    space, oracle = l2s.Embedding(x), l2s.ProbitOracle(x, 0.05, seed=1)
    targets = np.random.default_rng(2).integers(0, len(x), {"gauss": 20_000, "sampled": 800}[strategy])
    l2s.simulate(strategy, space, oracle, targets[:4], seed=1)

    def took(workers: int) -> float:
        began = time.perf_counter()
        l2s.simulate(strategy, space, oracle, targets, seed=1, workers=workers, progress=False)
        return time.perf_counter() - began

    return {"two_over_one": float(np.median([took(1) / took(2) for _ in range(5)]))}


def measure_cores(study: Study) -> None:
    study.measure(CORES, speedup, [{"strategy": strategy} for strategy in ("gauss", "sampled")])


def peak_over_embedding(n: int, d: int) -> float:
    """Peak memory of one search among n items, over what a search among 100 needs anyway, in embeddings."""

    def search(count: int) -> l2s.Embedding:
        space = l2s.Embedding(np.random.default_rng(0).random((count, d)))
        one = l2s.GaussSearch(space, noise=0.1, seed=0)
        for _ in range(5):
            one.tell(one.ask()[0])
        return space

    search(100)
    memory.begin_new_peak()
    before = memory.held()
    space = search(n)
    return (memory.peak() - before) / space.mean.nbytes


def measure_memory(study: Study) -> None:
    def peak(n: int, d: int) -> Row:
        return {"peak_over_embedding": in_new_process(peak_over_embedding, n, d)}

    study.measure(MEMORY, peak, [{"n": plan(study.quick).memory_items, "d": 20}])


MEASUREMENTS: dict[str, Callable[[Study], None]] = {
    "steps": measure_steps,
    "cores": measure_cores,
    "memory": measure_memory,
    "questions": measure_questions,
    "conventions": measure_conventions,
    "pictures": measure_pictures,
}
PARTS = tuple(MEASUREMENTS)


def run(study: Study) -> None:
    """Times first, alone on the machine."""
    for part, measure in MEASUREMENTS.items():
        if study.wants(part):
            measure(study)


def report(results: Results) -> None:
    from research.known_features_tables import print_tables

    print_tables(results)


if __name__ == "__main__":
    main("known_features")
