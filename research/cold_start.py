"""The first searches of a collection of which nothing is known. All answers are simulated.

    python -m research.cold_start           # a minute: 200 items, 32 searches
    python -m research.cold_start --full    # all: an hour on one core; rows that are there are kept
    python -m research.cold_start --full --only "red wine"

Pairs are shown, and a search ends when its target is. Red wine has the noise of `research.blind`; the simulated
collections are N(0, I) on 5 axes, with 10% of the answers about random pairs flipped.

`bound` is what an ideal method would need while all items are alike. An answer tells c bits at most, about three items,
so after Q questions there are at most b = c Q / n bits an item. After q questions of a search at most min(b, c q) bits
are known about its target; at best it is then one of n / 2^min(b, c q) items alike, of which the next question shows 2:

    P(found at question q + 1) <= 2 * 2^min(b, c q) / n,    b grows by c T / n with each search of T questions

`both unknown` is the same where both items of a pair are unknown: that one is nearer than the other then tells 0.28
bits about each, in place of 1 bit about one.
"""

import time
from typing import Any

import numpy as np
from scipy import special

import learn2search as l2s
from research import Array
from research.blind import NOISE
from research.rows import NotMeasured, Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

FLIPPED = 0.1
AXES = {"red wine": 11, "200 simulated": 5, "400 simulated": 5, "5,000 simulated": 5}
SEARCHES = {"red wine": 512, "200 simulated": 32, "400 simulated": 2000, "5,000 simulated": 512}
WINDOWS = ((0, 32), (32, 64), (64, 128), (128, 256), (256, 512), (0, 512), (512, 1000), (1000, 2000))
RECIPES = {"best": {}, "scarce_below=16": {"scarce_below": 16.0}}
LOOP = Table(
    "cold_start", "loop", {"collection": tuple(AXES), "recipe": tuple(RECIPES), "k": (2, 4, 8), "seed": (0, 1, 2)}
)
BOUND = Table("cold_start", "bound", {"collection": tuple(AXES)})
DESIGNS = ("random pairs", "the same pairs", "a landmark and another")
TAUGHT = Table("cold_start", "taught", {"design": DESIGNS, "searches": (20, 40, 120), "seed": (0, 1, 2)})
ITEMS, QUESTIONS, LANDMARKS, JUDGES = 400, 3000, 20, 6000
# Of a bit that says which of two numbers is larger, each of them alone is told 1 - ∫ h(u) du = 1 - 1 / (2 ln 2) bits.
BOTH_UNKNOWN = 2.0 - 1.0 / np.log(2.0)
PARTS = (*AXES, "taught")


def world(collection: str, noise: float | None) -> tuple[Array, float]:
    """Features that nobody but the simulated person knows, and the noise of the answers."""
    if collection == "red wine":
        features = l2s.fetch_red_wine()
    else:
        n = int(collection.split()[0].replace(",", ""))
        features = np.random.default_rng([n, 7]).normal(size=(n, AXES[collection]))
    return features, noise or l2s.calibrate_noise(l2s.random_margins(features, seed=1), FLIPPED)


def loop(collection: str, recipe: str, k: int, seed: int, noise: float | None) -> Row:
    """Mean questions in windows of the searches."""
    features, sigma = world(collection, noise)
    begin = time.process_time()
    person = l2s.ProbitOracle(features, sigma, seed=50_000 + seed)
    options: dict[str, Any] = {"n_components": AXES[collection], **RECIPES[recipe]}
    learner = l2s.Learner(person, len(features), k=k, seed=40_000 + seed, **options)
    costs = np.array([episode.cost for episode in learner.searches(SEARCHES[collection])])
    return {
        "questions": in_windows(costs),
        "triplets": len(learner.triplets),
        "seconds": round(time.process_time() - begin, 1),
    }


def bound(collection: str, noise: float | None) -> Row:
    """What no method can be below: the mean questions in windows."""
    features, sigma = world(collection, noise)
    chances = special.ndtr(l2s.random_margins(features, seed=2) / sigma)
    bits = float(1.0 - (special.entr(chances) + special.entr(1.0 - chances)).mean() / np.log(2.0))
    every, usual = (least_questions(len(features), share * bits, 512) for share in (1.0, BOTH_UNKNOWN))
    return {"bits": bits, "questions": in_windows(every), "both_unknown": in_windows(usual)}


def in_windows(costs: Array) -> dict[str, float]:
    """Mean questions by window."""
    return {f"{a}-{b}": round(float(costs[a:b].mean()), 2) for a, b in WINDOWS if b <= len(costs)}


def least_questions(n: int, bits: float, searches: int) -> Array:
    """T of each search, while each question adds `bits` / n bits to every item."""
    known, costs = 0.0, np.empty(searches)
    for at in range(searches):
        found = np.cumsum(2.0 * 2.0 ** np.minimum(known, bits * np.arange(n)) / n)
        costs[at] = 1.0 + np.maximum(1.0 - found, 0.0).sum()  # Σ P(not found after q questions)
        known += bits * costs[at] / n
    return costs


# --- what first searches teach ---------------------------------------------------------------------


