"""The log-density of a Gaussian belief at every one of many items, followed from belief to belief.

Answers change the precision P = Σ⁻¹ in few directions: a click among k items in k - 1. With y = x - μ and the new
belief N(μ + Δ, P'⁻¹)

    log N'(x) - log N(x) = -½ yᵀ(P' - P)y + ΔᵀP'y + constant,   P' - P = Σ λ_j v_j v_jᵀ over few j,   P'Δ in their span

which is one pass over the items with as many sums of d products, where the density itself takes d such sums.
"""

import numpy as np
from scipy.linalg import blas

from learn2search.search.likelihood import sum_rows
from learn2search.typing import Array, Array32

_FEW = 15  # directions: above, the density itself is not slower
_BLOCK = 8192  # items at a time
_SLIGHT = 1e-7  # of the largest change: what is left by rounding


class LogDensity:
    """log N(x_i; μ, Σ) of float32 items, but for a constant; the values are kept, 8 bytes an item."""

    def __init__(self, rows: Array32) -> None:
        self._rows = rows
        self._mean, self._cov = np.empty(0), np.empty((0, 0))
        self._values = np.empty(0)

    def at(self, mean: Array, cov: Array) -> Array:
        """For this belief, `(n,)`; the array changes at the next call."""
        if len(self._values) == 0:
            self._values = -0.5 * squared_distances(mean, cov, self._rows)
        elif cov is not self._cov:
            weights, slopes, directions = _change(cov, self._cov, mean - self._mean)
            if len(weights) <= _FEW:
                self._add(weights, slopes, directions)
            else:
                self._values = -0.5 * squared_distances(mean, cov, self._rows)
        self._mean, self._cov = mean, cov
        return self._values

    def _add(self, weights: Array, slopes: Array, directions: Array32) -> None:
        """ℓ ← ℓ + Σ_j (slope_j - ½ weight_j s_j) s_j, s_j = v_j·y."""
        near = self._mean.astype(np.float32)
        rest, nothing = (self._mean - near).astype(np.float32), np.zeros(len(weights), np.float32)
        along = np.empty((len(weights), _BLOCK), np.float32)
        for start in range(0, len(self._rows) if len(weights) else 0, _BLOCK):
            size = min(_BLOCK, len(self._rows) - start)
            sum_rows(self._rows, near.astype(float), directions, rest, nothing, start, size, along)
            part = self._values[start : start + size]
            for weight, slope, s in zip(weights, slopes, along[:, :size], strict=True):
                part += (np.float32(slope) - np.float32(0.5 * weight) * s) * s


def _change(new: Array, old: Array, step: Array) -> tuple[Array, Array, Array32]:
    """λ_j, v_j·P'Δ and v_j `(m, d)`, the least that say how one covariance and mean differ from another."""
    precision = np.linalg.inv(new)
    weights, columns = np.linalg.eigh(precision - np.linalg.inv(old))
    pull = precision @ step
    some = np.abs(weights) > _SLIGHT * np.abs(weights).max()
    weights, directions = weights[some], columns[:, some].T
    slopes = directions @ pull
    left = pull - directions.T @ slopes
    length = float(np.linalg.norm(left))
    if length > _SLIGHT * np.linalg.norm(pull):
        weights, slopes = np.append(weights, 0.0), np.append(slopes, length)
        directions = np.vstack([directions, left / length])
    return weights, slopes, np.ascontiguousarray(directions, np.float32)


def squared_distances(mean: Array, cov: Array, rows: Array32) -> Array:
    """(x_i - μ)ᵀ Σ⁻¹ (x_i - μ) for every item, in float32: |W(x - μ)|² with WᵀW = Σ⁻¹.

    W is triangular, of which `strmm` makes use: half the multiplications.
    """
    whiten = np.asfortranarray(np.linalg.inv(np.linalg.cholesky(cov)), np.float32)
    middle, distances = mean.astype(np.float32), np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        centred = rows[start : start + _BLOCK] - middle
        whitened = blas.strmm(1.0, whiten, centred.T, lower=1, overwrite_b=1).T
        distances[start : start + len(whitened)] = np.einsum("ij,ij->i", whitened, whitened)
    return distances
