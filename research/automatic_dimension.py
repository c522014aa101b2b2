"""How many axes the learning loop should have, and whether "auto" finds it. All answers are simulated.

    python -m research.automatic_dimension           # some minutes: one truth, 200 searches
    python -m research.automatic_dimension --full    # all: hours on one core; rows that are there are kept

300 items on 1, 2, 5, 11 or 20 axes, N(0, I); people whose answers about random pairs are wrong in 10% of the cases, and
of which none or 20% are given at random besides; two or four items a question. `learn2search()` runs 700 searches with
a fixed number of axes or with `n_components="auto"`. What counts are the questions of the last third of the searches.
"""

import time

import numpy as np

import learn2search as l2s
from research.rows import NotMeasured, Results, Row, Table
from research.study import Study, main
from research.summary import print_table

N, SEARCHES = 300, 700
FLIPPED = 0.1
TRUTHS = (1, 2, 5, 11, 20)
SHOWN = (2, 4)
LAPSES = (0.0, 0.2)
COMPONENTS = ("auto", 2, 5, 10, 20)
LOOP = Table(
    "automatic_dimension",
    "loop",
    {"truth": TRUTHS, "k": SHOWN, "lapses": LAPSES, "components": COMPONENTS, "seed": (0, 1)},
)


def loop(truth: int, k: int, lapses: float, components: str | int, seed: int, searches: int) -> Row:
    """One loop: questions by thirds, the axes in the end."""
    features = np.random.default_rng(truth).normal(size=(N, truth))
    noise = l2s.calibrate_noise(l2s.random_margins(features, seed=1), FLIPPED)
    person = l2s.ProbitOracle(features, noise, seed=seed + 10, lapse=lapses)
    begin = time.process_time()
    learner = l2s.Learner(person, N, k=k, seed=seed, n_components=components)
    costs = np.array([episode.cost for episode in learner.searches(searches)])
    thirds = [float(part.mean()) for part in np.array_split(costs, 3)]
    last = np.array_split(costs, 3)[2]
    return {
        "thirds": [round(mean, 2) for mean in thirds],
        "questions": thirds[2],
        "standard_error": float(last.std(ddof=1) / np.sqrt(len(last))),
        "axes": learner.embedding.dim,
        "seconds": round(time.process_time() - begin, 1),
    }


def run(study: Study) -> None:
    truths = (1,) if study.quick else (1, 5, 11, 2, 20)
    searches = 200 if study.quick else SEARCHES
    cases = [
        {"truth": truth, "k": k, "lapses": lapses, "components": components, "seed": seed, "searches": searches}
        for seed in range(study.repetitions or 1)
        for k, lapses in ((4, 0.2), (2, 0.0), (4, 0.0), (2, 0.2))
        for truth in truths
        for components in COMPONENTS
    ]
    study.measure(LOOP, loop, cases)


def report(results: Results) -> None:
    """Questions of the last third, and how far auto is from the best fixed number."""
    for k, lapses in ((4, 0.2), (2, 0.0), (4, 0.0), (2, 0.2)):
        table = []
        for truth in TRUTHS:
            try:
                table.append(table_row(results, {"truth": truth, "k": k, "lapses": lapses}))
            except NotMeasured:
                continue
        if table:
            columns = ["axes of the truth", *(f"D = {d}" for d in COMPONENTS[1:]), "auto", "its D", "beside the best"]
            print_table(f"### {k} items a question, {lapses:.0%} answers at random", columns, table)


def table_row(results: Results, asked: Row) -> list[str]:
    means = {}
    for components in COMPONENTS:
        rows = results.require(LOOP, **asked, components=components)
        error = np.sqrt(sum(row["standard_error"] ** 2 for row in rows)) / len(rows)
        means[components] = (float(np.mean([row["questions"] for row in rows])), float(error))
    axes = ", ".join(str(row["axes"]) for row in results.require(LOOP, **asked, components="auto"))
    best = min(mean for components, (mean, _) in means.items() if components != "auto")
    fixed = [f"{means[d][0]:.1f} ± {means[d][1]:.1f}" for d in COMPONENTS[1:]]
    auto = means["auto"]
    return [str(asked["truth"]), *fixed, f"{auto[0]:.1f} ± {auto[1]:.1f}", axes, f"{auto[0] / best - 1:+.0%}"]


if __name__ == "__main__":
    main("automatic_dimension")
