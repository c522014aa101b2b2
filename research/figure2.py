"""Figure 2: blind search on red wine and music: questions per search while the embedding is learnt.

The paper (section 6.2): after 9,000 searches GaussEmbed with GaussSearch is as efficient as with the true features,
and far better than t-STE and CKL; with D estimated (dashed) almost the same on wine, and on music better than the
true features after 4,000 searches. The 98% rule gives D = 20 for both.

This is what `research/blind.py` measures; here its lines are run where they are missing, and drawn. Only the
estimated D is measured here. On music GaussEmbed has D = 20, the paper's estimate, not the 68 true features.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import learn2search as l2s
from research.blind import BLIND, DATASETS, LINES, Line, data, noise_level, run_lines
from research.claims import Claim, Found
from research.drawing import COLOURS, figure
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import Mean, mean_over

SEED = 3
DIMENSION = Table("figure2", "dimension", {"dataset": DATASETS, "seed": int})
TABLES = (BLIND, DIMENSION)
REPETITIONS = 100  # section 6.2
PAPER_D = 20  # "this number for both datasets was 20"
EQUAL = 1.1  # "as efficient": within 10%
MINUTES = 15  # our goal for one repetition
LOOKS = {  # method -> label, colour, line
    "true gauss": ("true features", "black", "-"),
    "paper": ("GaussEmbed (the paper)", COLOURS["paper"], "-"),
    "paper euclidean": ("GaussEmbed, Euclidean nearest item", COLOURS["paper"], ":"),
    "paper estimated": ("GaussEmbed, D estimated", COLOURS["paper"], "--"),
    "paper tste": ("t-STE", COLOURS["third"], "-"),
    "paper ckl": ("CKL", COLOURS["fourth"], "-"),
    "best": ("best (ours)", COLOURS["ours"], "-"),
    "best auto": ("best, D auto", COLOURS["ours"], "--"),
    "true posterior": ("true features, posterior", "black", ":"),
}
SLOW = "music true posterior"  # a line of ours, not of the paper: its 68 features would take 24 minutes


def drawn_lines() -> list[Line]:
    """The lines of the plan of `blind.py` that one repetition of the figure runs."""
    return [line for line in LINES if line.table is BLIND and line.named["method"] in LOOKS and line.name != SLOW]


def run(study: Study) -> None:
    if not study.quick:
        cases = [
            {"dataset": dataset, "seed": seed, "noise": noise_level(study, dataset, None)}
            for dataset in DATASETS
            for seed in range(3)
        ]
        study.measure_many(DIMENSION, estimate, cases)
    run_lines(study, drawn_lines(), study.repetitions or (2 if study.quick else REPETITIONS))


def estimate(dataset: str, seed: int, noise: float) -> Row:
    """The paper's estimate of D: 100 axes until there are 10,000 triplets, then those with 98% of the energy."""
    features = data(dataset)
    oracle = l2s.ProbitOracle(features, noise, seed=1000 * SEED + seed)
    learner = l2s.Learner(oracle, len(features), preset="paper", seed=seed)
    while learner.embedding.dim == 100:
        learner.search()
    return {"d": learner.embedding.dim, "triplets": len(learner.triplets)}


def windows(results: Results, dataset: str, method: str) -> dict[int, Mean]:
    """End of the window of 1,000 searches -> mean cost; of any window but the first where there are fewer."""
    rows = results.require(BLIND, dataset=dataset, method=method, measure="questions", targets="all")
    thousands = [row for row in rows if row["stop"] - row["start"] == 1000 and row["start"] % 1000 == 0]
    return {row["stop"]: Mean(row["mean"], row["error"]) for row in thousands or rows if thousands or row["start"]}


def plot(results: Results, path: Path) -> None:
    with figure(path) as axes:
        for axis, dataset in zip(axes, DATASETS, strict=True):
            for method, (label, colour, line) in LOOKS.items():
                if not results.select(BLIND, dataset=dataset, method=method):
                    continue
                costs = windows(results, dataset, method)
                means, errors = [cost.value for cost in costs.values()], [cost.error or 0 for cost in costs.values()]
                axis.errorbar(list(costs), means, errors, color=colour, ls=line, marker="o", ms=3, label=label)
            axis.set(yscale="log", xlabel="searches (window of 1,000)", ylabel="questions", title=dataset)
        if axes[0].lines:
            axes[0].legend()


# --- the claims -------------------------------------------------------------------------------------


def last(results: Results, dataset: str, method: str) -> Mean:
    costs = windows(results, dataset, method)
    return costs[max(costs)]


def repeated(results: Results, dataset: str, *methods: str) -> str:
    rows = [row for method in methods for row in results.require(BLIND, dataset=dataset, method=method)]
    fewest = min(row["repetitions"] for row in rows)
    return f" ({fewest} of {REPETITIONS} repetitions)" if fewest < REPETITIONS else ""


def compare(
    method: str, other: str, factor: float | None, datasets: tuple[str, ...] = DATASETS
) -> Callable[[Results], Found]:
    """`method` costs at most `factor` times as much as `other` in the last window; None: less, by two errors."""

    def judge(results: Results) -> Found:
        words, checks = [], []
        for dataset in datasets:
            ours, theirs = last(results, dataset, method), last(results, dataset, other)
            words.append(f"{dataset} {ours} against {theirs}{repeated(results, dataset, method, other)}")
            checks.append(ours.below(theirs) if factor is None else ours.value <= factor * theirs.value)
        return Found("; ".join(words), checks)

    return judge


def estimated_dimension(results: Results) -> Found:
    words, checks = [], []
    for dataset in DATASETS:
        found = [row["d"] for row in results.require(DIMENSION, dataset=dataset)]
        words.append(f"{dataset} {mean_over(found)}")
        checks.append(bool(abs(np.mean(found) - PAPER_D) <= 0.1 * PAPER_D))
    return Found(f"{'; '.join(words)} ({len(found)} repetitions)", checks)


def quick_enough(results: Results) -> Found:
    rows = [results.one(BLIND, **line.named, measure="seconds") for line in drawn_lines()]
    minutes = sum(row["mean"] for row in rows) / 60
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


if __name__ == "__main__":
    main("figure2")
