"""Which items to ask about, given the posterior: the query rules of `PosteriorSearch`.

- `random_query`: any free items.
- `exact_query`: the best pair of all, by information gain ("ig") or by fast EC² ("eff"), from tables of all answers.
- `sampled_query`: information gain over a small pool, scored over a sample of the posterior ("sampled").

More than two items are chosen greedily, each by what it adds (`click_value.py`).
"""

import math
from typing import NamedTuple

import numpy as np

from learn2search.compiled import by_address, compiled, in_parts, inlined
from learn2search.normal_tails import entropy_tabled, ndtr_tabled
from learn2search.search.click_value import Panel, extend, make_panel, panel_margins, total_variances
from learn2search.search.likelihood import Space, most_probable, positions_of, uncertain_margin, variances_of
from learn2search.search.matrices import cholesky
from learn2search.search.places import block_place
from learn2search.streams import below, shuffle, uniform
from learn2search.typing import Array, Array32, Blocked, Items, Items32, Stream

POOL = 128  # R: items from which a query is made
SCORED = 64  # T: queries of the pool that are scored exactly
SAMPLES = 256  # S: samples of the posterior
SHARP = 0.8  # above this probability of the best item the posterior is flattened for sampling
FROM_BELIEF = 0.6  # share of the pool that comes from the samples, the rest is uniform

_LN2 = math.log(2.0)
_C2 = math.pi * _LN2 / 2.0  # h(Φ(z)) ≈ exp(-z² / π ln 2), Houlsby et al. 2011


# --- random ---------------------------------------------------------------------------------------


@compiled
def random_query(blocked: Blocked, twins: Items32, k: int, stream: Stream) -> Items:
    """k free items at different places, uniformly."""
    query = np.empty(k, np.int64)
    for slot in range(k):
        query[slot] = _random_free(blocked, stream)
        block_place(query[slot], 1, blocked, twins)
    for item in query:
        block_place(item, -1, blocked, twins)
    return query


@compiled
def _random_free(blocked: Blocked, stream: Stream) -> int:
    """A free item: by rejection, or by counting when few are free. There must be one."""
    for _ in range(64):
        item = below(stream, len(blocked))
        if not blocked[item]:
            return item
    place = below(stream, int(np.sum(blocked == 0)))
    for item in range(len(blocked)):
        if not blocked[item]:
            if place == 0:
                return item
            place -= 1
    return -1


# --- exact: all pairs, all candidates -------------------------------------------------------------


class PairTables(NamedTuple):
    """Answers to all pairs. pairs: `(m, 2)`; chance, entropy: `(m, n)` float32, P(first chosen | k) and its entropy."""

    pairs: Items
    chance: Array32
    entropy: Array32


@compiled
def fill_tables(space: Space, tables: PairTables) -> None:
    """Answers to all pairs; the space must have its positions in float64, too."""
    n = len(space.mean)
    for row in range(len(tables.pairs)):
        i, j = tables.pairs[row]
        for k in range(n):
            z = standard_margin(space, i, j, k)
            tables.chance[row, k] = ndtr_tabled(z)
            tables.entropy[row, k] = entropy_tabled(z)


@compiled
def standard_margin(space: Space, i: int, j: int, k: int) -> float:
    """z with P(i chosen over j | k) = Φ(z)."""
    x, var = space.mean, space.var
    if len(var):
        return uncertain_margin(x[i], x[j], x[k], var[i], var[j], var[k], space.noise)
    along, square = 0.0, 0.0
    for a in range(x.shape[1]):
        u = x[i, a] - x[j, a]
        along += u * (x[k, a] - 0.5 * (x[i, a] + x[j, a]))
        square += u * u
    return along / (math.sqrt(square) * space.noise) if square > 0.0 else 0.0


@by_address
def exact_query(
    p: Array,
    space: Space,
    tables: PairTables,
    by_gain: bool,
    bonus: float,
    blocked: Blocked,
    twins: Items32,
    k: int,
    stream: Stream,
) -> Items:
    """The best free pair of all, ties broken at random, and k - 2 more items added greedily from all."""
    best, best_score, ties = -1, -np.inf, 0
    squares = p * p
    for row in range(len(tables.pairs)):
        i, j = tables.pairs[row]
        if blocked[i] or blocked[j]:
            continue
        score = _pair_gain(p, tables, row) if by_gain else _pair_collision(p, squares, tables.chance[row])
        score += bonus * (p[i] + p[j])
        if score > best_score:
            best, best_score, ties = row, score, 1
        elif score == best_score:
            ties += 1
            if below(stream, ties) == 0:
                best = row
    pair: Items = tables.pairs[best].copy()
    if k == 2:
        return pair
    possible = np.flatnonzero(p)
    panel = make_panel(space, np.arange(len(p)), possible, p[possible], by_gain)
    return extend(pair, k, panel, p, bonus, blocked, twins)


