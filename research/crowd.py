"""What do bots among the visitors cost the honest ones? `python -m research.crowd --full`.

Simulated people and simulated bots, 513 items, four shown. Honest searches are those of the learning loop, asked by
what it had learnt by then, until there are so many honest triplets. Among them a share of the searches are a bot's,
asked by the same embedding: it clicks at random, always in the first place, or as if it looked for one certain item
("steering"), and its search ends when the item that it pretends to look for is shown. Nobody knows who is who. An
embedding is fitted to all searches, and 400 honest searches on it are counted. Searches count alike ("none"), by
weights from what one fit says without each ("one fit", `weigh_searches`), or by weights from fits to parts of the
searches ("parts", `weigh_and_fit`).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

N_ITEMS, SHOWN, FLIPS = 513, 4, 0.1
COMPONENTS = 10  # as a new collection of the site has
CLICKERS = ("none", "random", "first place", "steering")
SHARES = (0.0, 0.1, 0.3)
WEIGHTS = ("none", "one fit", "parts")
ROUNDS = 4  # of "one fit"
TRIPLETS = (3000, 10_000, 20_000)
DIMENSIONS = (5, 10)
FITTED: dict[str, Any] = {"prior": "empirical", "epochs": 100, "learning_rate": 0.05}  # as the loop fits from scratch
AIMS, FROM = {0.1: 0.10, 0.3: 0.15}, 10_000  # at most so many more questions than without bots, from so many triplets
REPETITIONS = 3
COST = Table(
    "crowd",
    "cost",
    {"d": DIMENSIONS, "triplets": int, "clicker": CLICKERS, "share": SHARES, "weights": WEIGHTS, "seed": int},
)
Found = tuple[int, list[tuple[tuple[int, ...], int | None]]]
Click = Callable[[tuple[int, ...]], int]


def people(d: int, n_items: int, seed: int) -> l2s.ProbitOracle:
    """Who say the wrong one of two random items one time in ten."""
    features = np.random.default_rng([seed, d]).standard_normal((n_items, d))
    noise = l2s.calibrate_noise(l2s.random_margins(features, seed=seed), FLIPS)
    return l2s.ProbitOracle(features, noise, seed=1000 + seed)


def bot_of(clicker: str, person: l2s.ProbitOracle, generator: np.random.Generator) -> Click:
    """How a bot clicks."""
    if clicker == "first place":
        return lambda query: query[0]
    if clicker == "steering":
        wanted = int(generator.integers(len(person.features)))
        return lambda query: int(
            min(query, key=lambda item: np.sum((person.features[item] - person.features[wanted]) ** 2))
        )
    return lambda query: int(generator.choice(query))


def search_of_bot(learner: l2s.Learner, click: Click, generator: np.random.Generator) -> Found:
    """A bot's search, asked as the learner asks: until what it pretends to look for is shown."""
    target = int(generator.integers(learner.n_items))
    steps: list[tuple[tuple[int, ...], int | None]] = []
    strategy = "sampled" if learner.version else "random"
    search = l2s.make_search(strategy, learner.embedding, learner.noise, seed=int(generator.integers(2**31)))
    while search.left > 1:  # the last one of all needs no question
        query = search.ask(min(SHOWN, search.left))
        if target in query:
            break
        chosen = click(query)
        steps.append((query, chosen))
        search.tell(chosen)
    return target, steps


@lru_cache(maxsize=1)
def crowd(d: int, n_items: int, triplets: int, clicker: str, share: float, seed: int) -> tuple[list[Found], np.ndarray]:
    """Searches of people and bots until there are so many honest triplets, and which are honest."""
    person, generator = people(d, n_items, seed), np.random.default_rng([seed, triplets])
    click = bot_of(clicker, person, generator)
    learner = l2s.Learner(person, n_items, k=SHOWN, n_components=COMPONENTS, seed=seed)
    searches: list[Found] = []
    honest: list[bool] = []
    while len(learner.triplets) < triplets:
        honest.append(bool(generator.random() >= share))
        if honest[-1]:
            episode = learner.search()
            assert episode.target is not None  # the oracle's is known
            searches.append((episode.target, list(zip(episode.queries, episode.answers, strict=True))))
        else:
            searches.append(search_of_bot(learner, click, generator))
    return searches, np.array(honest)


def fitted(searches: Sequence[Found], n_items: int, weights: str, seed: int) -> tuple[l2s.GaussEmbed, np.ndarray]:
    """An embedding, and the weight of each search."""
    options: dict[str, Any] = {"random_state": seed, **FITTED}
    if weights != "one fit":
        rounds: dict[str, Any] = {"rounds": 0} if weights == "none" else {}
        model, found = l2s.weigh_and_fit(searches, n_items, COMPONENTS, **rounds, **options)
        return model, found.weights
    parts = [l2s.triplets.from_search(*one) for one in searches]
    rows, sizes, counted = np.concatenate(parts), [len(part) for part in parts], np.ones(len(parts))
    model = l2s.GaussEmbed(COMPONENTS, **options).fit(rows, n_items=n_items)
    for _ in range(ROUNDS):
        prior = model.prior_variance_
        counted = l2s.weigh_searches(model.to_embedding(), searches, prior_variance=prior, fitted=counted).weights
        model = l2s.GaussEmbed(COMPONENTS, **options)
        model.fit(rows, n_items=n_items, sample_weight=np.repeat(np.maximum(counted, 1e-6), sizes))
    return model, counted


