"""The tables of `known_features.py`, from its results file alone."""

from typing import Any

from research.known_features import (
    CONVENTION,
    CONVENTIONS,
    CORES,
    COST,
    DIM,
    MEMORY,
    NOISE,
    PICTURES,
    STEP,
    STOPS,
)
from research.rows import Results, Row, Table
from research.summary import Mean, print_table

LOOKS = {
    "ig": ("IG", "#7b6ca8", "s"),
    "eff": ("Eff", "#b08bb5", "D"),
    "sampled": ("sampled (ours)", "#c2811d", "o"),
    "gauss": ("GaussSearch", "#51305e", "o"),
    "random": ("Rand", "#8d8a91", "v"),
}


def print_tables(results: Results) -> None:
    for print_one in (questions, conventions, pictures, steps):
        print_one(results)
    for row in results.select(CORES):
        print(f"\n{row['strategy']}, two cores over one: {row['two_over_one']:.2f}")
    for row in results.select(MEMORY):
        print(f"\nn = {row['n']:,}, d = {row['d']}, peak memory over the embedding: {row['peak_over_embedding']:.2f}")


def cost_of(row: Row) -> Mean:
    return Mean(row["mean"], row["error"])


def shown(results: Results, table: Table, **columns: Any) -> str:
    """The cost, or nothing where it was not measured."""
    return "".join(cost_of(row).text(2) for row in results.select(table, **columns))


def questions(results: Results) -> None:
    for noise in results.distinct(COST, "noise"):
        for stop, words in zip(STOPS, ("most probable", "shown"), strict=True):
            rows = []
            for n in results.distinct(COST, "n"):
                sigma = results.one(NOISE, points="uniform", n=n, d=DIM, noise=noise)["sigma"]
                costs = (shown(results, COST, n=n, noise=noise, stop=stop, strategy=strategy) for strategy in LOOKS)
                rows.append([f"{n:,}", f"{sigma:.3f}", *costs])
            names = [label for label, *_ in LOOKS.values()]
            print_table(f"Questions until the target is {words}; noise: {noise}", ["n", "σ", *names], rows)


def conventions(results: Results) -> None:
    rows = [
        [
            name,
            noise,
            *(shown(results, CONVENTION, n=n, noise=noise, prior_scale=scale, reuse=reuse) for n in (50, 100)),
        ]
        for (scale, reuse), name in CONVENTIONS.items()
        for noise in results.distinct(CONVENTION, "noise")
    ]
    title = "GaussSearch under several conventions (paper: 6.7 and 8.47)"
    print_table(title, ["prior, items", "noise", "n = 50", "n = 100"], rows)


def pictures(results: Results) -> None:
    rows = []
    for points in results.distinct(PICTURES, "points"):
        for d in results.distinct(PICTURES, "d"):
            for noise in results.distinct(PICTURES, "noise"):
                named = {"points": points, "d": d, "noise": noise}
                costs = (shown(results, PICTURES, **named, strategy=s) for s in ("sampled", "gauss", "random"))
                rows.append([f"{points} d={d}", noise, *costs])
    columns = ["points", "noise", "sampled", "GaussSearch", "random"]
    print_table("Four pictures, n = 513: screens until shown", columns, rows)


def steps(results: Results) -> None:
    sizes = dict.fromkeys((row["n"], row["d"]) for row in results.select(STEP))
    rows = []
    for n, d in sizes:
        gauss, sampled, plain, tuned = (
            results.one(STEP, n=n, d=d, strategy=strategy)["microseconds"]
            for strategy in ("gauss", "sampled", "plain NumPy", "tuned NumPy")
        )
        times = [f"{gauss:,.1f}", f"{sampled:,.0f}", f"{plain:,.0f}", f"{tuned:,.0f}"]
        ratios = [f"{plain / gauss:,.0f}×", f"{tuned / gauss:,.0f}×", f"{plain / sampled:,.2g}×"]
        rows.append([f"n={n} d={d}", *times, *ratios])
    columns = ["size", "GaussSearch", "sampled", "plain NumPy", "tuned NumPy"]
    columns += ["plain / GaussSearch", "tuned / GaussSearch", "plain / sampled"]
    print_table("Microseconds a step, one core", columns, rows)
