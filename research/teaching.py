"""Teaching a collection before it opens: how many screens until a search takes 12?

    python -m research.teaching           # a minute: 60 items, few screens
    python -m research.teaching --full    # 513 items: about ten minutes a seed on one core

Simulated people compare 513 items on 5 axes, and say the wrong one of two random items one time in ten. Nothing is
known before. A screen of teaching shows an item and 8 others; people click the one most like it, or the three most
like it, one after the other. Which screens are asked:

    random         every item as often as any other
    uncertainty    `next_triplets(..., kind="grid")`, by how open the answer is
    information    the same, by what the answer is expected to tell

All begin with the same number of random screens. At each stop a map is fitted to all screens so far; it chooses the
screens until the next stop, and 150 simulated searches with four at a time use it. "searches" is what happens without
teaching: the learning loop, four at a time, whose own screens are counted; its rows are means over 40 searches.
"""

import math
from collections.abc import Sequence

import numpy as np

import learn2search as l2s
from research import Array
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import print_table

SEEDS = (0, 1, 2)
TAUGHT = {
    "random": ("random", 1),
    "information": ("information", 1),
    "uncertainty": ("uncertainty", 1),
    "random, three clicks": ("random", 3),
    "information, three clicks": ("information", 3),
}
WAYS = ("searches", *TAUGHT)
N, AXES, FLIPPED, SHOWN, SEARCH_SHOWN = 513, 5, 0.1, 8, 4
STOPS = (256, 512, 1024, 2048)
SEARCHES, LOOP, WINDOW = 150, 600, 40
AIM = 12.0  # screens a search
COST = Table("teaching", "cost", {"way": WAYS, "seed": SEEDS, "screens": int})
_STEPS, _EPOCHS, _BATCH = 6000, 300, 200  # of a fit: long, as the learning policy does while answers are few


def people(n: int, seed: int) -> l2s.ProbitOracle:
    features = np.random.default_rng([seed, n]).standard_normal((n, AXES))
    return l2s.ProbitOracle(features, l2s.calibrate_noise(l2s.random_margins(features, seed=seed), FLIPPED), seed=seed)


def even_screens(n: int, count: int, generator: np.random.Generator) -> Array:
    """Random screens, anchor first, in which every item is as often as any other, but for one."""
    width = 1 + SHOWN
    screens: list[Array] = []
    left = np.empty(0, np.int64)
    while len(screens) < count:
        if len(left) < width:
            fresh = generator.permutation(n)
            fresh = np.concatenate([fresh[~np.isin(fresh, left)], fresh[np.isin(fresh, left)]])
            left = np.concatenate([left, fresh])
        screens.append(left[:width])
        left = left[width:]
    return np.array(screens)


def answered(oracle: l2s.ProbitOracle, screens: Array, clicks: int) -> Array:
    """Triplets: each chosen item is nearer than each that was not chosen."""
    rows = []
    for anchor, *shown in screens.tolist():
        left, chosen = list(shown), []
        for _ in range(clicks):
            one = oracle.choose(left, anchor)
            assert one is not None  # people who can always tell
            chosen.append(one)
            left.remove(one)
        rows += [(anchor, near, far) for near in chosen for far in left]
    return np.array(rows)


