"""Search with known features: how many questions, how long a step (the paper's first figure, and more).

    python -m research.known_features            # about 25 minutes on two cores; goes on where it was stopped
    python -m research.known_features --quick    # a minute, small sizes, results/known_features-quick.json

Uniform points in the 5-dimensional unit cube, as in the paper, several sets of points for each n. One noise level for
all strategies, such that 10% of answers are flipped: on random pairs ("random pairs"), or on the pairs that
GaussSearch asks ("on policy"). The noise is calibrated on other points than those that are searched.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import learn2search as l2s
from research.known_features_report import report
from research.plain_numpy import PlainGaussSearch, TunedGaussSearch, search_once
from research.recording import Recording

DIM = 5
FLIP_RATE = 0.1
CALIBRATIONS = ("on policy", "random pairs")
STOPS = ("mode", "shown")
EXACT_UP_TO = 300  # ig and eff
RANDOM_SHOWN_UP_TO = 1000  # above, "random, until shown" is (n/2 + 1)/2 questions and nothing to learn


class Plan:
    """Sizes and repetitions; every cost is a mean over `searches` searches on `sets` sets of points."""

    def __init__(self, quick: bool) -> None:
        self.name = "known_features-quick" if quick else "known_features"
        self.sizes = (50, 100) if quick else (50, 100, 300, 1000, 10_000, 100_000)
        self.searches = 100 if quick else 1000
        self.sets = 2 if quick else 10
        self.pictures_dims = (5,) if quick else (5, 10, 20)
        self.step_sizes = (1000, 10_000) if quick else (1000, 10_000, 100_000, 1_000_000)
        self.memory_items = 10_000 if quick else 1_000_000


def points(kind: str, n: int, d: int, number: int) -> np.ndarray:
    generator = np.random.default_rng([number, n, d])
    return generator.random((n, d)) if kind == "uniform" else generator.normal(size=(n, d))


def noise_level(record: Recording, plan: Plan, calibration: str, kind: str, n: int, d: int) -> float:
    """σ for 10% flips: the geometric mean over sets of points (numbers from 900 on) that are not searched."""

    def measure_set(number: int) -> float:
        x = points(kind, n, d, number)
        if calibration == "random pairs":
            return l2s.calibrate_noise(l2s.random_margins(x, seed=1), FLIP_RATE)
        return l2s.calibrate_on_policy("gauss", l2s.Embedding(x), FLIP_RATE, stop="mode", n_searches=200, seed=1)

    sets = range(900, 900 + (plan.sets if n <= 1000 else 2))
    return record.cell(
        f"noise | {kind} n={n} d={d} | {calibration}",
        lambda: float(np.exp(np.mean([np.log(measure_set(number)) for number in sets]))),
    )


def cost(plan: Plan, strategy: str, kind: str, n: int, d: int, noise: float, **options) -> dict:
    """Mean number of questions with its standard error over the sets of points."""
    sets = plan.sets if n <= 1000 else max(2, plan.sets // 3)
    searches = plan.searches // 2 if n == EXACT_UP_TO and strategy in ("ig", "eff") else plan.searches  # they are slow
    costs, flips, found = [], [], []
    for number in range(sets):
        x = points(kind, n, d, number)
        targets = np.random.default_rng([number, 7]).integers(0, n, -(-searches // sets))
        space, oracle = l2s.Embedding(x), l2s.ProbitOracle(x, noise, seed=1000 + number)
        prior = l2s.Belief.of(space, options["prior_scale"]) if "prior_scale" in options else None
        given = {key: value for key, value in options.items() if key != "prior_scale"} | (
            {"prior": prior} if prior else {}
        )
        run = l2s.simulate(strategy, space, oracle, targets, seed=number, **given)
        costs.append(run.costs)
        flips.append(run.flip_rate)
        found.append(run.found.mean())
    every, means = np.concatenate(costs), np.array([c.mean() for c in costs])
    within = every.std(ddof=1) / np.sqrt(len(every))
    between = means.std(ddof=1) / np.sqrt(len(means))  # honest about the choice of points, too
    return {
        "mean": float(every.mean()),
        "se": float(max(within, between)),
        "set_sd": float(means.std(ddof=1)),  # how much the mean varies from one set of points to another
        "searches": len(every),
        "sets": sets,
        "flips": float(np.mean(flips)),
        "found": float(np.mean(found)),
    }


# --- 1. questions against n (Figure 1a) ------------------------------------------------------------


def strategies_for(n: int, stop: str) -> list[str]:
    exact = ["ig", "eff"] if n <= EXACT_UP_TO else []
    return ["gauss", "sampled", *exact, *(["random"] if stop == "mode" or n <= RANDOM_SHOWN_UP_TO else [])]


def question_cells(record: Recording, plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every cell of the figure: its key, and the arguments of `cost`."""
    for n in plan.sizes:
        for calibration in CALIBRATIONS:
            noise = noise_level(record, plan, calibration, "uniform", n, DIM)
            for stop in STOPS:
                for strategy in strategies_for(n, stop):
                    # until shown, the exact rules get the same bonus for a hit as ours
                    bonus = {"hit_bonus": 3.0} if stop == "shown" and strategy in ("ig", "eff") else {}
                    arguments = {"strategy": strategy, "kind": "uniform", "n": n, "d": DIM, "noise": noise}
                    yield (
                        f"questions | n={n} | {calibration} | {stop} | {strategy}",
                        {**arguments, "stop": stop, **bonus},
                    )


