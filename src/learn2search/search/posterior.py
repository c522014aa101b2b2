"""PosteriorSearch: the exact posterior over all items, and four rules for what to ask."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.click import rivals_of
from learn2search.compiled import FunctionAddress, by_address, compiled
from learn2search.embedding import Embedding, in_float64
from learn2search.search import compiled_loop, rules
from learn2search.search.base import Search
from learn2search.search.candidates import Selection
from learn2search.search.compiled_loop import LoopSetup, implements, loop_setup
from learn2search.search.likelihood import (
    Space,
    click_weigher,
    positions_of,
    settle,
    space_of,
    unweigh,
    variances_of,
    weigh,
)
from learn2search.search.strategies import register_strategy
from learn2search.streams import below, set_stream, stream_of
from learn2search.typing import Array, Blocked, Items, Items32, Seed, Stream

RULES = ("sampled", "ig", "eff", "random")
HIT_BONUS = 3.0
MAX_TABLE_BYTES = 2 * 2**30


@register_strategy("posterior")
class PosteriorSearch(Search):
    """Search with the probability of every item.

    Parameters
    ----------
    embedding : Embedding
        Where the items are.
    noise : float, optional
        σ of the answers, in units of the embedding.
    rule : {"sampled", "ig", "eff", "random"}, optional
        What to ask: ours, for any size; the paper's baselines, the best pair of all by information gain and by fast
        EC²; or any pair.
    stop : {"shown", "mode"}, optional
        A search is over when the target was shown (then shown items are no candidates any more), or when it is the most
        probable item.
    reuse : bool, optional
        May an item be shown twice? By default only when `stop` is "mode".
    prior : (n,) array_like, optional
        Weights of the items, as their popularity; by default all alike. An item of weight 0 is no target, but may be
        shown to compare with: `exclude` it if it must not.
    candidates : (n,) array_like of bool, (m,) array_like of int, or callable, optional
        The items that may be shown, as a mask, by their numbers, or as a function of the array of all items that
        returns either; by default all. Nothing else is ever shown. `restrict` chooses among them on the way.
    exclude : the same, optional
        Items that may not be shown.
    miss_rate : float, optional
        The share of its probability that a shown item keeps, because people overlook things.
    hit_bonus : float, optional
        What showing the target is worth, in bits; by default 3 for "sampled" when `stop` is "shown", else 0.
    lapse : float, optional
        The share of answers that are a click on any of the items shown, 0 to below 1.
    seed : int, SeedSequence or Generator, optional
        The same seed and answers give the same questions.

    Raises
    ------
    ValueError
        If an option cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> search = l2s.PosteriorSearch(l2s.Embedding(np.arange(20.0)[:, None]), noise=0.5, seed=0)
    >>> query = search.ask(k=4)
    >>> search.tell(max(query))
    >>> bool(search.probability()[min(query)] == 0)
    True
    """

    def __init__(
        self,
        embedding: Embedding,
        noise: float = 1.0,
        *,
        rule: str = "sampled",
        stop: str = "shown",
        reuse: bool | None = None,
        prior: ArrayLike | None = None,
        candidates: Selection | None = None,
        exclude: Selection | None = None,
        miss_rate: float = 0.0,
        hit_bonus: float | None = None,
        lapse: float = 0.0,
        seed: Seed = None,
    ) -> None:
        if rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
        if not 0 <= miss_rate < 1:
            raise ValueError(f"miss_rate is a share, from 0 to below 1, got {miss_rate!r}")
        if hit_bonus is not None and not 0 <= hit_bonus < math.inf:
            raise ValueError(f"hit_bonus is a number of bits, 0 or more, got {hit_bonus!r}")
        if not 0 <= lapse < 1:
            raise ValueError(f"lapse is the share of answers that say nothing, from 0 to below 1, got {lapse!r}")
        super().__init__(
            embedding,
            noise,
            stop=stop,
            reuse=stop == "mode" if reuse is None else reuse,
            prior=prior,
            candidates=candidates,
            exclude=exclude,
            seed=seed,
        )
        self.rule = rule
        self.miss_rate = float(miss_rate)
        self.lapse = float(lapse)
        self.hit_bonus = float(
            hit_bonus if hit_bonus is not None else (HIT_BONUS if (rule, stop) == ("sampled", "shown") else 0)
        )
        self._space = space = space_of(embedding, self.noise, self.lapse)
        self._tables = _pair_tables(embedding, space) if rule in ("ig", "eff") else _no_tables(embedding.n_items)
        self._keep = 1.0 if stop == "mode" else self.miss_rate

    def start(self) -> None:
        self._p = self._prior.copy()
        self._lost: list[tuple[Array, float]] = []  # of each answer: what the shown items had, and `weigh`'s total

    def propose(self, k: int, generator: np.random.Generator) -> Items:
        stream = stream_of(generator)
        query = self._query(k, stream)
        set_stream(generator, stream)
        return query

    def learn(self, query: tuple[int, ...], chosen: int | None) -> None:
        shown, place = np.array(query, np.int64), -1 if chosen is None else query.index(chosen)
        had = self._p[shown]
        total = weigh(self._p, self._space, shown, place, self._keep, self._blocked, self._prior)
        self._lost.append((had, total))

    def unlearn(self, query: tuple[int, ...], chosen: int | None) -> bool:
        # By a division, where taking in all others would be long; probabilities are what they were but for rounding.
        had, total = self._lost[-1]
        if not len(self._space.rows) or total == 0.0:
            return False
        shown, place = np.array(query, np.int64), -1 if chosen is None else query.index(chosen)
        unweigh(self._p, self._space, shown, place, had, total)
        self._lost.pop()
        return True

    def probability(self) -> Array:
        return np.array(self._p)

    def compiled_setup(self) -> "PosteriorSetup":
        space, p, item = self._space, self._prior.copy(), np.zeros(1, np.int64)
        x, var = positions_of(space, item), variances_of(space, item)
        return PosteriorSetup(
            loop_setup(self), space, self._tables, self._prior, self.rule == "ig", self.hit_bonus, self._keep,
            FunctionAddress(_QUERIES[self.rule], *self._asked(p), 2, np.zeros(4, np.uint64)),
            FunctionAddress(click_weigher(space), p, space, x, var, 0, item),
        )  # fmt: skip

    def _query(self, k: int, stream: Stream) -> Items:
        """What the compiled `_propose` does, but only the rule in use has to be compiled."""
        if self.rule == "sampled":
            p, space, blocked, twins = self._p, self._space, self._blocked, self._twins
            return rules.sampled_query_in_parts(p, space, self.hit_bonus, blocked, twins, k, stream)
        return _QUERIES[self.rule](*self._asked(self._p), k, stream)

    def _asked(self, p: Array) -> tuple[Any, ...]:
        """What the compiled rules take, but for the number of items and the stream."""
        return p, self._space, self._tables, self.rule == "ig", self.hit_bonus, self._blocked, self._twins


def _by_rule(rule: str) -> Callable[..., PosteriorSearch]:
    """A strategy: the exact posterior with this rule."""

    def make(embedding: Embedding, noise: float = 1.0, **options: Any) -> PosteriorSearch:
        return PosteriorSearch(embedding, noise, rule=rule, **options)

    return make


for _rule in RULES:
    register_strategy(_rule)(_by_rule(_rule))


# --- tables of the exact rules, made once for each embedding and noise ------------------------------


def _no_tables(n: int) -> rules.PairTables:
    none = np.empty((0, n), np.float32)
    return rules.PairTables(np.empty((0, 2), np.int64), none, none)


def _pair_tables(embedding: Embedding, space: Space) -> rules.PairTables:
    n = embedding.n_items
    pairs = n * (n - 1) // 2
    needed = 8 * pairs * n
    if needed > MAX_TABLE_BYTES:
        raise ValueError(
            f"the rules ig and eff look at all {pairs:,} pairs of {n:,} items for all targets: that takes "
            f"{needed / 2**30:,.1f} GiB (at most {MAX_TABLE_BYTES / 2**30:.0f} are allowed) and about "
            f'{pairs * n * 1e-9:,.1f} s a question. Use rule="sampled", which asks nearly as well'
        )
    return embedding.derived("pairs", lambda: _fill_pair_tables(embedding, space), version=space.noise)


def _fill_pair_tables(embedding: Embedding, space: Space) -> rules.PairTables:
    n = embedding.n_items
    space = space._replace(mean=in_float64(embedding.mean), var=in_float64(embedding.var_rows))
    both = np.array(np.triu_indices(n, 1), np.int64).T
    distinct = np.ascontiguousarray(both[np.any(space.mean[both[:, 0]] != space.mean[both[:, 1]], axis=1)])
    chance, entropy = np.empty((2, len(distinct), n), np.float32)
    tables = rules.PairTables(distinct, chance, entropy)
    rules.fill_tables(space, tables)
    return tables


# --- whole searches -------------------------------------------------------------------------------


@by_address
def _sampled_query(
    p: Array,
    space: Space,
    tables: rules.PairTables,
    by_gain: bool,
    bonus: float,
    blocked: Blocked,
    twins: Items32,
    k: int,
    stream: Stream,
) -> Items:
    return rules.sampled_query(p, space, bonus, blocked, twins, k, stream)


@by_address
def _random_query(
    p: Array,
    space: Space,
    tables: rules.PairTables,
    by_gain: bool,
    bonus: float,
    blocked: Blocked,
    twins: Items32,
    k: int,
    stream: Stream,
) -> Items:
    return rules.random_query(blocked, twins, k, stream)


_QUERIES: dict[str, Callable[..., Items]] = {  # of one signature
    "sampled": _sampled_query,
    "ig": rules.exact_query,
    "eff": rules.exact_query,
    "random": _random_query,
}


class PosteriorSetup(NamedTuple):
    """What stays the same in all searches of a simulation. keep: the share of probability that shown items keep; query,
    weigh_click: the rule, and what weighs a click.
    """

    loop: LoopSetup
    space: Space
    tables: rules.PairTables
    prior: Array
    by_gain: bool
    bonus: float
    keep: float
    query: FunctionAddress
    weigh_click: FunctionAddress


@implements(compiled_loop.start, PosteriorSetup)
def _start(setup: PosteriorSetup) -> Array:
    return setup.prior.copy()


@implements(compiled_loop.propose, PosteriorSetup)
def _propose(setup: PosteriorSetup, belief: Array, blocked: Blocked, k: int, stream: Stream) -> Items:
    query: Items = setup.query(
        belief, setup.space, setup.tables, setup.by_gain, setup.bonus, blocked, setup.loop.twins, k, stream
    )
    return query


@implements(compiled_loop.learn, PosteriorSetup)
def _learn(setup: PosteriorSetup, belief: Array, query: Items, chosen: int, blocked: Blocked) -> Array:
    if chosen >= 0:
        x, var = positions_of(setup.space, query), variances_of(setup.space, query)
        rivals = rivals_of(x, var, np.arange(len(query)), chosen)
        setup.weigh_click(belief, setup.space, x, var, chosen, rivals)
    settle(belief, query, setup.keep, blocked, setup.prior)
    return belief


@implements(compiled_loop.is_mode, PosteriorSetup)
def _is_mode(setup: PosteriorSetup, belief: Array, target: int, stream: Stream) -> bool:
    return is_mode(belief, target, stream)


@compiled
def is_mode(p: Array, target: int, stream: Stream) -> bool:
    """Is the target the most probable item? Ties are broken at random."""
    ties = 0
    for item in range(len(p)):
        if p[item] > p[target]:
            return False
        ties += p[item] == p[target]
    return ties <= 1 or below(stream, ties) == 0
