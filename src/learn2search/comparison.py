"""The comparison model: which of two items is more like the target, with exact and with uncertain positions.

The paper's equation 1, the `probit` link:

    P(i chosen | i, j; target t) = Φ(m / σ),   m = wᵀ x_t + b,
    w = (x_i - x_j) / |x_i - x_j|,   b = (|x_j|² - |x_i|²) / 2|x_i - x_j|

The margin m is the signed distance of the target from the hyperplane that bisects the pair. Two items at the same place
have no hyperplane: their margin is 0, a coin flip.

A second link, `ratio`, is for people's judgements. Both see a triplet (anchor = target, near = i, far = j) through its
distances alone, D_near = |x_t - x_i|², D_far = |x_t - x_j|², r = |x_i - x_j|:

    probit    P = Φ(m),           m = (D_far - D_near) / 2r                      in units of the noise, σ = 1
    ratio     P = logistic(m),    m = κ [log(1 + D_far) - log(1 + D_near)]       t-STE, CKL, STE, γ-CKL are its cases

With uncertain positions N(ν, ψ), ψ diagonal, the margin is a random number. `margin_moments` gives its mean and
variance in O(d); an answer then has, as if the margin were normal,

    probit    P = Φ(mean / √(σ² + variance))
    ratio     P = logistic(mean / √(1 + π variance / 8))        MacKay's approximation

Everything that has to be fast takes this *normal form*: the exact posterior, the online step, the watch over a fit.
What is reported and decided upon (`answer_probabilities`, `predict_proba`, `log_likelihood`, the choice of a model to
publish) goes one step further for the probit link, to the saddle point of the exact distribution (below). Errors of
the probability with variances from 0.01 to 4 times the noise's (probit) or the link's unit of length (ratio), the mean
of the worst situation and the largest, as tests/test_comparison.py asserts:

    d                              2               10              50
    probit, saddle point       0.01   0.03     0.01   0.03     0.01   0.03      measured: 0.007 and 0.023
    probit, normal form        0.025  0.15     0.015  0.06     0.005  0.02
    ratio                      0.045  0.16     0.015  0.05     0.006  0.02
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.normal_tails import hazard_at, log_ndtr, log_ndtr_at, ndtr_at
from learn2search.streams import seed_sequence
from learn2search.triplets import as_triplets
from learn2search.typing import Array, Seed, Triplets

_LEAST_DISTANCE = 1e-12  # between two samples: r > 0
FLIPPED = 0.15  # of the answers about random pairs, before any answer tells: a noise that is too high costs little


# --- exact positions ------------------------------------------------------------------------------


def hyperplane(x_i: ArrayLike, x_j: ArrayLike) -> tuple[Array, Array]:
    """The bisecting hyperplane of pairs of points.

    Parameters
    ----------
    x_i, x_j : (..., d) array_like
        The two points of each pair.

    Returns
    -------
    w : (..., d) array
        The unit normal, from j to i; 0 where the two coincide.
    b : (...) array
        The offset: wᵀx + b is positive on the side of i.

    Examples
    --------
    >>> import learn2search as l2s
    >>> w, b = l2s.hyperplane([2.0, 0.0], [0.0, 0.0])
    >>> w.tolist(), float(b)
    ([1.0, 0.0], -1.0)
    """
    x_i, x_j = np.asarray(x_i, float), np.asarray(x_j, float)
    difference = x_i - x_j
    distance = np.linalg.norm(difference, axis=-1, keepdims=True)
    w = np.divide(difference, distance, out=np.zeros_like(difference), where=distance > 0)
    return w, -np.sum(w * (x_i + x_j), axis=-1) / 2


def margin(x_i: ArrayLike, x_j: ArrayLike, x_t: ArrayLike) -> Array:
    """The signed distance of the target from the pair's hyperplane, positive on the side of i.

    Parameters
    ----------
    x_i, x_j, x_t : (..., d) array_like
        The pair, and the target.

    Returns
    -------
    (...) array
        The margins; 0 where the pair coincides.

    Examples
    --------
    >>> import learn2search as l2s
    >>> float(l2s.margin([2.0], [0.0], [1.5]))
    0.5
    """
    x_i, x_j, x_t = np.asarray(x_i, float), np.asarray(x_j, float), np.asarray(x_t, float)
    w, _ = hyperplane(x_i, x_j)
    return np.asarray(np.sum(w * (x_t - (x_i + x_j) / 2), axis=-1))


def choice_probability(x_i: ArrayLike, x_j: ArrayLike, x_t: ArrayLike, noise: float) -> Array:
    """How probable it is that i is chosen of a pair (i, j): Φ(m / σ).

    Parameters
    ----------
    x_i, x_j, x_t : (..., d) array_like
        The pair, and the target.
    noise : float
        σ, in units of the points.

    Returns
    -------
    (...) array
        The probabilities.

    Examples
    --------
    >>> import learn2search as l2s
    >>> float(l2s.choice_probability([2.0], [0.0], [1.5], noise=0.5).round(3))
    0.841
    """
    return np.asarray(special.ndtr(margin(x_i, x_j, x_t) / check_noise(noise)))


def flip_rate(margins: ArrayLike, noise: float) -> float:
    """The expected share of answers that contradict the noiseless ones: the mean of Φ(-|m| / σ).

    Parameters
    ----------
    margins : array_like
        Margins of the questions.
    noise : float
        σ.

    Returns
    -------
    float
        From 0 to 0.5.

    Examples
    --------
    >>> import learn2search as l2s
    >>> round(l2s.flip_rate([0.5, -0.5], noise=0.5), 3)
    0.159
    """
    return float(np.mean(special.ndtr(-np.abs(np.asarray(margins, float)) / check_noise(noise))))


def random_margins(features: ArrayLike, count: int = 100_000, seed: Seed = 0) -> Array:
    """Margins of random pairs and targets, three different items each.

    Parameters
    ----------
    features : (n, d) array_like
        Where the items are, three or more.
    count : int, optional
        How many questions.
    seed : int, SeedSequence or Generator, optional
        Which ones.

    Returns
    -------
    (count,) array
        The margins.

    Raises
    ------
    ValueError
        If there are fewer than three items.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.random_margins([[0.0], [1.0], [3.0]], count=5).shape
    (5,)
    """
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
    """The σ at which a share of the answers to questions with these margins is flipped (bisection on log σ).

    Parameters
    ----------
    margins : array_like
        Margins of the questions, as `random_margins` gives them.
    rate : float, optional
        The share, between 0 and 0.5.

    Returns
    -------
    float
        σ.

    Raises
    ------
    ValueError
        If the rate is no share of flipped answers, or too many questions are ties.

    Examples
    --------
    >>> import learn2search as l2s
    >>> round(l2s.calibrate_noise([0.5, -0.5], rate=0.159), 2)
    0.5
    """
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


def fit_scale(positions: ArrayLike, triplets: ArrayLike, expected: float | None = None) -> float:
    """The scale s > 0 under which triplets are most probable with positions s·x and noise 1: max Σ log Φ(s m).

    1/s is the noise in the unit of the positions. It is searched between e⁻⁵ and e⁵ over the mean |m|: answers without
    a contradiction would ask for an infinite scale. Margins that are all 0 say nothing, and leave the positions as they
    are.

    With `expected`, s₀, few triplets move the scale little: log s ~ N(log s₀, 1) is its prior, and the result the most
    probable scale.

    Parameters
    ----------
    positions : (n, d) array_like
        One row an item.
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    expected : float, optional
        The scale that is expected before any answer.

    Returns
    -------
    float
        The scale s.

    Examples
    --------
    >>> import learn2search as l2s
    >>> people = l2s.ProbitOracle([[0.0], [1.0], [2.0], [4.0]], noise=0.5, seed=0)
    >>> rows = l2s.make_triplets(people, n_items=4, n_triplets=2000)
    >>> round(1 / l2s.fit_scale(people.features, rows), 1)
    0.5
    """
    x = np.asarray(positions, float)
    anchor, near, far = (x[column] for column in as_triplets(triplets, n_items=len(x)).T)
    margins = margin(near, far, anchor)
    unit = float(np.abs(margins).mean())
    if unit == 0.0:
        return 1.0

    def cost(log_scale: float) -> float:
        likely = float(log_ndtr(np.exp(log_scale) * margins / unit).sum())
        return -likely if expected is None else 0.5 * (log_scale - np.log(expected * unit)) ** 2 - likely

    found = optimize.minimize_scalar(cost, bounds=(-5.0, 5.0), method="bounded")
    return float(np.exp(found.x)) / unit


def expected_scale(positions: ArrayLike) -> float:
    """The scale of positions of an unknown unit before any answer: the one under which answers about random pairs are
    flipped in 15% of the cases (`FLIPPED`).

    Parameters
    ----------
    positions : (n, d) array_like
        One row an item, not all at one place.

    Returns
    -------
    float
        The scale s, for noise 1.
    """
    x = np.asarray(positions, float)
    if len(x) < 3:
        return 1.0 / float(x.std())
    margins = random_margins(x, seed=0)
    return 1.0 / calibrate_noise(margins[margins != 0], FLIPPED)  # items at one place tell nothing of the unit


# --- links ----------------------------------------------------------------------------------------


class Link(NamedTuple):
    """How a margin becomes a probability P: `ratio` with κ, or else probit.

    lapse: the share ε of answers that say nothing, which a fit and an online step expect: (1 - ε) P + ε / 2.
    Probabilities are given without it; `embed.lapse` adds it.
    """

    ratio: bool
    kappa: float
    lapse: float = 0.0


PROBIT = Link(ratio=False, kappa=1.0)


@compiled
def margin_and_slopes(
    ratio: bool, kappa: float, near: float, far: float, between: float
) -> tuple[float, float, float, float]:
    """m from D_near, D_far and r², and the coefficients A, B, C of its slopes.

    With p = x_anchor - x_near and q = x_anchor - x_far the slopes of both links have one form, because moving all
    three items together changes nothing:

        ∂m/∂x_near = A p + B q,    ∂m/∂x_far = B p + C q,    ∂m/∂x_anchor = -(the sum of these two)
    """
    if ratio:
        m = kappa * (math.log1p(far) - math.log1p(near))
        return m, 2.0 * kappa / (1.0 + near), 0.0, -2.0 * kappa / (1.0 + far)
    r = math.sqrt(between) + _LEAST_DISTANCE
    m = 0.5 * (far - near) / r
    return m, (1.0 + m / r) / r, -m / (r * r), (m / r - 1.0) / r


@compiled
def steepness(ratio: bool, m: float) -> float:
    """The slope of log P in m: φ/Φ, or 1 - P of the logistic."""
    return 1.0 / (1.0 + math.exp(m)) if ratio else hazard_at(m)


@compiled
def attention(link: Link, m: float) -> float:
    """How probable it is that an answer with this margin was no lapse: (1 - ε) P / ((1 - ε) P + ε / 2).

    The slope of log((1 - ε) P + ε / 2) is that of log P times this.
    """
    if link.lapse == 0.0:
        return 1.0
    meant = (1.0 - link.lapse) * (1.0 / (1.0 + math.exp(-m)) if link.ratio else ndtr_at(m))
    return meant / (meant + 0.5 * link.lapse)


# --- uncertain positions: the normal form ---------------------------------------------------------


@compiled
def probit_moments(x_i: Array, x_j: Array, x_t: Array, v_i: Array, v_j: Array, v_t: Array) -> tuple[float, float]:
    """Mean and variance of the margin of target t between i and j; positions N(x, v), `(d,)` each.

    r² = E|x_i - x_j|² = |u|² + tr(v_i + v_j),   u = x_i - x_j,   c = x_t - (x_i + x_j)/2,   w = u/r,   m = w·c

        mean     = m + (tr v_j - tr v_i) / 2r
        variance = Σ[(g - w/2)² v_i + (g + w/2)² v_j + w² v_t] + Σ[(v_i² + v_j²)/2 + v_t (v_i + v_j)] / r²

    with g = (c - m w)/r: to first order in the deviations, and the variance of the second-order terms of u·c.
    """
    square, traces, along = 0.0, 0.0, 0.0
    for a in range(len(x_i)):
        u = x_i[a] - x_j[a]
        square += u * u + v_i[a] + v_j[a]
        traces += v_j[a] - v_i[a]
        along += u * (x_t[a] - 0.5 * (x_i[a] + x_j[a]))
    if square == 0.0:
        return 0.0, 0.0
    r = math.sqrt(square)
    m = along / r
    variance, curved = 0.0, 0.0
    for a in range(len(x_i)):
        half = 0.5 * (x_i[a] - x_j[a]) / r
        g = (x_t[a] - 0.5 * (x_i[a] + x_j[a]) - 2.0 * m * half) / r
        variance += (g - half) ** 2 * v_i[a] + (g + half) ** 2 * v_j[a] + 4.0 * half * half * v_t[a]
        curved += 0.5 * (v_i[a] * v_i[a] + v_j[a] * v_j[a]) + v_t[a] * (v_i[a] + v_j[a])
    return m + 0.5 * traces / r, variance + curved / square


@compiled
def ratio_moments(
    kappa: float, x_i: Array, x_j: Array, x_t: Array, v_i: Array, v_j: Array, v_t: Array
) -> tuple[float, float]:
    """The same for the ratio link, whose margin is κ log(1 + D_j)/(1 + D_i), D_i = |x_t - x_i|².

    The two sums 1 + D are taken to be lognormal with the moments that they have. With s = 1 + E D

        E D_i = Σ[p² + P],   Var D_i = Σ[2P² + 4P p²],   Cov(D_i, D_j) = Σ[2 v_t² + 4 v_t p q],   P = v_t + v_i
        a = log(1 + Var D_i / s_i²),   b = log(1 + Var D_j / s_j²),   ab = log(1 + Cov / s_i s_j)
        mean = κ [log s_j - b/2 - log s_i + a/2],   variance = κ² [a + b - 2 ab]
    """
    mean_i, mean_j, var_i, var_j, both = 1.0, 1.0, 0.0, 0.0, 0.0
    for a in range(len(x_i)):
        p, q = x_t[a] - x_i[a], x_t[a] - x_j[a]
        around_i, around_j = v_t[a] + v_i[a], v_t[a] + v_j[a]
        mean_i += p * p + around_i
        mean_j += q * q + around_j
        var_i += around_i * (2.0 * around_i + 4.0 * p * p)
        var_j += around_j * (2.0 * around_j + 4.0 * q * q)
        both += v_t[a] * (2.0 * v_t[a] + 4.0 * p * q)
    log_i, log_j = math.log1p(var_i / (mean_i * mean_i)), math.log1p(var_j / (mean_j * mean_j))
    shared = math.log1p(both / (mean_i * mean_j))
    mean = kappa * (math.log(mean_j / mean_i) + 0.5 * (log_i - log_j))
    return mean, kappa * kappa * max(log_i + log_j - 2.0 * shared, 0.0)


@compiled
def margin_moments(
    link: Link, x_i: Array, x_j: Array, x_t: Array, v_i: Array, v_j: Array, v_t: Array
) -> tuple[float, float]:
    """Mean and variance of the link's margin."""
    if link.ratio:
        return ratio_moments(link.kappa, x_i, x_j, x_t, v_i, v_j, v_t)
    return probit_moments(x_i, x_j, x_t, v_i, v_j, v_t)


