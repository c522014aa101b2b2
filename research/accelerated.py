"""GaussEmbed on an accelerator: triplets a second, memory, and how soon it is how good. All answers are simulated.

    python -m research.accelerated           # 300 items, seconds, also on a CPU
    python -m research.accelerated --full    # 100,000 to 10 million items, 20 million to a billion triplets

"optimizer" is the optimiser alone, on triplets that are on the device already, from a random or from the spectral
start; "estimator" are whole fits by GaussEmbed(device="auto"), from NumPy to NumPy, which begins as it chooses. Needs
NumPy, SciPy and JAX only, and learn2search need not be installed (PYTHONPATH=src). Features are normal, d = 20; three
different items at random are a question, and the answer is the probit model's, with the noise at which the true
features predict 90.4% of the answers. What is learnt is judged on 200,000 answers of its own. GaussEmbed imports numba
for its way on the CPU; where it is missing, "estimator" puts an empty stand-in for it, since a GPU runs none of that.
"""

import math
import sys
import time
import types
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special

from learn2search import accelerated
from research import Array
from research.rows import Columns, Results, Row, Table
from research.study import Study, main

SIZES = {  # items, dimensions, triplets
    "tiny": (300, 5, 60_000),
    "100k": (100_000, 20, 20_000_000),
    "1M": (1_000_000, 20, 100_000_000),
    "5M": (5_000_000, 20, 500_000_000),
    "10M": (10_000_000, 20, 1_000_000_000),
}
HELD_OUT = 200_000
CHUNK = 5_000_000  # triplets made at once
# The margin of random normal items is N(0, 1.5) in any dimension, so E Φ(|m|/σ) = 1/2 + arctan(√1.5/σ)/π.
NOISE = math.sqrt(1.5) / math.tan(math.pi * (0.904 - 0.5))
WAYS = ("optimizer", "estimator")
STARTS = ("random", "spectral", "own")
SETTINGS: Columns = {
    "way": WAYS,
    "size": tuple(SIZES),
    "start": STARTS,
    "epochs": int,
    "steps": int,
    "learning_rate": float,
}
FIT = Table("accelerated", "fit", SETTINGS)
EPOCH = Table("accelerated", "epoch", {**SETTINGS, "epoch": int})
LEVELS = (-0.6, -0.5, -0.4, -0.35, -0.32, -0.3, -0.29, -0.28, -0.27, -0.26)  # of held-out log-likelihood
LEVEL = Table("accelerated", "seconds to level", {**SETTINGS, "level": LEVELS})


# --- simulated answers -------------------------------------------------------------------------------


