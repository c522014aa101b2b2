"""Embeddings from triplets: how well they predict, how fast they learn (the supplement's comparison, and more).

    python -m research.embeddings            # about 40 minutes on two cores; goes on where it was stopped
    python -m research.embeddings --quick    # a minute, results/embeddings-quick.json
    python -m research.peers                 # cblearn's estimators on the same folds, results/peers.json

Ten folds of Music artists and of Food, by row as in the papers and by screen (embedding_folds.py). `tuned` is chosen
anew inside every training part, by rows where the folds are by row and by screens where they are by screen. Then, on
synthetic data: cost per epoch against triplets and axes, memory, closeness to the truth, the dimension, online steps;
and seconds of a fit beside cblearn's t-STE, measured in turn.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import learn2search as l2s
from research.embedding_folds import DATASETS, N_FOLDS, SPLITS, fold
from research.embeddings_report import report
from research.recording import Recording

DIMENSIONS = (2, 5, 10, 20, 30)
ESTIMATORS: dict[str, Callable[[int, int], Any]] = {
    "gauss, paper": lambda d, seed: l2s.GaussEmbed(d, prior="standard", random_state=seed),
    "gauss, empirical": lambda d, seed: l2s.GaussEmbed(d, random_state=seed),
    "gauss, ratio": lambda d, seed: l2s.GaussEmbed(d, link="ratio", kappa=2.5, random_state=seed),
    "tste": lambda d, seed: l2s.TSTE(d, random_state=seed),
    "ckl": lambda d, seed: l2s.CKL(d, random_state=seed),
}


# --- folds -----------------------------------------------------------------------------------------


def judged(fit: Callable[[], Any], test: np.ndarray) -> dict[str, Any]:
    start = time.process_time()
    model = fit()
    seconds = time.process_time() - start
    return {"accuracy": model.score(test), "nll": -model.log_likelihood(test), "cpu_seconds": seconds}


def fixed_cell(dataset: str, split: str, number: int, name: str, d: int) -> dict[str, Any]:
    part = fold(dataset, split, number)
    return judged(lambda: ESTIMATORS[name](d, number).fit(part.train, n_items=part.n_items), part.test)


def tuned_cell(dataset: str, split: str, number: int) -> dict[str, Any]:
    """Chosen inside the training part; the seconds of the choice, and of a fit with what was chosen."""
    part = fold(dataset, split, number)
    groups = "rows" if split == "row" else part.train_groups
    start = time.process_time()
    options = {"n_splits": 3 if dataset == "artists" else 1, "random_state": number}
    model = l2s.tune(part.train, groups=groups, n_items=part.n_items, **options)
    chosen = {name: model.get_params()[name] for name in model.trials_[0].parameters}
    result = {"chosen": chosen, "trials": len(model.trials_), "tuning_cpu_seconds": time.process_time() - start}
    again = l2s.GaussEmbed(**chosen, random_state=model.random_state)
    return result | judged(lambda: again.fit(part.train, n_items=part.n_items), part.test)


def folds(record: Recording, quick: bool) -> None:
    """What matters most first; fold by fold, so that whatever is missing in the end is missing for all."""
    numbers = range(2 if quick else N_FOLDS)
    for dataset in DATASETS[: 1 if quick else 2]:
        for split in SPLITS:
            for number in numbers:
                for name in ESTIMATORS if dataset == "artists" else ():
                    for d in (2,) if quick else DIMENSIONS:
                        fixed(record, dataset, split, number, name, d)
                if not quick:
                    key = f"{dataset} | {split} | tuned | fold {number}"
                    record.cell(key, lambda at=(dataset, split, number): tuned_cell(*at))
    for dimensions in () if quick else ((10,), DIMENSIONS):
        for number in numbers:
            for split in SPLITS:
                for name in ESTIMATORS:
                    for d in dimensions:
                        fixed(record, "food", split, number, name, d)


def fixed(record: Recording, dataset: str, split: str, number: int, name: str, d: int) -> None:
    key = f"{dataset} | {split} | {name} | D={d} | fold {number}"
    record.cell(key, lambda: fixed_cell(dataset, split, number, name, d))


# --- cost ------------------------------------------------------------------------------------------


def random_triplets(n: int, count: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    anchor, near, far = (generator.integers(0, n - drawn, count) for drawn in range(3))
    near += near >= anchor
    far += far >= np.minimum(anchor, near)
    far += far >= np.maximum(anchor, near)
    return np.column_stack([anchor, near, far])


def epoch_seconds(n: int, d: int, count: int, repeats: int) -> float:
    """CPU seconds of one epoch: the difference between fits of 3 epochs and of 1, the least of a few."""
    rows = random_triplets(n, count, 0)

    def took(epochs: int) -> float:
        start = time.process_time()
        l2s.GaussEmbed(d, epochs=epochs, random_state=0).fit(rows, n_items=n)
        return time.process_time() - start

    took(1)
    return min((took(3) - took(1)) / 2 for _ in range(repeats))


def scaling(record: Recording, quick: bool) -> None:
    for count in (10_000, 30_000) if quick else (10_000, 30_000, 100_000, 300_000, 1_000_000):
        record.cell(f"epoch | n=1000 d=10 m={count}", lambda count=count: epoch_seconds(1000, 10, count, 5))
    for d in (2, 8) if quick else (2, 4, 8, 16, 32, 64, 128, 200):
        record.cell(f"epoch | n=1000 d={d} m=100000", lambda d=d: epoch_seconds(1000, d, 100_000, 5))
    for n in (100,) if quick else (100, 10_000, 100_000):
        record.cell(f"epoch | n={n} d=10 m=1000000", lambda n=n: epoch_seconds(n, 10, 1_000_000, 3))


def memory_cell(n: int, d: int, count: int) -> dict[str, float]:
    """Peak memory of a fit above that before it, in a process of its own, over parameters + triplets."""
    program = f"""
