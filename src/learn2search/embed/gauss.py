"""GaussEmbed: every item is a Gaussian N(ν_i, Ψ_i) with diagonal Ψ_i, fitted by maximising the ELBO (the paper's
section 5.1).

    ELBO = Σ_triplets E_q log Φ(m) - Σ_i KL(N(ν_i, Ψ_i) || N(0, s² I)),   σ_ε = 1

One reparametrised sample x = ν + sd·ε a triplet and epoch. With u = x_near - x_far, r = |u|, w = u/r,
c = x_anchor - (x_near + x_far)/2, m = w·c, h = φ(m)/Φ(m) and g = (c - m w)/r, the slopes of log Φ(m) are

    anchor: h w        near: h (g - w/2)        far: h (-g - w/2)        log sd: the same times sd·ε

Adam climbs on ν and log sd, with a rate that falls along a cosine. The scale s² of the prior is 1
(`prior="standard"`, the paper) or the mean of ν² + ψ, set anew after each epoch (`prior="empirical"`).
"""

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from learn2search.compiled import compiled
from learn2search.embed.base import Array, TripletEmbedding, training_triplets
from learn2search.embedding import Embedding
from learn2search.probit import hazard_at
from learn2search.streams import Seed, Stream, below, normal_pair, open_stream, seed_sequence, shuffle, stream_keys
from learn2search.triplets import Triplets, as_triplets

Array32 = NDArray[np.float32]

_POOL = 1 << 16  # normal numbers from which each triplet reads a run, from a random place on
_BETA1, _BETA2, _EPSILON = 0.9, 0.99, 1e-8  # Adam
_LAST_RATE = 0.02  # of the first


class State(NamedTuple):
    """The variational parameters and Adam's moments, `(n, d)` each: means ν, log standard deviations ρ."""

    nu: Array32
    rho: Array32
    nu_first: Array32
    nu_second: Array32
    rho_first: Array32
    rho_second: Array32


