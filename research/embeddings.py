"""Embeddings from triplets: how well they predict, how fast they learn (the supplement's comparison, and more).

    python -m research.embeddings           # a minute, small sizes
    python -m research.embeddings --full    # about 40 minutes on two cores; goes on where it was stopped
    python -m research.peers --full         # cblearn's estimators on the same folds, results/peers.json
    python -m research.embeddings --report  # the tables, of both

Ten folds of Music artists and of Food, by row as in the papers and by screen (embedding_folds.py). `tuned` is chosen
anew inside every training part, by rows where the folds are by row and by screens where they are by screen. Then, on
synthetic data: cost per epoch against triplets and axes, memory, closeness to the truth, the dimension, online steps;
and seconds of a fit beside cblearn's t-STE, measured in turn. The figure is `supplement_dimension.py`.

`GaussEmbed` is judged as it is fitted, with lapse=0; what its lapse rate adds is in `near_chance`.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import learn2search as l2s
from research import Array, memory
from research.embedding_folds import DATASETS, DIMENSIONS, FOLD, LIBRARIES, all_folds, load_fold
from research.peers import peer_fit
from research.rows import Results, Row, Table
from research.study import Study, in_new_process, main

ESTIMATORS: dict[str, Callable[[int, int], Any]] = {
    "gauss, paper": lambda d, seed: l2s.GaussEmbed(d, prior="standard", lapse=0.0, random_state=seed),
    "gauss, empirical": lambda d, seed: l2s.GaussEmbed(d, lapse=0.0, random_state=seed),
    "gauss, ratio": lambda d, seed: l2s.GaussEmbed(d, link="ratio", kappa=2.5, lapse=0.0, random_state=seed),
    "tste": lambda d, seed: l2s.TSTE(d, random_state=seed),
    "ckl": lambda d, seed: l2s.CKL(d, random_state=seed),
}
FIT = Table("embeddings", "fit", {**FOLD, "library": ("learn2search",), "method": tuple(ESTIMATORS), "d": DIMENSIONS})
TUNED = Table("embeddings", "tuned", FOLD)
RACE = Table("embeddings", "race", {**FOLD, "library": LIBRARIES, "method": tuple(ESTIMATORS), "d": DIMENSIONS})
EPOCH = Table("embeddings", "epoch", {"n": int, "d": int, "triplets": int})
MEMORY = Table("embeddings", "memory", {"n": int, "d": int, "triplets": int})
TRUTH = Table("embeddings", "truth", {"n": int, "d": int, "triplets": int, "repetition": int})
ONLINE = Table("embeddings", "online", {"n": int, "d": int, "triplets": int, "repetition": int})


# --- folds -----------------------------------------------------------------------------------------


def judged(fit: Callable[[], Any], test: Array) -> Row:
    start = time.process_time()
    model = fit()
    seconds = time.process_time() - start
    return {"accuracy": model.score(test), "nll": -model.log_likelihood(test), "cpu_seconds": seconds}


def fit(dataset: str, split: str, fold: int, library: str, method: str, d: int) -> Row:
    """One of our estimators on one fold."""
    part = load_fold(dataset, split, fold)
    return judged(lambda: ESTIMATORS[method](d, fold).fit(part.train, n_items=part.n_items), part.test)


def tuned(dataset: str, split: str, fold: int) -> Row:
    """Chosen inside the training part; the seconds of the choice, and of a fit with what was chosen."""
    part = load_fold(dataset, split, fold)
    groups = "rows" if split == "row" else part.train_groups
    start = time.process_time()
    splits = 3 if dataset == "artists" else 1
    model = l2s.tune(part.train, groups=groups, n_items=part.n_items, n_splits=splits, random_state=fold)
    chosen = {name: model.get_params()[name] for name in model.trials_[0].parameters}
    seconds = time.process_time() - start
    again = l2s.GaussEmbed(**chosen, lapse=0.0, random_state=model.random_state)
    return {
        **{f"chosen_{name}": value for name, value in chosen.items()},
        "trials": len(model.trials_),
        "tuning_cpu_seconds": seconds,
        **judged(lambda: again.fit(part.train, n_items=part.n_items), part.test),
    }


def fit_cases(folds: list[Row], methods: tuple[str, ...], dimensions: tuple[int, ...]) -> list[Row]:
    return [
        {**fold, "library": "learn2search", "method": method, "d": d}
        for fold in folds
        for method in methods
        for d in dimensions
    ]


def measure_folds(study: Study) -> None:
    """What matters most first."""
    artists, food = ([fold for fold in all_folds(study.quick) if fold["dataset"] == name] for name in DATASETS)
    study.measure(FIT, fit, fit_cases(artists, tuple(ESTIMATORS), (2,) if study.quick else DIMENSIONS))
    if not study.quick:
        study.measure(TUNED, tuned, [*artists, *food])
    for dimensions in ((10,), DIMENSIONS):
        study.measure(FIT, fit, fit_cases(food, tuple(ESTIMATORS), dimensions))


# --- cost ------------------------------------------------------------------------------------------


def random_triplets(n: int, count: int, seed: int) -> Array:
    generator = np.random.default_rng(seed)
    anchor, near, far = (generator.integers(0, n - drawn, count) for drawn in range(3))
    near += near >= anchor
    far += far >= np.minimum(anchor, near)
    far += far >= np.maximum(anchor, near)
    return np.column_stack([anchor, near, far])


def epoch(n: int, d: int, triplets: int, repeats: int) -> Row:
    """CPU seconds of one epoch: the difference between fits of 3 epochs and of 1, the least of a few."""
    rows = random_triplets(n, triplets, 0)

    def took(epochs: int) -> float:
        start = time.process_time()
        l2s.GaussEmbed(d, epochs=epochs, lapse=0.0, random_state=0).fit(rows, n_items=n)
        return time.process_time() - start

    took(1)
    return {"seconds": min((took(3) - took(1)) / 2 for _ in range(repeats))}


def measure_scaling(study: Study) -> None:
    """In the number of triplets, of axes, of items; and memory."""
    counts = (10_000, 30_000) if study.quick else (10_000, 30_000, 100_000, 300_000, 1_000_000)
    dimensions = (2, 8) if study.quick else (2, 4, 8, 16, 32, 64, 128, 200)
    sizes = (100,) if study.quick else (100, 10_000, 100_000)
    cases = [
        *({"n": 1000, "d": 10, "triplets": count, "repeats": 5} for count in counts),
        *({"n": 1000, "d": d, "triplets": 100_000, "repeats": 5} for d in dimensions),
        *({"n": n, "d": 10, "triplets": 1_000_000, "repeats": 3} for n in sizes),
    ]
    study.measure(EPOCH, epoch, cases)
    n, d, count = (1000, 5, 20_000) if study.quick else (100_000, 20, 2_000_000)
    study.measure(MEMORY, measured_memory, [{"n": n, "d": d, "triplets": count}])


def measured_memory(n: int, d: int, triplets: int) -> Row:
    return in_new_process(memory_of_fit, n, d, triplets)


def memory_of_fit(n: int, d: int, triplets: int) -> Row:
    """Peak memory of a fit above that before it, over parameters and triplets."""
    l2s.GaussEmbed(d, lapse=0.0, epochs=1).fit(random_triplets(50, 100, 0))
    rows = random_triplets(n, triplets, 0)
    memory.begin_new_peak()
    before = memory.peak()
    model = l2s.GaussEmbed(d, epochs=1, lapse=0.0, random_state=0).fit(rows, n_items=n)
    used = memory.peak() - before + rows.nbytes
    needed = model.embedding_.nbytes + model.variance_.nbytes + rows.nbytes
    return {"bytes": used, "parameters_and_triplets": needed, "ratio": used / needed}


# --- truth, dimension, online ----------------------------------------------------------------------


def synthetic(n: int, d: int, count: int, seed: int) -> tuple[Array, Array, Array]:
    """Normal features, triplets with 10% flips, held-out ones; separate streams."""
    features = np.random.default_rng(seed).normal(size=(n, d))
    noise = l2s.calibrate_noise(l2s.random_margins(features, seed=seed + 1), 0.1)
    made = [
        l2s.make_triplets(l2s.ProbitOracle(features, noise, seed=seed + 2 + at), n, size, seed=seed + 4 + at)
        for at, size in ((0, count), (1, 20_000))
    ]
    return features, made[0], made[1]


def truth(n: int, d: int, triplets: int, repetition: int) -> Row:
    """How near the truth a fit comes, and how many axes are found."""
    seed = 100 * repetition
    features, train, held_out = synthetic(n, d, triplets, seed)
    model = l2s.GaussEmbed(d, lapse=0.0, random_state=seed).fit(train, n_items=n)
    automatic = l2s.GaussEmbed("auto", lapse=0.0, random_state=seed).fit(train, n_items=n)
    return {
        "true_features": l2s.metrics.accuracy(features, held_out),
        "gauss": model.score(held_out),
        "auto": automatic.score(held_out),
        "auto_dimension": automatic.embedding_.shape[1],
        "energy_dimension": l2s.choose_dimension(train, "energy", n_items=n, random_state=seed),
        "procrustes": l2s.metrics.procrustes(features, model.embedding_).error,
        "calibration_error": l2s.metrics.calibration_curve(model.predict_proba(held_out)).error,
    }


def online(n: int, d: int, triplets: int, repetition: int) -> Row:
    """A fit on 90%, and the rest online."""
    seed = 100 * repetition
    _, train, held_out = synthetic(n, d, triplets, seed)
    cut = int(0.9 * triplets)
    streamed = l2s.GaussEmbed(d, lapse=0.0, random_state=seed).fit(train[:cut], n_items=n)
    before = streamed.score(held_out)
    streamed.partial_fit(train[cut:])
    many = random_triplets(n, 1_000_000, seed)
    throwaway = l2s.GaussEmbed(d, epochs=1, lapse=0.0, random_state=seed).fit(train[:cut], n_items=n)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        throwaway.partial_fit(many)
        seconds.append(time.process_time() - start)
    return {
        "batch_on_all": l2s.GaussEmbed(d, lapse=0.0, random_state=seed).fit(train, n_items=n).score(held_out),
        "batch_on_90": before,
        "rest_online": streamed.score(held_out),
        "online_triplets_a_second": len(many) / min(seconds),
    }


def measure_recovery(study: Study) -> None:
    n, d, count = (100, 3, 10_000) if study.quick else (1600, 11, 200_000)
    repetitions = range(study.repetitions or (1 if study.quick else 3))
    cases = [{"n": n, "d": d, "triplets": count, "repetition": number} for number in repetitions]
    study.measure(TRUTH, truth, cases)
    study.measure(ONLINE, online, cases)


# --- beside cblearn --------------------------------------------------------------------------------


def race(dataset: str, split: str, fold: int) -> list[Row]:
    """cblearn's t-STE and CKL, and ours, on one fold, measured in turn; CPU seconds of one thread."""
    part, rows = load_fold(dataset, split, fold), []
    for method in ("tste", "ckl"):
        for library, measure in (("cblearn", peer_fit), ("learn2search", fit)):
            found = measure(dataset, split, fold, library, method, 10)
            rows.append({"library": library, "method": method, "d": 10} | found)
    racers = [
        ("gauss, empirical", l2s.GaussEmbed(10, lapse=0.0, random_state=fold)),
        ("gauss, empirical", l2s.GaussEmbed(30, lapse=0.0, random_state=fold)),
        ("gauss, ratio", l2s.GaussEmbed(20, link="ratio", kappa=3.5, lapse=0.0, random_state=fold)),
    ]
    for method, model in racers:
        found = judged(partial(model.fit, part.train, n_items=part.n_items), part.test)
        rows.append({"library": "learn2search", "method": method, "d": model.n_components} | found)
    return rows


def measure_race(study: Study) -> None:
    folds = [{"dataset": dataset, "split": "row", "fold": fold} for dataset in DATASETS for fold in range(3)]
    study.measure(RACE, race, [] if study.quick else folds)


MEASUREMENTS: dict[str, Callable[[Study], None]] = {
    "recovery": measure_recovery,
    "folds": measure_folds,
    "scaling": measure_scaling,
    "race": measure_race,
}
PARTS = tuple(MEASUREMENTS)


def run(study: Study) -> None:
    for part, measure in MEASUREMENTS.items():
        if study.wants(part):
            measure(study)


def report(results: Results) -> None:
    from research.embeddings_tables import print_tables

    print_tables(results)


if __name__ == "__main__":
    main("embeddings")
