"""Theorem 2: where the space is dense, the belief of GaussSearch converges to the target.

    Tr(Σ_m) → 0  and  μ_m → x_t  almost surely, for any μ₀ and Σ₀ ≻ 0      (section 4.3)

The space is all of R^d, so the query is SampleMirror's pair of points itself: a sample of the belief and its mirror
image in the best hyperplane. The belief is updated by the library. In d dimensions each axis gets every d-th answer
or so, which makes Tr(Σ) ≈ d² π/2m (Lemma 1 for each axis), and |μ - x_t| fall as its square root.
"""

from pathlib import Path

import numpy as np

import learn2search as l2s
from research.claims import Mean, mean_over
from research.study import COLOURS, Cells, Study, figure, main, rounded

SEED = 2
DIMENSIONS = (1, 2, 5, 10)
NOISE = 1.0  # as in the proof
FAR = 3.0  # prior standard deviation, and that of the targets around the prior's mean
SLOPE = 0.15  # how far an exponent may be from the theory's


def asked(belief: l2s.Belief, generator: np.random.Generator) -> np.ndarray:
    """Algorithm 1 where every point is an item: z₁ ~ N(μ, Σ), and z₂, its mirror image."""
    w = np.linalg.eigh(belief.cov)[1][:, -1]
    first = generator.multivariate_normal(belief.mean, belief.cov, method="cholesky")
    return np.array([first, first - 2.0 * (w @ (first - belief.mean)) * w])


def search(d: int, seed: int, steps: int) -> dict[str, list[float]]:
    """One endless search: trace Σ and |μ - x_t| after m answers, at a few m."""
    generator = np.random.default_rng([SEED, d, seed])
    target, belief = FAR * generator.normal(size=d), l2s.Belief(np.zeros(d), FAR**2 * np.eye(d))
    kept = np.unique(np.geomspace(1, steps, 20).astype(int))
    traces, errors = [], []
    for m in range(1, steps + 1):
        pair = asked(belief, generator)
        first = generator.random() < l2s.choice_probability(*pair, target, NOISE)
        one = l2s.GaussSearch(l2s.Embedding(pair), noise=NOISE, prior=belief, seed=0)
        one.show((0, 1))
        one.tell(0 if first else 1)
        belief = one.belief
        if m in kept:
            traces.append(np.trace(belief.cov))
            errors.append(np.linalg.norm(belief.mean - target))
    return {"m": kept.tolist(), "trace": rounded(traces), "error": rounded(errors)}


def run(study: Study) -> None:
    steps, count = (300, 3) if study.quick else (5000, 10)
    cells = {
        f"search | d={d} | {seed}": {"d": d, "seed": seed, "steps": steps}
        for d in DIMENSIONS
        for seed in range(study.repetitions or count)
    }
    study.measure(study.record(SEED), search, cells)


def curves(cells: Cells, d: int, part: str) -> tuple[np.ndarray, np.ndarray]:
    """m, and `part` of every search `(searches, len(m))`."""
    found = [cell for key, cell in cells.items() if key.startswith(f"search | d={d} |")]
    if not found:
        raise KeyError(f"no search in {d} dimensions has been measured")
    return np.array(found[0]["m"]), np.array([cell[part] for cell in found])


def exponents(cells: Cells, d: int, part: str) -> Mean:
    """The slope of log `part` against log m over the last decade, a mean over the searches."""
    m, values = curves(cells, d, part)
    last = m >= m[-1] / 10
    return mean_over([float(np.polyfit(np.log(m[last]), np.log(row[last]), 1)[0]) for row in values])


def plot(cells: Cells, path: Path) -> None:
    colours = (COLOURS[name] for name in ("ours", "third", "light", "paper"))
    with figure(path) as (left, right):
        for d, colour in zip(DIMENSIONS, colours, strict=True):
            for axis, part in ((left, "trace"), (right, "error")):
                m, values = curves(cells, d, part)
                axis.plot(m, values.T, color=colour, lw=0.5, alpha=0.3)
                axis.plot(m, np.exp(np.log(values).mean(axis=0)), color=colour, label=f"d = {d}")
            left.plot(m[m > d * d], d * d * np.pi / 2 / m[m > d * d], ":", color=colour)
        left.set(xscale="log", yscale="log", xlabel="answers m", title="Tr(Σ), and d²π/2m dotted")
        right.set(xscale="log", yscale="log", xlabel="answers m", title="|μ - x_t|")
        left.legend()


if __name__ == "__main__":
    main("theorem2")
