"""Thousands of searches with simulated people, over all cores and without the interpreter in the loop."""

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learn2search.embedding import Embedding
from learn2search.oracle import Oracle, ProbitOracle
from learn2search.progress import track
from learn2search.search.base import MAX_SHOWN, Search, Step
from learn2search.search.gauss_search import GaussSearch
from learn2search.search.posterior import RULES, PosteriorSearch
from learn2search.search.trace import Games, Trace, answered, flipped
from learn2search.streams import children, seed_sequence, stream_keys
from learn2search.typing import Items, Keys, Mask, Seed

STRATEGIES = ("gauss", *RULES)
MAX_QUERIES_WITH_REUSE = 10_000
_CHUNK = 64  # searches that one thread runs at a time


@dataclass(frozen=True)
class Run:
    """What happened in a simulation of m searches.

    costs: `(m,)` questions asked. found: `(m,)`, False where `max_queries` or a lack of items ended the search.
    flip_rate: the share of answers to pairs that contradicted the noiseless one (its expectation, given the pairs).
    logs: the steps of each search, empty unless they were kept.
    """

    targets: Items
    costs: Items
    found: Mask
    flip_rate: float
    logs: tuple[tuple[Step, ...], ...] = ()

    @property
    def mean(self) -> float:
        """Mean cost."""
        return float(self.costs.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean cost."""
        return float(self.costs.std(ddof=1) / math.sqrt(len(self.costs))) if len(self.costs) > 1 else math.nan

    def __repr__(self) -> str:
        return f"Run({len(self.costs)} searches, {self.mean:.2f} ± {self.standard_error:.2f} questions)"


def make_search(strategy: str, embedding: Embedding, noise: float = 1.0, **options: Any) -> Search:
    """A search by the name of its strategy: "gauss", or a rule of `PosteriorSearch`."""
    if strategy == "gauss":
        return GaussSearch(embedding, noise, **options)
    if strategy in RULES:
        return PosteriorSearch(embedding, noise, rule=strategy, **options)
    raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}, got {strategy!r}")


def simulate(
    strategy: str,
    embedding: Embedding,
    oracle: Oracle,
    targets: ArrayLike,
    *,
    k: int = 2,
    stop: str = "shown",
    noise: float | None = None,
    seed: Seed = 0,
    max_queries: int | None = None,
    workers: int | None = None,
    progress: bool | None = None,
    keep_logs: bool = False,
    **options: Any,
) -> Run:
    """Search for each of `targets` `(m,)` with k items a question, and count the questions.

    noise: the σ that the search assumes, by default the oracle's. seed: of the searches; the oracle has its own. The
    result depends on the seeds alone, not on `workers` (by default all cores). An oracle of your own is asked in
    turn, in one thread. progress: show a bar; by default when standard error is a terminal. options: of the strategy.
    """
    if noise is None:
        if not isinstance(oracle, ProbitOracle):
            raise ValueError("noise= is needed: this oracle does not say how noisy it is")
        noise = oracle.noise
    search = make_search(strategy, embedding, noise, stop=stop, **options)
    wanted = _checked_targets(targets, embedding, oracle)
    if not isinstance(k, int | np.integer) or not 2 <= k <= MAX_SHOWN:
        raise ValueError(f"a query shows 2 to {MAX_SHOWN} items, got k={k!r}")
    if max_queries is not None and max_queries < 1:
        raise ValueError(f"max_queries must be 1 or more, got {max_queries!r}")
    k, limit = int(k), max_queries or (MAX_QUERIES_WITH_REUSE if search.reuse else embedding.n_items)
    keys = stream_keys(seed_sequence(seed), len(wanted))
    if not isinstance(oracle, ProbitOracle) or type(oracle).choose is not ProbitOracle.choose:
        return _one_by_one(search, oracle, wanted, keys, k, limit, progress)
    if keep_logs:
        return _with_logs(search, oracle, wanted, keys, k, limit, progress)
    return _in_threads(search, oracle, wanted, keys, k, limit, progress, workers or os.cpu_count() or 1)


def calibrate_on_policy(
    strategy: str, embedding: Embedding, rate: float = 0.1, *, n_searches: int = 500, seed: Seed = 0, **options: Any
) -> float:
    """The σ at which a share `rate` of the answers is flipped, on the pairs that the strategy itself asks under that σ.

    The person answers with σ on the embedding's means, and the search knows σ. Bisection on log σ with the same
    random numbers.
    """
    if not 0 < rate < 0.5:
        raise ValueError(f"a flip rate lies between 0 and 0.5 (0.5 is pure guessing), got {rate}")
    targets_seed, oracle_seed, search_seed = children(seed, 3)
    targets = np.random.default_rng(targets_seed).integers(0, embedding.n_items, n_searches)
    spread = embedding.spread

    def rate_at(noise: float) -> float:
        oracle = ProbitOracle(embedding.mean, noise, oracle_seed)
        return simulate(strategy, embedding, oracle, targets, seed=search_seed, progress=False, **options).flip_rate

    lowest, highest = (
        1e-3 * spread,
        spread,
    )  # far too little noise makes endless searches, so it is tried only if need be
    for _ in range(4):
        low, high = lowest, highest
        while high / low > 1.005:
            middle = math.sqrt(low * high)
            low, high = (middle, high) if rate_at(middle) < rate else (low, middle)
        if low == lowest:
            lowest, highest = lowest / 30, lowest
        elif high == highest:
            lowest, highest = highest, 30 * highest
        else:
            return math.sqrt(low * high)
    raise ValueError(f"no noise level makes {strategy} flip {rate:.0%} of its answers on these items")


# --- three ways to run ----------------------------------------------------------------------------


def _in_threads(
    search: Search,
    oracle: ProbitOracle,
    targets: Items,
    keys: Keys,
    k: int,
    limit: int,
    progress: bool | None,
    workers: int,
) -> Run:
    games = Games(np.empty(len(targets), np.int64), np.empty(len(targets)), np.empty(len(targets)))
    person_keys = oracle.keys(len(targets))

    def play(part: slice) -> int:
        trace = new_trace(limit, k)
        ours = Games(games.costs[part], games.flips[part], games.answered[part])
        search.play_many(keys[part], oracle.person, person_keys[part], targets[part], k, trace, ours)
        return len(targets[part])

    size = max(1, min(_CHUNK, len(targets) // (4 * workers)))
    parts = [slice(start, start + size) for start in range(0, len(targets), size)]
    with ThreadPoolExecutor(workers) as pool:
        for _ in track(pool.map(play, parts), "searching", len(parts), progress):
            pass
    costs = np.abs(games.costs)
    return Run(targets, costs, games.costs > 0, _share(games.flips.sum(), games.answered.sum()))


def _with_logs(
    search: Search,
    oracle: ProbitOracle,
    targets: Items,
    keys: Keys,
    k: int,
    limit: int,
    progress: bool | None,
) -> Run:
    trace, person_keys = new_trace(limit, k), oracle.keys(len(targets))
    costs, flips, answers, logs = np.empty(len(targets), np.int64), 0.0, 0.0, []
    for game in track(range(len(targets)), "searching", len(targets), progress):
        costs[game] = search.play(keys[game], oracle.person, person_keys[game], int(targets[game]), k, trace)
        flips += flipped(trace)
        answers += answered(trace)
        logs.append(_steps(trace, int(trace.asked[0])))
    found, costs = costs > 0, np.abs(costs)
    return Run(targets, costs, found, _share(flips, answers), tuple(logs))


def _share(flips: float, answers: float) -> float:
    """Of the answers that were wrong, 0 where nothing was answered."""
    return float(flips / answers) if answers > 0.0 else 0.0


def _one_by_one(
    search: Search, oracle: Oracle, targets: Items, keys: Keys, k: int, limit: int, progress: bool | None
) -> Run:
    """The same search through `ask` and `tell`, for oracles that are Python objects."""
    costs, found, logs = np.empty(len(targets), np.int64), np.zeros(len(targets), bool), []
    for game in track(range(len(targets)), "searching", len(targets), progress):
        target = int(targets[game])
        search.restart(keys[game])
        while not (search.done or found[game] or len(search.log) >= limit):
            query = search.ask(min(k, search.left))
            search.tell(oracle.choose(query, target))
            found[game] = target in query if search.stop == "shown" else _is_mode(search, target)
        costs[game] = len(search.log)
        if search.done and not found[game] and search.stop == "shown":  # the rest is shown one by one
            used = search.used
            costs[game] += sum(item not in used for item in range(target + 1))
            found[game], costs[game] = costs[game] <= limit, min(costs[game], limit)
        logs.append(search.log)
    return Run(targets, costs, found, math.nan, tuple(logs))


def _is_mode(search: Search, target: int) -> bool:
    """Is the target the most probable item? Ties are broken at random, but the same in every run."""
    probability = search.probability()
    ties = np.flatnonzero(probability == probability.max())
    draw = stream_keys(np.random.SeedSequence([len(search.log), target]), 1)[0, 0]
    return bool(ties[int(draw % np.uint64(len(ties)))] == target)


def new_trace(limit: int, k: int) -> Trace:
    chances = np.zeros(limit), np.zeros(limit)
    return Trace(np.empty((limit, k), np.int64), np.empty(limit, np.int64), *chances, np.zeros(1, np.int64))


def _steps(trace: Trace, count: int) -> tuple[Step, ...]:
    steps = []
    for shown, chosen in zip(trace.shown[:count].tolist(), trace.chosen[:count].tolist(), strict=True):
        query = tuple(item for item in shown if item >= 0)
        if query:
            steps.append(Step(query, None if chosen < 0 else query[chosen]))
    return tuple(steps)


def _checked_targets(targets: ArrayLike, embedding: Embedding, oracle: Oracle) -> Items:
    wanted = np.atleast_1d(np.asarray(targets))
    if wanted.ndim != 1 or len(wanted) == 0 or not np.issubdtype(wanted.dtype, np.integer):
        raise ValueError(f"targets must be a list of items, got shape {wanted.shape} of {wanted.dtype}")
    if wanted.min() < 0 or wanted.max() >= embedding.n_items:
        outside = wanted[(wanted < 0) | (wanted >= embedding.n_items)][0]
        raise ValueError(f"target {outside} is unknown: the items are 0..{embedding.n_items - 1} (numbered from 0)")
    if isinstance(oracle, ProbitOracle) and len(oracle.features) != embedding.n_items:
        raise ValueError(f"the oracle knows {len(oracle.features)} items, the embedding has {embedding.n_items}")
    return wanted.astype(np.int64)
