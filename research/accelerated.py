"""GaussEmbed on an accelerator: triplets a second, memory, and how soon it is how good. All answers are simulated.

    python -m research.accelerated                # 100k and 1M, results/accelerated.json
    python -m research.accelerated --size 100k    # 100,000 items, 20 million triplets
    python -m research.accelerated --size 1M      # 1,000,000 items, 100 million triplets
    python -m research.accelerated --size tiny --out FILE    # seconds, also on a CPU
    python -m research.accelerated --estimator    # whole fits by GaussEmbed(device="auto"), from NumPy to NumPy

Needs NumPy, SciPy and JAX only, and the package need not be installed (PYTHONPATH=src). Features are normal, d = 20;
three different items at random are a question, and the answer is the probit model's, with the noise at which the true
features predict 90.4% of the answers. What is learnt is judged on 200,000 answers of its own. GaussEmbed imports numba
for its way on the CPU; where it is missing, `--estimator` puts an empty stand-in for it, since a GPU runs none of that.
"""

import argparse
import json
import math
import platform
import sys
import time
import types
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special

from learn2search import accelerated

SIZES = {"tiny": (300, 5, 60_000), "100k": (100_000, 20, 20_000_000), "1M": (1_000_000, 20, 100_000_000)}  # n, d, m
HELD_OUT = 200_000
CHUNK = 5_000_000  # triplets made at once
# The margin of random normal items is N(0, 1.5) in any dimension, so E Φ(|m|/σ) = 1/2 + arctan(√1.5/σ)/π.
NOISE = math.sqrt(1.5) / math.tan(math.pi * (0.904 - 0.5))
LEVELS = (-0.6, -0.5, -0.4, -0.35, -0.32, -0.3, -0.29, -0.28, -0.27, -0.26)  # of held-out log-likelihood


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


def margins(places: jax.Array, rows: jax.Array) -> jax.Array:
    anchor, near, far = (places[rows[:, role]] for role in range(3))
    u = near - far
    return jnp.sum(u * (anchor - 0.5 * (near + far)), axis=1) / jnp.linalg.norm(u, axis=1)


# --- judging -----------------------------------------------------------------------------------------


def judge(nu: np.ndarray, log_sd: np.ndarray, rows: np.ndarray) -> dict[str, float]:
    """Share of triplets that the means satisfy, and the mean log-likelihood as GaussEmbed predicts it: log Φ(m/S),
    r² = |u|² + tr(ψ_near + ψ_far), S² = 1 + the variance of the margin to first order. NumPy, not what is measured."""
    anchor, near, far = nu[rows.T]
    spread_anchor, spread_near, spread_far = np.exp(2 * log_sd)[rows.T]
    u, c = near - far, anchor - 0.5 * (near + far)
    r = np.sqrt(np.sum(u * u + spread_near + spread_far, axis=1, keepdims=True))
    w = u / r
    m = np.sum(w * c, axis=1, keepdims=True)
    g = (c - m * w) / r
    parts = w**2 * spread_anchor + (g - 0.5 * w) ** 2 * spread_near + (g + 0.5 * w) ** 2 * spread_far
    log_p = special.log_ndtr(m[:, 0] / np.sqrt(1.0 + np.sum(parts, axis=1)))
    return {"held_out_accuracy": float(np.mean(m > 0)), "held_out_log_likelihood": float(np.mean(log_p))}


class Trajectory:
    """What was known after each epoch, and after how many seconds of climbing; judging is not counted."""

    def __init__(self, held_out: np.ndarray) -> None:
        self.held_out, self.points = held_out, []
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
        return np.diff([point["seconds"] for point in self.points]).tolist()


# --- measuring ---------------------------------------------------------------------------------------


