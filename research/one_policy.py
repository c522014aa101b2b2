"""Does the site learn as the library's loop does? `python -m research.one_policy --full`.

The drawn faces from an untaught start, four pictures, twice with the same kind of simulated visitors, one after the
other: in the loop (`Learner`), and over HTTP at a site that was started as a user starts it. Both follow one learning
policy; the site's trainer is a process of its own that looks once a second, and the site gives every fourth question a
place to a little-known item.
"""

import csv
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.running_site import COMMAND, serving
from research.study import Study, main
from research.summary import mean_over, print_table

WAYS = ("loop", "HTTP")
WINDOWS = ((0, 25), (25, 50), (50, 100), (100, 200), (200, 400))
NOISE, SHOWN, AXES = 0.5, 4, 16  # as in the demo
REPETITIONS = 3
COST = Table("one_policy", "cost", {"way": WAYS, "seed": int, "start": int, "stop": int})


def perceived(folder: Path) -> np.ndarray[Any, np.dtype[np.float64]]:
    """What simulated visitors see of the faces, (513, 18)."""
    path = folder / "features.csv"
    subprocess.run([COMMAND[0], "-m", "learn2search.demo", "features", str(path)], check=True)
    with open(path) as file:
        return np.array([[float(value) for value in row] for row in list(csv.reader(file))[1:]])


def costs_in_the_loop(folder: Path, searches: int, seed: int) -> list[int]:
    features = perceived(folder)
    oracle = l2s.ProbitOracle(features, NOISE, seed=1000 + seed)
    learner = l2s.Learner(oracle, len(features), k=SHOWN, n_components=AXES, seed=seed)
    return [episode.cost for episode in learner.searches(searches)]


def costs_over_http(folder: Path, searches: int, seed: int, *, start: str = "nothing", show: int = SHOWN) -> list[int]:
    """Questions of each finished search, in the order of their ends, from the site's own export."""
    with serving(folder, "demo", "--untaught", "--seed", str(seed), "--warm-start", start) as site:
        options = ["--token", site.token, "--searches", str(searches), "--at-once", "1", "--seed", str(seed)]
        options += ["--show", str(show)]
        address = f"http://127.0.0.1:{site.port}"
        subprocess.run([*COMMAND, "simulate", address, *options], check=True, capture_output=True)
    clicks = folder / "clicks.jsonl"
    export = [*COMMAND, "export", "faces", "clicks.jsonl", "--home", str(folder), "--out", str(clicks)]
    subprocess.run(export, check=True, capture_output=True)
    ended = [json.loads(line) for line in clicks.read_text().splitlines()]
    return [one["questions"] for one in sorted(ended, key=lambda one: one["ended_at"])]


def measure(way: str, seed: int, searches: int) -> list[Row]:
    """Mean questions of a search in each window."""
    with tempfile.TemporaryDirectory() as name:
        costs = (costs_in_the_loop if way == "loop" else costs_over_http)(Path(name), searches, seed)
    return window_means(costs)


def window_means(costs: list[int]) -> list[Row]:
    """The mean of each window that is full."""
    return [
        {"start": start, "stop": stop, "mean": float(np.mean(costs[start:stop]))}
        for start, stop in WINDOWS
        if stop <= len(costs)
    ]


def run(study: Study) -> None:
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    searches = 25 if study.quick else WINDOWS[-1][1]
    repetitions = study.repetitions or (1 if study.quick else REPETITIONS)
    cases = [{"way": way, "seed": seed, "searches": searches} for seed in range(repetitions) for way in WAYS]
    study.measure(COST, measure, cases)


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error."""
    windows = [(start, stop) for start, stop in WINDOWS if results.select(COST, start=start, stop=stop)]
    table = []
    for way in results.distinct(COST, "way"):
        every = [results.select(COST, way=way, start=start, stop=stop) for start, stop in windows]
        table.append([way, *(mean_over([row["mean"] for row in rows]).text(1) for rows in every)])
    print_table("Questions a search", ["searches", *(f"{start}-{stop}" for start, stop in windows)], table)


if __name__ == "__main__":
    main("one_policy")
