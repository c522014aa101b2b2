"""The online step: what one more triplet teaches about items whose positions are uncertain, N(ν_i, Ψ_i).

One step of assumed-density filtering. With the mean m and the variance v of the triplet's margin, the answer has
probability P(m / S) (the normal form of the comparison model, `comparison.margin_moments`), and the three items move
by the first two derivatives of its logarithm, f' and f'':

    ν ← ν + w ψ a f',    ψ ← ψ (1 + w f'' a² ψ),    a = ∂m/∂x

w is the triplet's weight, 1 by default. Where a share ε of the answers says nothing, the answer is no lapse with
probability b = (1 - ε) P / ((1 - ε) P + ε / 2), and with h = (log P)' and c = -(log P)''

    f' = b h,    -f'' = b c - b (1 - b) h²,   at least 0: a surprising answer does not widen what is known
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from learn2search.comparison import PROBIT, Link, attention, margin_and_slopes, margin_moments, widening
from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.normal_tails import hazard_at
from learn2search.triplets import as_triplets
from learn2search.typing import Array, Array32, Triplets


def online_step(
    embedding: Embedding, triplets: ArrayLike, link: Link = PROBIT, *, sample_weight: ArrayLike | None = None
) -> Embedding:
    """The embedding after one assumed-density step a triplet, in order.

    Parameters
    ----------
    embedding : Embedding
        In units of the noise (the probit link) or of the link's length (ratio). Without variances nothing can be
        learnt, and nothing moves.
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far); rows that name an item twice say nothing.
    link : Link, optional
        The probit link, or the ratio link with its κ; with a lapse rate, if some answers say nothing.
    sample_weight : (m,) array_like, optional
        How much each triplet counts, 1 by default.

    Returns
    -------
    Embedding
        A new one.

    Examples
    --------
    >>> import learn2search as l2s
    >>> before = l2s.Embedding([[0.0], [1.0], [-1.0]], var=[[1.0], [1.0], [1.0]])
    >>> after = l2s.online_step(before, [(0, 1, 2)])
    >>> bool(after.mean[0, 0] > 0), bool(after.var[0, 0] < 1)
    (True, True)
    """
    if embedding.var is None:
        return embedding
    mean, var = embedding.mean.copy(), embedding.var.copy()
    rows = as_triplets(triplets, n_items=embedding.n_items)
    weights = np.ones(len(rows)) if sample_weight is None else np.broadcast_to(np.asarray(sample_weight), len(rows))
    update_in_place(mean, var, rows, np.ascontiguousarray(weights, np.float32), link)
    return Embedding(mean, var)


@compiled
def update_in_place(nu: Array, psi: Array, rows: Triplets, weights: Array32, link: Link) -> None:
    """One step a triplet, in order; weights: `(m,)`; rows that name an item twice are skipped."""
    slopes = np.empty((3, nu.shape[1]))
    for at in range(len(rows)):
        anchor, near, far = rows[at]
        if anchor in (near, far) or near == far:
            continue
        m, variance = margin_moments(link, nu[near], nu[far], nu[anchor], psi[near], psi[far], psi[anchor])
        spread = widening(link, variance)
        first, second = log_slopes(link, m / spread)
        first, second = weights[at] * first, weights[at] * second
        mean_slopes(nu, psi, rows[at], link, slopes)
        for role in range(3):
            item = rows[at, role]
            for a in range(nu.shape[1]):
                slope, before = slopes[role, a] / spread, psi[item, a]
                nu[item, a] += before * slope * first
                psi[item, a] = before * max(1.0 - second * slope * slope * before, 1e-6)


@compiled
def log_slopes(link: Link, z: float) -> tuple[float, float]:
    """First and (minus the) second derivative of log P at z, or of log((1 - ε) P + ε / 2), the second at least 0."""
    if link.ratio:
        h = 1.0 / (1.0 + math.exp(z))
        bend = h * (1.0 - h)
    else:
        h = hazard_at(z)
        bend = min(max(h * (h + z), 0.0), 1.0)
    meant = attention(link, z)
    return meant * h, max(meant * (bend - (1.0 - meant) * h * h), 0.0)


@compiled
def mean_slopes(nu: Array, psi: Array, row: Triplets, link: Link, slopes: Array) -> None:
    """slopes `(3, d)` become ∂m/∂x of anchor, near, far, where m is the margin at the expected distances.

    E D_near = |ν_anchor - ν_near|² + tr(ψ_anchor + ψ_near), and so on: what is uncertain is far from everything.
    """
    anchor, near, far = row
    square_near, square_far, between = 0.0, 0.0, 0.0
    for a in range(nu.shape[1]):
        p, q = nu[anchor, a] - nu[near, a], nu[anchor, a] - nu[far, a]
        square_near += p * p + psi[anchor, a] + psi[near, a]
        square_far += q * q + psi[anchor, a] + psi[far, a]
        between += (p - q) * (p - q) + psi[near, a] + psi[far, a]
    _, one, both, other = margin_and_slopes(link.ratio, link.kappa, square_near, square_far, between)
    for a in range(nu.shape[1]):
        p, q = nu[anchor, a] - nu[near, a], nu[anchor, a] - nu[far, a]
        slopes[1, a], slopes[2, a] = one * p + both * q, both * p + other * q
        slopes[0, a] = -slopes[1, a] - slopes[2, a]
