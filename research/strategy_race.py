"""The strategies of docs/strategies.md, raced against ours: `python -m research.strategy_race --full`.

The code is read from the page, so what is measured is what the page shows. Items are uniform in a cube, simulated
people answer with the noise that the searches know, and a search ends when its target is shown. Two of them are from
the literature and are raced to when the target is the most probable item, too, which is all that mean-cut is after.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import Mean, print_table

PAGE = Path(__file__).parents[1] / "docs" / "strategies.md"
SEED = 12
OURS = ("random", "gauss", "sampled")
OF_THE_PAGE = ("votes", "thompson", "gamma-ckl")
COST = Table("strategy_race", "cost", {"strategy": (*OURS, *OF_THE_PAGE), "k": (2, 4), "n": (100, 1000)})
TO_THE_MODE = ("random", "gauss", "sampled", "mean-cut", "gamma-ckl")
MODE = Table("strategy_race", "mode", {"strategy": TO_THE_MODE, "n": (100, 1000)})
DIMENSIONS, NOISE = 3, 0.05


def strategies_of_the_page() -> list[str]:
    """The blocks of code that register a strategy."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [block for block in blocks if "@l2s.register_strategy" in block]


@cache
def register_strategies_of_the_page() -> None:
    names = {"__name__": "__main__", "np": np, "l2s": l2s}  # as a reader runs them
    for block in strategies_of_the_page():
        exec(block, names)


def cost(strategy: str, k: int, n: int, searches: int, stop: str = "shown") -> Row:
    """Questions until the target was shown, or was the most probable item."""
    register_strategies_of_the_page()
    generator = np.random.default_rng([SEED, n])
    space, targets = l2s.Embedding(generator.uniform(size=(n, DIMENSIONS))), generator.integers(0, n, searches)
    people = l2s.ProbitOracle(space, NOISE, seed=SEED)
    run = l2s.simulate(strategy, space, people, targets, k=k, stop=stop, seed=SEED, progress=False)
    return {"searches": searches, "mean": round(run.mean, 4), "error": round(run.standard_error, 4)}


def run(study: Study) -> None:
    n, searches = (100, 100) if study.quick else (1000, 1000)
    cases = [{"strategy": one, "k": k, "n": n, "searches": searches} for k in (2, 4) for one in (*OURS, *OF_THE_PAGE)]
    study.measure(COST, cost, cases)
    study.measure(MODE, cost_to_the_mode, [{"strategy": one, "n": n, "searches": searches} for one in TO_THE_MODE])


def cost_to_the_mode(strategy: str, n: int, searches: int) -> Row:
    """Questions of two items until the target was the most probable one."""
    return cost(strategy, 2, n, searches, "mode")


def report(results: Results) -> None:
    for n in results.distinct(COST, "n"):
        table = []
        for strategy in sorted(
            (*OURS, *OF_THE_PAGE), key=lambda one: -results.one(COST, strategy=one, k=2, n=n)["mean"]
        ):
            found = [results.one(COST, strategy=strategy, k=k, n=n) for k in (2, 4)]
            table.append([f"`{strategy}`", *(Mean(row["mean"], row["error"]).text(1) for row in found)])
        print_table(f"Questions a search among {n:,} items", ["strategy", "two shown", "four shown"], table)
        rows = sorted(results.require(MODE, n=n), key=lambda row: -row["mean"])
        modes = [[f"`{row['strategy']}`", Mean(row["mean"], row["error"]).text(1)] for row in rows]
        print_table("Until the target is the most probable item", ["strategy", "questions"], modes)


if __name__ == "__main__":
    main("strategy_race")
