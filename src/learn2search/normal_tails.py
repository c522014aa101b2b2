"""The normal distribution's tails and tables: log Φ, φ/Φ, Φ and the entropy of an answer, in array and compiled form.

Array forms (NumPy, SciPy) come first, compiled scalar forms after them; the tests hold them together.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from learn2search.compiled import compiled
from learn2search.typing import Array, Array32, Items32

_SQRT_HALF = math.sqrt(0.5)
_SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)
_LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)
_DEEP_TAIL = -10.0  # below this 24 levels of the continued fraction are exact to the last bit


def log_ndtr(g: ArrayLike) -> Array:
    """log Φ(g), accurate far into both tails.

    Parameters
    ----------
    g : array_like
        Any numbers.

    Returns
    -------
    array
        The same shape.

    Examples
    --------
    >>> import learn2search as l2s
    >>> float(l2s.log_ndtr(-40.0).round(3))
    -804.608
    """
    return np.asarray(special.log_ndtr(np.asarray(g, float)))


def hazard(g: ArrayLike) -> Array:
    """The slope of log Φ, h(g) = φ(g) / Φ(g); never formed as a quotient, which is NaN near -38.

    Parameters
    ----------
    g : array_like
        Any numbers.

    Returns
    -------
    array
        The same shape.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.hazard([0.0, -40.0]).round(3).tolist()
    [0.798, 40.025]
    """
    g = np.asarray(g, float)
    return np.asarray(_SQRT_2_OVER_PI / special.erfcx(-g * _SQRT_HALF))


@compiled
def ndtr_at(g: float) -> float:
    """Φ(g)."""
    return 0.5 * math.erfc(-g * _SQRT_HALF)


@compiled
def hazard_at(g: float) -> float:
    """h(g) = φ(g) / Φ(g); in the deep tail by a continued fraction, h(-t) = t + 1/(t + 2/(t + ...))."""
    if g > _DEEP_TAIL:
        return _SQRT_2_OVER_PI * math.exp(-0.5 * g * g) / math.erfc(-g * _SQRT_HALF)
    fraction = -g
    for level in range(24, 0, -1):
        fraction = -g + level / fraction
    return fraction


@compiled
def log_ndtr_at(g: float) -> float:
    """log Φ(g)."""
    if g > 0.0:
        return math.log1p(-0.5 * math.erfc(g * _SQRT_HALF))
    if g > _DEEP_TAIL:
        return math.log(0.5 * math.erfc(-g * _SQRT_HALF))
    return -0.5 * g * g - _LOG_SQRT_2_PI - math.log(hazard_at(g))  # Φ = φ / h


# Tables for inner loops: a cubic on each of 768 cells of [-6, 6], one cache line each, in place of erfc and log.
TAIL = 6.0
_CELLS = 768
_PER_UNIT = _CELLS / (2 * TAIL)


def _cubic_table(values: Array, slopes: Array) -> Array:
    """Coefficients `(cells, 4)` of the cubics that match `values` and `slopes` at the cells' ends."""
    rise = np.diff(values)
    left, right = slopes[:-1] / _PER_UNIT, slopes[1:] / _PER_UNIT
    return np.column_stack([values[:-1], left, 3 * rise - 2 * left - right, left + right - 2 * rise])


def _tables() -> tuple[Array, Array, Array]:
    z = np.linspace(-TAIL, TAIL, _CELLS + 1)
    p, q = special.ndtr(z), special.ndtr(-z)
    density, h = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), hazard(z)
    entropy = -(special.xlogy(p, p) + special.xlogy(q, q)) / math.log(2)
    return (
        _cubic_table(p, density),
        _cubic_table(entropy, density * np.log2(q / p)),
        _cubic_table(h, -h * (h + z)),
    )


NDTR_TABLE, ENTROPY_TABLE, HAZARD_TABLE = _tables()


@compiled
def tabled(table: Array, z: float) -> float:
    """The tabled function at z, or at the nearer end of [-6, 6] when z lies outside."""
    clipped = z if z > -TAIL else -TAIL  # not a number counts as -6, too
    place = ((clipped if clipped < TAIL else TAIL) + TAIL) * _PER_UNIT
    cell = min(int(place), _CELLS - 1)
    t = place - cell
    value: float = ((table[cell, 3] * t + table[cell, 2]) * t + table[cell, 1]) * t + table[cell, 0]
    return value


_NDTR_COLUMNS = tuple(np.ascontiguousarray(column, np.float32) for column in NDTR_TABLE.T)
_HAZARD_COLUMNS = tuple(np.ascontiguousarray(column, np.float32) for column in HAZARD_TABLE.T)


@compiled
def _cells_of(z: Array32, cells: Items32, places: Array32) -> None:
    """The cell of each z, clipped to [-6, 6], and the place in it, in a form that is compiled to vectors."""
    low, high, unit = np.float32(-TAIL), np.float32(TAIL - 1e-6), np.float32(_PER_UNIT)
    for k in range(len(z)):
        clipped = z[k] if z[k] > low else low  # not a number counts as -6, too
        place = ((clipped if clipped < high else high) - low) * unit
        cells[k] = np.int32(place)
        places[k] = place - np.float32(cells[k])


@compiled
def multiply_by_ndtr(values: Array, z: Array32) -> None:
    """values[k] ← values[k] Φ(z[k]), z clipped to [-6, 6]."""
    constant, linear, square, cube = _NDTR_COLUMNS
    cells, places = np.empty(len(z), np.int32), np.empty(len(z), np.float32)
    _cells_of(z, cells, places)
    for k in range(len(z)):
        cell, t = cells[k], places[k]
        values[k] *= ((cube[cell] * t + square[cell]) * t + linear[cell]) * t + constant[cell]


@compiled
def multiply_by_ndtr_and_tell_hazards(values: Array, z: Array32, h: Array32) -> None:
    """The same, and the hazards φ/Φ into h."""
    constant, linear, square, cube = _NDTR_COLUMNS
    h_constant, h_linear, h_square, h_cube = _HAZARD_COLUMNS
    cells, places = np.empty(len(z), np.int32), np.empty(len(z), np.float32)
    _cells_of(z, cells, places)
    for k in range(len(z)):
        cell, t = cells[k], places[k]
        values[k] *= ((cube[cell] * t + square[cell]) * t + linear[cell]) * t + constant[cell]
        h[k] = ((h_cube[cell] * t + h_square[cell]) * t + h_linear[cell]) * t + h_constant[cell]


@compiled
def ndtr_tabled(z: float) -> float:
    """Φ(z) for |z| <= 6, clipped outside; relative error below 1e-6, so never 0."""
    return tabled(NDTR_TABLE, z)


@compiled
def entropy_tabled(z: float) -> float:
    """Entropy in bits of an answer with probability Φ(z)."""
    return tabled(ENTROPY_TABLE, z)
