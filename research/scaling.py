"""Complexity of section 4: measured exponents, the slope of log time against log size.

    a query     O(log n + d²) with the power method     time of `ask`, in d; of a whole step, in n
    an update   O(d²)                                   time of `tell`, in d
    an epoch    O(|T| d)                                time of an epoch of GaussEmbed, in |T| and in d

Steps in n and epochs are cells of `research/known_features.py` and `research/embeddings.py`. An exponent below
the claimed one agrees with an upper bound: small sizes are dominated by fixed costs.
"""

import time
from pathlib import Path

import numpy as np

import learn2search as l2s
from research.study import COLOURS, Cells, Study, figure, main

SOURCES = ("known_features", "embeddings")
SEED = 4
DIMENSIONS = (50, 100, 200, 400, 800)
ITEMS = 500
SLACK = 0.2  # of an exponent
LOGARITHMIC = 0.25  # log n looks like this power of n, or less, from 1,000 to 1,000,000 items


def step_seconds(d: int, steps: int) -> dict[str, float]:
    """Median CPU seconds of `ask` and of `tell` in d dimensions, one thread: a busy machine does not show in them."""
    features = np.random.default_rng([SEED, d]).normal(size=(ITEMS, d))
    search = l2s.GaussSearch(l2s.Embedding(features), noise=1.0, reuse=True, seed=SEED)
    asking, telling = [], []
    for _ in range(steps):
        began = time.process_time()
        query = search.ask()
        between = time.process_time()
        search.tell(query[0])
        telling.append(time.process_time() - between)
        asking.append(between - began)
    return {"ask": float(np.median(asking[1:])), "tell": float(np.median(telling[1:]))}


def run(study: Study) -> None:
    """One size after the other in this process, whatever the workers: times are not measured side by side."""
    dimensions, steps = (DIMENSIONS[:3], 10) if study.quick else (DIMENSIONS, 25)
    record = study.record(SEED)
    for d in dimensions:
        record.cell(f"step | d={d}", lambda d=d: step_seconds(d, steps))


def exponent(times: dict[int, float]) -> float:
    """The slope of log seconds against log size."""
    if len(times) < 2:
        raise KeyError("too few sizes have been measured")
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])


def by_dimension(cells: Cells, part: str) -> dict[int, float]:
    found = {d: cells.get(f"step | d={d}") for d in DIMENSIONS}
    return {d: cell[part] for d, cell in found.items() if cell}


def by_items(cells: Cells, d: int) -> dict[int, float]:
    found = {n: cells.get(f"step | n={n} d={d} | gauss") for n in (1000, 10_000, 100_000, 1_000_000)}
    return {n: 1e-6 * microseconds for n, microseconds in found.items() if microseconds}


def epochs(cells: Cells, fixed: str) -> dict[int, float]:
    """Seconds of an epoch, by triplets where `fixed` is "d=10", by axes where it is "m=100000"; 1,000 items."""
    place = 2 if fixed.startswith("d") else 1
    keys = [key for key in cells if key.startswith("epoch | n=1000 ") and fixed in key.split()]
    return {int(key.split(" | ")[1].split()[place].split("=")[1]): cells[key] for key in keys}


def plot(cells: Cells, path: Path) -> None:
    panels = {
        "a step of GaussSearch, in n": {f"d = {d}": by_items(cells, d) for d in (5, 20)},
        "ask and tell, in d": {part: by_dimension(cells, part) for part in ("ask", "tell")},
        "an epoch of GaussEmbed": {"in |T|": epochs(cells, "d=10"), "in d": epochs(cells, "m=100000")},
    }
    with figure(path, columns=3) as axes:
        for axis, (title, curves) in zip(axes, panels.items(), strict=True):
            for (label, times), colour in zip(curves.items(), (COLOURS["paper"], COLOURS["ours"]), strict=True):
                if len(times) > 1:
                    name = f"{label}: exponent {exponent(times):.2f}"
                    axis.plot(*zip(*sorted(times.items()), strict=True), "o-", color=colour, label=name)
                    axis.legend()
            axis.set(xscale="log", yscale="log", title=title, ylabel="seconds")


if __name__ == "__main__":
    main("scaling")
