"""Lemma 1, behind Theorem 2: in one dimension the variance of the belief falls as 1/m, between two bounds.

    min(0.1, σ₀²) / (m + 1)  ≤  σ²_m  ≤  max(10, σ₀²) / (m + 1)      (supplement, Lemma 1)

for every σ₀² > 0 and every m ≥ 0, with σ_ε = 1 and questions through μ. The variance comes from the library's own
update, one answer after the other; whichever way an answer goes, it is the same. Its limit is m σ²_m → π/2.
"""

from pathlib import Path

import numpy as np

import learn2search as l2s
from research.claims import Claim, Found
from research.drawing import COLOURS, figure
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import rounded

SEED = 0  # nothing here is random
FIRST = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3)  # σ₀²
PATH = Table("lemma", "path", {"first": FIRST, "m": int})
END = Table("lemma", "end", {"first": FIRST})
TABLES = (PATH, END)
LIMIT = np.pi / 2  # 1/σ² grows by 2/π an answer in the end


def answered(belief: l2s.Belief) -> l2s.Belief:
    """The belief after an answer to a question whose hyperplane goes through μ: the pair μ ± 1."""
    pair = l2s.Embedding(np.array([belief.mean + 1.0, belief.mean - 1.0]))
    search = l2s.GaussSearch(pair, noise=1.0, prior=belief, seed=0)
    search.show((0, 1))
    search.tell(0)
    return search.belief


def path_of(first: float, steps: int) -> list[Row]:
    """σ²_m at m = 0, 1, 2, ..., thinned out; the least and greatest (m + 1) σ²_m of all m, and m σ²_m in the end."""
    belief = l2s.Belief(np.zeros(1), np.full((1, 1), first))
    variances = [first]
    for _ in range(steps):
        belief = answered(l2s.Belief(np.zeros(1), belief.cov))
        variances.append(float(belief.cov[0, 0]))
    scaled = np.arange(1, steps + 2) * variances
    kept = np.unique(np.geomspace(1, steps + 1, 40).astype(int)) - 1
    end = {"steps": steps, "least": float(scaled.min()), "greatest": float(scaled.max()), "last": steps * variances[-1]}
    thinned = rounded(variances[m] for m in kept)
    path = [{"m": int(m), "variance": variance} for m, variance in zip(kept, thinned, strict=True)]
    return [{"table": END.name} | end, *path]


def run(study: Study) -> None:
    steps = 300 if study.quick else 10_000
    study.measure_many(PATH, path_of, [{"first": first, "steps": steps} for first in FIRST])


def bounds(first: float) -> tuple[float, float]:
    """The lemma's two constants."""
    return min(0.1, first), max(10.0, first)


def plot(results: Results, path: Path) -> None:
    with figure(path, columns=1) as axis:
        for first in FIRST:
            rows = results.require(PATH, first=first)
            m = np.array([row["m"] for row in rows]) + 1
            axis.plot(m, [row["variance"] for row in rows], color=COLOURS["paper"], lw=1)
        for constant, label in zip(bounds(1.0), ("bounds for 0.1 ≤ σ₀² ≤ 10", None), strict=True):
            axis.plot(m, constant / m, "--", color=COLOURS["ours"], label=label)
        axis.plot(m, LIMIT / m, ":", color=COLOURS["third"], label="π/2m")
        axis.set(xscale="log", yscale="log", xlabel="answers m + 1", ylabel="σ²_m", title="Lemma 1")
        axis.legend()


# --- the claims -------------------------------------------------------------------------------------


def stays_between(results: Results) -> Found:
    checks = []
    for first in FIRST:
        end, (low, high) = results.one(END, first=first), bounds(first)
        checks.append(low <= end["least"] * (1 + 1e-12) and end["greatest"] <= high * (1 + 1e-12))
    steps = end["steps"]
    return Found(f"at all of {steps:,} answers, for σ₀² from 0.001 to 1,000: {sum(checks)} of {len(checks)}", checks)


def falls_as_one_over_m(results: Results) -> Found:
    ends = [results.one(END, first=first) for first in FIRST if first >= 0.1]
    last = [end["last"] for end in ends]
    text = f"m σ²_m = {min(last):.3f} to {max(last):.3f} at m = {ends[0]['steps']:,}"
    return Found(f"{text} (π/2 = {LIMIT:.3f})", [abs(value / LIMIT - 1) < 0.1 for value in last])


CLAIMS = (
    Claim(
        "Lemma 1",
        "min(0.1, σ₀²)/(m+1) ≤ σ²_m ≤ max(10, σ₀²)/(m+1) for every m",
        "both bounds at every m, for each σ₀²",
        stays_between,
    ),
    Claim(
        "4.3, proof sketch of Theorem 2",
        "σ²_m = Θ(1/m)",
        "m σ²_m within 10% of its limit π/2 in the end, for each σ₀² ≥ 0.1",
        falls_as_one_over_m,
    ),
)

if __name__ == "__main__":
    main("lemma")
