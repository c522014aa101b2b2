"""What do features tell a learning loop? `python -m research.features --full` (some minutes on one core).

Simulated people compare items in ten axes of their own; 10% of their answers about random pairs are flipped. What is
known of the items are 60 numbers of each, mixed from twenty: how many of these twenty are axes that people compare by
says what the features are worth:

    none       no features
    useless    0: they must do no harm
    part       6: the other four axes are in no feature
    archive    6, and 4,522 items: the size of the classic search by comparison (PicHunter: 55 screens of four)

Nothing is taught before the first search. Four items a question. Nothing here is tuned.
"""

import numpy as np

import learn2search as l2s
from research import Array
from research.one_policy import window_means
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

AXES, MIXED, NUMBERS = 10, 20, 60
SHARED = {"none": None, "useless": 0, "part": 6, "archive": 6}
SIZES = {"none": 513, "useless": 513, "part": 513, "archive": 4522}
SEARCHES, SHOWN, REPETITIONS = 100, 4, 3
COST = Table("features", "cost", {"world": tuple(SHARED), "seed": int, "start": int, "stop": int})


def make_world(name: str, n_items: int, seed: int) -> tuple[l2s.ProbitOracle, Array | None]:
    """People, and what is known of the items."""
    generator = np.random.default_rng([seed, n_items])
    seen = generator.normal(size=(n_items, AXES))
    people = l2s.ProbitOracle(seen, l2s.calibrate_noise(l2s.random_margins(seen, seed=seed), 0.1), seed=1000 + seed)
    shared = SHARED[name]
    if shared is None:
        return people, None
    behind = np.column_stack([seen[:, :shared], generator.normal(size=(n_items, MIXED - shared))])
    return people, behind @ generator.normal(size=(MIXED, NUMBERS)) / np.sqrt(MIXED)


def measure(world: str, seed: int, searches: int, n_items: int) -> list[Row]:
    """Mean questions of a search in each window."""
    people, features = make_world(world, n_items, seed)
    learner = l2s.Learner(people, n_items, k=SHOWN, seed=seed, features=features)
    return window_means([episode.cost for episode in learner.searches(searches)])


def run(study: Study) -> None:
    repetitions = study.repetitions or (1 if study.quick else REPETITIONS)
    cases = [
        {
            "world": name,
            "seed": seed,
            "searches": 25 if study.quick else SEARCHES,
            "n_items": 60 if study.quick else size,
        }
        for seed in range(repetitions)
        for name, size in SIZES.items()
    ]
    study.measure_many(COST, measure, cases)


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error."""
    windows = [(start, stop) for start, stop in ((0, 25), (25, 50), (50, 100)) if results.select(COST, stop=stop)]
    table = []
    for name in results.distinct(COST, "world"):
        means = [
            mean_over([row["mean"] for row in results.select(COST, world=name, start=start, stop=stop)]).text(1)
            for start, stop in windows
        ]
        table.append([name, *means])
    print_table("Questions a search", ["features", *(f"searches {start + 1}-{stop}" for start, stop in windows)], table)


if __name__ == "__main__":
    main("features")
