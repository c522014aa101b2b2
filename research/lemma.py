"""Lemma 1, behind Theorem 2: in one dimension the variance of the belief falls as 1/m, between two bounds.

    min(0.1, σ₀²) / (m + 1)  ≤  σ²_m  ≤  max(10, σ₀²) / (m + 1)      (supplement, Lemma 1)

for every σ₀² > 0 and every m ≥ 0, with σ_ε = 1 and questions through μ. The variance comes from the library's own
update, one answer after the other; whichever way an answer goes, it is the same. Its limit is m σ²_m → π/2.
"""

from pathlib import Path

import numpy as np

import learn2search as l2s
from research.study import COLOURS, Cells, Study, figure, main, rounded

SEED = 0  # nothing here is random
FIRST = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3)  # σ₀²
LIMIT = np.pi / 2  # 1/σ² grows by 2/π an answer in the end


def answered(belief: l2s.Belief) -> l2s.Belief:
    """The belief after an answer to a question whose hyperplane goes through μ: the pair μ ± 1."""
    pair = l2s.Embedding(np.array([belief.mean + 1.0, belief.mean - 1.0]))
    search = l2s.GaussSearch(pair, noise=1.0, prior=belief, seed=0)
    search.show((0, 1))
    search.tell(0)
    return search.belief


def path_of(first: float, steps: int) -> dict[str, list[float]]:
    """σ²_m at m = 0, 1, 2, ..., thinned out, and the least and greatest (m + 1) σ²_m of all m."""
    belief = l2s.Belief(np.zeros(1), np.full((1, 1), first))
    variances = [first]
    for _ in range(steps):
        belief = answered(l2s.Belief(np.zeros(1), belief.cov))
        variances.append(float(belief.cov[0, 0]))
    scaled = np.arange(1, steps + 2) * variances
    kept = np.unique(np.geomspace(1, steps + 1, 40).astype(int)) - 1
    return {
        "m": kept.tolist(),
        "variance": rounded(variances[m] for m in kept),
        "between": [float(scaled.min()), float(scaled.max())],
        "last": [steps, float(steps * variances[-1])],
    }


def run(study: Study) -> None:
    steps = 300 if study.quick else 10_000
    cells = {f"path | {first:g}": {"first": first, "steps": steps} for first in FIRST}
    study.measure(study.record(SEED), path_of, cells)


def bounds(first: float) -> tuple[float, float]:
    """The lemma's two constants."""
    return min(0.1, first), max(10.0, first)


def plot(cells: Cells, path: Path) -> None:
    with figure(path, columns=1) as axis:
        for first in FIRST:
            cell = cells[f"path | {first:g}"]
            axis.plot(np.array(cell["m"]) + 1, cell["variance"], color=COLOURS["paper"], lw=1)
        m = np.array(cells["path | 1"]["m"]) + 1
        for constant, label in zip(bounds(1.0), ("bounds for 0.1 ≤ σ₀² ≤ 10", None), strict=True):
            axis.plot(m, constant / m, "--", color=COLOURS["ours"], label=label)
        axis.plot(m, LIMIT / m, ":", color=COLOURS["third"], label="π/2m")
        axis.set(xscale="log", yscale="log", xlabel="answers m + 1", ylabel="σ²_m", title="Lemma 1")
        axis.legend()


if __name__ == "__main__":
    main("lemma")