import resource
import numpy as np
import learn2search as l2s
from research.embeddings import random_triplets
l2s.GaussEmbed({d}, epochs=1).fit(random_triplets(50, 100, 0))
rows = random_triplets({n}, {count}, 0)
with open("/proc/self/clear_refs", "w") as file: file.write("5")
def peak(): return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
model = l2s.GaussEmbed({d}, epochs=1, random_state=0).fit(rows, n_items={n})
print(1024 * (peak() - before) + rows.nbytes, model.embedding_.nbytes + model.variance_.nbytes + rows.nbytes)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    used, needed = map(int, done.stdout.split())
    return {"bytes": used, "parameters_and_triplets": needed, "ratio": used / needed}


# --- truth, dimension, online ----------------------------------------------------------------------


def synthetic(n: int, d: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Normal features, triplets with 10% flips, held-out ones; separate streams."""
    features = np.random.default_rng(seed).normal(size=(n, d))
    noise = l2s.calibrate_noise(l2s.random_margins(features, seed=seed + 1), 0.1)
    made = [
        l2s.make_triplets(l2s.ProbitOracle(features, noise, seed=seed + 2 + at), n, size, seed=seed + 4 + at)
        for at, size in ((0, count), (1, 20_000))
    ]
    return features, made[0], made[1]


def truth_cell(n: int, d: int, count: int, seed: int) -> dict[str, Any]:
    features, train, held_out = synthetic(n, d, count, seed)
    model = l2s.GaussEmbed(d, random_state=seed).fit(train, n_items=n)
    automatic = l2s.GaussEmbed("auto", random_state=seed).fit(train, n_items=n)
    return {
        "true features": l2s.metrics.accuracy(features, held_out),
        "gauss": model.score(held_out),
        "auto": automatic.score(held_out),
        "auto dimension": automatic.embedding_.shape[1],
        "energy dimension": l2s.choose_dimension(train, "energy", n_items=n, random_state=seed),
        "procrustes": l2s.metrics.procrustes(features, model.embedding_).error,
        "calibration error": l2s.metrics.calibration_curve(model.predict_proba(held_out)).error,
    }


def online_cell(n: int, d: int, count: int, seed: int) -> dict[str, float]:
    _, train, held_out = synthetic(n, d, count, seed)
    cut = int(0.9 * count)
    streamed = l2s.GaussEmbed(d, random_state=seed).fit(train[:cut], n_items=n)
    before = streamed.score(held_out)
    streamed.partial_fit(train[cut:])
    many = random_triplets(n, 1_000_000, seed)
    throwaway = l2s.GaussEmbed(d, epochs=1, random_state=seed).fit(train[:cut], n_items=n)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        throwaway.partial_fit(many)
        seconds.append(time.process_time() - start)
    return {
        "batch on all": l2s.GaussEmbed(d, random_state=seed).fit(train, n_items=n).score(held_out),
        "batch on 90%": before,
        "and the rest online": streamed.score(held_out),
        "online triplets a second": len(many) / min(seconds),
    }


def recover(record: Recording, quick: bool) -> None:
    n, d, count = (100, 3, 10_000) if quick else (1600, 11, 200_000)
    for seed in range(1 if quick else 3):
        record.cell(f"truth | n={n} d={d} m={count} | {seed}", lambda seed=seed: truth_cell(n, d, count, 100 * seed))
        record.cell(f"online | n={n} d={d} m={count} | {seed}", lambda seed=seed: online_cell(n, d, count, 100 * seed))


# --- beside cblearn --------------------------------------------------------------------------------


def race_cell(dataset: str, split: str, number: int) -> dict[str, Any]:
    """cblearn's t-STE, and ours, on one fold, measured in turn; CPU seconds of one thread."""
    from research.peers import peer_cell

    part = fold(dataset, split, number)
    result = {}
    for name, d in (("tste", 10), ("ckl", 10)):
        result[f"cblearn {name} D={d}"] = peer_cell(dataset, split, number, name, d)
        result[f"{name} D={d}"] = fixed_cell(dataset, split, number, name, d)
    racers = {
        "gauss, empirical D=10": l2s.GaussEmbed(10, random_state=number),
        "gauss, empirical D=30": l2s.GaussEmbed(30, random_state=number),
        "gauss, ratio D=20": l2s.GaussEmbed(20, link="ratio", kappa=3.5, random_state=number),
    }
    for name, model in racers.items():
        result[name] = judged(lambda model=model: model.fit(part.train, n_items=part.n_items), part.test)
    return result


def race(record: Recording) -> None:
    for dataset in DATASETS:
        for number in range(3):
            record.cell(f"race | {dataset} | row | fold {number}", lambda at=(dataset, "row", number): race_cell(*at))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, about a minute")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--only", choices=("folds", "scaling", "recover", "race"), help="one part")
    arguments = parser.parse_args()
    quick = arguments.quick
    name = "embeddings" + ("-quick" if quick else "")
    record = Recording(name, "python -m research.embeddings" + (" --quick" if quick else ""), arguments.fresh)
    parts: dict[str, Callable[[], None]] = {
        "recover": lambda: recover(record, quick),
        "folds": lambda: folds(record, quick),
        "scaling": lambda: scaling(record, quick),
        "race": (lambda: None) if quick else (lambda: race(record)),
    }
    for part, measure in parts.items():
        if arguments.only in (None, part):
            measure()
    if arguments.only in (None, "scaling"):
        n, d, count = (1000, 5, 20_000) if quick else (100_000, 20, 2_000_000)
        record.cell(f"memory | n={n} d={d} m={count}", lambda: memory_cell(n, d, count))
    report(record.cells)


if __name__ == "__main__":
    main()
