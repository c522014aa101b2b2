"""Claims of Figure 2: blind search on two data sets."""

from collections.abc import Callable

import numpy as np

from research.claims import Claim, Found, Mean, mean_over
from research.figure2 import EQUAL, MINUTES, PAPER_D, REPETITIONS, SETS, lines, windows
from research.study import Cells


def last(cells: Cells, line: str) -> Mean:
    costs = windows(cells, line)
    return costs[max(costs)]


def repeated(cells: Cells, *lines: str) -> str:
    seeds = min(cells[line]["seeds"] for line in lines)
    return f" ({seeds} of {REPETITIONS} repetitions)" if seeds < REPETITIONS else ""


def compare(
    method: str, other: str, factor: float | None, datasets: tuple[str, ...] = SETS
) -> Callable[[Cells], Found]:
    """`method` costs at most `factor` times as much as `other` in the last window; None: less, by two errors."""

    def judge(cells: Cells) -> Found:
        told, checks = [], []
        for dataset in datasets:
            lines = [f"{dataset} {method}", f"{dataset} {other}"]
            ours, theirs = (last(cells, line) for line in lines)
            told.append(f"{dataset} {ours} against {theirs}{repeated(cells, *lines)}")
            checks.append(ours.below(theirs) if factor is None else ours.value <= factor * theirs.value)
        return Found("; ".join(told), checks)

    return judge


def estimated_dimension(cells: Cells) -> Found:
    told, checks = [], []
    for dataset in SETS:
        found = [cell["D"] for key, cell in cells.items() if key.startswith(f"dimension | {dataset} |")]
        told.append(f"{dataset} {mean_over(found)}")
        checks.append(abs(np.mean(found) - PAPER_D) <= 0.1 * PAPER_D)
    return Found(f"{'; '.join(told)} ({len(found)} repetitions)", checks)


def quick_enough(cells: Cells) -> Found:
    minutes = sum(cells[line]["seconds"][0] for line in lines()) / 60
    return Found(f"{minutes:.1f} minutes of one core, {minutes / 2:.1f} on two", [minutes / 2 < MINUTES])


AS_GOOD = f"at most {EQUAL - 1:.0%} more questions in the last window of 1,000 searches"
FEWER = "fewer questions by 2 errors in the last window of 1,000 searches"
CLAIMS = (
    Claim(
        "6.2, Fig. 2",
        "in the end as efficient as with the true features",
        AS_GOOD,
        compare("paper", "true gauss", EQUAL),
    ),
    Claim(
        "6.2, Fig. 2",
        "the same, read with the Euclidean nearest item, not the Mahalanobis one of section 5.2",
        AS_GOOD,
        compare("paper euclidean", "true gauss", EQUAL),
    ),
    Claim("6.2, Fig. 2", "GaussEmbed significantly outperforms t-STE", FEWER, compare("paper", "paper tste", None)),
    Claim("6.2, Fig. 2", "GaussEmbed significantly outperforms CKL", FEWER, compare("paper", "paper ckl", None)),
    Claim(
        "6.2",
        "with estimated D almost the same on wine",
        AS_GOOD,
        compare("paper estimated", "paper", EQUAL, ("wine",)),
    ),
    Claim(
        "6.2",
        "with estimated D fewer questions than with the true features on music, after 4,000 searches",
        FEWER,
        compare("paper estimated", "true gauss", None, ("music",)),
        "music was run for 4,000 searches only",
    ),
    Claim("6.2", "the 98% rule gives D = 20 on both", "the mean within 10% of 20", estimated_dimension),
    Claim("ours", "(`best` needs fewer questions than the paper's method)", FEWER, compare("best", "paper", None)),
    Claim("ours", "(`best` with D chosen by itself is as good)", AS_GOOD, compare("best auto", "best", EQUAL)),
    Claim(
        "ours",
        "(one repetition of both sets with all methods takes minutes)",
        f"below {MINUTES} on two cores",
        quick_enough,
        "CPU seconds of a busy machine: beside other work t-STE and CKL took up to a quarter more",
    ),
)
