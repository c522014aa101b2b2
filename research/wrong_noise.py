"""What a wrong noise costs: simulated people answer with σ, and the search assumes a multiple of it.

    python -m research.wrong_noise           # a minute: 100 items alone
    python -m research.wrong_noise --full    # all: about ten minutes on one core

Items are uniform in the unit cube. σ is that which flips 5% or 15% of the answers to random pairs. A search ends when
its target is shown; all factors have the same targets, people and searches. The cost is the mean number of questions,
as a multiple of what the right noise takes. `lapse` has people who also click at random now and then, which the search
does not know: 1,000 items on 5 axes, and σ for 5% flipped answers beside the lapses.
"""

import itertools

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import print_table

SEED = 21
FACTORS = (0.1, 0.33, 0.5, 1.0, 2.0, 3.0, 10.0)
STRATEGIES = ("sampled", "gauss")
SIZES = ((100, 2), (100, 5), (100, 20), (1000, 2), (1000, 5), (1000, 20), (10_000, 5))
COST = Table(
    "wrong_noise",
    "cost",
    {
        "strategy": STRATEGIES,
        "n": (100, 1000, 10_000),
        "d": (2, 5, 20),
        "k": (2, 4),
        "flips": (0.05, 0.15),
        "factor": FACTORS,
    },
)
LAPSE = Table(
    "wrong_noise", "lapse", {"strategy": STRATEGIES, "k": (2, 4), "lapse": (0.0, 0.05, 0.15), "factor": FACTORS}
)
SEARCHES = 200


def cost(strategy: str, n: int, d: int, k: int, flips: float, factor: float, searches: int, lapse: float = 0.0) -> Row:
    """Questions until the target was shown, where the search assumes `factor` times the people's noise."""
    generator = np.random.default_rng([SEED, n, d])
    space = l2s.Embedding(generator.uniform(size=(n, d)))
    targets = generator.integers(0, n, searches)
    noise = l2s.calibrate_noise(l2s.random_margins(space.mean, seed=SEED), flips)
    people = l2s.ProbitOracle(space, noise, seed=SEED, lapse=lapse)
    run = l2s.simulate(
        strategy, space, people, targets, k=k, noise=factor * noise, seed=SEED, workers=1, progress=False
    )
    numbers = {"noise": noise, "mean": run.mean, "error": run.standard_error, "most": float(run.costs.max())}
    return {"searches": searches, **{name: round(value, 4) for name, value in numbers.items()}}


def run(study: Study) -> None:
    sizes = SIZES[1:2] if study.quick else SIZES
    grid = itertools.product(sizes, (2, 4), (0.05, 0.15), STRATEGIES, FACTORS)
    searches = 50 if study.quick else SEARCHES
    cases = [
        {"strategy": strategy, "n": n, "d": d, "k": k, "flips": flips, "factor": factor, "searches": searches}
        for (n, d), k, flips, strategy, factor in grid
    ]
    study.measure(COST, cost, cases)
    size = (100, 5) if study.quick else (1000, 5)
    lapses = [
        {"strategy": strategy, "k": k, "lapse": lapse, "factor": factor, "searches": searches, "size": size}
        for k, lapse, strategy, factor in itertools.product((2, 4), (0.0, 0.05, 0.15), STRATEGIES, FACTORS)
    ]
    study.measure(LAPSE, cost_with_lapses, lapses)


def cost_with_lapses(strategy: str, k: int, lapse: float, factor: float, searches: int, size: tuple[int, int]) -> Row:
    """The same with people who click at random now and then."""
    return cost(strategy, *size, k, 0.05, factor, searches, lapse)


def ratios(results: Results, table: Table, factor: float, what: str = "mean", **names: object) -> list[float]:
    """Of the costs with this factor to those with the right noise, one for each world with these names; what: the mean
    of the searches, or the most that one took.
    """
    found = []
    for row in results.require(table, factor=factor, **names):
        world = {name: row[name] for name in table.columns if name != "factor"}
        found.append(row[what] / results.one(table, factor=1.0, **world)[what])
    return found


def report(results: Results) -> None:
    heads = [f"× {factor}" for factor in FACTORS]
    worlds = [(name, value) for name in ("n", "d", "k", "flips") for value in results.distinct(COST, name)]
    for strategy in STRATEGIES:
        table = [["all", *(_range(ratios(results, COST, factor, strategy=strategy)) for factor in FACTORS)]]
        for name, value in worlds:
            named = {"strategy": strategy, name: value}
            table.append(
                [f"{name} = {value}", *(f"{_mean(ratios(results, COST, one, **named)):.2f}" for one in FACTORS)]
            )
        longest = (_mean(ratios(results, COST, factor, "most", strategy=strategy)) for factor in FACTORS)
        table.append([f"all, the longest of {SEARCHES} searches", *(f"{mean:.2f}" for mean in longest)])
        title = f"{strategy}: cost with so many times the right noise (geometric mean; least to most)"
        print_table(title, ["worlds", *heads], table)
    table = []
    for strategy, lapse in itertools.product(STRATEGIES, results.distinct(LAPSE, "lapse")):
        named = {"strategy": strategy, "lapse": lapse}
        means = (_mean(ratios(results, LAPSE, factor, **named)) for factor in FACTORS)
        table.append([strategy, f"{lapse:.0%}", *(f"{mean:.2f}" for mean in means)])
    print_table("The same with clicks at random", ["strategy", "clicks at random", *heads], table)


def _mean(found: list[float]) -> float:
    """Geometric: half and double cancel."""
    return float(np.exp(np.mean(np.log(found))))


def _range(found: list[float]) -> str:
    return f"{_mean(found):.2f} ({min(found):.2f} to {max(found):.2f})"


if __name__ == "__main__":
    main("wrong_noise")
