"""A pool of items that could be shown, against a sample of candidates for the target: what a click would say.

Items are added one by one, each by what it adds to the information of the click. All of the pool are compared by
P(c | y) ∝ Π_s Φ(c beats s | y), the product over the other shown items, which is quick; the best of them then by the
probability of the click itself (`click.py`).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from learn2search.click import multiply_by_all_positive, sort_by
from learn2search.compiled import compiled, inlined
from learn2search.normal_tails import ndtr_tabled
from learn2search.search.likelihood import Space, positions_of, variances_of
from learn2search.search.places import block_place
from learn2search.typing import Array, Blocked, Items, Items32

FINALISTS = 8  # items of the pool that are compared by the click itself


class Panel(NamedTuple):
    """Items that could be shown, and candidates for the target. squares: `(items, candidates)` |x_i - y_s|².

    trace, candidate_trace: the total variances, 0 where positions are exact. by_gain: queries are compared by
    information gain, else by the expected Σ posterior².
    """

    items: Items
    rows: Array
    trace: Array
    candidates: Items
    weights: Array
    candidate_trace: Array
    squares: Array
    noise: float
    by_gain: bool


@compiled
def make_panel(space: Space, items: Items, candidates: Items, weights: Array, by_gain: bool) -> Panel:
    rows, squares = positions_of(space, items), _squares(positions_of(space, items), positions_of(space, candidates))
    trace, candidate_trace = total_variances(space, items), total_variances(space, candidates)
    return Panel(items, rows, trace, candidates, weights, candidate_trace, squares, space.noise, by_gain)


@compiled
def _squares(rows: Array, places: Array) -> Array:
    """|x_i - y_s|²."""
    d, count = places.shape[1], len(places)
    columns, squares = np.empty((d, count)), np.zeros((len(rows), count))
    for s in range(count):
        for a in range(d):
            columns[a, s] = places[s, a]
    for i in range(len(rows)):
        for a in range(d):
            for s in range(count):
                squares[i, s] += (rows[i, a] - columns[a, s]) ** 2
    return squares


@compiled
def total_variances(space: Space, items: Items) -> Array:
    """The trace of the variances of each item, `(m,)`; 0 where positions are exact."""
    return _row_totals(variances_of(space, items), len(items))


@compiled
def _row_totals(rows: Array, count: int) -> Array:
    """The sum of each row, `(count,)`, 0 where there are none."""
    totals = np.zeros(count)
    for at in range(len(rows)):
        for a in range(rows.shape[1]):
            totals[at] += rows[at, a]
    return totals


@compiled
def panel_margins(panel: Panel, i: int, j: int, z: Array) -> None:
    """z[s] with P(i chosen over j | s) = Φ(z[s]), for places i and j of the panel.

    Exact when positions are; else the moments of `uncertain_margin` with each item's variance spread evenly over its
    coordinates, which needs only the squares: c² = (|x_i-y|² + |x_j-y|²)/2 - |u|²/4.
    """
    d = panel.rows.shape[1]
    square = 0.0
    for a in range(d):
        square += (panel.rows[i, a] - panel.rows[j, a]) ** 2
    first, second = panel.squares[i], panel.squares[j]
    t_i, t_j = panel.trace[i], panel.trace[j]
    if square == 0.0 and t_i + t_j == 0.0:
        z[:] = 0.0
        return
    if t_i + t_j == 0.0:
        scale = 0.5 / (math.sqrt(square) * panel.noise)
        for s in range(len(z)):
            z[s] = (second[s] - first[s]) * scale
        return
    r2 = square + t_i + t_j
    r = math.sqrt(r2)
    along = square / r2  # |w|²
    v_i, v_j = t_i / d, t_j / d
    fixed = panel.noise * panel.noise + 0.25 * along * (v_i + v_j) + 0.5 * (v_i * t_i + v_j * t_j) / r2
    for s in range(len(z)):
        m = 0.5 * (second[s] - first[s]) / r
        c2 = 0.5 * (first[s] + second[s]) - 0.25 * square
        g2 = (c2 - (2.0 - along) * m * m) / r2
        gw = m * (1.0 - along) / r
        v_s = panel.candidate_trace[s] / d
        var = fixed + v_i * (g2 - gw) + v_j * (g2 + gw) + along * v_s + v_s * (t_i + t_j) / r2
        z[s] = (m + 0.5 * (t_j - t_i) / r) / math.sqrt(var)


@compiled
def extend(first: Items, k: int, panel: Panel, p: Array, bonus: float, blocked: Blocked, twins: Items32) -> Items:
    """k items: the first ones, and each time the one that is worth most beside those before it."""
    n_items, n_candidates = panel.squares.shape
    query, chosen = np.empty(k, np.int64), np.zeros(k, np.int64)  # items, and their places in the panel
    share = np.empty((k, n_candidates))  # Π_s Φ(c beats s | y) among the items so far
    wins = np.empty((n_items, k, n_candidates))  # Φ(item beats the one in the query | y)
    for place in range(k):
        if place < len(first):
            while panel.items[chosen[place]] != first[place]:
                chosen[place] += 1
        else:
            chosen[place] = _best_addition(chosen, share, wins, place, panel, p, bonus, blocked)
        query[place] = panel.items[chosen[place]]
        block_place(query[place], 1, blocked, twins)
        _share_with(share, wins[chosen[place]], place)
        if place + 1 < k:
            _fill_wins(panel, chosen[place], place, wins)
    for item in query:
        block_place(item, -1, blocked, twins)
    return query


@inlined
def _share_with(share: Array, wins: Array, place: int) -> None:
    """The item at this place of the query joins those before it; wins: `(k, candidates)` its own."""
    for s in range(share.shape[1]):
        share[place, s] = 1.0
        for other in range(place):
            share[place, s] *= wins[other, s]
            share[other, s] *= 1.0 - wins[other, s]


@inlined
def _fill_wins(panel: Panel, shown: int, place: int, wins: Array) -> None:
    z = np.empty(len(panel.candidates))
    for i in range(len(panel.items)):
        panel_margins(panel, i, shown, z)
        for s in range(len(z)):
            wins[i, place, s] = ndtr_tabled(z[s])


@inlined
def _best_addition(
    chosen: Items,
    share: Array,
    wins: Array,
    size: int,
    panel: Panel,
    p: Array,
    bonus: float,
    blocked: Blocked,
) -> int:
    scores = np.empty(len(panel.items))
    clicks = np.empty((size + 1, len(panel.candidates)))
    for i in range(len(panel.items)):
        scores[i] = -np.inf
        if not blocked[panel.items[i]]:
            _products(share, wins[i], size, clicks)
            scores[i] = _click_value(clicks, panel.weights, panel.by_gain) + bonus * p[panel.items[i]]
    if size == 1:  # a pair: the product is exact
        return int(np.argmax(scores))
    members = chosen[: size + 1].copy()
    best, best_score = int(np.argmax(scores)), -np.inf
    for _ in range(FINALISTS):
        i = int(np.argmax(scores))
        if scores[i] == -np.inf:
            break
        scores[i], members[size] = -np.inf, i
        click_chances(panel, members, clicks)
        score = _click_value(clicks, panel.weights, panel.by_gain) + bonus * p[panel.items[i]]
        if score > best_score:
            best, best_score = i, score
    return best


@inlined
def _products(share: Array, wins: Array, size: int, clicks: Array) -> None:
    """P(c | y) ∝ Π_s Φ(c beats s | y), `(size + 1, candidates)`, with one more item that wins with `wins`."""
    for s in range(clicks.shape[1]):
        clicks[size, s] = 1.0
        for other in range(size):
            clicks[size, s] *= wins[other, s]
            clicks[other, s] = share[other, s] * (1.0 - wins[other, s])


@compiled
def click_chances(panel: Panel, members: Items, clicks: Array) -> None:
    """P(c | y) of each of the places of the panel in `members`, `(k, candidates)`, by `click.py`.

    Where positions are uncertain, the margins of a click are correlated as if only the clicked item were shared.
    """
    k, count = clicks.shape
    mean, cov = np.empty((k - 1, count), np.float32), np.empty((k - 1, k - 1, count), np.float32)
    z, rivals, squares = np.empty(count), np.empty(k - 1, np.int64), np.empty(k - 1)
    for c in range(k):
        place = members[c]
        for j in range(k - 1):
            rivals[j] = members[j if j < c else j + 1]
            squares[j] = _inner(panel, place, rivals[j], rivals[j]) + panel.trace[rivals[j]]
        sort_by(squares, rivals)
        for j in range(k - 1):
            panel_margins(panel, place, rivals[j], z)
            for s in range(count):
                mean[j, s] = z[s]
            for q in range(j + 1):
                both = (squares[j] + panel.trace[place]) * (squares[q] + panel.trace[place])
                shared = _inner(panel, place, rivals[j], rivals[q]) + panel.trace[place]
                correlation = 1.0 if q == j else shared / math.sqrt(max(both, 1e-300))
                for s in range(count):
                    cov[q, j, s] = correlation
        for s in range(count):
            clicks[c, s] = 1.0
        multiply_by_all_positive(clicks[c], mean, cov)


@compiled
def _inner(panel: Panel, c: int, i: int, j: int) -> float:
    """(x_c - x_i)·(x_c - x_j)."""
    total = 0.0
    for a in range(panel.rows.shape[1]):
        total += (panel.rows[c, a] - panel.rows[i, a]) * (panel.rows[c, a] - panel.rows[j, a])
    return total


@compiled
def _click_value(clicks: Array, weights: Array, by_gain: bool) -> float:
    """H(click) - E H(click | y) in bits, or the expected Σ posterior²; clicks: `(k, candidates)`, made to sum to 1."""
    k = len(clicks)
    totals, squares = np.zeros(k), np.zeros(k)
    left = 0.0
    for s in range(len(weights)):
        total = 0.0
        for c in range(k):
            total += clicks[c, s]
        for c in range(k):
            chance = clicks[c, s] / total
            part = weights[s] * chance
            totals[c] += part
            squares[c] += part * part
            if by_gain:
                left += weights[s] * entropy_part(chance)
    value = 0.0
    for c in range(k):
        value += entropy_part(totals[c]) if by_gain else squares[c] / max(totals[c], 1e-300)
    return value - left


_PARTS = 1024
_PART_TABLE = -special.xlogy(np.linspace(0, 1, _PARTS + 1), np.linspace(0, 1, _PARTS + 1)) / math.log(2.0)


@compiled
def entropy_part(chance: float) -> float:
    """-x log₂ x by linear interpolation, off by less than 1e-3: good enough to compare queries."""
    place = min(max(chance, 0.0), 1.0) * _PARTS
    cell = min(int(place), _PARTS - 1)
    low, high = _PART_TABLE[cell], _PART_TABLE[cell + 1]
    return float(low + (place - cell) * (high - low))