@compiled
def widening(link: Link, variance: float) -> float:
    """S, by which the margin's variance flattens the answer: P = Φ(mean / S) or logistic(mean / S); σ = 1."""
    return math.sqrt(1.0 + (math.pi / 8.0 * variance if link.ratio else variance))


@compiled
def log_logistic(z: float) -> float:
    """log 1/(1 + e⁻ᶻ)."""
    return -math.log1p(math.exp(-z)) if z > -30.0 else z


@compiled
def normal_log_probabilities(mean: Array, var: Array, rows: Triplets, link: Link) -> Array:
    """log P of each triplet by the normal form, `(m,)`; mean, var: `(n, d)`, in units of the noise."""
    result = np.empty(len(rows))
    for at in range(len(rows)):
        t, i, j = rows[at]
        m, variance = margin_moments(link, mean[i], mean[j], mean[t], var[i], var[j], var[t])
        z = m / widening(link, variance)
        result[at] = log_logistic(z) if link.ratio else log_ndtr_at(z)
    return result


# --- uncertain positions: beyond the normal form --------------------------------------------------
#
# A normal ε of standard deviation σ times |u| is distributed as e·u with e ~ N(0, σ² I). So the probit model says:
#
#     P(i chosen) = P(m + σ ε' > 0) = P(Q > 0),   Q = Σ_a u_a c_a,   u = x_i - x_j,   c = x_t + e - (x_i + x_j)/2
#
# exactly, also when all positions are uncertain: a sum over the coordinates of independent products of two normal
# numbers, u_a ~ N(u, U) and c_a ~ N(c, C), with U = v_i + v_j, C = v_t + U/4 + σ² and covariance K = (v_j - v_i)/2.
# Its cumulant function is known,
#
#     log E exp(s Q) = Σ_a [ -½ log D + (s A + ½ s² B)/D ],   D = 1 - 2Ks - G s²,   G = UC - K²,
#                                                             A = u c,   B = U c² + C u² - 2K u c
#
# and the probability follows from its saddle point, where the slope in s is 0 (Barndorff-Nielsen's formula):
#
#     w = sign(s) √(-2 log E exp(s Q)),   z = s √(second derivative),   P(Q > 0) = Φ(-w - log(z/w)/w)
#
# For exact positions Q is normal and the formula exact.


