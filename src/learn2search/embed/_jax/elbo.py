"""GaussEmbed's objective in JAX: differentiable, so that automatic differentiation can do what `gauss.py` does by hand.

    ELBO = Σ_triplets E_q log P - τ Σ_i KL(N(ν_i, sd_i²) || N(μ_i, s²))

P is the chance of the answer at the sampled places x = ν + sd·ε of anchor, near and far:

    "probit"   Φ(m),  u = x_near - x_far,  c = x_anchor - (x_near + x_far)/2,  m = u·c / |u|
    "ratio"    logistic(κ [log(1 + |x_anchor - x_far|²) - log(1 + |x_anchor - x_near|²)])
"""

import math

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

LINKS = ("probit", "ratio")

_SQRT_HALF = math.sqrt(0.5)
_LOG_SQRT_2_PI = 0.5 * math.log(2.0 * math.pi)
_DEEP_TAIL = 10.0
# Φ(-t) = φ(t)/t · (1 - 1/t² + 3/t⁴ - 15/t⁶ + ...); with ten terms exact to 1e-11 from t = 10 on.
_TAIL_SERIES = tuple((-1) ** k * math.prod(range(1, 2 * k, 2)) for k in range(10))


def log_likelihood(
    nu: ArrayLike, log_sd: ArrayLike, rows: ArrayLike, noise: ArrayLike, link: str = "probit", kappa: ArrayLike = 1.0
) -> Array:
    """Σ log P over triplets at the sample x = ν + sd·ε, differentiable.

    Parameters
    ----------
    nu, log_sd : (n, d) array_like
        Means and logarithms of the standard deviations.
    rows : (m, 3) array_like of int
        Triplets (anchor, near, far).
    noise : (m, 3, d) array_like
        ε, of each triplet's three items.
    link : {"probit", "ratio"}, optional
        The comparison model.
    kappa : float, optional
        The steepness of the ratio link.

    Returns
    -------
    jax.Array
        A number.

    Examples
    --------
    >>> import numpy as np
    >>> from learn2search import accelerated
    >>> nu, log_sd, noise = np.array([[1.5], [2.0], [0.0]]), np.zeros((3, 1)), np.zeros((1, 3, 1))
    >>> round(float(accelerated.log_likelihood(nu, log_sd, [(0, 1, 2)], noise)), 3)
    -0.369
    """
    rows = jnp.asarray(rows)
    x = jnp.asarray(nu)[rows] + jnp.exp(jnp.asarray(log_sd))[rows] * jnp.asarray(noise)
    return jnp.sum(log_probability(x[:, 0], x[:, 1], x[:, 2], link, kappa))


def objective(
    nu: ArrayLike,
    log_sd: ArrayLike,
    rows: ArrayLike,
    noise: ArrayLike,
    *,
    link: str = "probit",
    kappa: ArrayLike = 1.0,
    temper: ArrayLike = 1.0,
    prior_mean: ArrayLike = 0.0,
    prior_variance: ArrayLike = 1.0,
) -> Array:
    """The ELBO with its expectation at one sample, differentiable.

    Parameters
    ----------
    nu, log_sd : (n, d) array_like
        Means and logarithms of the standard deviations.
    rows : (m, 3) array_like of int
        Triplets (anchor, near, far).
    noise : (m, 3, d) array_like
        ε, of each triplet's three items.
    link : {"probit", "ratio"}, optional
        The comparison model.
    kappa : float, optional
        The steepness of the ratio link.
    temper : float, optional
        τ, the weight of the KL term.
    prior_mean : float or (n, d) array_like, optional
        μ.
    prior_variance : float or (d,) array_like, optional
        s².

    Returns
    -------
    jax.Array
        A number.

    Examples
    --------
    >>> import numpy as np
    >>> from learn2search import accelerated
    >>> nu, log_sd, noise = np.array([[1.5], [2.0], [0.0]]), np.zeros((3, 1)), np.zeros((1, 3, 1))
    >>> round(float(accelerated.objective(nu, log_sd, [(0, 1, 2)], noise)), 3)
    -3.494
    """
    evidence = log_likelihood(nu, log_sd, rows, noise, link, kappa)
    return evidence - temper * divergence(jnp.asarray(nu), jnp.asarray(log_sd), prior_mean, prior_variance)


def divergence(nu: Array, log_sd: Array, prior_mean: ArrayLike, prior_variance: ArrayLike) -> Array:
    """Σ KL(N(ν_i, sd_i²) || N(μ_i, s²)) over all items and dimensions."""
    scale = jnp.asarray(prior_variance)
    square = (nu - prior_mean) ** 2 + jnp.exp(2.0 * log_sd)
    return jnp.sum(0.5 * square / scale + 0.5 * jnp.log(scale) - log_sd - 0.5)


def log_probability(anchor: Array, near: Array, far: Array, link: str, kappa: ArrayLike) -> Array:
    """log P of the answers, `(...)`, at places `(..., d)` of anchor, near and far."""
    if link == "probit":
        return log_ndtr(_margin(anchor, near, far))
    if link == "ratio":
        to_near, to_far = jnp.sum((anchor - near) ** 2, axis=-1), jnp.sum((anchor - far) ** 2, axis=-1)
        return jax.nn.log_sigmoid(kappa * (jnp.log1p(to_far) - jnp.log1p(to_near)))
    raise ValueError(f'link must be "probit" or "ratio", got {link!r}')


def _margin(anchor: Array, near: Array, far: Array) -> Array:
    """m = u·c / |u|; two items at the same place are a coin flip, m = 0, and have no slope."""
    u, c = near - far, anchor - 0.5 * (near + far)
    square = jnp.sum(u * u, axis=-1)
    apart = square > 0
    return jnp.where(apart, jnp.sum(u * c, axis=-1) * jax.lax.rsqrt(jnp.where(apart, square, 1.0)), 0.0)


def log_ndtr(g: Array) -> Array:
    """log Φ(g); the function and its automatic slope φ/Φ are accurate far into both tails, in float32 too.

    JAX's own log_ndtr has a slope that is wrong by 3% at -1,000 in float32: exp of a difference of two large numbers.
    """
    high, deep = g > 0.0, g < -_DEEP_TAIL  # each form sees only its own g: elsewhere its slope may overflow
    above = jnp.log1p(-0.5 * jax.lax.erfc(_SQRT_HALF * jnp.where(high, g, 0.0)))
    middle = jnp.log(0.5 * jax.lax.erfc(-_SQRT_HALF * jnp.where(high | deep, 0.0, g)))
    t = jnp.where(deep, -g, _DEEP_TAIL)
    series = jnp.polyval(jnp.asarray(_TAIL_SERIES[::-1], g.dtype), 1.0 / (t * t), unroll=len(_TAIL_SERIES))
    below = -0.5 * t * t - _LOG_SQRT_2_PI - jnp.log(t) + jnp.log(series)
    return jnp.where(high, above, jnp.where(deep, below, middle))