def pairs(design: str, count: int, fixed: Array, generator: np.random.Generator) -> Array:
    """The questions of one search, `(count, 2)`; fixed: all items in an order that is the same for all searches."""
    order = generator.permutation(ITEMS)
    if design == "the same pairs":
        order = np.roll(fixed, -2 * int(generator.integers(ITEMS // 2)))
    if design == "a landmark and another":
        return np.column_stack([generator.choice(fixed[:LANDMARKS], count), order[:count]])
    return order[: 2 * count].reshape(count, 2)


def answered(rows: Array, features: Array, sigma: float, generator: np.random.Generator) -> Array:
    """Triplets (anchor, near, far) from (anchor, one, other)."""
    rows = l2s.triplets.drop_degenerate(rows)
    anchor, one, other = (features[column] for column in rows.T)
    wrong = l2s.margin(one, other, anchor) + sigma * generator.standard_normal(len(rows)) < 0
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return rows


def taught(design: str, searches: int, seed: int) -> Row:
    """How many bits a fit to 3,000 answers knows of others, about targets that were searched for and those that were
    only shown."""
    features, sigma = world("400 simulated", None)
    generator = np.random.default_rng([60_000, seed])
    fixed, targets = generator.permutation(ITEMS), generator.choice(ITEMS, searches, replace=False)
    count = QUESTIONS // searches
    asked = [np.insert(pairs(design, count, fixed, generator), 0, target, axis=1) for target in targets]
    rows = answered(np.concatenate(asked), features, sigma, generator)
    judges = answered(generator.integers(0, ITEMS, (JUDGES, 3)), features, sigma, generator)
    model = l2s.GaussEmbed(
        5, prior=2.5, lapse=0.0, epochs=300, learning_rate=0.08, batch_size=200, random_state=seed
    ).fit(rows, n_items=ITEMS)
    bits = 1.0 + np.log2(l2s.answer_probabilities(model.to_embedding(), judges))
    known = np.isin(judges[:, 0], targets)
    return {"bits": bits.mean(), "searched": bits[known].mean(), "shown": bits[~known].mean()}


# --- the plan --------------------------------------------------------------------------------------


def run(study: Study) -> None:
    if study.wants("taught") and not study.quick:
        cases = [(design, 40) for design in DESIGNS] + [(DESIGNS[0], 20), (DESIGNS[0], 120)]
        listed = [{"design": design, "searches": count, "seed": seed} for design, count in cases for seed in (0, 1, 2)]
        study.measure(TAUGHT, taught, listed)
    run_loops(study)


def run_loops(study: Study) -> None:
    if study.quick:
        plan, noise = [("200 simulated", recipe, 2, 0) for recipe in RECIPES], {}
    else:
        noise = {"red wine": float(study.results.one(NOISE, dataset="wine", d=None)["sigma"])}
        seeds, names = range(study.repetitions or 3), ("red wine", "5,000 simulated", "400 simulated")
        plan = [(name, recipe, 2, seed) for name in names for seed in seeds for recipe in reversed(RECIPES)]
        plan += [("red wine", "best", k, 0) for k in (4, 8)]
    plan = [case for case in plan if study.wants(case[0])]
    for name in dict.fromkeys(case[0] for case in plan):
        study.measure(BOUND, bound, [{"collection": name, "noise": noise.get(name)}])
    columns = tuple(LOOP.columns)
    cases = [dict(zip(columns, case, strict=True)) | {"noise": noise.get(case[0])} for case in plan]
    study.measure(LOOP, loop, cases)


def report(results: Results) -> None:
    """Questions a search, in windows, and what the first ones teach."""
    names = ("bits", "searched", "shown")
    table = []
    for design, searches in dict.fromkeys((row["design"], row["searches"]) for row in results.select(TAUGHT)):
        rows = results.select(TAUGHT, design=design, searches=searches)
        means = [mean_over([row[name] for row in rows]).text(3) for name in names]
        table.append([design, f"{searches} × {QUESTIONS // searches}", *means])
    columns = ["questions", "searches × questions", "bits an answer", "targets searched for before", "only shown"]
    print_table("### What 3,000 answers teach", columns, table)
    for collection in AXES:
        table, windows = [], [f"{a}-{b}" for a, b in WINDOWS if b <= SEARCHES[collection]]
        for k in (2, 4, 8):
            for recipe in RECIPES:
                rows = results.select(LOOP, collection=collection, recipe=recipe, k=k)
                if rows:
                    means = [mean_over([row["questions"][window] for row in rows]).text(1) for window in windows]
                    table.append([str(k), recipe, *means, str(len(rows))])
        try:
            bounds = results.one(BOUND, collection=collection)
            for label, found in (("bound", bounds["questions"]), ("both unknown", bounds["both_unknown"])):
                table.append(["2", label, *(f"{found[w]:.1f}" if w in found else "" for w in windows), ""])
        except NotMeasured:
            continue
        print_table(f"### {collection}", ["items shown", "recipe", *windows, "seeds"], table)


if __name__ == "__main__":
    main("cold_start")
