"""How probable an answer is for each candidate target, and the exact posterior over all items.

With exact positions P(i chosen over j | target k) = Φ(m_k / σ), with uncertain ones Φ(mean / √(σ² + variance)): the
normal form of the comparison model, `comparison.probit_moments`. An answer multiplies the posterior by these
probabilities, clipped to Φ(±6): no single answer rules an item out.
"""

import math
from typing import NamedTuple

import numpy as np

from learn2search.comparison import probit_moments
from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.normal_tails import multiply_by_ndtr, ndtr_tabled
from learn2search.search.places import holds
from learn2search.streams import below
from learn2search.typing import Array, Array32, Blocked, Items, Stream

_BLOCK = 512  # items that are weighed together, in vectors


class Space(NamedTuple):
    """Positions in the form that compiled code takes.

    mean: `(n, d)`; var: `(n, d)`, or `(0, d)` when exact; centre: `(d,)`; columns: `(d, n)` float32, mean - centre;
    var_columns: `(d, n)` float32, or `(d, 0)`; noise: σ; coarse: float32 is too coarse for this noise, as with an
    item far from all others.
    """

    mean: Array
    var: Array
    centre: Array
    columns: Array32
    var_columns: Array32
    noise: float
    coarse: bool


def space_of(embedding: Embedding, noise: float) -> Space:
    """The compiled form of an embedding."""
    var = embedding.var_rows
    centre, columns, reach = embedding.derived("columns", lambda: _centred_columns(embedding.mean))
    var_columns = embedding.derived("var columns", lambda: np.ascontiguousarray(var.T, np.float32))
    return Space(embedding.mean, var, centre, columns, var_columns, noise, reach * 2.0**-24 > 0.01 * noise)


def _centred_columns(mean: Array) -> tuple[Array, Array32, float]:
    """Centred first: float32 would lose the differences between items far from the origin."""
    centre = np.array([np.median(column) for column in mean.T])
    columns = np.empty(mean.shape[::-1], np.float32)
    for row, values, middle in zip(columns, mean.T, centre, strict=True):
        np.subtract(values, middle, out=row, casting="same_kind")
    return centre, columns, float(np.abs(columns).max())


@compiled
def uncertain_margin(x_i: Array, x_j: Array, x_k: Array, v_i: Array, v_j: Array, v_k: Array, noise: float) -> float:
    """z with P(i chosen over j | k) = Φ(z), all three positions uncertain."""
    mean, variance = probit_moments(x_i, x_j, x_k, v_i, v_j, v_k)
    return mean / math.sqrt(noise * noise + variance)


@compiled
def weigh_pair(p: Array, space: Space, i: int, j: int) -> None:
    """p_k ← p_k P(i chosen over j | k) for all items, in place."""
    x, var = space.mean, space.var
    n, d = x.shape
    if len(var):
        if not space.coarse:
            _weigh_uncertain(p, space, i, j)
            return
        for k in range(n):
            if p[k] > 0.0:
                p[k] *= ndtr_tabled(uncertain_margin(x[i], x[j], x[k], var[i], var[j], var[k], space.noise))
        return
    w = x[i] - x[j]
    square = np.sum(w * w)
    if square == 0.0:
        return
    w /= math.sqrt(square) * space.noise
    if space.coarse:
        middle = 0.5 * (x[i] + x[j])
        for k in range(n):
            p[k] *= ndtr_tabled(np.sum(w * (x[k] - middle)))
        return
    b = np.float32(np.sum(w * (space.centre - 0.5 * (x[i] + x[j]))))
    z = np.empty(_BLOCK, np.float32)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        z[:size] = b
        for a in range(d):
            column, slope = space.columns[a, start : start + size], np.float32(w[a])
            for k in range(size):
                z[k] += slope * column[k]
        multiply_by_ndtr(p[start : start + size], z)


