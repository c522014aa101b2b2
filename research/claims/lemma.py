"""Claims of Lemma 1."""

from research.claims import Claim, Found
from research.lemma import FIRST, LIMIT, bounds
from research.study import Cells


def stays_between(cells: Cells) -> Found:
    checks = []
    for first in FIRST:
        (least, greatest), (low, high) = cells[f"path | {first:g}"]["between"], bounds(first)
        checks.append(low <= least * (1 + 1e-12) and greatest <= high * (1 + 1e-12))
    steps = cells["path | 1"]["last"][0]
    return Found(f"at all of {steps:,} answers, for σ₀² from 0.001 to 1,000: {sum(checks)} of {len(checks)}", checks)


def falls_as_one_over_m(cells: Cells) -> Found:
    ends = [cells[f"path | {first:g}"]["last"] for first in FIRST if first >= 0.1]
    text = f"m σ²_m = {min(end[1] for end in ends):.3f} to {max(end[1] for end in ends):.3f} at m = {ends[0][0]:,}"
    return Found(f"{text} (π/2 = {LIMIT:.3f})", [abs(end[1] / LIMIT - 1) < 0.1 for end in ends])


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
