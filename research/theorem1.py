"""Theorem 1: of all hyperplanes through μ, the one orthogonal to the direction of largest variance tells most.

    argmax_h I[x; y | h] = argmax_w wᵀΣw      (section 4.1; proof in the supplement)

Random beliefs N(μ, Σ) and random unit vectors w. The information gain of the question about two points mirrored at
the hyperplane is measured on samples of the belief, with the library's own answer model, and compared with the
integral of the proof, 1 - E[H(Φ(z))], z ~ N(0, wᵀΣw/σ²).
"""

from pathlib import Path

import numpy as np

import learn2search as l2s
from research import Array
from research.claims import Claim, Found
from research.drawing import COLOURS, figure
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import rounded

SEED = 1
DIM = 5  # section 6.1
RANDOM = 20  # directions of a belief, before its principal axes
NOISE = 1.0  # the proof's σ, without loss of generality
SAMPLES = 20_000  # of the belief
GRID = np.linspace(-9.0, 9.0, 9001)  # of the integral: beyond, H(Φ(z)) is nothing
GAIN = Table("theorem1", "gain", {"belief": int, "direction": tuple(range(RANDOM + DIM))})
TABLES = (GAIN,)
TOLERANCE = 0.01  # bits, between samples and integral: the samples have a standard error of up to 0.003


def entropy(p: Array) -> Array:
    """Of a coin, in bits."""
    p = np.clip(p, 1e-300, 1 - 1e-16)
    bits: Array = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
    return bits


def integral(variance: float) -> float:
    """1 - E[H(Φ(z))] with z ~ N(0, variance/σ²), by the trapezoidal rule."""
    spread = variance / NOISE**2
    density = np.exp(-(GRID**2) / (2 * spread)) / np.sqrt(2 * np.pi * spread)
    return float(1.0 - np.trapezoid(density * entropy(np.exp(l2s.log_ndtr(GRID))), GRID))


def belief(belief: int) -> list[Row]:
    """One random belief: wᵀΣw and gain of random directions, and of the principal axes, the largest last."""
    generator = np.random.default_rng([SEED, belief])
    factor = generator.normal(size=(DIM, DIM)) * generator.gamma(1.0, 1.0, DIM)
    mean, cov = generator.normal(size=DIM), factor @ factor.T + 0.01 * np.eye(DIM)
    directions = generator.normal(size=(RANDOM, DIM))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    every = np.concatenate([directions, np.linalg.eigh(cov)[1].T])
    targets = generator.multivariate_normal(mean, cov, SAMPLES)
    variances, gains = rounded(w @ cov @ w for w in every), rounded(gain(mean, w, targets) for w in every)
    return [
        {"direction": direction, "variance": variance, "gain": gain}
        for direction, (variance, gain) in enumerate(zip(variances, gains, strict=True))
    ]


def gain(mean: Array, w: Array, targets: Array) -> float:
    """I[x; y | h] = H(E p) - E H(p), of the pair μ ± w."""
    p = l2s.choice_probability(mean + w, mean - w, targets, NOISE)
    return float(entropy(p.mean(keepdims=True))[0] - entropy(p).mean())


def run(study: Study) -> None:
    count = study.repetitions or (5 if study.quick else 100)
    study.measure_many(GAIN, belief, [{"belief": number} for number in range(count)])


def points(results: Results) -> tuple[Array, Array]:
    """wᵀΣw and gain of all directions of all beliefs, each `(beliefs, directions)`."""
    rows = sorted(results.require(GAIN), key=lambda row: (row["belief"], row["direction"]))
    variances, gains = (
        np.array([row[part] for row in rows]).reshape(-1, RANDOM + DIM) for part in ("variance", "gain")
    )
    return variances, gains


def plot(results: Results, path: Path) -> None:
    variances, gains = points(results)
    shown = slice(None, 20)
    with figure(path, columns=1) as axis:
        axis.plot(variances[shown, :-1].ravel(), gains[shown, :-1].ravel(), ".", ms=2, color=COLOURS["light"])
        axis.plot(variances[shown, -1], gains[shown, -1], "o", color=COLOURS["paper"], label="w* = top eigenvector")
        line = np.geomspace(variances.min(), variances.max(), 100)
        axis.plot(line, [integral(v) for v in line], color=COLOURS["ours"], label="the proof's integral")
        axis.set(xscale="log", xlabel="wᵀΣw / σ²", ylabel="information gain, bits", title="Theorem 1")
        axis.legend()


# --- the claims -------------------------------------------------------------------------------------


def best_is_the_top_eigenvector(results: Results) -> Found:
    variances, gains = points(results)
    ahead = gains[:, -1:] - gains[:, :-1]
    best = gains.argmax(axis=1) == gains.shape[1] - 1
    close = variances[:, :-1] > 0.98 * variances[:, -1:]  # as good, up to the error of the samples
    text = f"the top eigenvector tells most in {best.sum()} of {len(best)} beliefs, against {gains.shape[1] - 1} others"
    return Found(text, [bool((ahead > 0)[~close].all())])


def gain_is_the_integral(results: Results) -> Found:
    variances, gains = points(results)
    integrals = [integral(variance) for variance in variances.ravel()]
    worst = float(np.abs(gains.ravel() - integrals).max())
    return Found(f"largest difference {worst:.4f} bits over {gains.size:,} hyperplanes", [worst < TOLERANCE])


CLAIMS = (
    Claim(
        "Theorem 1",
        "the most informative hyperplane through μ is orthogonal to the direction of largest variance",
        "no other direction has a larger measured gain (those within 2% of the largest variance left out)",
        best_is_the_top_eigenvector,
    ),
    Claim(
        "Supplement, proof of Theorem 1",
        "the gain depends on w through wᵀΣw alone: 1 - E[H(Φ(z))]",
        f"gain on samples and integral differ by less than {TOLERANCE} bits",
        gain_is_the_integral,
    ),
)

if __name__ == "__main__":
    main("theorem1")