def fitted(rows: Array, n: int, seed: int) -> l2s.GaussEmbed:
    """As the learning policy fits while answers are few: many steps, and a given prior while they are fewest."""
    prior = 1.0 / (1.5 * math.tan(math.pi * FLIPPED) ** 2) if len(rows) < 4 * n else "empirical"
    epochs = min(-(-_STEPS // -(-len(rows) // _BATCH)), _EPOCHS)
    temper = 1.0 / float(l2s.triplets.click_weights(rows).mean())
    model = l2s.GaussEmbed(AXES, prior=prior, temper=temper, lapse=0.0, epochs=epochs, batch_size=_BATCH)
    return model.set_params(random_state=seed).fit(rows, n_items=n)


def taught(way: str, seed: int, n: int, stops: Sequence[int], searches: int) -> list[Row]:
    """Mean screens of a search after each stop."""
    by, clicks = TAUGHT[way]
    oracle, generator = people(n, seed), np.random.default_rng([seed, 1])
    targets = np.random.default_rng([seed, 2]).integers(0, n, searches)
    screens, rows, found = even_screens(n, stops[0], generator), np.empty((0, 3), np.int64), []
    for stop, following in zip(stops, [*stops[1:], None], strict=True):
        rows = np.concatenate([rows, answered(oracle, screens, clicks)])
        model = fitted(rows, n, seed)
        found.append({"screens": stop} | searched_with(model, people(n, seed), targets, seed))
        if following is not None:
            count = following - stop
            if by == "random":
                screens = even_screens(n, count, generator)
            else:
                screens = l2s.next_triplets(model, count, "grid", by=by, shown=SHOWN, seed=stop)
    return found


def searched_with(model: l2s.GaussEmbed, oracle: l2s.ProbitOracle, targets: Array, seed: int) -> Row:
    """Mean screens of searches that use the map."""
    space = model.to_embedding()
    run = l2s.simulate(
        "sampled", space, oracle, targets, k=SEARCH_SHOWN, noise=1.0, seed=seed, workers=1, progress=False
    )
    return {"mean": round(run.mean, 3), "error": round(run.standard_error, 3)}


def searched(seed: int, n: int, searches: int) -> list[Row]:
    """Mean screens of the last searches of the loop, by the screens of all searches before them."""
    oracle = people(n, seed)
    loop = l2s.learn2search(oracle, n, searches, k=SEARCH_SHOWN, n_components=AXES, seed=seed)
    costs = np.array([episode.cost for episode in loop], float)
    before, found = np.cumsum(costs), []
    for end in range(WINDOW, searches + 1, WINDOW):
        window = costs[end - WINDOW : end]
        error = float(window.std(ddof=1) / math.sqrt(WINDOW))
        middle = int(before[end - WINDOW // 2 - 1])
        found.append({"screens": middle, "searches": end, "mean": round(float(window.mean()), 3), "error": error})
    return found


def cost(way: str, seed: int, n: int, stops: Sequence[int], searches: int, loop: int) -> list[Row]:
    return searched(seed, n, loop) if way == "searches" else taught(way, seed, n, stops, searches)


def run(study: Study) -> None:
    size = {"n": 60, "stops": (20, 40), "searches": 50, "loop": 2 * WINDOW} if study.quick else {}
    size = size or {"n": N, "stops": STOPS, "searches": SEARCHES, "loop": LOOP}
    seeds = range(1 if study.quick else study.repetitions or 1)
    study.measure(COST, cost, [{"way": way, "seed": seed, **size} for seed in seeds for way in WAYS])


def screens_needed(curve: Sequence[Row], aim: float) -> float:
    """Screens until a search takes `aim`, where the curve first falls there; linear in the logarithms between two
    stops. NaN if it never does."""
    at, means = np.array([row["screens"] for row in curve], float), np.array([row["mean"] for row in curve], float)
    below = np.flatnonzero(means <= aim)
    if len(below) == 0:
        return float("nan")
    first = int(below[0])
    if first == 0:
        return float(at[0])
    logs = np.log(means[first - 1 : first + 1])
    share = (math.log(aim) - logs[0]) / (logs[1] - logs[0])
    return float(np.exp((1 - share) * math.log(at[first - 1]) + share * math.log(at[first])))


def report(results: Results) -> None:
    """Screens until a search takes 12, by seed, and the curves of the first seed."""
    seeds = sorted(results.distinct(COST, "seed"))
    table = []
    for way in WAYS:
        curves = [results.select(COST, way=way, seed=seed) for seed in seeds]
        needed = [screens_needed(curve, AIM) if curve else None for curve in curves]
        table.append([way, *("" if one is None else needed_text(one) for one in needed)])
    print_table(f"Screens until a search takes {AIM:g}", ["", *(f"seed {seed}" for seed in seeds)], table)
    for seed in seeds:
        rows = []
        for way in TAUGHT:
            curve = results.select(COST, way=way, seed=seed)
            rows.append([way, *(f"{row['mean']:.1f} ± {row['error']:.1f}" for row in curve)])
        stops = [row["screens"] for row in results.select(COST, way="random", seed=seed)]
        print_table(f"Screens a search after so many of teaching, seed {seed}", ["", *map(str, stops)], rows)
        loop = results.select(COST, way="searches", seed=seed)
        rows = [
            [f"{row['screens']:,}", str(row["searches"]), f"{row['mean']:.1f} ± {row['error']:.1f}"] for row in loop
        ]
        print_table(f"Without teaching, seed {seed}", ["screens of searches", "searches", "screens a search"], rows)


def needed_text(needed: float) -> str:
    return f"{needed:,.0f}" if math.isfinite(needed) else "not reached"


if __name__ == "__main__":
    main("teaching")