def measure(size: str, epochs: int, steps: int, learning_rate: float) -> dict:
    n, d, m = SIZES[size]
    device = jax.devices()[0]
    features_key, train_key, held_out_key = jax.random.split(jax.random.key(0), 3)
    features = jax.random.normal(features_key, (n, d))
    rows, held_out = make_rows(train_key, features, m), np.asarray(make_rows(held_out_key, features, HELD_OUT))
    truth = judge(np.asarray(features) / NOISE, np.full((n, d), -np.inf, np.float32), held_out)
    start = 0.1 * np.random.default_rng(1).standard_normal((n, d)), np.zeros((n, d))
    fit = partial(accelerated.optimize, rows, *start, batch_size=-(-m // steps), learning_rate=learning_rate, seed=2)
    jax.block_until_ready(rows)
    memory_before = peak_memory(device)

    first, second = seconds_of(partial(fit, epochs=1)), seconds_of(partial(fit, epochs=1))
    trajectory = Trajectory(held_out)
    fit(epochs=epochs, after_epoch=trajectory)
    whole = seconds_of(partial(fit, epochs=epochs))
    epoch = float(np.median(trajectory.epoch_seconds()))
    return {
        "items": n,
        "dimensions": d,
        "triplets": m,
        "settings": {"epochs": epochs, "steps": steps, "learning-rate": learning_rate},
        "triplets_a_second": m / epoch,
        "epoch_seconds": {"median": epoch, "all but the first": trajectory.epoch_seconds()},
        "compile_seconds": first - second,
        "whole_fit_seconds": whole,
        "whole_fit_triplets_a_second": epochs * m / whole,
        "peak_memory_bytes": peak_memory(device),
        "peak_memory_bytes_before_the_fit": memory_before,
        "parameter_and_triplet_bytes": 2 * 4 * n * d + 3 * 4 * m,
        **{what: trajectory.points[-1][what] for what in truth},
        "true_features": truth,
        "seconds_to_held_out_log_likelihood": {str(level): trajectory.seconds_to(level) for level in LEVELS},
        "trajectory": trajectory.points,
    }


def measure_estimator(size: str, epochs: int, steps: int, learning_rate: float) -> dict:
    """A whole fit by the estimator: the second, so that compiling is not counted."""
    if find_spec("numba") is None:
        stand_in = types.ModuleType("numba")
        stand_in.njit = lambda **_: lambda function: function
        sys.modules["numba"] = stand_in
    from learn2search import GaussEmbed

    n, d, m = SIZES[size]
    features_key, train_key, held_out_key = jax.random.split(jax.random.key(0), 3)
    features = jax.random.normal(features_key, (n, d))
    rows, held_out = (
        np.asarray(make_rows(key, features, count), np.int64)
        for key, count in ((train_key, m), (held_out_key, HELD_OUT))
    )
    settings = {"epochs": epochs, "learning_rate": learning_rate, "batch_size": -(-m // steps)}
    model = GaussEmbed(d, device="auto", random_state=2, **settings)
    first, second = (seconds_of(partial(model.fit, rows, n_items=n)) for _ in range(2))
    return {
        "items": n,
        "dimensions": d,
        "triplets": m,
        "settings": {"epochs": epochs, "steps": steps, "learning-rate": learning_rate},
        "first_fit_seconds": first,
        "fit_seconds": second,
        **judge(model.embedding_, 0.5 * np.log(model.variance_), held_out),
    }


def seconds_of(call: partial) -> float:
    since = time.perf_counter()
    call()
    return time.perf_counter() - since


def peak_memory(device: jax.Device) -> int | None:
    """The most memory in use on the device so far, where the device tells."""
    return (device.memory_stats() or {}).get("peak_bytes_in_use")


def environment() -> dict:
    device = jax.devices()[0]
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "jax": jax.__version__,
        "platform": device.platform,
        "device": device.device_kind,
        "driver": getattr(device.client, "platform_version", ""),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, action="append", help="may be repeated; by default 100k and 1M")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "accelerated.json")
    parser.add_argument("--estimator", action="store_true", help='measure GaussEmbed(device="auto") instead')
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--steps", type=int, default=40, help="steps an epoch")
    parser.add_argument("--learning-rate", type=float, default=0.2)
    options = parser.parse_args()
    cells = json.loads(options.out.read_text())["cells"] if options.out.exists() else {}
    for size in options.size or ["100k", "1M"]:
        pace = (options.epochs, options.steps, options.learning_rate)
        measured = measure_estimator(size, *pace) if options.estimator else measure(size, *pace)
        cell = {"environment": environment()} | measured
        name, flag = (f"{size} estimator", " --estimator") if options.estimator else (size, "")
        cells[name] = {"command": command(size, cell["settings"]) + flag, "finished": now()} | cell
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps({"cells": cells}, indent=1) + "\n")
        print(json.dumps(measured) if options.estimator else summary(size, cell), flush=True)


def command(size: str, settings: dict) -> str:
    options = {"size": size, **{name: settings[name] for name in ("epochs", "steps", "learning-rate")}}
    return " ".join(["python -m research.accelerated", *(f"--{name} {value}" for name, value in options.items())])


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def summary(size: str, cell: dict) -> str:
    memory = f"{cell['peak_memory_bytes'] / 1e9:.2f} GB" if cell["peak_memory_bytes"] else "unknown"
    truth = cell["true_features"]
    return (
        f"{size}: {cell['triplets_a_second'] / 1e6:.1f} million triplets a second on {cell['environment']['device']}, "
        f"held-out accuracy {cell['held_out_accuracy']:.4f} (true features {truth['held_out_accuracy']:.4f}), "
        f"log-likelihood {cell['held_out_log_likelihood']:.4f}, whole fit {cell['whole_fit_seconds']:.2f} s, "
        f"compiling {cell['compile_seconds']:.1f} s, peak memory {memory}"
    )


if __name__ == "__main__":
    main()