@compiled
def _cumulant_slopes(s: float, terms: Array) -> tuple[float, float]:
    """First and second derivative of log E exp(s Q); terms: `(4, d)`, K, G, A, B."""
    first, second = 0.0, 0.0
    for a in range(terms.shape[1]):
        k, g, along, bend = terms[0, a], terms[1, a], terms[2, a], terms[3, a]
        over = 1.0 / (1.0 - (2.0 * k + g * s) * s)  # 1/D
        falls = -2.0 * (k + g * s) * over  # D'/D
        part = (along + 0.5 * s * bend) * s * over  # N/D, N = s A + ½ s² B
        rises = (along + s * bend) * over  # N'/D
        first += rises - falls * (0.5 + part)
        second += bend * over + 2.0 * g * over * (0.5 + part) + falls * (falls * (0.5 + 2.0 * part) - 2.0 * rises)
    return first, second


@compiled
def _cumulant(s: float, terms: Array) -> float:
    """log E exp(s Q)."""
    total, product = 0.0, 1.0
    for a in range(terms.shape[1]):
        k, g, along, bend = terms[0, a], terms[1, a], terms[2, a], terms[3, a]
        down = 1.0 - (2.0 * k + g * s) * s
        total += (along + 0.5 * s * bend) * s / down
        product *= down
        if not 1e-100 < product < 1e100:
            total -= 0.5 * math.log(product)
            product = 1.0
    return total - 0.5 * math.log(product)


