"""Answers that are sometimes thoughtless: how far is the learning loop behind a search that knows the positions?

    python -m research.lapses            # a minute, small
    python -m research.lapses --full     # about 15 minutes on one core

Simulated people compare 200 items by 5 features of their own, which they see with noise 0.5 (features have variance 1).
Now and then they click any of the items shown: so often that 10% of the answers are another than the one they would
have given (a lapse rate of 0.1 k / (k - 1)), or never. Two or four items are shown. The learning loop

    before     with lapse=0: neither its fits nor its searches expect lapses
    given      with lapse= the true rate
    learnt     with lapse="fit": the rate is learnt from the searches that judge a fit

makes 1,200 searches. Then nothing more is learnt, and its positions are judged by 1,000 searches for the same targets
by the same people, beside a search on the true features, "positions known": as it is, and expecting the true rate of
lapses ("told"). The number of axes is given, and a click counts as k - 1 answers (one_choice=False). Nothing here is
tuned; the seeds are those of this module alone.
"""

from typing import Any

import numpy as np

import learn2search as l2s
from research.rows import Columns, Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

N, D, NOISE = 200, 5, 0.5
SHOWN, FLIPPED = (2, 4), (0.1, 0.0)
KNOWN = "positions known"
METHODS: dict[str, dict[str, Any]] = {"before": {"lapse": 0.0}, "given": {}, "learnt": {"lapse": "fit"}}
SEARCHES, JUDGES, REPETITIONS = 1200, 1000, 2
WINDOWS = ((0, 100), (100, 200), (200, 400), (400, 800), (800, 1200))
NAMES: Columns = {"k": SHOWN, "flipped": FLIPPED, "method": (KNOWN, *METHODS), "seed": int}
LOOP = Table("lapses", "loop", {**NAMES, "start": int, "stop": int})
AFTER = Table("lapses", "after", {**NAMES, "told": (False, True)})


def measure(k: int, flipped: float, method: str, seed: int, searches: int, n_items: int, judges: int) -> list[Row]:
    """Mean questions of a search in each window, and of the searches that judge the positions in the end."""
    features = np.random.default_rng([seed, N, D]).normal(size=(n_items, D))
    lapse = flipped * k / (k - 1)
    people, others = (l2s.ProbitOracle(features, NOISE, seed=one + seed, lapse=lapse) for one in (1000, 2000))
    space, noise, expected, found = l2s.Embedding(features), NOISE, 0.0, []
    if method != KNOWN:
        options = {"n_components": D, "one_choice": False, "lapse": lapse} | METHODS[method]
        learner = l2s.Learner(people, n_items, k=k, seed=seed, **options)
        costs = [episode.cost for episode in learner.searches(searches)]
        space, noise, expected = learner.embedding, learner.noise, learner.lapse
        inside = [(start, stop) for start, stop in WINDOWS if stop <= searches]
        found = [
            {"table": "loop", "start": one, "stop": end, "mean": float(np.mean(costs[one:end]))} for one, end in inside
        ]
    targets = np.random.default_rng([seed, 9]).integers(0, n_items, judges)
    for told in (False, True) if lapse else (False,):
        rate = lapse if told else expected
        run = l2s.simulate("sampled", space, others, targets, k=k, noise=noise, lapse=rate, seed=seed)
        found.append({"told": told, "mean": round(run.mean, 3), "lapse": round(rate, 3)})
    return found


def run(study: Study) -> None:
    repetitions, quick = study.repetitions or (1 if study.quick else REPETITIONS), study.quick
    size = {"searches": 200, "n_items": 40, "judges": 50} if quick else {"searches": SEARCHES, "n_items": N}
    size = {"judges": JUDGES} | size
    cases = [
        {"k": k, "flipped": flipped, "method": method, "seed": seed} | size
        for seed in range(repetitions)
        for flipped in FLIPPED
        for k in SHOWN
        for method in (KNOWN, *METHODS)
        if flipped or method != "given"  # without lapses it is what was before
    ]
    study.measure_many(AFTER, measure, cases)


def report(results: Results) -> None:
    """Means over the seeds ± their standard errors; behind: the search that knows positions and lapses."""
    windows = [window for window in WINDOWS if results.select(LOOP, stop=window[1])]
    table, judged = [], []
    for flipped, k, method in (
        (flipped, k, method) for flipped in FLIPPED for k in SHOWN for method in (KNOWN, *METHODS)
    ):
        case = {"flipped": flipped, "k": k, "method": method}
        head = [f"{flipped:.0%}", str(k), str(method)]
        found = [results.select(LOOP, **case, start=start, stop=stop) for start, stop in windows]
        if found and all(found):
            table.append([*head, *(mean_over([row["mean"] for row in rows]).text(1) for rows in found)])
        best = [row["mean"] for row in results.select(AFTER, flipped=flipped, k=k, method=KNOWN, told=flipped > 0)]
        for told in (False, True):
            rows = results.select(AFTER, **case, told=told)
            if rows and best:
                mean = mean_over([row["mean"] for row in rows])
                lapse = mean_over([row["lapse"] for row in rows])
                behind = f"{mean.value / float(np.mean(best)) - 1:+.1%}"
                judged.append([*head, "yes" if told else "no", lapse.text(2), mean.text(2), behind])
    columns = ["flipped", "shown", "search"]
    print_table("Questions a search in the loop", [*columns, *(f"{start + 1}-{end}" for start, end in windows)], table)
    print_table("Questions a search in the end", [*columns, "told", "expects lapses", "questions", "behind"], judged)


if __name__ == "__main__":
    main("lapses")
