"""Where items are expected before any answer about them: nowhere in particular, or where their features place them."""

import numpy as np
from numpy.typing import NDArray

from learn2search.comparison import expected_scale
from learn2search.embed.axes import to_principal_axes
from learn2search.embedding import Embedding
from learn2search.learn.learnt import Learnt
from learn2search.typing import Array

_OFFSET = 0.1  # of the prior's standard deviation: two items of which nothing is known must not coincide


def first_positions(n_items: int, d: int, placed: Array | None = None) -> Learnt:
    """What is known before the first fit: nothing, or where features place the items.

    Features tell as much as they leave open: the prior variance is that of the positions. Their unit is such that 15%
    of the answers about random pairs would be flipped.
    """
    if placed is None or not placed.any():
        prior_variance = np.ones(d)
        return Learnt(_unknown(np.zeros((n_items, d)), prior_variance), prior_variance)
    scale = expected_scale(placed)
    prior_variance = np.full(d, scale**2 * (placed**2).mean())
    return Learnt(_unknown(scale * placed, prior_variance), prior_variance, feature_scale=scale)


def placed_like(positions: Array, features: Array, new: Array) -> tuple[Array, Array]:
    """Where items are expected, by their features, among others whose positions are known, `(m, d)`, and the variance
    of that on each axis, `(d,)`.

    Ridge regression of the positions on the features; how much it is shrunk is chosen by generalised cross-validation.
    """
    centre, middle = features.mean(axis=0), positions.mean(axis=0)
    left, singular, right = np.linalg.svd(features - centre, full_matrices=False)
    along, total = left.T @ (positions - middle), float(((positions - middle) ** 2).sum())
    best = (np.inf, np.zeros_like(along), total)
    for penalty in singular.max(initial=1e-12) ** 2 * np.geomspace(1e-6, 1e3, 28):
        kept = (singular**2 / (singular**2 + penalty))[:, None]
        error = total - float(((2.0 - kept) * kept * along**2).sum())
        left_over = max(1.0 - float(kept.sum()) / len(positions), 1e-9)
        score = error / left_over**2
        if score < best[0]:
            best = score, kept * along / np.maximum(singular, 1e-300)[:, None], score
    _, weights, square = best
    variance = np.full(positions.shape[1], max(square, 1e-12) / positions.size)
    return middle + (new - centre) @ right.T @ weights, variance


def on_axes(features: Array, d: int) -> Array:
    """Features turned to their d principal axes; fewer are filled up with zeros."""
    turned = to_principal_axes(features)[0][:, :d]
    return np.pad(turned, ((0, 0), (0, d - turned.shape[1])))


def _unknown(centre: Array, prior_variance: Array) -> Embedding:
    return Embedding(
        centre + unknown_offsets(np.arange(len(centre)), prior_variance), np.tile(prior_variance, (len(centre), 1))
    )


def unknown_offsets(items: NDArray[np.int64], prior_variance: Array) -> Array:
    """Where items of which nothing is known are, about the prior's mean, `(len(items), d)`: a little apart, because two
    items at one place could not be compared; always the same for an item."""
    d = len(prior_variance)
    rows = np.random.default_rng(d).standard_normal((int(items.max(initial=-1)) + 1, d))
    return np.asarray(_OFFSET * np.sqrt(prior_variance) * rows[items])
