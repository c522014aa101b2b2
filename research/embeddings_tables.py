"""The tables of `embeddings.py` and of its peers, in Markdown, from their results files alone."""

from collections.abc import Sequence

import numpy as np

from research.embedding_folds import DATASETS, SPLITS
from research.embeddings import EPOCH, FIT, MEMORY, ONLINE, RACE, TRUTH, TUNED
from research.peers import LOOKUP, PEER_FIT
from research.rows import Results, Row
from research.summary import exponent, mean_over, print_rows, print_table


def print_tables(results: Results) -> None:
    for dataset in DATASETS:
        for split in SPLITS:
            fold_table(results, dataset, split)
    race_table(results)
    scaling_table(results)
    for table in (TRUTH, ONLINE, MEMORY):
        print_rows(results.select(table))


def name_of(row: Row) -> str:
    """A method as the tables call it; cblearn's have the names of ours."""
    return f"{'cblearn ' if row['library'] == 'cblearn' else ''}{row['method']}, D={row['d']}"


def fold_table(results: Results, dataset: str, split: str) -> None:
    methods: dict[str, list[Row]] = {}
    for table in (FIT, PEER_FIT):
        for row in results.select(table, dataset=dataset, split=split):
            methods.setdefault(name_of(row), []).append(row)
    for table in (TUNED, LOOKUP):
        if rows := results.select(table, dataset=dataset, split=split):
            methods[table.name] = rows
    best_first = sorted(methods.items(), key=lambda method: -mean_over(column(method[1], "accuracy")).value)
    columns = ["method", "accuracy, %", "NLL", "CPU seconds", "folds"]
    print_table(f"### {dataset}, folds by {split}", columns, [fold_row(name, rows) for name, rows in best_first])


def fold_row(name: str, rows: Sequence[Row]) -> list[str]:
    accuracy = mean_over([100 * value for value in column(rows, "accuracy")]).text(2)
    losses, seconds = column(rows, "nll"), column(rows, "cpu_seconds")
    loss = mean_over(losses).text(4) if losses else ""
    return [name, accuracy, loss, f"{np.mean(seconds):.2g}" if seconds else "", str(len(rows))]


def column(rows: Sequence[Row], name: str) -> list[float]:
    """The values that there are: SOE has no likelihood, the lookup table no seconds."""
    return [row[name] for row in rows if row.get(name) is not None]


def scaling_table(results: Results) -> None:
    rows = results.select(EPOCH)
    table = [
        [
            f"n = {row['n']:,}, d = {row['d']}, {row['triplets']:,}",
            f"{row['seconds']:.4f}",
            f"{row['triplets'] / row['seconds'] / 1e6:.2f}",
        ]
        for row in rows
    ]
    columns = ["items, axes, triplets", "seconds", "million triplets a second"]
    print_table("### Seconds of one epoch", columns, table)
    if rows:
        by_count = {row["triplets"]: row["seconds"] for row in results.select(EPOCH, n=1000, d=10)}
        by_axes = {row["d"]: row["seconds"] for row in results.select(EPOCH, n=1000, triplets=100_000)}
        print(f"\nexponent in triplets {exponent(by_count):.2f}, in axes {exponent(by_axes):.2f}")


def race_table(results: Results) -> None:
    table = []
    for dataset in results.distinct(RACE, "dataset"):
        laps: dict[str, list[Row]] = {}
        for row in results.select(RACE, dataset=dataset):
            laps.setdefault(name_of(row), []).append(row)
        peer = np.mean(column(laps["cblearn tste, D=10"], "cpu_seconds"))
        for name, rows in laps.items():
            seconds, accuracy = np.mean(column(rows, "cpu_seconds")), 100 * np.mean(column(rows, "accuracy"))
            table.append([dataset, name, f"{seconds:.2f}", f"{peer / seconds:.1f} times", f"{accuracy:.2f}"])
    columns = ["data", "method", "CPU seconds", "t-STE of cblearn takes", "accuracy, %"]
    print_table("### Measured in turn", columns, table)
