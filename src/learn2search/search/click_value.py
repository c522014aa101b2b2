"""A pool of items that could be shown, against a sample of candidates for the target: what a click would say.

With a click c and a candidate y, P(c | y) ∝ Π_s Φ(c beats s | y), the product over the other shown items. Items are
added one by one, each by what it adds to the information of the click.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from learn2search.compiled import compiled
from learn2search.normal_tails import ndtr_tabled
from learn2search.search.likelihood import Space
from learn2search.search.places import block_place
from learn2search.typing import Array, Blocked, Items, Items32


class Panel(NamedTuple):
    """Items that could be shown, and candidates for the target. squares: `(items, candidates)` |x_i - y_s|².

    trace, candidate_trace: the total variances, 0 where positions are exact.
    """

    items: Items
    rows: Array
    trace: Array
    candidates: Items
    weights: Array
    candidate_trace: Array
    squares: Array
    noise: float


@compiled
def make_panel(space: Space, items: Items, candidates: Items, weights: Array) -> Panel:
    d = space.mean.shape[1]
    rows, places = space.mean[items], np.ascontiguousarray(space.mean[candidates].T)
    trace, candidate_trace = np.zeros(len(items)), np.zeros(len(candidates))
    if len(space.var):
        for i in range(len(items)):
            trace[i] = np.sum(space.var[items[i]])
        for s in range(len(candidates)):
            candidate_trace[s] = np.sum(space.var[candidates[s]])
    squares = np.zeros((len(items), len(candidates)))
    for i in range(len(items)):
        for a in range(d):
            for s in range(len(candidates)):
                squares[i, s] += (rows[i, a] - places[a, s]) ** 2
    return Panel(items, rows, trace, candidates, weights, candidate_trace, squares, space.noise)


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
def extend(
    query: Items,
    size: int,
    panel: Panel,
    p: Array,
    by_gain: bool,
    bonus: float,
    blocked: Blocked,
    twins: Items32,
) -> None:
    """Fill `query` from place `size` on, each time with the item that is worth most beside those before it."""
    n_items, n_candidates = panel.squares.shape
    chosen = np.empty(len(query), np.int64)  # their places in the panel
    share = np.ones((len(query), n_candidates))  # Π_s Φ(c beats s | y) among the items so far
    wins = np.empty((n_items, len(query), n_candidates))  # Φ(item beats the one in the query | y)
    for place in range(len(query)):
        if place < size:
            chosen[place] = np.argmax(panel.items == query[place])
        else:
            chosen[place] = _best_addition(share, wins, place, panel, p, by_gain, bonus, blocked)
            query[place] = panel.items[chosen[place]]
        block_place(query[place], 1, blocked, twins)
        for other in range(place):
            share[place] *= wins[chosen[place], other]
            share[other] *= 1.0 - wins[chosen[place], other]
        if place + 1 < len(query):
            _fill_wins(panel, chosen[place], place, wins)
    for item in query:
        block_place(item, -1, blocked, twins)


@compiled
def _fill_wins(panel: Panel, shown: int, place: int, wins: Array) -> None:
    z = np.empty(len(panel.candidates))
    for i in range(len(panel.items)):
        panel_margins(panel, i, shown, z)
        for s in range(len(z)):
            wins[i, place, s] = ndtr_tabled(z[s])


@compiled
def _best_addition(
    share: Array,
    wins: Array,
    size: int,
    panel: Panel,
    p: Array,
    by_gain: bool,
    bonus: float,
    blocked: Blocked,
) -> int:
    best, best_score = -1, -np.inf
    for i in range(len(panel.items)):
        if blocked[panel.items[i]]:
            continue
        score = _click_value(share, wins[i], size, panel.weights, by_gain) + bonus * p[panel.items[i]]
        if score > best_score:
            best, best_score = i, score
    return best


@compiled
def _click_value(share: Array, wins: Array, size: int, weights: Array, by_gain: bool) -> float:
    """H(click) - E H(click | y) in bits, or the expected Σ posterior², with one more item that wins with `wins`."""
    clicks = np.empty(size + 1)
    totals, squares = np.zeros(size + 1), np.zeros(size + 1)
    left = 0.0
    for s in range(len(weights)):
        clicks[size], total = 1.0, 0.0
        for other in range(size):
            clicks[size] *= wins[other, s]
            clicks[other] = share[other, s] * (1.0 - wins[other, s])
            total += clicks[other]
        scale = weights[s] / (total + clicks[size])
        for c in range(size + 1):
            clicks[c] *= scale
            totals[c] += clicks[c]
            squares[c] += clicks[c] * clicks[c]
        if by_gain:
            for c in range(size + 1):
                left += weights[s] * entropy_part(clicks[c] / weights[s])
    value = 0.0
    for c in range(size + 1):
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