@compiled
def _saddle_point(mean: float, variance: float, low: float, high: float, terms: Array) -> tuple[float, float]:
    """The s in (low, high) at which log E exp(s Q) is least, and the second derivative there; mean, variance: of Q.

    Newton's steps from where it would be if Q were normal; a step beyond the interval goes half the way to its end.
    """
    low, high = (low, 0.0) if mean > 0.0 else (0.0, high)
    s, second = 0.0, variance
    step = -mean / variance
    for _ in range(100):
        there = s + step
        if not low < there < high:
            there = 0.5 * (s + (low if step < 0.0 else high))
        s = there
        first, second = _cumulant_slopes(s, terms)
        step = -first / second
        if first * first <= 1e-10 * second:  # the next one would be exact
            return s + step, second
        if first > 0.0:
            high = s
        else:
            low = s
    return s, second


@compiled
def _probit_log_probability(
    x_i: Array, x_j: Array, x_t: Array, v_i: Array, v_j: Array, v_t: Array, terms: Array
) -> float:
    """log P(i chosen over j | t) with noise 1; terms: `(4, d)`, room to work in."""
    mean, variance, third, low, high = 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(len(x_i)):
        u, c = x_i[a] - x_j[a], x_t[a] - 0.5 * (x_i[a] + x_j[a])
        var_u, k = v_i[a] + v_j[a], 0.5 * (v_j[a] - v_i[a])
        var_c = v_t[a] + 0.25 * var_u + 1.0
        by_c, by_u, root = var_u * c + k * u, k * c + var_c * u, math.sqrt(var_u * var_c)
        mean += u * c + k
        variance += by_c * c + by_u * u + var_u * var_c + k * k
        third += 2.0 * k * k * k + 6.0 * (k * var_u * var_c + by_c * by_u)
        low, high = max(low, root - k), max(high, root + k)
        terms[0, a], terms[1, a], terms[2, a] = k, var_u * var_c - k * k, u * c
        terms[3, a] = var_u * c * c + var_c * u * u - 2.0 * k * u * c
    if variance == 0.0:
        return math.log(0.5)  # one place: a coin flip
    s, second = _saddle_point(mean, variance, -1.0 / low, 1.0 / high, terms)
    z = s * math.sqrt(second)
    if abs(z) < 1e-3:  # the limit: skewness / 6
        return log_ndtr_at(-z - third / (6.0 * variance * math.sqrt(variance)))
    w = math.copysign(math.sqrt(max(-2.0 * _cumulant(s, terms), 1e-300)), s)
    return log_ndtr_at(-w - math.log(z / w) / w)


