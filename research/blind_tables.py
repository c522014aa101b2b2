"""The tables of `blind.py`, from its results file alone: mean questions (screens) a search ± standard error."""

from collections.abc import Mapping, Sequence
from typing import Any

from research.blind import BLIND, COLD, COLD_START, FACE_SEARCH, LINES, METHODS, TRIPLETS
from research.rows import Results, Row
from research.summary import Mean, print_table

Windows = Sequence[tuple[int, int]]


def print_tables(results: Results) -> None:
    windows = ((64, 128), (256, 512), (0, 512), (1000, 2000), (2000, 4000), (4000, 8000))
    blind_table(results, "wine", windows)
    blind_table(results, "music", windows[:-1])
    cold_table(results, "all", ((0, 64), (64, 128), (256, 512), (0, 512)))
    cold_table(results, "rarest tenth", ((0, 512), (256, 512)))
    rows = []
    for line in (line for line in LINES if line.table is FACE_SEARCH and results.select(line.table, **line.named)):
        found = results.select(FACE_SEARCH, **line.named, measure="screens", targets="all")
        rows.append([line.name, *(shown(found, triplets=goal) for goal in TRIPLETS), str(found[0]["repetitions"])])
    print_table("Faces", ["screens", *map(str, TRIPLETS), "repetitions"], rows)


def blind_table(results: Results, dataset: str, windows: Windows) -> None:
    lines = {method: results.select(BLIND, dataset=dataset, method=method) for method in METHODS}
    windows_table(f"Blind search on {dataset}", "all", windows, lines)


def cold_table(results: Results, targets: str, windows: Windows) -> None:
    lines = {change: results.select(COLD_START, dataset="wine", change=change) for change in COLD}
    windows_table(f"The first searches on wine, {targets} targets", targets, windows, lines)


def windows_table(title: str, targets: str, windows: Windows, lines: Mapping[str, list[Row]]) -> None:
    """A row for each line of the plan that has rows, a column for each window of searches."""
    table = []
    for name, found in lines.items():
        costs = (shown(found, measure="questions", targets=targets, start=start, stop=stop) for start, stop in windows)
        if found:
            table.append([name, *costs, shown(found, measure="seconds"), str(found[0]["repetitions"])])
    columns = ["questions", *(f"{start}-{stop}" for start, stop in windows), "CPU seconds", "repetitions"]
    print_table(title, columns, table)


def shown(found: Sequence[Row], **columns: Any) -> str:
    """The mean of the one row with these columns, or nothing."""
    chosen = (row for row in found if columns.items() <= row.items())
    return "".join(Mean(row["mean"], row["error"]).text(1) for row in chosen)
