"""Triplets about items whose places are uncertain, N(ν_i, Ψ_i): how probable an answer is, and what it teaches.

The margin m of a triplet (see `climb`) is taken to first order in the places: its mean at E D, its variance
v = Σ (∂m/∂x)² ψ. Then the answer has probability

    probit    Φ(m / S),           S² = 1 + v               exact if the margin is normal
    ratio     logistic(m / S),    S² = 1 + π v / 8         MacKay's approximation

and one assumed-density step moves the three items by the first two derivatives of its logarithm, f' and f'':

    ν ← ν + ψ a f',    ψ ← ψ (1 + f'' a² ψ),    a = ∂m/∂x
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from learn2search.comparison import hazard_at, log_ndtr_at
from learn2search.compiled import compiled
from learn2search.embed._numba.kernels import Link, margin_and_slopes
from learn2search.embedding import Embedding
from learn2search.triplets import as_triplets
from learn2search.typing import Array, Integers, Triplets

PROBIT = Link(ratio=False, kappa=1.0)


@compiled
def _uncertain_margin(
    nu: Array, psi: Array, row: Integers, ratio: bool, kappa: float, slopes: Array
) -> tuple[float, float]:
    """Mean and variance of the margin; slopes `(3, d)` become ∂m/∂x of anchor, near, far.

    E D_near = |ν_anchor - ν_near|² + tr(ψ_anchor + ψ_near), and so on: what is uncertain is far from everything.
    The probit's m = (D_far - D_near)/2r compares ν's own distances, but its r² is E |x_near - x_far|².
    """
    anchor, near, far = row
    square_near, square_far, between, spread_near, spread_far = 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(nu.shape[1]):
        p, q = nu[anchor, a] - nu[near, a], nu[anchor, a] - nu[far, a]
        square_near += p * p
        square_far += q * q
        between += (p - q) * (p - q) + psi[near, a] + psi[far, a]
        spread_near += psi[anchor, a] + psi[near, a]
        spread_far += psi[anchor, a] + psi[far, a]
    if ratio:
        square_near, square_far = square_near + spread_near, square_far + spread_far
    m, one, both, other = margin_and_slopes(ratio, kappa, square_near, square_far, between)
    variance = 0.0
    for a in range(nu.shape[1]):
        p, q = nu[anchor, a] - nu[near, a], nu[anchor, a] - nu[far, a]
        slopes[1, a], slopes[2, a] = one * p + both * q, both * p + other * q
        slopes[0, a] = -slopes[1, a] - slopes[2, a]
        for role in range(3):
            variance += slopes[role, a] ** 2 * psi[row[role], a]
    return m, variance


@compiled
def _widening(ratio: bool, variance: float) -> float:
    """S: the factor by which uncertainty flattens the answer."""
    return math.sqrt(1.0 + (math.pi / 8.0 * variance if ratio else variance))


def online_step(embedding: Embedding, triplets: ArrayLike, link: Link = PROBIT) -> Embedding:
    """The embedding after one step a triplet, in order; without variances nothing can be learnt, and nothing moves."""
    if embedding.var is None:
        return embedding
    mean, var = embedding.mean.copy(), embedding.var.copy()
    update_in_place(mean, var, as_triplets(triplets, n_items=embedding.n_items), link)
    return Embedding(mean, var)


@compiled
def log_chances(nu: Array, psi: Array, rows: Triplets, link: Link) -> Array:
    """The log probability of each row, `(m,)`."""
    result, slopes = np.empty(len(rows)), np.empty((3, nu.shape[1]))
    for at in range(len(rows)):
        m, variance = _uncertain_margin(nu, psi, rows[at], link.ratio, link.kappa, slopes)
        z = m / _widening(link.ratio, variance)
        if link.ratio:
            result[at] = -math.log1p(math.exp(-z)) if z > -30.0 else z
        else:
            result[at] = log_ndtr_at(z)
    return result


@compiled
def update_in_place(nu: Array, psi: Array, rows: Triplets, link: Link) -> None:
    """One assumed-density step a triplet, in order and in place; rows that name an item twice say nothing."""
    slopes = np.empty((3, nu.shape[1]))
    for at in range(len(rows)):
        anchor, near, far = rows[at]
        if anchor in (near, far) or near == far:
            continue
        m, variance = _uncertain_margin(nu, psi, rows[at], link.ratio, link.kappa, slopes)
        widening = _widening(link.ratio, variance)
        z = m / widening
        if link.ratio:
            wrong = 1.0 / (1.0 + math.exp(z))
            first, second = wrong / widening, wrong * (1.0 - wrong) / widening**2
        else:
            h = hazard_at(z)
            first, second = h / widening, min(max(h * (h + z), 0.0), 1.0) / widening**2
        for role in range(3):
            item = rows[at, role]
            for a in range(nu.shape[1]):
                slope, before = slopes[role, a], psi[item, a]
                nu[item, a] += before * slope * first
                psi[item, a] = before * max(1.0 - second * slope * slope * before, 1e-6)
