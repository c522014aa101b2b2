"""Claims of Figure 3: the face search. Everything is simulated."""

import numpy as np
from figure3 import RANDOM, SECONDS, SIZES, measured_sizes, screens
from study import Cells

from claims import Claim, Found, Mean, mean_over


def cost(cells: Cells, size: int, method: str = "paper", dense: bool | None = None) -> Mean:
    return mean_over(screens(cells, method, size, dense))


def both(cells: Cells, size: int) -> str:
    return f"{cost(cells, size)} (ours {cost(cells, size, 'ours')})"


def begins_at_random(cells: Cells) -> Found:
    least = measured_sizes(cells)[0]
    ratio = cost(cells, least).value / RANDOM
    return Found(f"{both(cells, least)} screens at T = {least:,}, random {RANDOM:.0f}", [0.75 < ratio < 1.25])


def falls(cells: Cells) -> Found:
    sizes = measured_sizes(cells)
    costs = [cost(cells, size) for size in sizes]
    pairs = zip(costs[1:], costs[:-1], strict=True)
    told = ", ".join(f"{both(cells, size)} at {size:,}" for size in sizes[1:])
    return Found(told, [*(after.value < before.value for after, before in pairs), costs[-1].below(costs[0])])


def two_minutes(cells: Cells) -> Found:
    minutes = cost(cells, 10_000).value * SECONDS / 60
    ours = cost(cells, 10_000, "ours").value * SECONDS / 60
    return Found(f"{minutes:.1f} minutes at 5 s a screen (ours {ours:.1f})", [minutes < 2.5])


def denser_is_easier(cells: Cells) -> Found:
    told, checks = [], []
    for size in measured_sizes(cells)[1:]:
        top, bottom = cost(cells, size, dense=True), cost(cells, size, dense=False)
        told.append(f"{top} against {bottom} at {size:,}")
        checks.append(top.below(bottom))
    return Found(", ".join(told), checks)


def skewed(cells: Cells) -> Found:
    often = cells["m(i)"]
    told = f"from {min(often)} to {max(often):,}, median {np.median(often):.0f}"
    return Found(told, [max(often) > 3 * np.median(often), min(often) < np.median(often) / 3])


def loop(cells: Cells) -> Found:
    """The library's own loop, which learns from its searches: `benchmarks/blind.py`, features in 5 and 20 axes."""
    told, checks = [], []
    for line in (f"faces d={d} skewed {method}" for d in (5, 20) for method in ("paper", "best")):
        found = {size: Mean(*cells[line][f"screens | {size} | all"]) for size in (SIZES[0], SIZES[-1])}
        told.append(f"{line[6:]} {found[SIZES[0]]} to {found[SIZES[-1]]} ({cells[line]['seeds']} repetitions)")
        checks.append(found[SIZES[-1]].below(found[SIZES[0]]))
    return Found("; ".join(told), checks)


CLAIMS = (
    Claim(
        "6.3, Fig. 3a", "at T = 1,000 as costly as random (n/8 = 64 screens)", "within 25% of random", begins_at_random
    ),
    Claim(
        "6.3, Fig. 3a",
        "the cost drops as T grows",
        "each T below the one before; the last below the first by 2 errors",
        falls,
    ),
    Claim(
        "6.3",
        "found in about 2 minutes with 10,000 triplets",
        "less than 2.5 minutes at the paper's 5 s a screen",
        two_minutes,
    ),
    Claim(
        "6.3, Fig. 3a",
        "targets with more triplets are found sooner",
        "top half below bottom half by 2 errors, each T from 3,000",
        denser_is_easier,
    ),
    Claim(
        "6.3, Fig. 3b",
        "m(i) is heavily skewed: 16 to 1,567, median 227",
        "the largest above 3 medians, the least below a third",
        skewed,
        "all faces were there from the start, and a question shows faces whether they are popular or not",
    ),
    Claim(
        "ours",
        "(the same in a loop that learns from its own searches)",
        "fewer screens at 40,000 than at 1,000 triplets by 2 errors",
        loop,
    ),
)