def measure_questions(record: Recording, plan: Plan) -> None:
    for key, arguments in question_cells(record, plan):
        record.cell(key, lambda arguments=arguments: cost(plan, **arguments))


# --- 2. what the paper may have meant by GaussSearch ------------------------------------------------

CONVENTIONS = {
    "data covariance, no reuse (ours)": {},
    "data covariance, items reused": {"reuse": True},
    "twice the data covariance, no reuse": {"prior_scale": 2.0},
    "twice the data covariance, items reused": {"prior_scale": 2.0, "reuse": True},
    "four times the data covariance, items reused": {"prior_scale": 4.0, "reuse": True},
}


def measure_conventions(record: Recording, plan: Plan) -> None:
    for n in (50, 100):
        for calibration in CALIBRATIONS:
            noise = noise_level(record, plan, calibration, "uniform", n, DIM)
            for convention, options in CONVENTIONS.items():
                record.cell(
                    f"convention | n={n} | {calibration} | {convention}",
                    lambda n=n, noise=noise, options=options: cost(
                        plan, "gauss", "uniform", n, DIM, noise, stop="mode", **options
                    ),
                )


# --- 3. four pictures ------------------------------------------------------------------------------


def measure_pictures(record: Recording, plan: Plan) -> None:
    for kind in ("uniform", "normal"):
        for d in plan.pictures_dims:
            for calibration in CALIBRATIONS:
                noise = noise_level(record, plan, calibration, kind, 513, d)
                for strategy in ("gauss", "sampled", "random"):
                    record.cell(
                        f"pictures | {kind} d={d} | {calibration} | {strategy}",
                        lambda strategy=strategy, kind=kind, d=d, noise=noise: cost(
                            plan, strategy, kind, 513, d, noise, k=4, stop="shown"
                        ),
                    )


# --- 4. time of a step (Figure 1b), against plain NumPy in the same run -----------------------------


def time_ours(strategy: str, x: np.ndarray, noise: float, seconds: float = 1.0) -> float:
    """Microseconds a step (question, answer, update) in one thread: the median of five batches of searches."""
    space, oracle = l2s.Embedding(x), l2s.ProbitOracle(x, noise, seed=1)
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


NUMPY = {"plain NumPy": PlainGaussSearch, "tuned NumPy": TunedGaussSearch}


