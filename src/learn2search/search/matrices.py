"""Small symmetric matrices, compiled: the top eigenvector, a product, Cholesky's root."""

import math

import numpy as np

from learn2search.compiled import compiled
from learn2search.typing import Array

_POWER_STEPS = 1000  # a limit only
_SQUARED_UP_TO = 32  # dimensions; above, products of matrices cost more than they save
_POWER_TOLERANCE = 1e-4  # of the cosine between w and Σ⁴w; wᵀΣw is then 0.01% below the largest on average


@compiled
def top_eigenvector(cov: Array) -> Array:
    """The unit vector w that maximises wᵀΣw, by the power method from the largest column: O(d²) a step.

    In few dimensions it runs on Σ⁴, which costs two products of matrices and saves three of four steps.
    """
    d = len(cov)
    power, tolerance = cov, _POWER_TOLERANCE / 1000  # a step of Σ turns w less than one of Σ⁴
    if d <= _SQUARED_UP_TO:
        tolerance = _POWER_TOLERANCE
        square, power = np.empty((d, d)), np.empty((d, d))
        _square(cov, square)
        _square(square, power)
    largest = 0
    for k in range(1, d):
        if power[k, k] > power[largest, largest]:
            largest = k
    w: Array = power[largest].copy()
    image = np.empty(d)
    for _ in range(_POWER_STEPS):
        product(power, w, image)
        length, along, before = 0.0, 0.0, 0.0
        for k in range(d):
            length += image[k] * image[k]
            along += image[k] * w[k]
            before += w[k] * w[k]
        scale = 1.0 / math.sqrt(length)
        for k in range(d):
            w[k] = image[k] * scale
        if 1.0 - along * scale / math.sqrt(before) < tolerance:
            break
    return w


@compiled
def product(matrix: Array, vector: Array, image: Array) -> None:
    """image ← matrix · vector for a symmetric matrix, row by row: sums of rows run in vectors, dot products do not."""
    image[:] = 0.0
    for k in range(len(vector)):
        for row in range(len(vector)):
            image[row] += matrix[k, row] * vector[k]


@compiled
def _square(matrix: Array, product: Array) -> None:
    """product ← matrix² scaled to trace 1, for a symmetric matrix."""
    d = len(matrix)
    scale = 0.0
    for row in range(d):
        scale += matrix[row, row]
    trace = 0.0
    for row in range(d):
        for column in range(d):
            product[row, column] = 0.0
        for k in range(d):
            for column in range(d):
                product[row, column] += (matrix[row, k] / scale) * (matrix[k, column] / scale)
        trace += product[row, row]
    for row in range(d):
        for column in range(d):
            product[row, column] /= trace


@compiled
def exact_top_eigenvector(cov: Array) -> Array:
    """The same by a full decomposition, O(d³)."""
    _, vectors = np.linalg.eigh(cov)
    return vectors[:, -1].copy()


@compiled
def cholesky(cov: Array) -> Array:
    """Lᵀ with Σ = LLᵀ, upper triangular; a pivot that rounding made negative counts as tiny."""
    d = len(cov)
    root = cov.copy()
    for k in range(d):
        pivot = math.sqrt(max(root[k, k], 1e-14 * cov[k, k], 1e-300))
        for column in range(k, d):
            root[k, column] /= pivot
        for row in range(k + 1, d):
            root[row, k] = 0.0
            for column in range(row, d):
                root[row, column] -= root[k, row] * root[k, column]
    return root
