"""Somewhere near these items: what is believed of a target that is said to be like some examples.

The target lies about one of the m examples, N(x_a, h_a² I), each as probable as the others. With d axes such a target
is typically √d h_a away. So with h_a² = σ² + r_a²/d, where a tenth of all items is within r_a of the example, about a
tenth of the items are likely, and never fewer than answers with noise σ can tell apart.
"""

import numpy as np

from learn2search.embedding import Embedding, parts_of
from learn2search.typing import Array, Items

NEAR_SHARE = 0.1  # of all items, that count as near an example
_PART = 1 << 18  # numbers at a time
ELSEWHERE = 0.1  # how probable it is that the target is like none of them


def near_weights(embedding: Embedding, examples: tuple[int, ...], noise: float) -> Array:
    """How probable each item is, `(n,)`: mostly near the examples, and a tenth anywhere."""
    n = embedding.n_items
    weights = np.zeros(n)
    for example in examples:
        squares = _squares(embedding, example)
        kernel = np.exp(-0.5 * squares / _width2(squares, embedding, noise))
        weights += kernel / kernel.sum()
    return np.asarray((1.0 - ELSEWHERE) * weights / len(examples) + ELSEWHERE / n)


def near_moments(embedding: Embedding, examples: tuple[int, ...], noise: float) -> tuple[Array, Array]:
    """Mean and covariance of a target near the examples: theirs, and h² on each axis."""
    rows = embedding.mean[np.array(examples, np.int64)]
    width2 = np.mean([_width2(_squares(embedding, example), embedding, noise) for example in examples])
    centred = rows - rows.mean(axis=0)
    return rows.mean(axis=0), centred.T @ centred / len(rows) + width2 * np.eye(embedding.dim)


def weighted_moments(embedding: Embedding, weights: Array) -> tuple[Array, Array]:
    """Mean and covariance of the items with these weights, which sum to 1; variances of the positions included."""
    some: Items = np.flatnonzero(weights)
    shares, dim = weights[some], embedding.dim
    mean, cov, step = np.zeros(dim), np.zeros((dim, dim)), max(1, _PART // dim)
    for at in range(0, len(some), step):
        mean += shares[at : at + step] @ embedding.mean[some[at : at + step]]
    for at in range(0, len(some), step):  # in parts, to need no second copy of the items
        rows = embedding.mean[some[at : at + step]] - mean
        cov += (rows.T * shares[at : at + step]) @ rows
    if embedding.var is not None:
        cov = cov + np.diag(shares @ embedding.var[some])
    variances = np.diag(cov)
    largest = variances.max() or embedding.spread**2  # all at one place
    return mean, cov + 1e-9 * np.diag(np.where(variances > 0, variances, largest))  # few items lie in a plane


def _squares(embedding: Embedding, example: int) -> Array:
    """|x_i - x_a|² for every item i."""
    point, squares, start = embedding.mean[example], np.empty(embedding.n_items), 0
    for part in parts_of(embedding.mean):  # to need no second copy of the items
        gaps = part - point
        squares[start : start + len(part)] = np.einsum("ij,ij->i", gaps, gaps)
        start += len(part)
    return squares


def _width2(squares: Array, embedding: Embedding, noise: float) -> float:
    """h_a² = σ² + r_a²/d."""
    return noise**2 + float(np.quantile(squares, NEAR_SHARE)) / embedding.dim
