"""The comparison model (the paper's equation 1): which of two items is more like the target.

    P(i chosen | i, j; target t) = Φ(m / σ),   m = wᵀ x_t + b,
    w = (x_i - x_j) / |x_i - x_j|,   b = (|x_j|² - |x_i|²) / 2|x_i - x_j|

The margin m is the signed distance of the target from the hyperplane that bisects the pair. Two items at the same place
have no hyperplane: their margin is 0, a coin flip.

Array forms (NumPy, SciPy) come first, compiled scalar forms after them; the tests hold them together.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.streams import seed_sequence
from learn2search.typing import Array, Array32, Seed

_SQRT_HALF = math.sqrt(0.5)
_SQRT_2_OVER_PI = math.sqrt(2.0 / math.pi)
_LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)
_DEEP_TAIL = -10.0  # below this 24 levels of the continued fraction are exact to the last bit


# --- array forms ----------------------------------------------------------------------------------


def hyperplane(x_i: ArrayLike, x_j: ArrayLike) -> tuple[Array, Array]:
    """The bisecting hyperplane `(w, b)` of pairs of points `(..., d)`; `w = 0, b = 0` where the two coincide."""
    x_i, x_j = np.asarray(x_i, float), np.asarray(x_j, float)
    difference = x_i - x_j
    distance = np.linalg.norm(difference, axis=-1, keepdims=True)
    w = np.divide(difference, distance, out=np.zeros_like(difference), where=distance > 0)
    return w, -np.sum(w * (x_i + x_j), axis=-1) / 2


def margin(x_i: ArrayLike, x_j: ArrayLike, x_t: ArrayLike) -> Array:
    """Signed distance of the target from the pair's hyperplane, positive on the side of i; all arguments `(..., d)`."""
    x_i, x_j, x_t = np.asarray(x_i, float), np.asarray(x_j, float), np.asarray(x_t, float)
    w, _ = hyperplane(x_i, x_j)
    return np.asarray(np.sum(w * (x_t - (x_i + x_j) / 2), axis=-1))


def choice_probability(x_i: ArrayLike, x_j: ArrayLike, x_t: ArrayLike, noise: float) -> Array:
    """P(i chosen) = Φ(m / σ)."""
    return np.asarray(special.ndtr(margin(x_i, x_j, x_t) / check_noise(noise)))


def log_ndtr(g: ArrayLike) -> Array:
    """log Φ(g), accurate far into both tails."""
    return np.asarray(special.log_ndtr(np.asarray(g, float)))


def hazard(g: ArrayLike) -> Array:
    """h(g) = φ(g) / Φ(g), the slope of log Φ; never formed as a quotient, which is NaN near -38."""
    g = np.asarray(g, float)
    return np.asarray(_SQRT_2_OVER_PI / special.erfcx(-g * _SQRT_HALF))


def flip_rate(margins: ArrayLike, noise: float) -> float:
    """Expected share of answers that contradict the noiseless ones: the mean of Φ(-|m| / σ)."""
    return float(np.mean(special.ndtr(-np.abs(np.asarray(margins, float)) / check_noise(noise))))


def random_margins(features: ArrayLike, count: int = 100_000, seed: Seed = 0) -> Array:
    """Margins of `count` random pairs and targets, three different items each; `features` is `(n, d)`."""
    features = np.asarray(features, float)
    if len(features) < 3:
        raise ValueError(f"a pair and a target need at least 3 items, got {len(features)}")
    generator = np.random.default_rng(seed_sequence(seed))
    i, j, t = (generator.integers(0, len(features) - drawn, count) for drawn in range(3))
    j += j >= i  # uniform among the others
    t += t >= np.minimum(i, j)
    t += t >= np.maximum(i, j)
    return margin(features[i], features[j], features[t])


def calibrate_noise(margins: ArrayLike, rate: float = 0.1) -> float:
    """The σ at which a share `rate` of the answers to questions with these margins is flipped (bisection on log σ)."""
    margins = np.asarray(margins, float)
    if not 0 < rate < 0.5:
        raise ValueError(f"a flip rate lies between 0 and 0.5 (0.5 is pure guessing), got {rate}")
    if margins.size == 0 or not np.isfinite(margins).all():
        raise ValueError(f"margins must be finite numbers, at least one, got {margins!r}")
    spread = float(np.max(np.abs(margins)))
    ties = float(np.mean(margins == 0)) / 2  # questions between equal items are flipped half of the time whatever σ
    if spread == 0 or ties >= rate:
        raise ValueError(f"no noise level gives a flip rate of {rate}: {2 * ties:.0%} of the questions are ties")
    low, high = math.log(spread) - 40, math.log(spread) + 40
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if flip_rate(margins, math.exp(middle)) < rate else (low, middle)
    return math.exp((low + high) / 2)


