"""The tables of research/embeddings.py and of its peers, in Markdown, from their results files alone.

python -m research.embeddings_report     # what docs/embeddings.md shows
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from research.recording import RESULTS

Cells = dict[str, Any]


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Mean over folds and its standard error (nan for one fold)."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)


def folded(cells: Cells) -> dict[tuple[str, str, str], list[Any]]:
    """(data set, split, method) -> a cell for each fold measured."""
    found: dict[tuple[str, str, str], list[Any]] = {}
    for key, cell in cells.items():
        parts = key.split(" | ")
        if parts[0] in ("artists", "food"):
            found.setdefault((parts[0], parts[1], ", ".join(parts[2:-1])), []).append(cell)
    return found


def fold_tables(cells: Cells) -> None:
    found = folded(cells)
    for dataset, split in sorted({key[:2] for key in found}):
        print(f"\n### {dataset}, folds by {split}\n")
        print("| method | accuracy, % | NLL | CPU seconds | folds |\n| --- | --- | --- | --- | --- |")
        rows = {method: measured for (data, by, method), measured in found.items() if (data, by) == (dataset, split)}
        for method, measured in sorted(rows.items(), key=lambda row: -np.mean([cell["accuracy"] for cell in row[1]])):
            accuracy = "{:.2f} ± {:.2f}".format(*mean_and_error([100 * cell["accuracy"] for cell in measured]))
            losses = [cell["nll"] for cell in measured if cell.get("nll") is not None]
            loss = "{:.4f} ± {:.4f}".format(*mean_and_error(losses)) if losses else ""
            seconds = [cell["cpu_seconds"] for cell in measured if "cpu_seconds" in cell]
            took = f"{np.mean(seconds):.2g}" if seconds else ""
            print(f"| {method} | {accuracy} | {loss} | {took} | {len(measured)} |")


def exponent(pairs: dict[float, float]) -> float:
    """The slope of log seconds against log size."""
    return float(np.polyfit(np.log(list(pairs)), np.log(list(pairs.values())), 1)[0])


def scaling_table(cells: Cells) -> None:
    timed = {key.split(" | ")[1]: seconds for key, seconds in cells.items() if key.startswith("epoch")}
    if not timed:
        return
    print("\n### Seconds of one epoch\n\n| items, axes, triplets | seconds | million triplets a second |")
    print("| --- | --- | --- |")
    by_count, by_dimension = {}, {}
    for key, seconds in timed.items():
        n, d, count = (int(part.split("=")[1]) for part in key.split())
        print(f"| n = {n:,}, d = {d}, {count:,} | {seconds:.4f} | {count / seconds / 1e6:.2f} |")
        if (n, d) == (1000, 10):
            by_count[count] = seconds
        if (n, count) == (1000, 100_000):
            by_dimension[d] = seconds
    print(f"\nexponent in triplets {exponent(by_count):.2f}, in axes {exponent(by_dimension):.2f}")


def other_cells(cells: Cells) -> None:
    for key, cell in cells.items():
        if key.split(" | ")[0] in ("truth", "online", "memory"):
            values = ", ".join(f"{name} {value:.4g}" for name, value in cell.items())
            print(f"\n{key}: {values}")


def race_table(cells: Cells) -> None:
    laps: dict[tuple[str, str], list[Any]] = {}
    for key, cell in cells.items():
        if key.startswith("race"):
            for name, measured in cell.items():
                laps.setdefault((key.split(" | ")[1], name), []).append(measured)
    if not laps:
        return
    print("\n### Measured in turn\n\n| data | method | CPU seconds | t-STE of cblearn takes | accuracy, % |")
    print("| --- | --- | --- | --- | --- |")
    for (dataset, name), measured in laps.items():
        seconds = np.mean([cell["cpu_seconds"] for cell in measured])
        peer = np.mean([cell["cpu_seconds"] for cell in laps[dataset, "cblearn tste D=10"]])
        accuracy = 100 * np.mean([cell["accuracy"] for cell in measured])
        print(f"| {dataset} | {name} | {seconds:.2f} | {peer / seconds:.1f} times | {accuracy:.2f} |")


LOOKS = {  # how each method is drawn: colour, line
    "gauss, paper": ("#7b3f73", "-"),
    "gauss, empirical": ("#b98ab3", "-"),
    "gauss, ratio": ("#c8912a", "-"),
    "tste": ("#2a7f86", "-"),
    "ckl": ("#5f6b75", "-"),
    "cblearn tste": ("#2a7f86", ":"),
    "cblearn ckl": ("#5f6b75", ":"),
    "cblearn soe, one start": ("#c2553f", ":"),
}


def draw(cells: Cells, path: Path) -> None:
    """The supplement's figure: accuracy against D, a panel for each data set and way to fold; level lines for the
    tuned embedding and the lookup table."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = {key: [100 * cell["accuracy"] for cell in measured] for key, measured in folded(cells).items()}
    figure, axes = plt.subplots(2, 2, figsize=(10, 7.5), layout="constrained", sharex=True)
    for row, dataset in zip(axes, ("artists", "food"), strict=True):
        for axis, split in zip(row, ("row", "screen"), strict=True):
            for method, (colour, line) in LOOKS.items():
                by_d = {d: found.get((dataset, split, f"{method}, D={d}")) for d in (2, 5, 10, 20, 30)}
                curve = [(d, *mean_and_error(values)) for d, values in by_d.items() if values]
                if curve:
                    axis.errorbar(*zip(*curve, strict=True), color=colour, ls=line, marker="o", ms=3, label=method)
            for method, colour in (("tuned", "#c8912a"), ("lookup", "black")):
                if values := found.get((dataset, split, method)):
                    axis.axhline(np.mean(values), color=colour, ls="--", lw=1, label=method)
            axis.set(title=f"{dataset}, folds by {split}", xlabel="axes D", ylabel="held-out triplets satisfied, %")
            axis.grid(alpha=0.25)
            axis.spines[["top", "right"]].set_visible(False)
    axes[0, 1].set_ylim(bottom=60)  # the lookup table knows nothing there: 50%
    axes[0, 0].legend(fontsize=7, ncols=2)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def as_peers(cells: Cells) -> Cells:
    """The cells of `peers.py` with cblearn's methods called so: by themselves they have the names of ours."""
    return {re.sub(r"\| (ckl|tste|soe)", r"| cblearn \1", key): cell for key, cell in cells.items()}


def with_peers(cells: Cells) -> Cells:
    """Ours and cblearn's cells together."""
    peers = RESULTS / "peers.json"
    return cells | as_peers(json.loads(peers.read_text())["cells"] if peers.exists() else {})


def report(cells: Cells) -> None:
    everything = with_peers(cells)
    fold_tables(everything)
    race_table(cells)
    scaling_table(cells)
    other_cells(cells)


if __name__ == "__main__":
    report(json.loads((RESULTS / "embeddings.json").read_text())["cells"])
