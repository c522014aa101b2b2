"""What a user would pick instead: other libraries' embeddings and other ways to search, beside ours.

    python -m research.comparison           # a minute or two: few searches with simulated people
    python -m research.comparison --full    # about 20 minutes of one core; goes on where it was stopped

The full run writes docs/benchmarks.md from the results alone (`comparison_page.py`). cblearn and psiz run in
environments of their own (`peers.py`); psiz brings 500 MB of TensorFlow. The strategies from the literature are those
of docs/strategies.md.

Three kinds of people answer the searches: simulated ones of the probit model, simulated ones of the scale-free model
(`scale_free.py`), and the human table of Food. What is known of them is the same for all strategies: σ and γ are
those that make 20,000 answers to random questions most probable. "sampled, fitted" takes noise and lapse rate from 200
earlier searches instead, by `fit_noise`.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

import learn2search as l2s
from research import Array, people
from research.embedding_folds import Fold, load_fold
from research.embeddings import ESTIMATORS, judged, synthetic
from research.peers import CBLEARN, FAST, METHODS, PSIZ, worker
from research.rows import Columns, Results, Row, Table
from research.scale_free import ScaleFreeOracle, likeliest_gamma
from research.strategy_race import register_strategies_of_the_page
from research.study import Study, main

SEED = 23
PARTS = ("search", "embeddings")
PEOPLE = ("probit", "scale-free", "table", "table, filled in")
STRATEGIES = ("more like this", "gauss", "sampled", "sampled, fitted", "mean-cut", "gamma-ckl")
SHOWN = (2, 4, 12)
SEARCHES = {100: 200, 1000: 100, 5000: 60}
DIMENSIONS, FLIPPED, GAMMA = 5, 0.1, 5.0
ANSWERS = 20_000
GIVEN_UP = 400  # questions, of searches that go on until the target is the most probable item

_WORLD: Columns = {"people": PEOPLE, "n": int}
SEARCH = Table("comparison", "search", {**_WORLD, "strategy": STRATEGIES, "k": SHOWN, "stop": ("shown", "mode")})
KNOWN = Table("comparison", "known", _WORLD)  # what the searches know of the people

DATASETS = ("artists", "food", "synthetic")
OURS = ("gauss, empirical", "gauss, ratio", "tste", "ckl")
LIBRARIES = ("learn2search", "cblearn", "psiz")
PSIZ_MODEL = "exponential similarity"
FITS = (*(("learn2search", one) for one in OURS), *(("cblearn", one) for one in FAST), ("psiz", PSIZ_MODEL))
_METHODS = tuple({method for _, method in FITS})
FIT = Table("comparison", "fit", {"dataset": DATASETS, "fold": int, "library": LIBRARIES, "method": _METHODS})
FOLDS = (
    *(("artists", 0), ("synthetic", 0), ("food", 0)),
    *(("artists", 1), ("synthetic", 1), ("food", 1)),
    *(("artists", 2), ("synthetic", 2)),
)
FOLDS_OF_PSIZ = (("artists", 0), ("synthetic", 0), ("artists", 1), ("synthetic", 1))  # Food takes it minutes
AXES = {"artists": 10, "food": 10, "synthetic": 5}


# --- search ----------------------------------------------------------------------------------------


class MoreLikeThis(l2s.Search):
    """What one builds in an hour: a click shows the nearest items that were not shown yet."""

    def start(self) -> None:
        self.clicked: int | None = None

    def learn(self, query: tuple[int, ...], chosen: int | None) -> None:
        self.clicked = self.clicked if chosen is None else chosen

    def propose(self, k: int, generator: np.random.Generator) -> Array:
        if self.clicked is None:
            return np.asarray(generator.choice(self.free, k, replace=False))
        x = self.embedding.mean
        away = ((x[self.free] - x[self.clicked]) ** 2).sum(axis=1)
        return np.asarray(self.free[np.argsort(away, kind="stable")[:k]])


class World(NamedTuple):
    """Where the items are, and what the searches know of the people."""

    space: l2s.Embedding
    noise: float
    gamma: float
    flipped: float  # the share of answers to random questions that are not the nearer item


@cache
def space_of(kind: str, n: int) -> l2s.Embedding:
    if kind.startswith("table"):
        return people.embedding_of_all_answers()
    return l2s.Embedding(np.random.default_rng([SEED, n]).uniform(-1, 1, (n, DIMENSIONS)))


def people_of(kind: str, n: int, seed: int = SEED) -> l2s.Oracle:
    """Who answers, anew for each measurement."""
    space = space_of(kind, n)
    if kind == "probit":
        noise = l2s.calibrate_noise(l2s.random_margins(space.mean, seed=SEED), FLIPPED)
        return l2s.ProbitOracle(space, noise, seed=seed)
    if kind == "scale-free":
        return ScaleFreeOracle(space.mean, GAMMA, seed)
    model = l2s.ProbitOracle(space.mean, people.NOISE, seed=seed) if kind == "table, filled in" else None
    return l2s.TableOracle(people.food().triplets, people.ITEMS, seed=seed, fallback=model)


@cache
def world(kind: str, n: int) -> World:
    space, generator = space_of(kind, n), np.random.default_rng(SEED)
    if kind.startswith("table"):
        rows = generator.permutation(people.food().triplets)[:ANSWERS]
    else:
        rows = random_answers(people_of(kind, n, SEED + 1), n, generator)
    found = optimize.minimize_scalar(
        lambda log_noise: -np.log(l2s.answer_probabilities(space, rows, noise=np.exp(log_noise))).mean(),
        bounds=np.log(np.array([1e-2, 10]) * space.spread),
        method="bounded",
    )
    x = space.mean
    wrong = l2s.margin(x[rows[:, 1]], x[rows[:, 2]], x[rows[:, 0]]) < 0
    return World(space, float(np.exp(found.x)), likeliest_gamma(x, rows), float(wrong.mean()))


def random_answers(oracle: l2s.Oracle, n: int, generator: np.random.Generator) -> Array:
    """Rows (target, chosen, other) of random questions about two items."""
    rows = []
    for _ in range(ANSWERS):
        target, *query = generator.choice(n, 3, replace=False).tolist()
        chosen = oracle.choose(query, target)
        rows.append((target, chosen, sum(query) - chosen))
    return np.array(rows)


def known(people: str, n: int) -> Row:
    _, noise, gamma, flipped = world(people, n)
    return {"noise": noise, "gamma": gamma, "flipped": flipped}


@cache
def fitted(kind: str, n: int, k: int) -> l2s.NoiseFit:
    """Noise and lapse rate of 200 earlier searches."""
    space, noise = world(kind, n)[:2]
    targets = np.random.default_rng(SEED + 2).integers(0, n, 200)
    run = l2s.simulate(
        "sampled", space, people_of(kind, n, SEED + 2), targets, k=k, noise=noise, keep_logs=True, progress=False
    )
    return l2s.fit_noise(space, zip(run.targets.tolist(), run.logs, strict=True))


def maker(strategy: str, kind: str, n: int, k: int) -> Callable[..., l2s.Search]:
    """The strategy with what is known of the people."""
    register_strategies_of_the_page()
    at = world(kind, n)

    def make(embedding: l2s.Embedding, noise: float = 1.0, **options: Any) -> l2s.Search:
        if strategy == "more like this":
            return MoreLikeThis(embedding, noise, **options)
        if strategy == "sampled, fitted":
            found = fitted(kind, n, k)
            return l2s.make_search("sampled", embedding, found.noise, lapse=found.lapse, **options)
        own = {"gamma": at.gamma} if strategy == "gamma-ckl" else {}
        return l2s.make_search(strategy, embedding, noise, **own, **options)

    return make


def searched(people: str, n: int, strategy: str, k: int, stop: str, searches: int) -> Row:
    """Questions of a search, the share that found its target, and CPU milliseconds of a question."""
    space, noise = world(people, n)[:2]
    targets = np.random.default_rng([SEED, n]).integers(0, n, searches)
    make = maker(strategy, people, n, k)
    limit = GIVEN_UP if stop == "mode" else None
    run = l2s.simulate(
        make,
        space,
        people_of(people, n),
        targets,
        k=k,
        stop=stop,
        noise=noise,
        seed=SEED,
        max_queries=limit,
        progress=False,
    )
    return {
        "searches": searches,
        "mean": round(run.mean, 4),
        "error": round(run.standard_error, 4),
        "found": round(float(run.found.mean()), 4),
        "milliseconds": round(milliseconds(make(space, noise, stop=stop, seed=SEED), people_of(people, n), k), 3),
    }


def milliseconds(search: l2s.Search, oracle: l2s.Oracle, k: int) -> float:
    """CPU of a question and its answer in Python, the least of a few searches of up to 8 questions."""
    took = []
    for _ in range(4):  # the first compiles
        search.restart()
        start, asked = time.process_time(), 0
        while asked < 8 and not search.done:
            query = search.ask(min(k, search.left))
            search.tell(oracle.choose(query, 0))
            asked += 1
        took.append((time.process_time() - start) / max(asked, 1))
    return 1000 * min(took)


def searches_to_run(quick: bool) -> list[Row]:
    """What matters most first; the largest size with two items shown only, which takes longest."""
    sizes, tables = ((100,), ()) if quick else (tuple(SEARCHES), PEOPLE[2:])
    worlds = [*((kind, n) for kind in PEOPLE[:2] for n in sizes), *((kind, people.ITEMS) for kind in tables)]
    few = [(kind, n) for kind, n in worlds if n < max(SEARCHES)]
    one_size = [(kind, n) for kind, n in few if n == max(sizes[:2]) or kind in tables]
    parts = [(2, "shown", worlds), (2, "mode", worlds), (4, "shown", few), (12, "shown", one_size)]
    return [
        {"people": kind, "n": n, "strategy": strategy, "k": k, "stop": stop, "searches": 20 if quick else SEARCHES[n]}
        for k, stop, among in parts
        for kind, n in among
        for strategy in STRATEGIES
        if fits(strategy, k, stop)
    ]


def fits(strategy: str, k: int, stop: str) -> bool:
    """Neighbours have no most probable item, mean-cut hardly ever shows its target, γ-CKLSearch is a rule for few."""
    if strategy == "gamma-ckl":
        return k < 12
    return strategy != ("more like this" if stop == "mode" else "mean-cut")


# --- embeddings ------------------------------------------------------------------------------------


@cache
def fold_of(dataset: str, number: int) -> Fold:
    """Of the sets by screen; each synthetic fold is a set of its own."""
    if dataset != "synthetic":
        return load_fold(dataset, "screen", number)
    n = 200
    _, train, test = synthetic(n, AXES[dataset], 20_000, 100 * number)
    return Fold(train, test, np.arange(len(train)), n)


@cache
def compile_fits() -> None:
    """So that the first fit is not slower than the others."""
    few = synthetic(30, 2, 300, 0)[1]
    for method in OURS:
        ESTIMATORS[method](2, 0).fit(few, n_items=30)


def fit(dataset: str, fold: int, library: str, method: str) -> Row:
    """Accuracy, likelihood and CPU seconds of one fit, ours and theirs in turn on the same fold."""
    part, d = fold_of(dataset, fold), AXES[dataset]
    if library != "learn2search":
        estimator, options = METHODS[method] if library == "cblearn" else (method, {})
        peer = worker(CBLEARN if library == "cblearn" else PSIZ)
        found = peer.fit_fold((dataset, "screen", fold), part, estimator, options, d)
        return {name: found[name] for name in ("accuracy", "nll", "cpu_seconds")}
    compile_fits()
    return judged(lambda: ESTIMATORS[method](d, fold).fit(part.train, n_items=part.n_items), part.test)


def run(study: Study) -> None:
    if study.wants("search"):
        cases = searches_to_run(study.quick)
        worlds = dict.fromkeys((case["people"], case["n"]) for case in cases)
        study.measure(KNOWN, known, [{"people": kind, "n": n} for kind, n in worlds])
        study.measure(SEARCH, searched, cases)
    if study.wants("embeddings") and not study.quick:  # cblearn's environment takes longer than a quick run
        cases = [
            {"dataset": dataset, "fold": fold, "library": library, "method": method}
            for dataset, fold in FOLDS
            for library, method in FITS
            if library != "psiz" or (dataset, fold) in FOLDS_OF_PSIZ
        ]
        study.measure(FIT, fit, cases)
        versions = {name: worker(peer).versions[name] for name, peer in (("cblearn", CBLEARN), ("psiz", PSIZ))}
        study.results.file(FIT.file).head["peers"] = versions
        study.save(FIT.file)


def report(results: Results) -> None:
    from research import comparison_page

    text = comparison_page.page(results)
    if results.quick:
        print(text)
    else:
        comparison_page.PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main("comparison")
