"""Theorem 2: where the space is dense, the belief of GaussSearch converges to the target.

    Tr(Σ_m) → 0  and  μ_m → x_t  almost surely, for any μ₀ and Σ₀ ≻ 0      (section 4.3)

The space is all of R^d, so the query is SampleMirror's pair of points itself: a sample of the belief and its mirror
image in the best hyperplane. The belief is updated by the library. In d dimensions each axis gets every d-th answer
or so, which makes Tr(Σ) ≈ d² π/2m (Lemma 1 for each axis), and |μ - x_t| fall as its square root.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import learn2search as l2s
from research import Array
from research.claims import Claim, Found
from research.drawing import COLOURS, figure
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import Mean, mean_over, rounded

SEED = 2
DIMENSIONS = (1, 2, 5, 10)
SEARCH = Table("theorem2", "search", {"d": DIMENSIONS, "seed": int, "m": int})
TABLES = (SEARCH,)
NOISE = 1.0  # as in the proof
FAR = 3.0  # prior standard deviation, and that of the targets around the prior's mean
SLOPE = 0.15  # how far an exponent may be from the theory's


def asked(belief: l2s.Belief, generator: np.random.Generator) -> Array:
    """Algorithm 1 where every point is an item: z₁ ~ N(μ, Σ), and z₂, its mirror image."""
    w = np.linalg.eigh(belief.cov)[1][:, -1]
    first = generator.multivariate_normal(belief.mean, belief.cov, method="cholesky")
    return np.array([first, first - 2.0 * (w @ (first - belief.mean)) * w])


def search(d: int, seed: int, steps: int) -> list[Row]:
    """One endless search: trace Σ and |μ - x_t| after m answers, at a few m."""
    generator = np.random.default_rng([SEED, d, seed])
    target, belief = FAR * generator.normal(size=d), l2s.Belief(np.zeros(d), FAR**2 * np.eye(d))
    kept = np.unique(np.geomspace(1, steps, 20).astype(int))
    rows = []
    for m in range(1, steps + 1):
        pair = asked(belief, generator)
        first = generator.random() < l2s.choice_probability(pair[0], pair[1], target, NOISE)
        one = l2s.GaussSearch(l2s.Embedding(pair), noise=NOISE, prior=belief, seed=0)
        one.show((0, 1))
        one.tell(0 if first else 1)
        belief = one.belief
        if m in kept:
            trace, error = rounded([np.trace(belief.cov), float(np.linalg.norm(belief.mean - target))])
            rows.append({"m": m, "trace": trace, "error": error})
    return rows


def run(study: Study) -> None:
    steps, count = (300, 3) if study.quick else (5000, 10)
    seeds = range(study.repetitions or count)
    study.measure_many(SEARCH, search, [{"d": d, "seed": seed, "steps": steps} for d in DIMENSIONS for seed in seeds])


def curves(results: Results, d: int, part: str) -> tuple[Array, Array]:
    """m, and `part` of every search `(searches, len(m))`."""
    rows = sorted(results.require(SEARCH, d=d), key=lambda row: (row["seed"], row["m"]))
    m = sorted({row["m"] for row in rows})
    return np.array(m), np.array([row[part] for row in rows]).reshape(-1, len(m))


def exponents(results: Results, d: int, part: str) -> Mean:
    """The slope of log `part` against log m over the last decade, a mean over the searches."""
    m, values = curves(results, d, part)
    last = m >= m[-1] / 10
    return mean_over([float(np.polyfit(np.log(m[last]), np.log(row[last]), 1)[0]) for row in values])


def plot(results: Results, path: Path) -> None:
    colours = (COLOURS[name] for name in ("ours", "third", "light", "paper"))
    with figure(path) as (left, right):
        for d, colour in zip(DIMENSIONS, colours, strict=True):
            for axis, part in ((left, "trace"), (right, "error")):
                m, values = curves(results, d, part)
                axis.plot(m, values.T, color=colour, lw=0.5, alpha=0.3)
                axis.plot(m, np.exp(np.log(values).mean(axis=0)), color=colour, label=f"d = {d}")
            left.plot(m[m > d * d], d * d * np.pi / 2 / m[m > d * d], ":", color=colour)
        left.set(xscale="log", yscale="log", xlabel="answers m", title="Tr(Σ), and d²π/2m dotted")
        right.set(xscale="log", yscale="log", xlabel="answers m", title="|μ - x_t|")
        left.legend()


# --- the claims -------------------------------------------------------------------------------------


def goes_to_zero(part: str, expected: float) -> Callable[[Results], Found]:
    """`part` falls in every search, as m to the power of `expected`."""

    def judge(results: Results) -> Found:
        words, checks = [], []
        for d in DIMENSIONS:
            m, values = curves(results, d, part)
            slope = exponents(results, d, part)
            allowed = max(SLOPE, 2 * (slope.error or 0))
            checks += [bool((values[:, -1] < values[:, 0]).all()), abs(slope.value - expected) < allowed]
            words.append(f"d = {d}: {values[:, -1].mean():.3g}, exponent {slope}")
        return Found(f"after {m[-1]:,} answers, {len(values)} searches each: {'; '.join(words)}", checks)

    return judge


CLAIMS = (
    Claim(
        "Theorem 2 (i)",
        "Tr(Σ_m) → 0",
        f"smaller at the end than after one answer in every search, and as 1/m (exponent -1 ± {SLOPE}, last decade)",
        goes_to_zero("trace", -1.0),
    ),
    Claim(
        "Theorem 2 (ii)",
        "μ_m → x_t almost surely",
        f"nearer at the end than after one answer in every search, and as 1/√m (exponent -1/2 ± {SLOPE} or 2 errors)",
        goes_to_zero("error", -0.5),
    ),
)

if __name__ == "__main__":
    main("theorem2")