def time_numpy(name: str, x: np.ndarray, noise: float, seconds: float = 2.0) -> float:
    generator = np.random.default_rng(3)
    search = NUMPY[name](x, noise, generator)
    times, steps, began = [], 0, time.perf_counter()
    while time.perf_counter() - began < seconds or len(times) < 2:
        start = time.perf_counter()
        steps = search_once(search, x, noise, int(generator.integers(len(x))), generator, 40 if len(x) < 1e6 else 6)
        times.append((time.perf_counter() - start) / steps * 1e6)
    return float(np.median(times))


def time_step(strategy: str, x: np.ndarray, noise: float) -> float:
    return time_numpy(strategy, x, noise) if strategy in NUMPY else time_ours(strategy, x, noise)


def measure_steps(record: Recording, plan: Plan) -> None:
    small = (50, 100) if plan.searches < 1000 else (50, 100, EXACT_UP_TO)
    for n, d in [*((n, d) for d in (5, 20) for n in plan.step_sizes), *((n, DIM) for n in small)]:
        exact = ("ig", "eff") if n <= EXACT_UP_TO else ()
        for strategy in ("gauss", "sampled", *exact, *(("random",) if d == DIM else ()), *NUMPY):
            record.cell(
                f"step | n={n} d={d} | {strategy}",
                lambda strategy=strategy, n=n, d=d: time_step(strategy, points("uniform", n, d, 0), 0.05),
            )


# --- 5. memory and cores ---------------------------------------------------------------------------


def memory(line: str) -> float:
    """Bytes, from a line of the kernel's own account of this process (Linux)."""
    status = Path("/proc/self/status").read_text()
    return 1024.0 * int(status.split(f"{line}:")[1].split()[0])


def report_memory(n: int) -> None:
    """In a process of its own: peak memory of one search among n items, over what a search among 100 needs anyway."""

    def search(count: int) -> l2s.Embedding:
        space = l2s.Embedding(np.random.default_rng(0).random((count, 20)))
        one = l2s.GaussSearch(space, noise=0.1, seed=0)
        for _ in range(5):
            one.tell(one.ask()[0])
        return space

    search(100)
    Path("/proc/self/clear_refs").write_text("5")  # begin a new peak
    before = memory("VmRSS")
    space = search(n)
    print((memory("VmHWM") - before) / space.mean.nbytes)


def measure_memory(record: Recording, plan: Plan) -> None:
    command = [sys.executable, "-m", "research.known_features", "--memory", str(plan.memory_items)]
    record.cell(
        f"memory | n={plan.memory_items} d=20 | peak over the embedding",
        lambda: float(subprocess.run(command, check=True, capture_output=True, text=True).stdout),
    )


def measure_cores(record: Recording, plan: Plan) -> None:
    def speedup(strategy: str, n: int) -> float:
        x = points("uniform", n, DIM, 0)
        space, oracle = l2s.Embedding(x), l2s.ProbitOracle(x, 0.05, seed=1)
        targets = np.random.default_rng(2).integers(0, n, {"gauss": 20_000, "sampled": 800}[strategy])
        l2s.simulate(strategy, space, oracle, targets[:4], seed=1)

        def took(workers: int) -> float:
            began = time.perf_counter()
            l2s.simulate(strategy, space, oracle, targets, seed=1, workers=workers, progress=False)
            return time.perf_counter() - began

        return float(np.median([took(1) / took(2) for _ in range(5)]))

    for strategy in ("gauss", "sampled"):
        record.cell(f"cores | {strategy} | two over one", lambda strategy=strategy: speedup(strategy, 10_000))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, about a minute")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--memory", type=int, metavar="N", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory:
        report_memory(arguments.memory)
        return
    plan = Plan(arguments.quick)
    command = "python -m research.known_features" + (" --quick" if arguments.quick else "")
    record = Recording(plan.name, command, arguments.fresh)
    for part in (
        measure_steps,
        measure_cores,
        measure_memory,
        measure_questions,
        measure_conventions,
        measure_pictures,
    ):
        part(record, plan)
    record.save()
    report(plan.name)


if __name__ == "__main__":
    main()
