"""One click among k items: how probable it is that the clicked one is nearest to what the person perceives.

A person perceives y = x_t + N(0, σ² I) and clicks the shown item c that is nearest to y. Against every other shown item
j, a *rival*, the click says that a margin is positive:

    M_j = w_j·(y - (x_c + x_j)/2) > 0,   w_j = (x_c - x_j) / |x_c - x_j|

The k - 1 margins are jointly normal, with the means m_j = w_j·(x_t - (x_c + x_j)/2) and the covariances
C_jl = σ² w_j·w_l. To multiply the probabilities of the pairs would be to count what they have in common once for each.
Instead, one margin after the other is taken to be positive (Mendell and Elston 1974), that of the rival nearest to the
clicked item first. With z = m_j / √C_jj and h = φ(z) / Φ(z)

    P ← P Φ(z),   m_l ← m_l + C_jl h / √C_jj,   C_lq ← C_lq - C_jl C_jq h (h + z) / C_jj

and what is left is taken to be normal again. For two items that is Φ(m / σ), the comparison of a pair. (The most
doubtful margin first would hardly be better, and another order for each target.)

Positions that are uncertain, N(x, v), add what margins share: the clicked item and the target. With u_j = x_c - x_j,
r_j² = |u_j|² + tr(v_c + v_j), w_j = u_j / r_j, x = x_t - x_c and a_j = (x - m_j w_j) / r_j, the margin's slope in x_c,

    C_jl = σ² (u_j·u_l + tr v_c) / r_j r_l + Σ[a_j a_l v_c + w_j w_l v_t] + Σ[v_c v_t + v_c²/2] / r_j r_l       j ≠ l

while mean and variance of each margin are those of the comparison model (`comparison.probit_moments`).

Off from Monte Carlo, as tests/test_click.py asserts: exact positions, k = 3 to 12, by less than 0.004 on average (0.006
on two axes, where rivals lie in nearly one direction) and 0.07 at most; ten axes with variances up to four times the
noise's by less than 0.015 and 0.1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from learn2search.comparison import check_noise, probit_moments
from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.normal_tails import hazard_at, multiply_by_ndtr, multiply_by_ndtr_and_tell_hazards, ndtr_at
from learn2search.typing import Array, Array32, Items

_LEAST_SHARE = 1e-6  # of its variance that a margin keeps at a step, also where rounding would leave nothing


# --- all margins positive --------------------------------------------------------------------------


@compiled
def all_positive(mean: Array, cov: Array) -> float:
    """P(all > 0) for N(mean, cov), `(m,)` and `(m, m)`, of which the upper triangle is read. Both are used up."""
    return take_positive(mean, cov, len(mean))


@compiled
def take_positive(mean: Array, cov: Array, first: int) -> float:
    """P(the first ones > 0) for N(mean, cov); what follows them in `mean` and `cov` (upper triangle) is then as it is
    expected when they are positive."""
    count, probability = len(mean), 1.0
    for step in range(first):
        root = math.sqrt(cov[step, step])
        z = mean[step] / root
        h = hazard_at(z)
        probability *= ndtr_at(z)
        bend = h * (h + z) / cov[step, step]
        for j in range(step + 1, count):
            shared, least = cov[step, j], _LEAST_SHARE * cov[j, j]
            mean[j] += shared * h / root
            for q in range(j, count):
                cov[j, q] -= shared * cov[step, q] * bend
            cov[j, j] = max(cov[j, j], least)
    return probability


@compiled
def multiply_by_all_positive(values: Array, mean: Array32, cov: Array32) -> None:
    """values[k] ← values[k] P(all > 0) for many at once, in vectors; mean: `(m, size)`, cov: `(m, m, size)`.

    The same steps with tabled Φ and h, for |z| <= 6.
    """
    count, size = len(mean), len(values)
    room = np.empty((4, size), np.float32)
    z, h, gain, bend = room[0], room[1], room[2], room[3]
    one, least = np.float32(1.0), np.float32(_LEAST_SHARE)
    for step in range(count):
        own, variance = mean[step], cov[step, step]
        for k in range(size):
            gain[k] = one / np.sqrt(variance[k])
            z[k] = own[k] * gain[k]
        if step + 1 == count:
            multiply_by_ndtr(values, z)
            return
        multiply_by_ndtr_and_tell_hazards(values, z, h)
        for k in range(size):
            bend[k] = h[k] * (h[k] + z[k]) * gain[k] * gain[k]
            gain[k] *= h[k]
        for j in range(step + 1, count):
            other, shared, width = mean[j], cov[step, j], cov[j, j]
            for k in range(size):
                other[k] += shared[k] * gain[k]
                width[k] = max(width[k] - shared[k] * shared[k] * bend[k], least * width[k])
            for q in range(j + 1, count):
                both, second = cov[j, q], cov[step, q]
                for k in range(size):
                    both[k] -= shared[k] * second[k] * bend[k]


# --- margins of a click ----------------------------------------------------------------------------


@compiled
def rivals_of(x: Array, var: Array, query: Items, chosen: int) -> Items:
    """The items of the query that were not chosen, the nearest to the chosen one first; var: `(n, d)` or `(0, d)`."""
    rivals, squares = np.empty(len(query) - 1, np.int64), np.zeros(len(query) - 1)
    for j in range(len(rivals)):
        rivals[j] = query[j if j < chosen else j + 1]
        for a in range(x.shape[1]):
            squares[j] += (x[query[chosen], a] - x[rivals[j], a]) ** 2
        total = 0.0
        for a in range(x.shape[1] if len(var) else 0):
            total += var[rivals[j], a]
        squares[j] += total
    sort_by(squares, rivals)
    return rivals


@compiled
def sort_by(keys: Array, items: Items) -> None:
    """Sort both by the keys, in place, by insertion: there are few."""
    for end in range(1, len(keys)):
        key, item, place = keys[end], items[end], end
        while place > 0 and keys[place - 1] > key:
            keys[place], items[place] = keys[place - 1], items[place - 1]
            place -= 1
        keys[place], items[place] = key, item


@compiled
def click_margins(
    x: Array, var: Array, c: int, rivals: Items, target: int, noise: float, mean: Array, cov: Array
) -> None:
    """Means and covariances (upper triangle) of the margins of a click on c, into `mean` `(m,)` and `cov` `(m, m)`;
    x: `(n, d)`, var: `(n, d)`, or `(0, d)` where positions are exact.
    """
    d, count = x.shape[1], len(rivals)
    exact = np.zeros(d)
    v_c, v_t = (var[c], var[target]) if len(var) else (exact, exact)
    slopes, normals, over = np.empty((count, d)), np.empty((count, d)), np.empty(count)
    for j in range(count):
        rival = rivals[j]
        v_j = var[rival] if len(var) else exact
        mean[j], variance = probit_moments(x[c], x[rival], x[target], v_c, v_j, v_t)
        cov[j, j] = noise * noise + variance
        square = 0.0
        for a in range(d):
            square += (x[c, a] - x[rival, a]) ** 2 + v_c[a] + v_j[a]
        over[j] = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
        along = 0.0
        for a in range(d):
            normals[j, a] = (x[c, a] - x[rival, a]) * over[j]
            along += normals[j, a] * (x[target, a] - 0.5 * (x[c, a] + x[rival, a]))
        for a in range(d):
            slopes[j, a] = (x[target, a] - x[c, a] - along * normals[j, a]) * over[j]
    for j in range(count):
        for q in range(j + 1, count):
            cov[j, q] = _shared(normals[j], normals[q], slopes[j], slopes[q], v_c, v_t, over[j] * over[q], noise)


@compiled
def _shared(w_j: Array, w_q: Array, a_j: Array, a_q: Array, v_c: Array, v_t: Array, over: float, noise: float) -> float:
    """The covariance of two margins; over: 1 / r_j r_q."""
    noise2, total = noise * noise, 0.0
    for a in range(len(w_j)):
        both = w_j[a] * w_q[a]
        total += (noise2 + v_t[a]) * both + a_j[a] * a_q[a] * v_c[a]
        total += over * v_c[a] * (noise2 + v_t[a] + 0.5 * v_c[a])
    return total


@compiled
def fill_click_probabilities(x: Array, var: Array, queries: Items, targets: Items, noise: float, result: Array) -> None:
    """The probability of each click, `(m, k)`; the k of one query are made to sum to 1."""
    count = queries.shape[1] - 1
    mean, cov = np.empty(count), np.empty((count, count))
    for row in range(len(queries)):
        for place in range(count + 1):
            rivals = rivals_of(x, var, queries[row], place)
            click_margins(x, var, queries[row, place], rivals, targets[row], noise, mean, cov)
            result[row, place] = all_positive(mean, cov)
        result[row] /= np.sum(result[row])


def click_probabilities(embedding: Embedding, queries: ArrayLike, targets: ArrayLike, *, noise: float = 1.0) -> Array:
    """How probable each click is: of each item shown, that it is chosen as the most similar to the target.

    Parameters
    ----------
    embedding : Embedding
        Where the items are, and how well that is known: uncertain positions are integrated out.
    queries : (m, k) or (k,) array_like of int
        The items shown, two or more at a time.
    targets : (m,) array_like of int, or int
        What the person has in mind.
    noise : float, optional
        σ in the unit of the embedding.

    Returns
    -------
    (m, k) or (k,) array
        The probabilities; those of one query sum to 1.

    Raises
    ------
    ValueError
        If a query or a target names no item.

    Examples
    --------
    >>> import learn2search as l2s
    >>> square = l2s.Embedding([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]])
    >>> l2s.click_probabilities(square, [0, 1, 2, 3], 4, noise=0.5).round(2).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    shown, wanted = np.asarray(queries), np.asarray(targets)
    if shown.ndim not in (1, 2) or shown.shape[-1] < 2 or wanted.shape != shown.shape[:-1]:
        raise ValueError(
            f"queries are rows of 2 or more items, (m, k), with m targets, got shapes {shown.shape} and {wanted.shape}"
        )
    for items in (shown, wanted):
        if items.dtype.kind not in "iu" or (items.size and not 0 <= items.min() <= items.max() < embedding.n_items):
            raise ValueError(f"queries and targets are items, whole numbers of 0..{embedding.n_items - 1}")
    rows, result = np.atleast_2d(shown).astype(np.int64), np.empty(np.atleast_2d(shown).shape)
    fill_click_probabilities(
        embedding.mean, embedding.var_rows, rows, np.atleast_1d(wanted).astype(np.int64), check_noise(noise), result
    )
    return result[0] if shown.ndim == 1 else result
