"""What do the first visitors of a new site need? `python -m research.first_visitors --full`.

The drawn faces from an untaught start, over HTTP at a site that was started as a user starts it, with four or nine
pictures shown, with and without what pictures say by themselves (colours and edges of the drawings: the map of features
learns from the answers what of that counts). Simulated visitors, one after the other, perceive the features that the
faces are drawn from.
"""

import os
import tempfile
from pathlib import Path

from research.one_policy import WINDOWS, costs_over_http, window_means
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

STARTS = ("nothing", "pictures")
SHOWN = (4, 9)
SEARCHES = 100
REPETITIONS = 3
COST = Table("first_visitors", "cost", {"warm_start": STARTS, "k": SHOWN, "seed": int, "start": int, "stop": int})


def measure(warm_start: str, k: int, seed: int, searches: int) -> list[Row]:
    """Mean questions of a search in each window."""
    with tempfile.TemporaryDirectory() as folder:
        return window_means(costs_over_http(Path(folder), searches, seed, start=warm_start, show=k))


def run(study: Study) -> None:
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    searches = 25 if study.quick else SEARCHES
    cases = [
        {"warm_start": start, "k": k, "seed": seed, "searches": searches}
        for seed in range(study.repetitions or (1 if study.quick else REPETITIONS))
        for start in STARTS
        for k in SHOWN
    ]
    study.measure(COST, measure, cases)


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error."""
    windows = [(start, stop) for start, stop in WINDOWS if results.select(COST, start=start, stop=stop)]
    table = []
    for row in {(row["warm_start"], row["k"]): None for row in results.select(COST)}:
        every = [results.select(COST, warm_start=row[0], k=row[1], start=start, stop=stop) for start, stop in windows]
        table.append([row[0], str(row[1]), *(mean_over([one["mean"] for one in rows]).text(1) for rows in every)])
    columns = ["warm start", "shown", *(f"searches {start}-{stop}" for start, stop in windows)]
    print_table("Questions a search", columns, table)


if __name__ == "__main__":
    main("first_visitors")
