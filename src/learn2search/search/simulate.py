"""Thousands of searches with simulated people, over all cores and without the interpreter in the loop."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learn2search.cores import core_count
from learn2search.embedding import Embedding
from learn2search.oracle import Oracle, ProbitOracle, is_modelled
from learn2search.progress import track
from learn2search.search.base import Search
from learn2search.search.compiled_loop import check_proposals, loop_of, setup_of
from learn2search.search.plain_loop import search_for
from learn2search.search.stored_search import MAX_SHOWN, Step
from learn2search.search.strategies import Strategy, make_search
from learn2search.search.trace import Games, Trace, answered, flipped, new_games, new_trace, record, steps_of
from learn2search.streams import children, seed_sequence, stream_keys
from learn2search.table_oracle import visitor_of
from learn2search.typing import Items, Keys, Mask, Seed

MAX_QUERIES_WITH_REUSE = 10_000
_CHUNK = 64  # searches that one thread runs at a time


@dataclass(frozen=True)
class Run:
    """What happened in a simulation of m searches.

    Attributes
    ----------
    targets : (m,) array of int
        What was looked for.
    costs : (m,) array of int
        Questions asked.
    found : (m,) array of bool
        False where `max_queries` or a lack of items ended the search.
    flip_rate : float
        The share of answers to pairs that contradicted the noiseless one (its expectation, given the pairs).
    logs : tuple of tuple of Step
        The steps of each search, empty unless they were kept.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> l2s.Run(np.array([3, 5]), costs=np.array([4, 6]), found=np.array([True, True]), flip_rate=0.1)
    Run(2 searches, 5.00 ± 1.00 questions)
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


