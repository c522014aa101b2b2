"""Does a warm start spare the first visitors anything? `python -m research.warm_start --full`.

The demo from an untaught start, with and without `--warm-start pictures`, served as a user does, on SQLite with one
worker; simulated visitors search over HTTP, four at a time. They perceive the features that the faces are drawn from;
the warm start sees colours and edges of the drawings and nothing else. The
committed results are of 8 × 8 colours alone.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from research.rows import Results, Row, Table
from research.running_site import COMMAND, serving
from research.study import Study, main
from research.summary import mean_over, print_table

STARTS = {"nothing": (), "pictures": ("--warm-start", "pictures")}
SEARCHES = (400, 1500)
REPETITIONS = 3
MEDIAN = Table(
    "warm_start", "median", {"start": tuple(STARTS), "searches": (100, *SEARCHES), "seed": int, "hundred": int}
)


def medians(start: str, searches: int, seed: int) -> list[Row]:
    """The median questions of each hundred searches."""
    demo = ("demo", "--untaught", "--seed", "0", *STARTS[start])
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), *demo) as site:
        options = ["--token", site.token, "--searches", str(searches), "--seed", str(seed)]
        command = [*COMMAND, "simulate", f"http://127.0.0.1:{site.port}", *options]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"median of the last 100: (\S+)", output)
    return [{"hundred": number, "median": float(median)} for number, median in enumerate(found, start=1)]


def run(study: Study) -> None:
    """The site as it is by default, without the database that this machine may name."""
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    cases = [
        {"start": start, "searches": searches, "seed": seed}
        for searches in ((100,) if study.quick else SEARCHES)
        for seed in range(study.repetitions or (1 if study.quick else REPETITIONS))
        for start in STARTS
    ]
    study.measure(MEDIAN, medians, cases)


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error."""
    for searches in results.distinct(MEDIAN, "searches"):
        table = []
        hundreds = results.distinct(MEDIAN, "hundred", searches=searches)
        for start in results.distinct(MEDIAN, "start", searches=searches):
            every = [results.select(MEDIAN, start=start, searches=searches, hundred=hundred) for hundred in hundreds]
            table.append([start, *(mean_over([row["median"] for row in rows]).text(1) for rows in every)])
        title = f"Median questions of each hundred of {searches} searches"
        print_table(title, ["warm start", *map(str, hundreds)], table)


if __name__ == "__main__":
    main("warm_start")
