"""The axes of an embedding: turning it to its principal ones, and how much each of them is worth."""

import numpy as np

from learn2search.typing import Array


def to_principal_axes(mean: Array, variance: Array | None = None) -> tuple[Array, Array]:
    """The same embedding centred and turned, axes in order of falling spread of the means; distances stay.

    Variances, if given, are turned with it; what then stands off their diagonal is left out.
    """
    centred = mean - mean.mean(axis=0)
    _, _, turn = np.linalg.svd(centred, full_matrices=False)
    turned_variance = np.zeros_like(mean) if variance is None else variance @ (turn**2).T
    return centred @ turn.T, turned_variance


def energies(mean: Array) -> Array:
    """The sum of squares along each principal axis, falling, `(d,)`."""
    return np.asarray(np.linalg.svd(mean - mean.mean(axis=0), compute_uv=False) ** 2)


def relevances(mean: Array, variance: Array) -> Array:
    """Mean ν² over mean ψ along each axis: signal over uncertainty, `(d,)`."""
    return np.asarray((mean**2).mean(axis=0) / variance.mean(axis=0))
