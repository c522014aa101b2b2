"""PosteriorSearch: the exact posterior over all items, and four rules for what to ask."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.oracle import Person, choose
from learn2search.search import rules
from learn2search.search.base import Search, ending, holds, use_up
from learn2search.search.likelihood import Space, space_of, weigh
from learn2search.search.trace import Games, Trace, answered, flipped, record
from learn2search.streams import below, open_stream
from learn2search.typing import Array, Blocked, Items, Items32, Key, Seed, Stream

RULES = ("sampled", "ig", "eff", "random")
SAMPLED, IG, EFF, RANDOM = range(4)
HIT_BONUS = 3.0
MAX_TABLE_BYTES = 2 * 2**30


class PosteriorSearch(Search):
    """Search with the probability of every item. `noise` is σ in the units of the embedding.

    rule: "sampled" (ours, any size), "ig" and "eff" (the paper's baselines: the best pair of all by information gain,
    by fast EC²), "random". stop: a search ends when the target is "shown" (then shown items are no candidates any
    more) or when it is the "mode". reuse: may items be shown again? By default only when stop is "mode". prior:
    `(n,)` weights, or None for uniform. miss_rate: the share of its probability that a shown item keeps, because
    people overlook things. hit_bonus: what showing the target is worth, in bits; by default 3 for "sampled" when stop
    is "shown", else 0.
    """

    name = "posterior"

    def __init__(
        self,
        embedding: Embedding,
        noise: float = 1.0,
        *,
        rule: str = "sampled",
        stop: str = "shown",
        reuse: bool | None = None,
        prior: ArrayLike | None = None,
        miss_rate: float = 0.0,
        hit_bonus: float | None = None,
        seed: Seed = None,
    ) -> None:
        if rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
        if not 0 <= miss_rate < 1:
            raise ValueError(f"miss_rate is a share, from 0 to below 1, got {miss_rate!r}")
        if hit_bonus is not None and not 0 <= hit_bonus < math.inf:
            raise ValueError(f"hit_bonus is a number of bits, 0 or more, got {hit_bonus!r}")
        self.rule = rule
        self.miss_rate = float(miss_rate)
        self.hit_bonus = float(
            hit_bonus if hit_bonus is not None else (HIT_BONUS if (rule, stop) == ("sampled", "shown") else 0)
        )
        self._given_prior = None if prior is None else np.array(prior, float)
        if isinstance(embedding, Embedding):
            self._prior = _checked_prior(prior, embedding.n_items)
        super().__init__(embedding, noise=noise, stop=stop, reuse=stop == "mode" if reuse is None else reuse, seed=seed)
        self._space = space_of(embedding, self.noise)
        self._setting = Setting(
            self._space,
            _pair_tables(embedding, self._space) if rule in ("ig", "eff") else _no_tables(embedding.n_items),
            self._twins,
            self._n_places,
            self._prior,
            RULES.index(rule),
            self.hit_bonus,
            1.0 if stop == "mode" else self.miss_rate,
            self.reuse,
            stop == "mode",
        )

    def probability(self) -> Array:
        return self._p.copy()

    def play(self, key: Key, person: Person, person_key: Key, target: int, k: int, trace: Trace) -> int:
        return int(run(self._setting, key, person, person_key, target, k, trace))

    def play_many(
        self, keys: Key, person: Person, person_keys: Key, targets: Items, k: int, trace: Trace, games: Games
    ) -> None:
        run_many(self._setting, keys, person, person_keys, targets, k, trace, games)

    def _start(self) -> None:
        self._p = self._prior.copy()

    def _propose(self, k: int, stream: Stream) -> Items:
        """What `propose` does, but only the rule in use has to be compiled."""
        p, space, blocked, twins = self._p, self._space, self._blocked, self._twins
        if self.rule == "random":
            return rules.random_query(blocked, twins, k, stream)
        if self.rule == "sampled":
            return rules.sampled_query(p, space, self.hit_bonus, blocked, twins, k, stream)
        tables, by_gain = self._setting.tables, self.rule == "ig"
        return rules.exact_query(p, space, tables, by_gain, self.hit_bonus, blocked, twins, k, stream)

    def _learn(self, query: Items, chosen: int) -> None:
        weigh(self._p, self._space, query, chosen, self._setting.keep, self._blocked, self._prior)

    def _options(self) -> dict[str, Any]:
        return {
            "noise": self.noise,
            "rule": self.rule,
            "stop": self.stop,
            "reuse": self.reuse,
            "prior": None if self._given_prior is None else np.asarray(self._given_prior, float).tolist(),
            "miss_rate": self.miss_rate,
            "hit_bonus": self.hit_bonus,
        }


def _checked_prior(prior: ArrayLike | None, n: int) -> Array:
    if prior is None:
        return np.full(n, 1.0 / n)
    weights = np.array(prior, float)
    if weights.shape != (n,):
        raise ValueError(f"the prior must be {n} weights, one an item, got shape {weights.shape}")
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() <= 0:
        raise ValueError(f"the prior's weights must be 0 or more and not all 0, got {weights.min()} to {weights.max()}")
    weights /= weights.max()
    return np.asarray(weights / weights.sum())


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
    return embedding.derived("pairs", lambda: _fill_pair_tables(space), version=space.noise)


def _fill_pair_tables(space: Space) -> rules.PairTables:
    n = len(space.mean)
    both = np.array(np.triu_indices(n, 1), np.int64).T
    distinct = np.ascontiguousarray(both[np.any(space.mean[both[:, 0]] != space.mean[both[:, 1]], axis=1)])
    chance, entropy = np.empty((2, len(distinct), n), np.float32)
    tables = rules.PairTables(distinct, chance, entropy)
    rules.fill_tables(space, tables)
    return tables


# --- compiled -------------------------------------------------------------------------------------


class Setting(NamedTuple):
    """What stays the same in all searches of a simulation. keep: the share of probability that shown items keep."""

    space: Space
    tables: rules.PairTables
    twins: Items32
    n_places: int
    prior: Array
    rule: int
    bonus: float
    keep: float
    reuse: bool
    stop_at_mode: bool


@compiled
def propose(p: Array, setting: Setting, blocked: Blocked, k: int, stream: Stream) -> Items:
    if setting.rule == RANDOM:
        return rules.random_query(blocked, setting.twins, k, stream)
    if setting.rule == SAMPLED:
        return rules.sampled_query(p, setting.space, setting.bonus, blocked, setting.twins, k, stream)
    by_gain = setting.rule == IG
    return rules.exact_query(
        p, setting.space, setting.tables, by_gain, setting.bonus, blocked, setting.twins, k, stream
    )


@compiled
def run(setting: Setting, key: Key, person: Person, person_key: Key, target: int, k: int, trace: Trace) -> int:
    """A whole search with a simulated person: the number of queries, negative when the target was not found."""
    p = setting.prior.copy()
    blocked = np.zeros(len(p), np.uint8)
    places_left = np.array([setting.n_places])
    for step in range(len(trace.shown)):
        size = min(k, places_left[0])
        if size < 2:
            return -step if setting.stop_at_mode else ending(step, target, blocked, len(trace.shown))
        stream = open_stream(key, step)
        query = propose(p, setting, blocked, size, stream)
        chosen = choose(person, query, target, open_stream(person_key, step))
        weigh(p, setting.space, query, chosen, setting.keep, blocked, setting.prior)
        record(trace, step, query, chosen, person, target)
        if not setting.reuse:
            use_up(query, blocked, setting.twins, places_left)
        if setting.stop_at_mode:
            if is_mode(p, target, stream):
                return step + 1
        elif holds(query, target):
            return step + 1
    return -len(trace.shown)


@compiled
def run_many(
    setting: Setting, keys: Key, person: Person, person_keys: Key, targets: Items, k: int, trace: Trace, games: Games
) -> None:
    for game in range(len(targets)):
        games.costs[game] = run(setting, keys[game], person, person_keys[game], targets[game], k, trace)
        games.flips[game] = flipped(trace)
        games.answered[game] = answered(trace)


@compiled
def is_mode(p: Array, target: int, stream: Stream) -> bool:
    """Is the target the most probable item? Ties are broken at random."""
    ties = 0
    for item in range(len(p)):
        if p[item] > p[target]:
            return False
        ties += p[item] == p[target]
    return ties <= 1 or below(stream, ties) == 0
