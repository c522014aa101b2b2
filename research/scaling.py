"""Complexity of section 4: measured exponents, the slope of log time against log size.

    a query     O(log n + d²) with the power method     time of `ask`, in d; of a whole step, in n
    an update   O(d²)                                   time of `tell`, in d
    an epoch    O(|T| d)                                time of an epoch of GaussEmbed, in |T| and in d

Steps in n and epochs are rows of `research/known_features.py` and `research/embeddings.py`. An exponent below
the claimed one agrees with an upper bound: small sizes are dominated by fixed costs.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import learn2search as l2s
from research.claims import Claim, Found
from research.drawing import COLOURS, figure
from research.embeddings import EPOCH
from research.known_features import STEP
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import exponent

SEED = 4
DIMENSIONS = (50, 100, 200, 400, 800)
ITEMS = 500
STEP_IN_D = Table("scaling", "step", {"d": DIMENSIONS})
TABLES = (STEP, EPOCH, STEP_IN_D)
SLACK = 0.2  # of an exponent
LOGARITHMIC = 0.25  # log n looks like this power of n, or less, from 1,000 to 1,000,000 items


def step_seconds(d: int, steps: int) -> Row:
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
    study.measure(STEP_IN_D, step_seconds, [{"d": d, "steps": steps} for d in dimensions])


def by_dimension(results: Results, part: str) -> dict[int, float]:
    return {row["d"]: row[part] for row in results.select(STEP_IN_D)}


def by_items(results: Results, d: int) -> dict[int, float]:
    """Seconds of a step of GaussSearch, by the number of items, from 1,000 on."""
    rows = results.select(STEP, d=d, strategy="gauss")
    return {row["n"]: 1e-6 * row["microseconds"] for row in rows if row["n"] >= 1000}


def epochs(results: Results, column: str) -> dict[int, float]:
    """Seconds of an epoch with 1,000 items: by "triplets", where d = 10, or by "d", where there are 100,000."""
    fixed = {"triplets": {"d": 10}, "d": {"triplets": 100_000}}[column]
    return {row[column]: row["seconds"] for row in results.select(EPOCH, n=1000, **fixed)}


def plot(results: Results, path: Path) -> None:
    panels = {
        "a step of GaussSearch, in n": {f"d = {d}": by_items(results, d) for d in (5, 20)},
        "ask and tell, in d": {part: by_dimension(results, part) for part in ("ask", "tell")},
        "an epoch of GaussEmbed": {"in |T|": epochs(results, "triplets"), "in d": epochs(results, "d")},
    }
    with figure(path, columns=3) as axes:
        for axis, (title, curves) in zip(axes, panels.items(), strict=True):
            for (label, times), colour in zip(curves.items(), (COLOURS["paper"], COLOURS["ours"]), strict=True):
                if len(times) > 1:
                    name = f"{label}: exponent {exponent(times):.2f}"
                    axis.plot(*zip(*sorted(times.items()), strict=True), "o-", color=colour, label=name)
                    axis.legend()
            axis.set(xscale="log", yscale="log", title=title, ylabel="seconds")


# --- the claims -------------------------------------------------------------------------------------


def query_in_items(results: Results) -> Found:
    found = {d: exponent(by_items(results, d)) for d in (5, 20)}
    words = ", ".join(f"{value:.2f} at d = {d}" for d, value in found.items())
    return Found(
        f"exponent in n {words} (n from 1,000 to 1,000,000)", [value < LOGARITHMIC for value in found.values()]
    )


def in_dimension(part: str) -> Callable[[Results], Found]:
    def judge(results: Results) -> Found:
        times = by_dimension(results, part)
        value = exponent(times)
        return Found(f"exponent {value:.2f} (d from {min(times)} to {max(times)})", [value < 2 + SLACK])

    return judge


def epoch_is_linear(results: Results) -> Found:
    found = {name: exponent(epochs(results, column)) for name, column in (("|T|", "triplets"), ("d", "d"))}
    words = ", ".join(f"{value:.2f} in {name}" for name, value in found.items())
    return Found(f"exponents {words}", [value < 1 + SLACK for value in found.values()])


BOUND = f"the measured exponent is at most {SLACK} above"
CLAIMS = (
    Claim(
        "4.1",
        "a query takes O(log n) on average in n, with a k-d tree",
        f"an exponent below {LOGARITHMIC}, at d = 5 and at d = 20",
        query_in_items,
        "in 20 dimensions a k-d tree visits nearly everything, and one pass over all items is faster",
    ),
    Claim(
        "4.1",
        "a query takes O(d²) in d, with the power method",
        BOUND,
        in_dimension("ask"),
        "sampling needs a root of Σ, which is updated with Σ, in O(d²); the power method takes more steps in more axes",
    ),
    Claim("4.2", "an update takes O(d²)", BOUND, in_dimension("tell")),
    Claim("5.1", "an epoch takes O(|T| d)", BOUND, epoch_is_linear),
)

if __name__ == "__main__":
    main("scaling")