class GaussEmbed(TripletEmbedding):
    """A distributional embedding: `embedding_` are the means, `variance_` the variances, `(n, d)` each.

    n_components: d. prior: "empirical" (default) or "standard" (the paper's N(0, I)). epochs: passes over the
    triplets, by default 40 when there are few triplets for the items, else 20. batch_size: by default a fortieth of
    the triplets.
    """

    variance_: Array
    prior_variance_: float

    def __init__(
        self,
        n_components: int = 10,
        *,
        prior: str = "empirical",
        epochs: int | None = None,
        learning_rate: float = 0.1,
        batch_size: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_components = n_components
        self.prior = prior
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        init: ArrayLike | Embedding | None = None,
        n_items: int | None = None,
    ) -> Self:
        """Learn from triplets; `init` is where to begin: an `Embedding`, or means `(n, d)`.

        Items that no triplet names keep the prior.
        """
        self._check_parameters()
        rows, n = training_triplets(X, y, n_items)
        start_seed, run_seed = seed_sequence(self.random_state).spawn(2)
        state = _begin(_initial_embedding(init, n, self.n_components), n, self.n_components, start_seed)
        epochs = self.epochs or (40 if len(rows) < 20 * n * self.n_components else 20)
        batch = min(len(rows), self.batch_size or max(200, len(rows) // 40))
        empirical = self.prior == "empirical"
        scale = _climb(state, rows, epochs, batch, self.learning_rate, empirical, stream_keys(run_seed, 1)[0])
        if not (np.isfinite(state.nu).all() and np.isfinite(state.rho).all()):
            raise FloatingPointError(f"the fit diverged with learning_rate={self.learning_rate}: try a smaller one")
        return self._keep(state, rows, n, float(scale))

    def _keep(self, state: State, rows: Triplets, n: int, scale: float) -> Self:
        """Take over the result; an item that no triplet names is exactly the prior."""
        mean, variance = state.nu.astype(np.float64), np.exp(2.0 * state.rho.astype(np.float64))
        unseen = np.bincount(rows.ravel(), minlength=n) == 0
        mean[unseen], variance[unseen] = 0.0, scale
        self.embedding_, self.variance_, self.prior_variance_, self.n_items_ = mean, variance, scale, n
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """One assumed-density step a triplet, in order: for streams, on top of a fit. New items begin at the prior."""
        rows = as_triplets(X, y)
        if not hasattr(self, "embedding_"):
            self._check_parameters()
            nothing = np.empty((0, self.n_components))
            self.embedding_, self.variance_, self.prior_variance_, self.n_items_ = nothing, nothing.copy(), 1.0, 0
        new = int(rows.max()) + 1 - self.n_items_
        if new > 0:
            d = self.embedding_.shape[1]
            self.embedding_ = np.concatenate([self.embedding_, np.zeros((new, d))])
            self.variance_ = np.concatenate([self.variance_, np.full((new, d), self.prior_variance_)])
            self.n_items_ += new
        absorb(self.embedding_, self.variance_, rows)
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """Φ(m / S), S² = 1 + the variance of the margin: the uncertainty of all three items is integrated out."""
        return np.asarray(special.ndtr(standard_margins(self.embedding_, self.variance_, self._known(X))))

    def to_embedding(self) -> Embedding:
        """Means and variances; a search on it has noise 1."""
        self._check_fitted()
        return Embedding(self.embedding_, self.variance_)

    def _check_parameters(self) -> None:
        if not isinstance(self.n_components, int | np.integer) or self.n_components < 1:
            raise ValueError(f"n_components must be a whole number from 1, got {self.n_components!r}")
        if self.prior not in ("empirical", "standard"):
            raise ValueError(f'prior must be "empirical" or "standard", got {self.prior!r}')
        for name in ("epochs", "batch_size", "learning_rate"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be positive, got {value!r}")


def _initial_embedding(init: ArrayLike | Embedding | None, n: int, d: int) -> Embedding | None:
    if init is None:
        return None
    given = init if isinstance(init, Embedding) else Embedding(init)
    if given.mean.shape != (n, d):
        raise ValueError(
            f"init must have shape ({n}, {d}), one row an item and n_components columns, got {given.mean.shape}"
        )
    return given


def _begin(init: Embedding | None, n: int, d: int, seed: np.random.SeedSequence) -> State:
    """ν ~ 0.1 N(0, I) and sd 1, or the given positions."""
    nu = 0.1 * np.random.default_rng(seed).standard_normal((n, d)) if init is None else init.mean
    rho = np.zeros((n, d)) if init is None or init.var is None else 0.5 * np.log(init.var)
    moments = (np.zeros((n, d), np.float32) for _ in range(4))
    return State(nu.astype(np.float32), rho.astype(np.float32), *moments)


# --- the climb -------------------------------------------------------------------------------------


@compiled
def _climb(
    state: State, rows: Triplets, epochs: int, batch: int, rate: float, empirical: bool, key: NDArray[np.uint64]
) -> float:
    """All epochs of Adam, in place; the variance of the prior at the end."""
    stream = open_stream(key, 0)
    pool = _normal_pool(stream, 3 * state.nu.shape[1])
    order = np.arange(len(rows))
    d_nu, d_rho = np.zeros_like(state.nu), np.zeros_like(state.rho)
    scale, step, steps = 1.0, 0, epochs * ((len(rows) + batch - 1) // batch)
    for epoch in range(epochs):
        if empirical and epoch > 0:
            scale = float(np.mean(state.nu**2 + np.exp(2 * state.rho)))
        shuffle(stream, order)
        for start in range(0, len(rows), batch):
            part = order[start : start + batch]
            d_nu[:], d_rho[:] = 0.0, 0.0
            add_slopes(rows, part, state.nu, state.rho, pool, stream, d_nu, d_rho)
            fall = 0.5 * (1.0 + math.cos(math.pi * step / steps))
            step += 1
            _adam(state, d_nu, d_rho, len(rows) / len(part), scale, rate * (_LAST_RATE + (1 - _LAST_RATE) * fall), step)
    return scale


@compiled
def _normal_pool(stream: Stream, run: int) -> Array32:
    """Enough normal numbers that a run of `run` can begin at any of `_POOL` places."""
    pool = np.empty(_POOL + run + 1, np.float32)
    for at in range(0, len(pool) - 1, 2):
        pool[at], pool[at + 1] = normal_pair(stream)
    return pool


@compiled
def add_slopes(
    rows: Triplets,
    part: NDArray[np.int64],
    nu: Array32,
    rho: Array32,
    pool: Array32,
    stream: Stream,
    d_nu: Array32,
    d_rho: Array32,
) -> None:
    """Add the slopes of Σ log Φ(m) over the rows in `part`, at one sample each, to d_nu and d_rho."""
    d = nu.shape[1]
    x, sd = np.empty((3, d), np.float32), np.exp(rho)
    for row in part:
        noise = pool[below(stream, _POOL) :]
        square = np.float32(0.0)
        for a in range(d):
            for role in range(3):
                item = rows[row, role]
                x[role, a] = nu[item, a] + sd[item, a] * noise[3 * a + role]
            square += (x[1, a] - x[2, a]) ** 2
        r = math.sqrt(square) + 1e-12
        m = 0.0
        for a in range(d):
            m += (x[1, a] - x[2, a]) / r * (x[0, a] - 0.5 * (x[1, a] + x[2, a]))
        h = hazard_at(m)
        anchor, near, far = rows[row]
        for a in range(d):
            w = (x[1, a] - x[2, a]) / r
            g = (x[0, a] - 0.5 * (x[1, a] + x[2, a]) - m * w) / r
            for item, slope, place in ((anchor, w, 0), (near, g - 0.5 * w, 1), (far, -g - 0.5 * w, 2)):
                d_nu[item, a] += h * slope
                d_rho[item, a] += h * slope * sd[item, a] * noise[3 * a + place]


@compiled
def _adam(state: State, d_nu: Array32, d_rho: Array32, weight: float, scale: float, rate: float, step: int) -> None:
    """One step up: the batch stands for all triplets (`weight`), and the slope of -KL is added."""
    first, second = 1.0 - _BETA1**step, 1.0 - _BETA2**step
    for item in range(len(d_nu)):
        for a in range(d_nu.shape[1]):
            variance = math.exp(2.0 * state.rho[item, a])
            up = weight * d_nu[item, a] - state.nu[item, a] / scale
            state.nu_first[item, a] = _BETA1 * state.nu_first[item, a] + (1 - _BETA1) * up
            state.nu_second[item, a] = _BETA2 * state.nu_second[item, a] + (1 - _BETA2) * up * up
            state.nu[item, a] += (
                rate * state.nu_first[item, a] / first / (math.sqrt(state.nu_second[item, a] / second) + _EPSILON)
            )
            up = weight * d_rho[item, a] + 1.0 - variance / scale
            state.rho_first[item, a] = _BETA1 * state.rho_first[item, a] + (1 - _BETA1) * up
            state.rho_second[item, a] = _BETA2 * state.rho_second[item, a] + (1 - _BETA2) * up * up
            state.rho[item, a] += (
                rate * state.rho_first[item, a] / first / (math.sqrt(state.rho_second[item, a] / second) + _EPSILON)
            )


# --- uncertain margins -----------------------------------------------------------------------------


@compiled
def _uncertain(nu: Array, psi: Array, row: NDArray[np.int64], slopes: Array) -> tuple[float, float]:
    """Mean m and variance S² - 1 of the margin of a triplet to first order; slopes `(3, d)` are ∂m/∂x of anchor,
    near, far.

    r² = |u|² + tr(ψ_near + ψ_far): a pair whose places are uncertain has an uncertain direction, too.
    """
    anchor, near, far = row
    square, along = 0.0, 0.0
    for a in range(nu.shape[1]):
        u = nu[near, a] - nu[far, a]
        square += u * u + psi[near, a] + psi[far, a]
        along += u * (nu[anchor, a] - 0.5 * (nu[near, a] + nu[far, a]))
    r = math.sqrt(square)
    m, variance = along / r, 0.0
    for a in range(nu.shape[1]):
        w = (nu[near, a] - nu[far, a]) / r
        g = (nu[anchor, a] - 0.5 * (nu[near, a] + nu[far, a]) - m * w) / r
        slopes[0, a], slopes[1, a], slopes[2, a] = w, g - 0.5 * w, -g - 0.5 * w
        for role in range(3):
            variance += slopes[role, a] ** 2 * psi[row[role], a]
    return m, variance


@compiled
def standard_margins(nu: Array, psi: Array, rows: Triplets) -> Array:
    """z `(m,)` with P(near closer than far) = Φ(z)."""
    z, slopes = np.empty(len(rows)), np.empty((3, nu.shape[1]))
    for at in range(len(rows)):
        m, variance = _uncertain(nu, psi, rows[at], slopes)
        z[at] = m / math.sqrt(1.0 + variance)
    return z


@compiled
def absorb(nu: Array, psi: Array, rows: Triplets) -> None:
    """One assumed-density step a triplet, in place: ν += ψ a h/S,  ψ *= 1 - h(h + z) a² ψ / S²."""
    slopes = np.empty((3, nu.shape[1]))
    for at in range(len(rows)):
        anchor, near, far = rows[at]
        if anchor in (near, far) or near == far:
            continue
        m, variance = _uncertain(nu, psi, rows[at], slopes)
        s2 = 1.0 + variance
        z = m / math.sqrt(s2)
        h = hazard_at(z)
        shrink = min(max(h * (h + z), 0.0), 1.0)
        for role in range(3):
            item = rows[at, role]
            for a in range(nu.shape[1]):
                slope, before = slopes[role, a], psi[item, a]
                nu[item, a] += before * slope * h / math.sqrt(s2)
                psi[item, a] = before * (1.0 - shrink * slope * slope * before / s2)