def make_rows(key: jax.Array, features: jax.Array, count: int) -> jax.Array:
    """Triplets `(count, 3)`, a chunk at a time: the last one is cut."""
    chunk = min(CHUNK, count)
    parts = [make_chunk(part, features, chunk) for part in jax.random.split(key, -(-count // chunk))]
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts)[:count]


@partial(jax.jit, static_argnums=2)
def make_chunk(key: jax.Array, features: jax.Array, count: int) -> jax.Array:
    """Three different items at random, in the order of a noisy answer."""
    n = len(features)
    keys = jax.random.split(key, 4)
    anchor, one, two = (jax.random.randint(keys[role], (count,), 0, n - role) for role in range(3))
    one += one >= anchor  # uniform among the others
    two += two >= jnp.minimum(anchor, one)
    two += two >= jnp.maximum(anchor, one)
    chosen = margins(features, jnp.stack([anchor, one, two], axis=1)) > NOISE * jax.random.normal(keys[3], (count,))
    return jnp.stack([anchor, jnp.where(chosen, one, two), jnp.where(chosen, two, one)], axis=1)


def margins(positions: jax.Array, rows: jax.Array) -> jax.Array:
    anchor, near, far = (positions[rows[:, role]] for role in range(3))
    u = near - far
    margin: jax.Array = jnp.sum(u * (anchor - 0.5 * (near + far)), axis=1) / jnp.linalg.norm(u, axis=1)
    return margin


# --- judging -----------------------------------------------------------------------------------------


def judge(nu: Array, log_sd: Array, rows: Array) -> dict[str, float]:
    """Share of triplets that the means satisfy, and the mean log-likelihood as GaussEmbed predicts it: log Φ(m/S),
    r² = |u|² + tr(ψ_near + ψ_far), S² = 1 + the variance of the margin to first order. NumPy, not what is measured."""
    anchor, near, far = nu[rows.T]
    spread_anchor, spread_near, spread_far = np.exp(2 * log_sd[rows.T])
    u, c = near - far, anchor - 0.5 * (near + far)
    r = np.sqrt(np.sum(u * u + spread_near + spread_far, axis=1, keepdims=True))
    w = u / r
    m = np.sum(w * c, axis=1, keepdims=True)
    g = (c - m * w) / r
    parts = w**2 * spread_anchor + (g - 0.5 * w) ** 2 * spread_near + (g + 0.5 * w) ** 2 * spread_far
    log_p = special.log_ndtr(m[:, 0] / np.sqrt(1.0 + np.sum(parts, axis=1)))
    return {"held_out_accuracy": float(np.mean(m > 0)), "held_out_log_likelihood": float(np.mean(log_p))}


class Trajectory:
    """What was known after each epoch, and after how many seconds of fitting; judging is not counted."""

    def __init__(self, held_out: Array) -> None:
        self.held_out = held_out
        self.points: list[dict[str, float]] = []
        self.seconds, self.since = 0.0, time.perf_counter()

    def __call__(self, epoch: int, nu: jax.Array, log_sd: jax.Array) -> bool:
        jax.block_until_ready((nu, log_sd))
        self.seconds += time.perf_counter() - self.since
        self.points.append({"seconds": self.seconds} | judge(np.asarray(nu), np.asarray(log_sd), self.held_out))
        self.since = time.perf_counter()
        return False

    def seconds_to(self, level: float) -> float | None:
        reached = (point["seconds"] for point in self.points if point["held_out_log_likelihood"] >= level)
        return next(reached, None)

    def epoch_seconds(self) -> list[float]:
        """Without the first epoch, which also brings the triplets into order."""
        return [after["seconds"] - before["seconds"] for before, after in pairwise(self.points)]


# --- measuring ---------------------------------------------------------------------------------------


def simulated(size: str) -> tuple[jax.Array, jax.Array, Array]:
    """Features, triplets to learn from and held-out ones."""
    n, d, m = SIZES[size]
    features_key, train_key, held_out_key = jax.random.split(jax.random.key(0), 3)
    features = jax.random.normal(features_key, (n, d))
    rows, held_out = make_rows(train_key, features, m), make_rows(held_out_key, features, HELD_OUT)
    return features, rows, np.asarray(held_out)


def fit(way: str, size: str, start: str, epochs: int, steps: int, learning_rate: float) -> list[Row]:
    n, d, m = SIZES[size]
    sizes = {"items": n, "dimensions": d, "triplets": m, **device()}
    if way == "optimizer":
        found = measure_optimizer(size, start, epochs, steps, learning_rate)
    else:
        found = measure_estimator(size, epochs, steps, learning_rate)
    return [sizes | found[0], *found[1:]]


def measure_optimizer(size: str, start: str, epochs: int, steps: int, learning_rate: float) -> list[Row]:
    (n, d, m), (features, rows, held_out) = SIZES[size], simulated(size)
    truth = judge(np.asarray(features) / NOISE, np.full((n, d), -np.inf, np.float32), held_out)
    jax.block_until_ready(rows)
    memory_before = peak_memory()
    first_start, since = seconds_of(partial(begin, start, rows, n, d)), time.perf_counter()
    beginning, start_seconds = begin(start, rows, n, d), time.perf_counter() - since
    optimize = partial(
        accelerated.optimize,
        rows,
        *beginning,
        batch_size=-(-m // steps),
        learning_rate=learning_rate,
        seed=2,
    )
    first, second = seconds_of(partial(optimize, epochs=1)), seconds_of(partial(optimize, epochs=1))
    trajectory = Trajectory(held_out)
    optimize(epochs=epochs, after_epoch=trajectory)
    whole = seconds_of(partial(optimize, epochs=epochs))
    epoch = float(np.median(trajectory.epoch_seconds()))
    summary = {
        "triplets_a_second": m / epoch,
        "median_epoch_seconds": epoch,
        "start_seconds": start_seconds,
        "compile_seconds": first - second + first_start - start_seconds,
        "whole_fit_seconds": whole,
        "whole_fit_triplets_a_second": epochs * m / whole,
        "peak_memory_bytes": peak_memory(),
        "peak_memory_bytes_before_the_fit": memory_before,
        "parameter_and_triplet_bytes": 2 * 4 * n * d + 3 * 4 * m,
        **{what: trajectory.points[-1][what] for what in truth},
        **{f"true_features_{what}": value for what, value in truth.items()},
    }
    levels = [{"table": LEVEL.name, "level": level, "seconds": trajectory.seconds_to(level)} for level in LEVELS]
    points = [{"table": EPOCH.name, "epoch": at, **point} for at, point in enumerate(trajectory.points, start=1)]
    return [summary, *levels, *points]


def begin(start: str, rows: jax.Array, n: int, d: int) -> tuple[Array, Array]:
    """Positions and logarithms of standard deviations to begin with."""
    if start == "spectral":
        return accelerated.spectral_start(rows, n, d, seed=1), np.full((n, d), math.log(0.5), np.float32)
    return 0.1 * np.random.default_rng(1).standard_normal((n, d), np.float32), np.zeros((n, d), np.float32)


def measure_estimator(size: str, epochs: int, steps: int, learning_rate: float) -> list[Row]:
    """A whole fit by the estimator: the second, so that compiling is not counted."""
    if find_spec("numba") is None:
        stand_in: Any = types.ModuleType("numba")
        stand_in.njit = lambda **_: lambda function: function
        sys.modules["numba"] = stand_in
    from learn2search import GaussEmbed

    (n, d, m), (_, triplets, held_out) = SIZES[size], simulated(size)
    rows = np.asarray(triplets, np.int64)
    pace: dict[str, Any] = {"epochs": epochs, "learning_rate": learning_rate, "batch_size": -(-m // steps)}
    model = GaussEmbed(d, device="auto", random_state=2, **pace)
    first, second = (seconds_of(partial(model.fit, rows, n_items=n)) for _ in range(2))
    judged = judge(model.embedding_, 0.5 * np.log(model.variance_), held_out)
    return [{"first_fit_seconds": first, "fit_seconds": second, **judged}]


def seconds_of(call: Callable[[], Any]) -> float:
    since = time.perf_counter()
    call()
    return time.perf_counter() - since


def peak_memory() -> int | None:
    """The most memory in use on the device so far, where the device tells."""
    return (jax.devices()[0].memory_stats() or {}).get("peak_bytes_in_use")


def device() -> Row:
    found = jax.devices()[0]
    driver = getattr(found.client, "platform_version", "")
    return {"device": found.device_kind, "platform": found.platform, "driver": driver}


PACE = {"steps": 40, "learning_rate": 0.2}
PLAN: list[dict[str, Any]] = [
    *({"way": "optimizer", "size": size, "start": "random", "epochs": 40, **PACE} for size in ("100k", "1M")),
    *({"way": "optimizer", "size": size, "start": "spectral", "epochs": 20, **PACE} for size in ("100k", "1M")),
    {"way": "optimizer", "size": "5M", "start": "random", "epochs": 20, **PACE},
    *({"way": "optimizer", "size": size, "start": "spectral", "epochs": 20, **PACE} for size in ("5M", "10M")),
    *({"way": "estimator", "size": size, "start": "own", "epochs": 20, **PACE} for size in ("100k", "1M")),
]
SMALL: list[dict[str, Any]] = [
    {"way": way, "size": "tiny", "start": start, "epochs": 20, **PACE}
    for way, start in (("optimizer", "random"), ("optimizer", "spectral"), ("estimator", "own"))
]
PARTS = WAYS


def run(study: Study) -> None:
    study.measure(FIT, fit, [case for case in (SMALL if study.quick else PLAN) if study.wants(str(case["way"]))])


def report(results: Results) -> None:
    for row in results.select(FIT, way="optimizer"):
        memory = f"{row['peak_memory_bytes'] / 1e9:.2f} GB" if row["peak_memory_bytes"] else "unknown"
        print(
            f"{row['size']}, {row['start']} start, {row['epochs']} epochs of {row['steps']} steps: "
            f"{row['triplets_a_second'] / 1e6:.1f} million triplets a second on {row['device']}, "
            f"held-out accuracy {row['held_out_accuracy']:.4f} "
            f"(true features {row['true_features_held_out_accuracy']:.4f}), "
            f"log-likelihood {row['held_out_log_likelihood']:.4f}, start {row['start_seconds']:.2f} s, "
            f"whole fit {row['whole_fit_seconds']:.2f} s, "
            f"compiling {row['compile_seconds']:.1f} s, peak memory {memory}"
        )
    for row in results.select(FIT, way="estimator"):
        seconds = f"{row['fit_seconds']:.2f} s, the first {row['first_fit_seconds']:.2f} s"
        print(f"{row['size']}, estimator: {seconds}, held-out accuracy {row['held_out_accuracy']:.4f}")


if __name__ == "__main__":
    main("accelerated")