@compiled
def _pair_gain(p: Array, tables: PairTables, row: int) -> float:
    """Mutual information of answer and target, in bits: h(Σ p Φ) - Σ p h(Φ)."""
    chance, left = 0.0, 0.0
    for k in range(len(p)):
        chance += p[k] * tables.chance[row, k]
        left += p[k] * tables.entropy[row, k]
    return binary_entropy(chance) - left


@compiled
def _pair_collision(p: Array, squares: Array, chances: Array32) -> float:
    """Fast EC² (Golovin et al. 2010): the expected Σ posterior², which grows as the posterior concentrates."""
    chance, first, second = 0.0, 0.0, 0.0
    for k in range(len(p)):
        chance += p[k] * chances[k]
        first += squares[k] * chances[k] * chances[k]
        second += squares[k] * (1.0 - chances[k]) * (1.0 - chances[k])
    return first / max(chance, 1e-12) + second / max(1.0 - chance, 1e-12)


@compiled
def binary_entropy(chance: float) -> float:
    if chance <= 0.0 or chance >= 1.0:
        return 0.0
    return -(chance * math.log(chance) + (1.0 - chance) * math.log(1.0 - chance)) / _LN2


# --- sampled --------------------------------------------------------------------------------------


@inlined
def sampled_query(
    p: Array, space: Space, bonus: float, blocked: Blocked, twins: Items32, k: int, stream: Stream
) -> Items:
    """k items of a small pool that are worth most over a sample of the posterior."""
    best = most_probable(p, stream)
    was_blocked = blocked[best]
    blocked[best] = 0  # an item that was overlooked comes back when nothing unseen is more probable
    samples, weights = draw_samples(p, p[best] > SHARP, stream)
    pool = draw_pool(best, samples, blocked, twins, k, stream)
    panel = make_panel(space, pool, samples, weights, True)
    if k == 2:
        query = best_pair(p, panel, shortlist(p, space, panel, bonus), bonus)
    else:
        query = extend(pool[:1], k, panel, p, bonus, blocked, twins)
    blocked[best] = was_blocked
    shuffle(stream, query)
    return query


@compiled
def draw_samples(p: Array, flatten: bool, stream: Stream) -> tuple[Items, Array]:
    """Systematic samples of p, which sums to 1 (of √p when nearly certain): items, each once, and their weights."""
    total = 1.0
    if flatten:
        total = 0.0
        for chance in p:
            total += math.sqrt(chance)
    unit = total / SAMPLES
    items = np.empty(SAMPLES, np.int64)
    weights = np.empty(SAMPLES)
    count, passed, mark = 0, 0.0, uniform(stream) * unit
    for item in range(len(p)):
        passed += math.sqrt(p[item]) if flatten else p[item]
        if passed > mark and count < SAMPLES:
            hits = math.ceil((passed - mark) / unit)
            mark += hits * unit
            items[count], weights[count] = item, hits
            count += 1
    total = 0.0
    for at in range(count):
        total += weights[at]
    for at in range(count):
        weights[at] /= total
    return items[:count], weights[:count]


@compiled
def draw_pool(best: int, samples: Items, blocked: Blocked, twins: Items32, k: int, stream: Stream) -> Items:
    """The most probable item, others from the samples, others at random: free, each place at most once, at least k."""
    pool = np.empty(POOL, np.int64)
    order = samples.copy()
    shuffle(stream, order)
    size = take(best, pool, 0, blocked, twins)
    for item in order:
        if size < FROM_BELIEF * POOL:
            size = take(item, pool, size, blocked, twins)
    for _ in range(4 * POOL):
        if size < POOL:
            size = take(below(stream, len(blocked)), pool, size, blocked, twins)
    for item in range(len(blocked) if size < POOL else 0):  # few are left: take what there is
        if size < POOL:
            size = take(item, pool, size, blocked, twins)
    for item in pool[:size]:
        block_place(item, -1, blocked, twins)
    return pool[:size]


@compiled
def take(item: int, pool: Items, size: int, blocked: Blocked, twins: Items32) -> int:
    """Add the item to the pool if its place is free; the new size."""
    if blocked[item]:
        return size
    pool[size] = item
    block_place(item, 1, blocked, twins)
    return size + 1


