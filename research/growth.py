"""How many searches does a new collection need until it has learnt? `python -m research.growth --full`.

The learning loop on simulated people, from nothing: they compare in 5 dimensions and say the wrong one of two random
items one time in ten. `learn2search plan` and the owner's pages interpolate between these curves; with --full the table
that they read, `src/learn2search/learn/growth.json`, is written from the results.
"""

import json
from pathlib import Path

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

ITEMS, SHOWN = (30, 100, 300), (2, 4, 9)
REPETITIONS = {30: 3, 100: 3, 300: 1}
CURVE = Table("growth", "curve", {"items": ITEMS, "shown": SHOWN, "seed": int, "at": float})
PACKAGED = Path(__file__).parents[1] / "src" / "learn2search" / "learn" / "growth.json"


def curve(items: int, shown: int, seed: int, per_item: float) -> list[Row]:
    """Mean questions in each window; `at` is its middle, in searches an item."""
    made = l2s.simulate_growth(items, shown, per_item=per_item, seed=seed)
    return [
        {"at": round(at / items, 4), "mean": round(mean, 3), "best": round(made.best, 3)}
        for at, mean in zip(made.searches, made.questions, strict=True)
    ]


def run(study: Study) -> None:
    """The small size is a small collection, for the test: its windows hold a few searches only."""
    sizes = ITEMS[:1] if study.quick else ITEMS
    per_item = 1.0 if study.quick else 3.2
    cases = [
        {"items": items, "shown": shown, "seed": seed, "per_item": per_item}
        for items in sizes
        for shown in (4, 9, 2)
        for seed in range(1 if study.quick else study.repetitions or REPETITIONS[items])
    ]
    study.measure(CURVE, curve, cases)
    if not study.quick:
        write_table(study.results, PACKAGED)


def table_of(results: Results) -> list[Row]:
    """One row a collection: means over the seeds, of logarithms, at each number of searches an item, smoothed."""
    found = []
    for items in sorted(results.distinct(CURVE, "items")):
        for shown in sorted(results.distinct(CURVE, "shown")):
            rows = results.select(CURVE, items=items, shown=shown)
            places = sorted({row["at"] for row in rows})
            if rows:
                logs = [np.mean([np.log(row["mean"]) for row in rows if row["at"] == at]) for at in places]
                best = float(np.exp(np.mean([np.log(row["best"]) for row in rows])))
                questions = [round(float(np.exp(one)), 2) for one in falling(logs, _widths(places))]
                found.append(
                    {"items": items, "shown": shown, "at": places, "questions": questions, "best": round(best, 2)}
                )
    return found


def _widths(places: list[float]) -> list[float]:
    """Of the windows around these middles, the first of which begins at 0."""
    widths, start = [], 0.0
    for middle in places:
        widths.append(2 * (middle - start))
        start += widths[-1]
    return widths


def falling(values: list[float], weights: list[float]) -> list[float]:
    """The nearest values that never rise, by weighted squares: what pools neighbours that do (isotonic regression)."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-1][0] > pools[-2][0]:
            (a, wa, na), (b, wb, nb) = pools[-2:]
            pools[-2:] = [((a * wa + b * wb) / (wa + wb), wa + wb, na + nb)]
    return [value for value, _, count in pools for _ in range(count)]


def write_table(results: Results, path: Path) -> None:
    """The table that is part of the package."""
    lines = ",\n".join("  " + json.dumps(row) for row in table_of(results))
    path.write_text(f'{{"command": "python -m research.growth --full", "rows": [\n{lines}\n]}}\n', encoding="utf-8")


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error, and when each collection has learnt."""
    for shown in sorted(results.distinct(CURVE, "shown")):
        table = []
        for items in sorted(results.distinct(CURVE, "items")):
            rows = results.select(CURVE, items=items, shown=shown)
            places = sorted({row["at"] for row in rows})
            cells = [mean_over([row["mean"] for row in rows if row["at"] == at]).text(1) for at in places]
            table.append([str(items), *cells, f"{np.mean([row['best'] for row in rows]):.1f}" if rows else ""])
        header = ["items", *(f"{at:g}" for at in places), "at best"]
        print_table(f"Questions a search with {shown} shown, by the searches an item before it", header, table)


if __name__ == "__main__":
    main("growth")
