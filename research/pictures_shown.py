"""How many questions does a search take when a question shows more? `python -m research.pictures_shown --full`.

A collection of which nothing is known, as big as the demo: 513 items, people who compare in 5 dimensions and say the
wrong one of two random items one time in ten. The learning loop as a new collection of the site has it, with 2, 4, 6,
9 and 12 items a question. The site multiplies
questions by the seconds of an answer to choose how many to show (`site/visits/automatic_show.py`).
"""

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

SHOWN = (2, 4, 6, 9, 12)
WINDOWS = ((0, 25), (25, 50), (50, 100), (100, 200), (200, 400), (400, 800))
N_ITEMS, DIMENSIONS, FLIPS = 513, 5, 0.1
COMPONENTS = 10  # as a new collection of the site has
REPETITIONS = 5
COST = Table("pictures_shown", "cost", {"k": SHOWN, "seed": int, "start": int, "stop": int})


def cost(k: int, seed: int, n_items: int, searches: int) -> list[Row]:
    """Mean questions of a search in each window. All k have the same people of one seed."""
    features = np.random.default_rng([seed, n_items]).standard_normal((n_items, DIMENSIONS))
    noise = l2s.calibrate_noise(l2s.random_margins(features, seed=seed), FLIPS)
    people = l2s.ProbitOracle(features, noise, seed=1000 + seed)
    loop = l2s.learn2search(people, n_items, searches, k=k, n_components=COMPONENTS, seed=seed)
    costs = [episode.cost for episode in loop]
    return [
        {"start": start, "stop": stop, "mean": round(float(np.mean(costs[start:stop])), 3)}
        for start, stop in WINDOWS
        if stop <= searches
    ]


def run(study: Study) -> None:
    """The small size is one of a few items, for the test."""
    n_items, searches = (60, 50) if study.quick else (N_ITEMS, WINDOWS[-1][1])
    seeds = range(study.repetitions or (1 if study.quick else REPETITIONS))
    size = {"n_items": n_items, "searches": searches}
    cases = [{"k": k, "seed": seed} | size for seed in seeds for k in reversed(SHOWN)]
    study.measure(COST, cost, cases)


def ratios(results: Results) -> dict[int, tuple[float, float]]:
    """For each k: questions as a share of those with four, at the middle of the first window and of the last.

    By the straight line through log ratio against log searches: the ratio of a single window scatters more.
    """
    places = np.log([(start + stop) / 2 for start, stop in WINDOWS])
    lines = {k: np.polyfit(places, log_ratios(results, k), 1) for k in SHOWN}
    return {
        k: (float(np.exp(np.polyval(line, places[0]))), float(np.exp(np.polyval(line, places[-1]))))
        for k, line in lines.items()
    }


def log_ratios(results: Results, k: int) -> list[float]:
    """log(questions with k / questions with four), window by window."""
    means = {
        shown: [
            np.mean([row["mean"] for row in results.require(COST, k=shown, start=start, stop=stop)])
            for start, stop in WINDOWS
        ]
        for shown in (k, 4)
    }
    return [float(np.log(one / four)) for one, four in zip(means[k], means[4], strict=True)]


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error."""
    windows = [(start, stop) for start, stop in WINDOWS if results.select(COST, start=start, stop=stop)]
    table = []
    for k in sorted(results.distinct(COST, "k")):
        every = [results.select(COST, k=k, start=start, stop=stop) for start, stop in windows]
        table.append([str(k), *(mean_over([row["mean"] for row in rows]).text(1) for rows in every)])
    print_table("Questions a search", ["shown", *(f"{start}-{stop}" for start, stop in windows)], table)
    if windows[-1:] == [WINDOWS[-1]]:
        ends = [[str(k), f"{first:.2f}", f"{last:.2f}"] for k, (first, last) in ratios(results).items()]
        print_table("Questions as a share of those with four shown", ["shown", "unknown", "known"], ends)


if __name__ == "__main__":
    main("pictures_shown")