def cost(
    d: int, triplets: int, clicker: str, share: float, weights: str, seed: int, n_items: int, searches: int
) -> Row:
    """Mean questions of honest searches, and how the searches of people and bots were weighed."""
    seen, honest = crowd(d, n_items, triplets, clicker, share, seed)
    model, found = fitted(seen, n_items, weights, seed)
    person = people(d, n_items, seed)
    visitors = l2s.ProbitOracle(person.features, person.noise, seed=2000 + seed)
    targets = np.random.default_rng([seed, 7]).integers(0, n_items, searches)
    space = model.to_embedding()
    costs = l2s.simulate("sampled", space, visitors, targets, k=SHOWN, noise=1.0, seed=seed, progress=False).costs
    clicks = np.array([len(steps) for _, steps in seen])
    return {
        "mean": round(float(costs.mean()), 3),
        "error": round(float(costs.std() / np.sqrt(len(costs))), 3),
        "searches": len(seen),
        "bots": int((~honest).sum()),
        "clicks_of_bots": round(float(clicks[~honest].sum() / clicks.sum()), 4),
        "people_below_half": round(float((found[honest] < 0.5).mean()), 4),
        "bots_below_half": round(float((found[~honest] < 0.5).mean()), 4) if share else None,
    }


def cases(quick: bool, repetitions: int | None) -> list[Row]:
    """What is most wanted comes first."""
    size = {"n_items": 60, "searches": 40} if quick else {"n_items": N_ITEMS, "searches": 400}
    kinds = [("none", 0.0), ("random", 0.3), ("random", 0.1)]
    if not quick:
        kinds = [kinds[0], ("steering", 0.3), kinds[1], ("steering", 0.1), kinds[2]]
        kinds += [("first place", 0.3), ("first place", 0.1)]
    dimensions, triplets = ((5,), (600,)) if quick else (DIMENSIONS, (10_000, 20_000, 3000))
    return [
        {"d": d, "triplets": count, "clicker": clicker, "share": share, "weights": weights, "seed": seed} | size
        for d in dimensions
        for count in triplets
        for seed in range(repetitions or (1 if quick else REPETITIONS))
        for clicker, share in kinds
        for weights in WEIGHTS
        if weights != "one fit" or (clicker == "random" and count == 20_000)
    ]


def run(study: Study) -> None:
    study.measure(COST, cost, cases(study.quick, study.repetitions))


def report(results: Results) -> None:
    """Mean over the seeds ± its standard error, and how much more than without bots and weights."""
    table = []
    named = {(row["clicker"], row["share"], row["d"], row["triplets"]): None for row in results.select(COST)}
    for clicker, share, d, triplets in sorted(named, key=lambda key: (CLICKERS.index(key[0]), key[1:])):
        world = {"d": d, "triplets": triplets}
        rows = {w: results.select(COST, clicker=clicker, share=share, weights=w, **world) for w in WEIGHTS}
        clean = {row["seed"]: row["mean"] for row in results.select(COST, share=0.0, weights="none", **world)}
        aim = f"{AIMS[share]:+.0%}" if share in AIMS and triplets >= FROM else ""
        head = ["none" if clicker == "none" else f"{share:.0%} {clicker}", str(d), f"{triplets:,}"]
        table.append([*head, *(_questions(rows[w], clean) for w in WEIGHTS), aim, *_below_half(rows["parts"])])
    columns = ["bots", "axes", "honest triplets", "all alike", "weights of one fit", "weights of parts", "aim"]
    print_table("Questions of an honest search", [*columns, "people below ½", "bots below ½"], table)


def _questions(rows: list[Row], clean: dict[int, float]) -> str:
    if not rows:
        return ""
    ratios = [row["mean"] / clean[row["seed"]] - 1 for row in rows if row["seed"] in clean]
    more = f" ({np.mean(ratios):+.0%})" if ratios else ""
    return mean_over([row["mean"] for row in rows]).text(1) + more


def _below_half(rows: list[Row]) -> list[str]:
    """Shares of the people and of the bots whose search has a weight below one half."""
    columns = [
        [row[name] for row in rows if row[name] is not None] for name in ("people_below_half", "bots_below_half")
    ]
    return [f"{np.mean(shares):.1%}" if shares else "" for shares in columns]


if __name__ == "__main__":
    main("crowd")
