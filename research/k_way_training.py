"""Three ways to learn from clicks among k: what is a click worth?

    python -m research.k_way_training           # a minute, small
    python -m research.k_way_training --full    # about 20 minutes on one core

    answers       k - 1 triplets, as if they were answers of their own
    weights       the same with the weight log₂ k / (k - 1) each (`triplets.click_weights`)
    one choice    the probability of the click itself inside the fit (`choice_fit.py`)

Part "fit": simulated people click, 10% of their answers about random pairs are flipped, the questions are random. Each
way is fitted to 5, 20 or 60 triplets an item, with `GaussEmbed`'s own number of epochs or three times as many, and
judged by

    log_probability   of 2,000 other clicks
    accuracy          of 20,000 random triplets, by the features
    entropy           that a search on these positions says is left, in bits, and
    surprise          -log₂ p(target), over eight answers of 20 searches; 200 items only. Both should be the same

Part "loop": the learning loop with and without `one_choice=True`, 513 items, searches until the target is shown.
Nothing here is tuned, but the length of the fits was chosen on worlds of the same kind with the same seeds.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

import learn2search as l2s
from research import Array
from research.choice_fit import Clicks, fit_choices
from research.rows import Columns, Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

PARTS = ("fit", "loop")
WORLDS = {200: 3, 513: 5}  # items, axes
SHOWN, DENSITIES, LENGTHS = (4, 8), (5, 20, 60), (3, 1)
TEST_CLICKS, TEST_TRIPLETS, SEARCHES, ANSWERS = 2000, 20_000, 20, 8
FLIPPED, REPETITIONS = 0.1, 3


def fit_triplets(
    clicks: Clicks, n: int, d: int, seed: int, length: int = 1, *, weighted: bool = False
) -> l2s.Embedding:
    """With `GaussEmbed`, for a multiple of its own number of epochs."""
    rows = clicks.triplets()
    model = l2s.GaussEmbed(d, lapse=0.0, random_state=seed)
    model.set_params(epochs=length * model.schedule(len(rows), n).epochs)
    weights = l2s.triplets.click_weights(rows) if weighted else None
    return model.fit(rows, n_items=n, sample_weight=weights).to_embedding()


WAYS: dict[str, Callable[..., l2s.Embedding]] = {
    "answers": fit_triplets,
    "weights": partial(fit_triplets, weighted=True),
    "one choice": fit_choices,
}
FIT = Table(
    "k_way_training",
    "fit",
    {"n": tuple(WORLDS), "k": SHOWN, "density": DENSITIES, "length": LENGTHS, "seed": int, "way": tuple(WAYS)},
)
MEASURES = ("log_probability", "accuracy", "entropy", "surprise")
WINDOWS = ((0, 25), (25, 50), (50, 100), (100, 200))
_WINDOW: Columns = {"seed": int, "start": int, "stop": int}
LOOP = Table("k_way_training", "loop", {"k": SHOWN, "one_choice": (False, True), **_WINDOW})


def people_of(n: int, seed: int) -> l2s.ProbitOracle:
    features = np.random.default_rng([seed, n]).normal(size=(n, WORLDS.get(n, 2)))
    return l2s.ProbitOracle(features, l2s.calibrate_noise(l2s.random_margins(features, seed=seed), FLIPPED), seed=seed)


def clicks_of(people: l2s.ProbitOracle, k: int, count: int, generator: np.random.Generator) -> Clicks:
    """Clicks on random questions."""
    targets, shown = np.empty(count, np.int64), np.empty((count, k), np.int64)
    for row in range(count):
        target, *query = generator.choice(len(people.features), k + 1, replace=False).tolist()
        chosen = people.choose(query, target)
        targets[row], shown[row] = target, sorted(query, key=lambda item: item != chosen)
    return Clicks(targets, shown)


def measure(n: int, k: int, density: int, length: int, seed: int, test: int) -> list[Row]:
    """All ways on the same clicks."""
    people, d = people_of(n, seed), WORLDS.get(n, 2)
    learnt, other = (
        clicks_of(people.visitor(number), k, count, np.random.default_rng([seed, n, k, number]))
        for number, count in enumerate((density * n // (k - 1), test))
    )
    rows = []
    for way, fit in WAYS.items():
        found = fit(learnt, n, d, seed, length)
        chances = l2s.click_probabilities(found, other.shown, other.targets)[:, 0]
        row = {"log_probability": float(np.log(chances).mean()), "accuracy": accuracy(found, people.features, seed)}
        if n == min(WORLDS):
            row |= bits(found, people, k, seed)
        rows.append({"way": way} | {name: round(value, 4) for name, value in row.items()})
    return rows


def accuracy(found: l2s.Embedding, features: Array, seed: int) -> float:
    """The share of random triplets in which both agree on what is nearer."""
    anchor, one, other = np.random.default_rng([seed, 7]).integers(0, len(features), (3, TEST_TRIPLETS))
    different = (anchor != one) & (anchor != other) & (one != other)
    sides = [
        l2s.margin(x[one[different]], x[other[different]], x[anchor[different]]) > 0 for x in (found.mean, features)
    ]
    return float((sides[0] == sides[1]).mean())


def bits(found: l2s.Embedding, people: l2s.ProbitOracle, k: int, seed: int) -> Row:
    """Bits that a search says are missing, and bits that are, after each answer."""
    entropy, surprise = [], []
    for number, target in enumerate(np.random.default_rng([seed, 8]).integers(0, found.n_items, SEARCHES).tolist()):
        search = l2s.make_search("sampled", found, stop="mode", seed=np.random.SeedSequence([seed, number]))
        visitor = people.visitor(10 + number)
        for _ in range(ANSWERS):
            search.tell(visitor.choose(search.ask(k), target))
            p = np.maximum(search.probability(), 1e-300)
            entropy.append(float(-(p * np.log2(p)).sum()))
            surprise.append(float(-np.log2(p[target])))
    return {"entropy": float(np.mean(entropy)), "surprise": float(np.mean(surprise))}


def loop(k: int, one_choice: bool, seed: int, n: int, searches: int) -> list[Row]:
    """Mean questions of a search in each window."""
    people = people_of(n, 100 + seed)
    learner = l2s.Learner(people, n, k=k, seed=seed, n_components=people.features.shape[1], one_choice=one_choice)
    costs = [episode.cost for episode in learner.searches(searches)]
    inside = [(start, stop) for start, stop in WINDOWS if stop <= searches]
    return [{"start": start, "stop": stop, "mean": float(np.mean(costs[start:stop]))} for start, stop in inside]


def run(study: Study) -> None:
    seeds = range(study.repetitions or (1 if study.quick else REPETITIONS))
    if study.wants("fit"):
        quick = study.quick
        lengths, densities = (LENGTHS[-1:], DENSITIES[:2]) if quick else (LENGTHS, DENSITIES)
        test = {"test": 200 if quick else TEST_CLICKS}
        cases = [
            {"n": n, "k": k, "density": density, "length": length, "seed": seed} | test
            for length in lengths
            for seed in seeds
            for n in ([min(WORLDS)] if quick else WORLDS)
            for k in SHOWN
            for density in densities
        ]
        study.measure_many(FIT, measure, cases)
    if study.wants("loop"):
        size = {"n": 40, "searches": 25} if study.quick else {"n": max(WORLDS), "searches": WINDOWS[-1][1]}
        ways = [{"k": k, "one_choice": one} for k in SHOWN for one in (False, True)]
        cases = [{"seed": seed} | way | size for seed in seeds for way in ways]
        study.measure_many(LOOP, loop, cases)


def report(results: Results) -> None:
    """Means over the seeds; in the loop ± their standard errors."""
    table = []
    for n, k, density, length in (
        (n, k, density, length) for length in LENGTHS for n in WORLDS for k in SHOWN for density in DENSITIES
    ):
        for way in WAYS:
            rows = results.select(FIT, n=n, k=k, density=density, length=length, way=way)
            if rows:
                values = [f"{np.mean([row[name] for row in rows]):.3f}" if name in rows[0] else "" for name in MEASURES]
                table.append([str(n), str(k), str(density), str(length), way, *values, str(len(rows))])
    head = ["items", "shown", "triplets an item", "times the epochs", "a click is", *MEASURES, "seeds"]
    print_table("Fits to clicks on random questions", head, table)
    windows = [window for window in WINDOWS if results.select(LOOP, stop=window[1])]
    table = []
    for k in SHOWN:
        for one in (False, True):
            found = [results.select(LOOP, k=k, one_choice=one, start=start, stop=stop) for start, stop in windows]
            if found and all(found):
                means = [mean_over([row["mean"] for row in rows]).text(1) for rows in found]
                table.append([str(k), "one choice" if one else "k - 1 answers", *means])
    names = [f"searches {start + 1}-{stop}" for start, stop in windows]
    print_table("Questions a search in the loop", ["shown", "a click is", *names], table)


if __name__ == "__main__":
    main("k_way_training")
