"""Theorem 1: of all hyperplanes through μ, the one orthogonal to the direction of largest variance tells most.

    argmax_h I[x; y | h] = argmax_w wᵀΣw      (section 4.1; proof in the supplement)

Random beliefs N(μ, Σ) and random unit vectors w. The information gain of the question about two points mirrored at
the hyperplane is measured on samples of the belief, with the library's own answer model, and compared with the
integral of the proof, 1 - E[H(Φ(z))], z ~ N(0, wᵀΣw/σ²).
"""

from pathlib import Path

import numpy as np

import learn2search as l2s
from research.study import COLOURS, Cells, Study, figure, main, rounded

SEED = 1
DIM = 5  # section 6.1
NOISE = 1.0  # the proof's σ, without loss of generality
SAMPLES = 20_000  # of the belief
GRID = np.linspace(-9.0, 9.0, 9001)  # of the integral: beyond, H(Φ(z)) is nothing
TOLERANCE = 0.01  # bits, between samples and integral: the samples have a standard error of up to 0.003


def entropy(p: np.ndarray) -> np.ndarray:
    """Of a coin, in bits."""
    p = np.clip(p, 1e-300, 1 - 1e-16)
    return -(p * np.log2(p) + (1 - p) * np.log2(1 - p))


def integral(variance: float) -> float:
    """1 - E[H(Φ(z))] with z ~ N(0, variance/σ²), by the trapezoidal rule."""
    spread = variance / NOISE**2
    density = np.exp(-(GRID**2) / (2 * spread)) / np.sqrt(2 * np.pi * spread)
    return float(1.0 - np.trapezoid(density * entropy(np.exp(l2s.log_ndtr(GRID))), GRID))


def belief(seed: int) -> dict[str, list[float]]:
    """One random belief: wᵀΣw and gain of random directions, and of the principal axes, the largest last."""
    generator = np.random.default_rng([SEED, seed])
    factor = generator.normal(size=(DIM, DIM)) * generator.gamma(1.0, 1.0, DIM)
    mean, cov = generator.normal(size=DIM), factor @ factor.T + 0.01 * np.eye(DIM)
    directions = generator.normal(size=(20, DIM))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    every = np.concatenate([directions, np.linalg.eigh(cov)[1].T])
    targets = generator.multivariate_normal(mean, cov, SAMPLES)
    gains = [gain(mean, w, targets) for w in every]
    return {"variances": rounded(w @ cov @ w for w in every), "gains": rounded(gains)}


def gain(mean: np.ndarray, w: np.ndarray, targets: np.ndarray) -> float:
    """I[x; y | h] = H(E p) - E H(p), of the pair μ ± w."""
    p = l2s.choice_probability(mean + w, mean - w, targets, NOISE)
    return float(entropy(p.mean(keepdims=True))[0] - entropy(p).mean())


def run(study: Study) -> None:
    count = study.repetitions or (5 if study.quick else 100)
    study.measure(study.record(SEED), belief, {f"belief | {seed}": {"seed": seed} for seed in range(count)})


def points(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """wᵀΣw and gain of all directions of all beliefs, each `(beliefs, directions)`."""
    beliefs = [cell for key, cell in cells.items() if key.startswith("belief")]
    if not beliefs:
        raise KeyError("no belief has been measured")
    variances, gains = (np.array([one[part] for one in beliefs]) for part in ("variances", "gains"))
    return variances, gains


def plot(cells: Cells, path: Path) -> None:
    variances, gains = points(cells)
    shown = slice(None, 20)
    with figure(path, columns=1) as axis:
        axis.plot(variances[shown, :-1].ravel(), gains[shown, :-1].ravel(), ".", ms=2, color=COLOURS["light"])
        axis.plot(variances[shown, -1], gains[shown, -1], "o", color=COLOURS["paper"], label="w* = top eigenvector")
        line = np.geomspace(variances.min(), variances.max(), 100)
        axis.plot(line, [integral(v) for v in line], color=COLOURS["ours"], label="the proof's integral")
        axis.set(xscale="log", xlabel="wᵀΣw / σ²", ylabel="information gain, bits", title="Theorem 1")
        axis.legend()


if __name__ == "__main__":
    main("theorem1")