def check_noise(noise: float) -> float:
    """The noise level σ as a float, or an error that says what it should be."""
    if isinstance(noise, bool) or not isinstance(noise, int | float | np.number) or not 0 < noise < math.inf:
        raise ValueError(f"noise is the standard deviation σ of the answers, a positive number, got {noise!r}")
    return float(noise)


def fit_scale(positions: ArrayLike, triplets: ArrayLike) -> float:
    """The s > 0 under which the triplets are most probable with positions s·x and noise 1: max Σ log Φ(s m)."""
    x, rows = np.asarray(positions, float), np.asarray(triplets)
    anchor, near, far = (x[column] for column in rows.T)
    margins = margin(near, far, anchor)
    unit = float(np.abs(margins).mean()) or 1.0
    found = optimize.minimize_scalar(
        lambda log_scale: -float(log_ndtr(np.exp(log_scale) * margins / unit).sum()),
        bounds=(-5.0, 5.0),
        method="bounded",
    )
    return float(np.exp(found.x)) / unit


def answer_probabilities(embedding: Embedding, triplets: ArrayLike, *, noise: float = 1.0) -> Array:
    """How probable each triplet `(anchor, near, far)` is, the uncertainty of the positions integrated out, `(m,)`."""
    rows = np.asarray(triplets)
    var = np.zeros_like(embedding.mean) if embedding.var is None else embedding.var
    (x_t, x_i, x_j), (v_t, v_i, v_j) = ([array[column] for column in rows.T] for array in (embedding.mean, var))
    u, c = x_i - x_j, x_t - (x_i + x_j) / 2
    r2 = np.maximum((u**2 + v_i + v_j).sum(axis=1, keepdims=True), 1e-300)
    w = u / np.sqrt(r2)
    m = (w * c).sum(axis=1, keepdims=True)
    g = (c - m * w) / np.sqrt(r2)
    spread = (g - w / 2) ** 2 * v_i + (g + w / 2) ** 2 * v_j + w**2 * v_t
    curved = (0.5 * (v_i**2 + v_j**2) + v_t * (v_i + v_j)) / r2
    mean = m[:, 0] + 0.5 * ((v_j - v_i) / np.sqrt(r2)).sum(axis=1)
    return np.asarray(special.ndtr(mean / np.sqrt(noise**2 + (spread + curved).sum(axis=1))))


# --- compiled forms -------------------------------------------------------------------------------


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


def _tables() -> tuple[Array, Array]:
    z = np.linspace(-TAIL, TAIL, _CELLS + 1)
    p, q = special.ndtr(z), special.ndtr(-z)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    entropy = -(special.xlogy(p, p) + special.xlogy(q, q)) / math.log(2)
    return _cubic_table(p, density), _cubic_table(entropy, density * np.log2(q / p))


NDTR_TABLE, ENTROPY_TABLE = _tables()


@compiled
def tabled(table: Array, z: float) -> float:
    """The tabled function at z, or at the nearer end of [-6, 6] when z lies outside."""
    clipped = z if z > -TAIL else -TAIL  # not a number counts as -6, too
    place = ((clipped if clipped < TAIL else TAIL) + TAIL) * _PER_UNIT
    cell = min(int(place), _CELLS - 1)
    t = place - cell
    value: float = ((table[cell, 3] * t + table[cell, 2]) * t + table[cell, 1]) * t + table[cell, 0]
    return value


_NDTR_COLUMNS = tuple(np.ascontiguousarray(column) for column in NDTR_TABLE.T)


@compiled
def multiply_by_ndtr(values: Array, z: Array32) -> None:
    """values[k] ← values[k] Φ(z[k]), the same cubics looked up in a form that is compiled to vectors."""
    constant, linear, square, cube = _NDTR_COLUMNS
    cells, places = np.empty(len(values), np.uint32), np.empty(len(values))
    for k in range(len(values)):
        clipped = z[k] if z[k] > -TAIL else -TAIL  # not a number counts as -6, too
        clipped = clipped if clipped < TAIL - 1e-6 else TAIL - 1e-6
        place = (clipped + TAIL) * _PER_UNIT
        cells[k] = np.uint32(place)
        places[k] = place - np.float64(cells[k])
    for k in range(len(values)):
        cell, t = cells[k], places[k]
        values[k] *= ((cube[cell] * t + square[cell]) * t + linear[cell]) * t + constant[cell]


@compiled
def ndtr_tabled(z: float) -> float:
    """Φ(z) for |z| <= 6, clipped outside; relative error below 1e-6, so never 0."""
    return tabled(NDTR_TABLE, z)


@compiled
def entropy_tabled(z: float) -> float:
    """Entropy in bits of an answer with probability Φ(z)."""
    return tabled(ENTROPY_TABLE, z)
