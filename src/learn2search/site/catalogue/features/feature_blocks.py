"""Features of several kinds side by side, so that each kind counts as much as any other."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from learn2search.typing import Array, Items, Mask

_AXES_FROM = 4096  # items at most from which the axes are computed


class Block(NamedTuple):
    """Features of one kind: `rows` (m, f) of the items `items` (m,)."""

    items: Items
    rows: Array


def join(blocks: Sequence[Block], n_items: int, first: int) -> Array:
    """All blocks side by side, `(n_items, f)`.

    Each is centred and scaled to a total variance of 1 over the items below `first`, so that what comes later changes
    nothing. An item that a block does not have is at its mean: zeros. Blocks in which no two items differ are left out.
    """
    parts = []
    for block in blocks:
        rows = standardized(block.rows, block.items < first)
        if rows is not None:
            part = np.zeros((n_items, rows.shape[1]))
            part[block.items] = rows
            parts.append(part)
    return np.hstack(parts) if parts else np.zeros((n_items, 0))


def standardized(rows: Array, given: Mask) -> Array | None:
    """Rows centred and scaled so that the columns of the `given` ones have variances that sum to 1; None if those do
    not differ."""
    if not given.any():
        return None
    centre, variance = rows[given].mean(axis=0), float(rows[given].var(axis=0).sum())
    return None if variance < 1e-18 else (rows - centre) / np.sqrt(variance)


def principal_components(features: Array, define_axes: Mask, dimensions: int) -> Array:
    """Coordinates on the first principal axes, `(n, dimensions)`; zeros where there are fewer axes than dimensions.

    The rows that `define_axes` marks give the axes, each turned so that its largest weight is positive, and the unit:
    the coordinates' mean spread along an axis.
    """
    sample = features[define_axes][:: 1 + int(define_axes.sum()) // _AXES_FROM]
    if len(sample) < 2 or not features.shape[1]:
        return np.zeros((len(features), dimensions))
    centre = sample.mean(axis=0)
    spread, axes = _principal_axes(sample - centre)
    axes = axes[:dimensions] * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:dimensions, None]
    unit = float(np.sqrt((spread[:dimensions] ** 2).sum() / (len(sample) * dimensions)))
    coordinates = (features - centre) @ axes.T / (unit or 1.0)
    return np.pad(coordinates, ((0, 0), (0, dimensions - len(axes))))


def _principal_axes(centred: Array) -> tuple[Array, Array]:
    """Singular values and right singular vectors, the largest first; by way of XᵀX where that is smaller."""
    if centred.shape[1] > len(centred):
        _, spread, axes = np.linalg.svd(centred, full_matrices=False)
        return spread, axes
    squares, axes = np.linalg.eigh(centred.T @ centred)
    return np.sqrt(np.maximum(squares[::-1], 0.0)), axes.T[::-1]
