"""What the probability of a click costs, and saves, beside the product over pairs.

    python -m research.click_cost            # a minute, small
    python -m research.click_cost --full     # about 8 minutes on one core

A click on one of k items multiplies the posterior by the probability of that click, in place of the product of k - 1
probabilities of pairs, which counts what the pairs have in common k - 1 times.

    questions   a search takes until the target is shown: simulated people, known positions in three dimensions, the
                noise flips 10% of the answers about random pairs. The same targets and people for both
    time        of one `tell` about 100,000 items, CPU seconds, the median of repetitions in turn. The product is told
                as k - 1 answers about pairs, each of which also makes the probabilities sum to 1 again

The next question is chosen in the same way by both. Nothing here is tuned.
"""

import time
from typing import Any

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import print_table

SEED, D, FLIPPED = 41, 3, 0.1
PARTS = ("questions", "time")
SIZES, SHOWN, SEARCHES = (200, 1000), (4, 8), 400
TIMED, REPETITIONS = 100_000, 15
UPDATES = ("click", "product")
POSITIONS = ("exact", "uncertain")
COST = Table("click_cost", "questions", {"n": (40, *SIZES), "k": SHOWN, "update": UPDATES})
TIME = Table("click_cost", "time", {"n": (2000, TIMED), "k": SHOWN, "positions": POSITIONS, "update": UPDATES})


class ProductSearch(l2s.PosteriorSearch):
    """The posterior with the product over pairs in place of the probability of the click."""

    def learn(self, query: tuple[int, ...], chosen: int | None) -> None:
        if chosen is None:
            super().learn(query, chosen)
            return
        for item in query:
            if item != chosen:
                super().learn((chosen, item), chosen)


STRATEGIES: dict[str, Any] = {"click": l2s.PosteriorSearch, "product": ProductSearch}


def questions(n: int, k: int, update: str, searches: int) -> Row:
    """Mean questions, and their standard error."""
    generator = np.random.default_rng([SEED, n])
    features, targets = l2s.Embedding(generator.normal(size=(n, D))), generator.integers(0, n, searches)
    noise = l2s.calibrate_noise(l2s.random_margins(features.mean, seed=SEED), FLIPPED)
    people = l2s.ProbitOracle(features, noise, seed=SEED)
    found = l2s.simulate(STRATEGIES[update], features, people, targets, k=k, seed=SEED)
    return {"searches": searches, "mean": round(found.mean, 3), "error": round(found.standard_error, 3)}


def tell_times(n: int, k: int, positions: str, repetitions: int) -> list[Row]:
    """Both updates in turn, so that whatever else the machine does slows both."""
    generator = np.random.default_rng(SEED)
    mean = generator.normal(size=(n, D))
    space = l2s.Embedding(mean, np.full((n, D), 0.05) if positions == "uncertain" else None)
    times: dict[str, list[float]] = {update: [] for update in UPDATES}
    for repetition in range(-1, repetitions):  # the first is not counted: it compiles
        query = generator.choice(n, k, replace=False).tolist()
        for update, strategy in STRATEGIES.items():
            search = strategy(space, 0.5, seed=0)
            search.show(query)
            began = time.process_time()
            search.tell(query[0])
            if repetition >= 0:
                times[update].append(time.process_time() - began)
    return [{"update": update, "milliseconds": round(1e3 * float(np.median(one)), 3)} for update, one in times.items()]


def run(study: Study) -> None:
    quick = study.quick
    if study.wants("questions"):
        searches = study.repetitions or (20 if quick else SEARCHES)
        sizes = (40,) if quick else SIZES
        cases = [{"n": n, "k": k, "update": one, "searches": searches} for n in sizes for k in SHOWN for one in UPDATES]
        study.measure(COST, questions, cases)
    if study.wants("time"):
        size = {"n": 2000 if quick else TIMED, "repetitions": 3 if quick else REPETITIONS}
        study.measure(TIME, tell_times, [{"k": k, "positions": one} | size for k in SHOWN for one in POSITIONS])


def report(results: Results) -> None:
    table = []
    for row in results.select(COST, update="click"):
        other = results.one(COST, n=row["n"], k=row["k"], update="product")
        means = [f"{one['mean']:.2f} ± {one['error']:.2f}" for one in (row, other)]
        table.append([f"{row['n']:,}", str(row["k"]), *means, f"{row['mean'] / other['mean'] - 1:+.1%}"])
    print_table("Questions a search", ["items", "shown", "click", "product over pairs", "difference"], table)
    table = []
    for row in results.select(TIME, update="click"):
        other = results.one(TIME, n=row["n"], k=row["k"], positions=row["positions"], update="product")
        times = [f"{one['milliseconds']:.2f}" for one in (row, other)]
        ratio = f"{row['milliseconds'] / other['milliseconds']:.2f}"
        table.append([f"{row['n']:,}", str(row["k"]), row["positions"], *times, ratio])
    columns = ["items", "shown", "positions", "click, ms", "product over pairs, ms", "ratio"]
    print_table("CPU time of a `tell`", columns, table)


if __name__ == "__main__":
    main("click_cost")