@compiled
def log_probabilities(mean: Array, var: Array, rows: Triplets, link: Link) -> Array:
    """log P of each triplet, the uncertainty of all three positions integrated out, `(m,)`.

    mean, var: `(n, d)`, in units of the noise.
    """
    result, terms = np.empty(len(rows)), np.empty((4, mean.shape[1]))
    for at in range(len(rows)):
        t, i, j = rows[at]
        if link.ratio:
            m, variance = ratio_moments(link.kappa, mean[i], mean[j], mean[t], var[i], var[j], var[t])
            result[at] = log_logistic(m / widening(link, variance))
        else:
            result[at] = _probit_log_probability(mean[i], mean[j], mean[t], var[i], var[j], var[t], terms)
    return result


def answer_probabilities(
    embedding: Embedding, triplets: ArrayLike, *, noise: float = 1.0, link: Link = PROBIT
) -> Array:
    """How probable each triplet is, the uncertainty of the positions integrated out.

    Parameters
    ----------
    embedding : Embedding
        Where the items are, and how well that is known.
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    noise : float, optional
        σ in the unit of the embedding; with the ratio link, the length that the link calls 1.
    link : Link, optional
        The probit link, or the ratio link with its κ.

    Returns
    -------
    (m,) array
        The probabilities.

    Examples
    --------
    >>> import learn2search as l2s
    >>> exact = l2s.Embedding([[1.5], [2.0], [0.0]])
    >>> vague = l2s.Embedding(exact.mean, var=[[1.0], [1.0], [1.0]])
    >>> [float(l2s.answer_probabilities(space, [(0, 1, 2)])[0].round(2)) for space in (exact, vague)]
    [0.69, 0.61]
    """
    unit = check_noise(noise)
    rows = as_triplets(triplets, n_items=embedding.n_items)
    var = np.zeros(embedding.mean.shape) if embedding.var is None else embedding.var / unit**2
    return np.exp(log_probabilities(embedding.mean / unit, var, rows, link))