@compiled
def _weigh_uncertain(p: Array, space: Space, i: int, j: int) -> None:
    """The same with `probit_moments` multiplied out, so that all items of a block are weighed in vectors:

    with V = ψ_i + ψ_j and D = ψ_j - ψ_i, five sums over the coordinates of c and ψ_k give mean and var.
        Σ g²V = (ΣVc² - 2m ΣVwc + m² ΣVw²)/r²,   Σ gwD = (ΣDwc - m ΣDw²)/r,   Σ (w² + V/r²) ψ_k
    """
    x, var = space.mean, space.var
    n, d = x.shape
    w, both = x[i] - x[j], var[i] + var[j]
    gap, middle = var[j] - var[i], 0.5 * (x[i] + x[j]) - space.centre
    r2 = np.sum(w * w) + np.sum(both)
    r = math.sqrt(r2)
    w /= r
    fixed = space.noise**2 + 0.25 * np.sum(w * w * both) + 0.5 * np.sum(var[i] ** 2 + var[j] ** 2) / r2
    bend, tilt, shift = np.sum(both * w * w) / r2, np.sum(gap * w * w) / r, 0.5 * np.sum(gap) / r
    m, curve, cross, slant, own = np.empty((5, _BLOCK), np.float32)
    z = np.empty(_BLOCK, np.float32)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        m[:], curve[:], cross[:], slant[:], own[:] = 0.0, 0.0, 0.0, 0.0, 0.0
        for a in range(d):
            column, spread = space.columns[a, start : start + size], space.var_columns[a, start : start + size]
            at, v, slope = np.float32(middle[a]), np.float32(both[a] / r2), np.float32(w[a])
            lean, each = np.float32(gap[a] * w[a] / r), np.float32(w[a] * w[a] + both[a] / r2)
            for k in range(size):
                c = column[k] - at
                vc = v * c
                m[k] += slope * c
                curve[k] += vc * c
                cross[k] += vc * slope
                slant[k] += lean * c
                own[k] += each * spread[k]
        for k in range(size):
            total = fixed + own[k] + curve[k] - 2.0 * m[k] * cross[k] + m[k] * m[k] * bend + slant[k] - m[k] * tilt
            z[k] = (m[k] + shift) / math.sqrt(max(total, 1e-30))
        multiply_by_ndtr(p[start : start + size], z)


@compiled
def weigh(p: Array, space: Space, query: Items, chosen: int, keep: float, blocked: Blocked, prior: Array) -> None:
    """The posterior after an answer, in place; shown items keep a share `keep` of their probability.

    A click is one comparison with each item passed over; "can't tell" (chosen = -1) says only that the target was not
    shown. When nothing is left, the prior of the items that are not blocked comes back.
    """
    if chosen >= 0:
        for place in range(len(query)):
            if place != chosen:
                weigh_pair(p, space, query[chosen], query[place])
    for item in query:
        p[item] *= keep
    total = _total(p)
    if total < 1e-250:
        for item in range(len(p)):
            p[item] = 0.0 if blocked[item] else prior[item]
        if keep == 0.0:
            p[query] = 0.0
        total = np.sum(p)
        if total == 0.0:  # the prior has nothing left, either: any item that was not shown
            for item in range(len(p)):
                p[item] = 0.0 if blocked[item] or holds(query, item) else 1.0
            total = np.sum(p)
        if total == 0.0:
            p[:] = prior
            total = np.sum(p)
    p *= 1.0 / total


@compiled
def _total(p: Array) -> float:
    """Σ p in four sums side by side: one alone would wait for each addition."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(p) // 4 * 4
    for at in range(0, whole, 4):
        a += p[at]
        b += p[at + 1]
        c += p[at + 2]
        d += p[at + 3]
    for at in range(whole, len(p)):
        a += p[at]
    return a + b + c + d


@compiled
def most_probable(p: Array, stream: Stream) -> int:
    """The item with the largest probability, one of them at random when there are several."""
    best, ties = 0, 1
    for item in range(1, len(p)):
        if p[item] > p[best]:
            best, ties = item, 1
        elif p[item] == p[best]:
            ties += 1
    if ties > 1:
        skip = below(stream, ties)
        for item in range(best, len(p)):
            if p[item] == p[best]:
                if skip == 0:
                    return item
                skip -= 1
    return best