def simulate(
    strategy: Strategy,
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
    """Search for each of the targets, and count the questions.

    The result depends on the seeds alone, not on `workers`. Where the strategy has no compiled loop, or the oracle is
    not a `ProbitOracle`, the same searches run in Python, in one thread.

    Parameters
    ----------
    strategy : str or callable
        A name, a subclass of `Search`, or a function that makes searches: see `make_search`.
    embedding : Embedding
        Where the searches think the items are.
    oracle : Oracle
        Who answers.
    targets : (m,) array_like of int
        What is searched for.
    k : int, optional
        Items a question.
    stop : {"shown", "mode"}, optional
        When a search is over: its target was shown, or is the most probable item.
    noise : float, optional
        The σ that the searches assume, by default the oracle's.
    seed : int, SeedSequence or Generator, optional
        Of the searches; the oracle has its own.
    max_queries : int, optional
        After so many questions a search is given up.
    workers : int, optional
        Threads, by default as many as there are cores.
    progress : bool, optional
        Show a bar; by default when standard error is a terminal.
    keep_logs : bool, optional
        Keep every question and answer.
    **options : object
        Of the strategy.

    Returns
    -------
    Run
        Questions of each search, and how many answers were wrong.

    Raises
    ------
    ValueError
        If an option or a target cannot be used, or the oracle does not say how noisy it is and `noise` is missing.

    Examples
    --------
    >>> import learn2search as l2s
    >>> line = l2s.Embedding([[0.0], [1.0], [2.0], [3.0], [4.0]])
    >>> run = l2s.simulate("sampled", line, l2s.ProbitOracle(line, noise=0.1, seed=1), [0, 2, 4], progress=False)
    >>> int(run.costs.max())
    2
    """
    if noise is None:
        if not isinstance(oracle, ProbitOracle):
            raise ValueError("noise= is needed: this oracle does not say how noisy it is")
        noise = oracle.noise
    threads = core_count(workers, "workers")
    search = make_search(strategy, embedding, noise, stop=stop, **options)
    wanted = _checked_targets(targets, search, oracle)
    if not isinstance(k, int | np.integer) or not 2 <= k <= MAX_SHOWN:
        raise ValueError(f"a query shows 2 to {MAX_SHOWN} items, got k={k!r}")
    if max_queries is not None and max_queries < 1:
        raise ValueError(f"max_queries must be 1 or more, got {max_queries!r}")
    k, limit = int(k), max_queries or (MAX_QUERIES_WITH_REUSE if search.reuse else embedding.n_items)
    keys = stream_keys(seed_sequence(seed), len(wanted))
    setup = setup_of(search)
    if setup is None or not is_modelled(oracle):
        return _in_python(search, oracle, wanted, keys, k, limit, progress)
    return _compiled(setup, oracle, wanted, keys, k, limit, keep_logs, progress, threads)


def calibrate_on_policy(
    strategy: Strategy,
    embedding: Embedding,
    rate: float = 0.1,
    *,
    n_searches: int = 500,
    seed: Seed = 0,
    **options: Any,
) -> float:
    """The σ at which a share of the answers is flipped, on the pairs that the strategy itself asks under that σ.

    The person answers with σ on the embedding's means, and the search knows σ. Bisection on log σ with the same random
    numbers.

    Parameters
    ----------
    strategy : str or callable
        As in `make_search`.
    embedding : Embedding
        Where the items are.
    rate : float, optional
        The share, between 0 and 0.5.
    n_searches : int, optional
        How many searches measure it.
    seed : int, SeedSequence or Generator, optional
        Of targets, people and searches.
    **options : object
        Of `simulate`.

    Returns
    -------
    float
        σ, in units of the embedding.

    Raises
    ------
    ValueError
        If the rate is no share of flipped answers, or no σ gives it.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> space = l2s.Embedding(np.random.default_rng(0).uniform(size=(50, 5)))
    >>> 0.05 < l2s.calibrate_on_policy("gauss", space, 0.1, n_searches=100) < 0.2
    True
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


# --- two ways to run ------------------------------------------------------------------------------


def _compiled(
    setup: Any,
    oracle: ProbitOracle,
    targets: Items,
    keys: Keys,
    k: int,
    limit: int,
    keep_logs: bool,
    progress: bool | None,
    workers: int,
) -> Run:
    games = new_games(len(targets))
    person_keys, loop = oracle.keys(len(targets)), loop_of(setup)

    def play(part: slice) -> list[tuple[Step, ...]]:
        trace, logs = new_trace(limit, k), []
        for some in _singles(part) if keep_logs else [part]:  # a trace holds one search
            ours = Games(games.costs[some], games.flips[some], games.answered[some])
            loop(setup, keys[some], oracle.person, person_keys[some], targets[some], k, trace, ours)
            check_proposals(setup, ours, trace)
            logs.append(steps_of(trace) if keep_logs else ())
        return logs

    size = max(1, min(_CHUNK, len(targets) // (4 * workers)))
    parts = [slice(start, min(start + size, len(targets))) for start in range(0, len(targets), size)]
    with ThreadPoolExecutor(workers) as pool:
        logs = [log for some in track(pool.map(play, parts), "searching", len(parts), progress) for log in some]
    flip_rate = _share(games.flips.sum(), games.answered.sum())
    return _run(targets, games.costs, flip_rate, logs if keep_logs else [])


def _singles(part: slice) -> list[slice]:
    return [slice(at, at + 1) for at in range(part.start, part.stop)]


def _in_python(
    search: Search, oracle: Oracle, targets: Items, keys: Keys, k: int, limit: int, progress: bool | None
) -> Run:
    """The same searches through `ask` and `tell`. How many answers were wrong is known of a `ProbitOracle` alone."""
    costs, logs = np.empty(len(targets), np.int64), []
    modelled = oracle if is_modelled(oracle) else None
    count = len(targets)
    visitors = (visitor_of(oracle, at) for at in range(count)) if modelled is None else modelled.visitors(count)
    flips, answers, trace = 0.0, 0.0, new_trace(limit, k)
    for game in track(range(len(targets)), "searching", len(targets), progress):
        target, visitor = int(targets[game]), next(visitors)
        search.restart(keys[game])
        costs[game] = _ask_and_tell(search, visitor, target, k, limit)
        logs.append(search.log)
        if modelled is not None:
            _record(search.log, modelled, target, trace)
            flips, answers = flips + flipped(trace), answers + answered(trace)
    return _run(targets, costs, math.nan if modelled is None else _share(flips, answers), logs)


def _ask_and_tell(search: Search, oracle: Oracle, target: int, k: int, limit: int) -> int:
    return search_for(target, search, lambda query: oracle.choose(query, target), k, limit)


def _record(log: tuple[Step, ...], oracle: ProbitOracle, target: int, trace: Trace) -> None:
    for number, (query, chosen) in enumerate(log):
        place = -1 if chosen is None else query.index(chosen)
        record(trace, number, np.array(query, np.int64), place, oracle.person, target)


def _run(targets: Items, costs: Items, flip_rate: float, logs: list[tuple[Step, ...]]) -> Run:
    return Run(targets, np.abs(costs), costs > 0, flip_rate, tuple(logs))


def _share(flips: float, answers: float) -> float:
    """Of the answers that were wrong, 0 where nothing was answered."""
    return float(flips / answers) if answers > 0.0 else 0.0


def _checked_targets(targets: ArrayLike, search: Search, oracle: Oracle) -> Items:
    embedding = search.embedding
    wanted = np.atleast_1d(np.asarray(targets))
    if wanted.ndim != 1 or len(wanted) == 0 or not np.issubdtype(wanted.dtype, np.integer):
        raise ValueError(f"targets must be a list of items, got shape {wanted.shape} of {wanted.dtype}")
    if wanted.min() < 0 or wanted.max() >= embedding.n_items:
        outside = wanted[(wanted < 0) | (wanted >= embedding.n_items)][0]
        raise ValueError(f"target {outside} is unknown: the items are 0..{embedding.n_items - 1} (numbered from 0)")
    hidden = np.setdiff1d(wanted, search.candidates)
    if len(hidden):
        raise ValueError(
            f"target {hidden[0]} is no candidate and would never be shown: leave it out, or let it be shown"
        )
    if isinstance(oracle, ProbitOracle) and len(oracle.features) != embedding.n_items:
        raise ValueError(f"the oracle knows {len(oracle.features)} items, the embedding has {embedding.n_items}")
    return wanted.astype(np.int64)
