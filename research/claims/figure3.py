"""Claims of Figure 3: the face search. Everything is simulated."""

import numpy as np

from research.claims import Claim, Found, Mean, mean_over
from research.figure3 import METHODS, RANDOM, SECONDS, SIZES, measured_sizes, screens
from research.study import Cells

GAUSS = ("paper", "euclidean")  # the paper's search to the letter, and with the nearest item by Euclidean distance


def cost(cells: Cells, size: int, method: str = "paper", dense: bool | None = None) -> Mean:
    return mean_over(screens(cells, method, size, dense))


def each(cells: Cells, size: int) -> str:
    others = (f"{method} {cost(cells, size, method)}" for method in METHODS if method != "paper")
    return f"{cost(cells, size)} ({', '.join(others)})"


def begins_at_random(cells: Cells) -> Found:
    least = measured_sizes(cells)[0]
    ratio = cost(cells, least).value / RANDOM
    return Found(f"{each(cells, least)} screens at T = {least:,}, random {RANDOM:.0f}", [0.75 < ratio < 1.25])


def falls(cells: Cells) -> Found:
    sizes = measured_sizes(cells)
    costs = [cost(cells, size) for size in sizes]
    pairs = zip(costs[1:], costs[:-1], strict=True)
    told = ", ".join(f"{each(cells, size)} at {size:,}" for size in sizes[1:])
    return Found(told, [*(after.value < before.value for after, before in pairs), costs[-1].below(costs[0])])


def two_minutes(cells: Cells) -> Found:
    minutes = {method: cost(cells, 10_000, method).value * SECONDS / 60 for method in METHODS}
    told = ", ".join(f"{method} {value:.1f}" for method, value in minutes.items())
    return Found(f"minutes at 5 s a screen: {told}", [minutes[method] < 2.5 for method in GAUSS])


def denser_is_easier(cells: Cells) -> Found:
    told, checks = [], []
    for method in METHODS:
        sizes = measured_sizes(cells)[1:]
        pairs = [[cost(cells, size, method, dense) for dense in (True, False)] for size in sizes]
        numbers = (f"{top} against {bottom} at {size:,}" for size, (top, bottom) in zip(sizes, pairs, strict=True))
        told.append(f"{method} {', '.join(numbers)}")
        checks += [top.below(bottom) for top, bottom in pairs] if method in GAUSS else []
    return Found("; ".join(told), checks)


def skewed(cells: Cells) -> Found:
    often = cells["m(i)"]
    told = f"from {min(often)} to {max(often):,}, median {np.median(often):.0f}"
    return Found(told, [max(often) > 3 * np.median(often), min(often) < np.median(often) / 3])


def loop(cells: Cells) -> Found:
    """The library's own loop, which learns from its searches: `research/blind.py`, features in 5 and 20 axes."""
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
        "less than 2.5 minutes at the paper's 5 s a screen, to the letter and with Euclidean nearest items",
        two_minutes,
        "the Mahalanobis distance to an item is short where its position is uncertain: well-known items are shown late",
    ),
    Claim(
        "6.3, Fig. 3a",
        "targets with more triplets are found sooner",
        "top half below bottom half by 2 errors, each T but the first, to the letter and with Euclidean nearest items",
        denser_is_easier,
        "the Mahalanobis distance to an item is short where its position is uncertain: well-known items are shown late",
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
