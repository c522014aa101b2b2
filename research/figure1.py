"""Figure 1: search with known features: (a) questions and (b) time per step against the number of items n.

The paper (section 6.1): IG needs 4.9 and 6.47 questions at n = 50 and 100, GaussSearch 1.8 and 2 more, Rand most; IG
and Eff take over a minute a step for n > 100, GaussSearch is faster by orders of magnitude and almost constant in n.

This is what `research/known_features.py` measures; here its cells are measured where they are missing, and drawn.
The noise flips 10% of the answers on random pairs, or on the pairs that GaussSearch asks: the paper does not say
which.
"""

from pathlib import Path
from typing import Any

from research.study import Cells, Study, figure, main

SOURCES = ("known_features",)
SMALL = (50, 100)  # section 6.1: where IG and Eff were run
CALIBRATIONS = ("on policy", "random pairs")  # of the noise: which answers are flipped in 10% of the cases
EVERY = (50, 100, 300, 1000, 10_000, 100_000)
IG = {50: 4.9, 100: 6.47}  # section 6.1
EXTRA = {50: 1.8, 100: 2.0}  # questions of GaussSearch over IG
ORDERS = 100.0  # "several orders of magnitude": at least two
CONSTANT = 3.0  # "almost constant": less than so many times, while n grows 2,000-fold
CLOSEST = "twice the data covariance, items reused"  # the convention that comes nearest to the paper's figures


def question(quick: bool, **arguments: Any) -> dict[str, float]:
    from research.known_features import Plan, cost

    return cost(Plan(quick), **arguments)


def run(study: Study) -> None:
    """Times first, alone on the machine; then the questions, over all cores by threads, or over a cluster."""
    from research.known_features import Plan, measure_conventions, measure_questions, measure_steps, question_cells

    record, plan = study.benchmark("known_features", "step | ", "questions | ", "convention | "), Plan(study.quick)
    measure_steps(record, plan)
    if study.scheduler:
        cells = {key: {"quick": study.quick, **arguments} for key, arguments in question_cells(record, plan)}
        study.measure(record, question, cells)
    measure_questions(record, plan)
    measure_conventions(record, plan)


def columns(rows: list[tuple[float, ...]], count: int) -> list[list[float]]:
    """Rows turned to columns, also when there are none."""
    return [[row[at] for row in rows] for at in range(count)]


def plot(cells: Cells, path: Path) -> None:
    from research.known_features_report import LOOKS, PAPER

    with figure(path, columns=3) as (*questions, times):
        for strategy, (label, colour, marker) in LOOKS.items():
            for axis, noise in zip(questions, CALIBRATIONS, strict=True):
                found = {n: cells.get(f"questions | n={n} | {noise} | mode | {strategy}") for n in EVERY}
                curve = [(n, cell["mean"], cell["se"]) for n, cell in found.items() if cell]
                axis.errorbar(*columns(curve, 3), color=colour, marker=marker, capsize=2, label=label)
                title = f"(a) questions, 10% flips {noise}"
                axis.set(xscale="log", yscale="log", xlabel="items n", title=title)
            timed = [(n, cells.get(f"step | n={n} d=5 | {strategy}")) for n in (*EVERY, 1_000_000)]
            times.plot(*columns([pair for pair in timed if pair[1]], 2), color=colour, marker=marker)
        for strategy, values in PAPER.items():
            label, colour, _ = LOOKS[strategy]
            questions[0].plot(*zip(*values.items(), strict=True), "x", color=colour, ms=9, label=f"{label}, the paper")
        times.set(xscale="log", yscale="log", xlabel="items n", title="(b) microseconds a step, one core")
        questions[0].legend()


if __name__ == "__main__":
    main("figure1")
