"""Fits cblearn's estimators, in the environment of the peers: it needs NumPy and cblearn, and not learn2search.

`peers.py` starts it. A line of JSON on stdin is a job, the answer a line of JSON on stdout; it ends with its input.
The first line that it writes names the versions.

    {"fold": "fold.npz", "estimator": "TSTE", "options": {"n_components": 10, "random_state": 0}}
    {"accuracy": 0.85, "nll": 0.34, "cpu_seconds": 14.1, "wall_seconds": 14.3, "iterations": 123, ...}
"""

import json
import platform
import sys
import time
from importlib.metadata import version
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
PACKAGES = ("cblearn", "numpy", "scipy", "scikit-learn")


def squared_distances(points: Array, triplets: Array) -> tuple[Array, Array]:
    """|anchor - near|² and |anchor - far|² of each triplet."""
    anchor, near, far = (points[triplets[:, column]] for column in range(3))
    return ((anchor - near) ** 2).sum(axis=1), ((anchor - far) ** 2).sum(axis=1)


def tste_losses(near: Array, far: Array, n_components: int) -> Array:
    """-log P, P = k(near) / (k(near) + k(far)) with the Student kernel k(d²) = (1 + d²/α)^(-(α+1)/2).

    cblearn takes α = D - 1, and 1 for D = 1.
    """
    alpha = max(n_components - 1, 1)
    return np.logaddexp(0, (alpha + 1) / 2 * (np.log1p(near / alpha) - np.log1p(far / alpha)))


def ckl_losses(near: Array, far: Array, mu: float) -> Array:
    """-log P, P = (μ + d²_far) / (2μ + d²_near + d²_far); cblearn's μ is 0 unless set."""
    return np.log(2 * mu + near + far) - np.log(mu + far)


def held_out_nll(estimator: Any, near: Array, far: Array) -> float | None:
    """Mean -log P in the estimator's own model; None for SOE, which has no probabilities."""
    name = type(estimator).__name__
    if name == "TSTE":
        return float(tste_losses(near, far, estimator.n_components).mean())
    if name == "CKL":
        return float(ckl_losses(near, far, estimator.mu).mean())
    return None


def measure(estimator: Any, train: Array, test: Array, n_items: int) -> dict[str, Any]:
    """Fit on train, score on test; the seconds are those of the fit alone."""
    cpu, wall = time.process_time(), time.perf_counter()
    estimator.fit(train, n_objects=n_items)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    near, far = squared_distances(estimator.embedding_, test)
    return {
        "accuracy": float(np.mean(near < far)),
        "nll": held_out_nll(estimator, near, far),
        "cpu_seconds": cpu,
        "wall_seconds": wall,
        "iterations": int(estimator.n_iter_),  # of the best start, where there are several
        "max_iterations": int(estimator.max_iter),
        "train": len(train),
        "test": len(test),
    }


def main() -> None:
    from cblearn import embedding  # the first import takes seconds: it must not count as fitting

    def make(name: str, options: dict[str, Any]) -> Any:
        return getattr(embedding, name)(**options)

    few = np.array([(0, 1, 2), (1, 2, 0), (2, 1, 0)])
    for name in ("CKL", "TSTE", "SOE"):  # what the first fit loads is not fitting, either
        make(name, {"random_state": 0}).fit(few, n_objects=3)
    versions = {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        with np.load(job["fold"]) as fold:
            train, test, n_items = fold["train"], fold["test"], int(fold["n_items"])
        print(json.dumps(measure(make(job["estimator"], job["options"]), train, test, n_items)), flush=True)


if __name__ == "__main__":
    main()