@inlined
def moments(space: Space, candidates: Items, weights: Array) -> tuple[Array, Array]:
    """Mean, and L with LLᵀ = covariance of the candidates, their own uncertainty included."""
    rows, var = positions_of(space, candidates), variances_of(space, candidates)
    mean = weights @ rows
    rows -= mean
    cov = (rows.T * weights) @ rows
    for s in range(len(var)):
        for a in range(len(mean)):
            cov[a, a] += weights[s] * var[s, a]
    trace = 0.0
    for a in range(len(mean)):
        trace += cov[a, a]
    jitter = 1e-9 * trace + 1e-300
    for a in range(len(mean)):
        cov[a, a] += jitter
    return mean, cholesky(cov).T.copy()


@inlined
def shortlist(p: Array, space: Space, panel: Panel, bonus: float) -> Items:
    """Places of the `SCORED` most promising pairs, by the closed form for a Gaussian posterior, `(t, 2)`.

    D = |x_i - x_j|, m = (|x_j - μ|² - |x_i - μ|²) / 2D, s² = |Lᵀ(x_i - x_j)|² / D²:
    gain = exp(-m²/2C²(s² + σ²)) - C/√(s²/σ² + C²) exp(-m²/2(s² + σ²C²)), C² = π ln 2 / 2
    (h(Φ(z)) ≈ exp(-z²/2C²) in both terms: it is off by at most 0.02 bits)
    """
    mean, root = moments(space, panel.candidates, panel.weights)
    size = len(panel.items)
    centred = panel.rows - mean
    whitened = centred @ root
    gram, spread = centred @ centred.T, whitened @ whitened.T
    own, own_spread, trace = np.empty(size), np.empty(size), 0.0
    for i in range(size):
        own[i], own_spread[i] = gram[i, i], spread[i, i]
        trace += panel.trace[i]
    noise2 = space.noise**2 + 2.0 * (trace / size) / len(mean)
    hit = bonus * p[panel.items]
    gains, scores = np.empty(size), np.full(SCORED, -np.inf)
    pairs = np.zeros((SCORED, 2), np.int64)
    worst, found = 0, 0
    for i in range(size):
        for j in range(i):
            square = max(own[i] + own[j] - 2.0 * gram[i, j], 1e-9 * (own[i] + own[j]) + 1e-300)  # but for rounding
            m2 = (own[j] - own[i]) ** 2 / (4.0 * square)
            s2 = max(own_spread[i] + own_spread[j] - 2.0 * spread[i, j], 0.0) / square
            gains[j] = decay(m2 / (s2 + noise2) / (2.0 * _C2)) + hit[i] + hit[j]
            gains[j] -= math.sqrt(_C2 / (s2 / noise2 + _C2)) * decay(0.5 * m2 / (s2 + noise2 * _C2))
        for j in range(i):
            if gains[j] > scores[worst]:
                scores[worst], pairs[worst, 0], pairs[worst, 1] = gains[j], i, j
                found += 1
                worst = int(np.argmin(scores))
    return pairs[: min(found, SCORED)]


@compiled
def decay(t: float) -> float:
    """exp(-t) for t >= 0 as (1 - t/1024)^1024: off by less than 3e-4, and compiled to vectors."""
    power = max(1.0 - t / 1024.0, 0.0)
    for _ in range(10):
        power *= power
    return power


@inlined
def best_pair(p: Array, panel: Panel, pairs: Items, bonus: float) -> Items:
    """The pair with the largest mutual information over the candidates, plus the bonus for a hit."""
    best, best_score = 0, -np.inf
    z = np.empty(len(panel.candidates))
    for row in range(len(pairs)):
        i, j = pairs[row]
        panel_margins(panel, i, j, z)
        chance, left = 0.0, 0.0
        for s in range(len(z)):
            chance += panel.weights[s] * ndtr_tabled(z[s])
            left += panel.weights[s] * entropy_tabled(z[s])
        score = binary_entropy(chance) - left + bonus * (p[panel.items[i]] + p[panel.items[j]])
        if score > best_score:
            best, best_score = row, score
    pair: Items = panel.items[pairs[best]]
    return pair


# Here, where all that it calls is defined. What takes a whole `Space` is a few lines, and long to call from Python.
sampled_query_in_parts = in_parts(sampled_query, positions_of, variances_of, total_variances, make_panel)
