"""Positions from features: a map that is learnt from the answers, and what each item has of its own.

    x_i = Aᵀ z_i + r_i,    A_p ~ N(s B_p, λ_p I),    r_i ~ N(0, τ² I)

z_i are the principal components of the features with unit variance, as many as there are, at most `MOST_COMPONENTS`.
sB, the features' own first d axes at the scale s that the answers tell, is what the map is expected to be before more
is known; where the features tell nothing s is near 0.
The rows of A and the residuals r have mean-field Gaussian posteriors (M, S²) and (ν, ψ), which maximise

    ω Σ E log Φ(margin) - KL(A) - KL(r)

by Adam, with one sample of A a step and one of r a triplet; the slopes in the positions are those of `GaussEmbed`
(`_numba/kernels.py`). ω weighs the answers (`triplets.click_weights`). The scales follow by empirical Bayes, λ with two
numbers for all components, because one for each would overfit:

    log λ_p = a + g log(share of the features' variance that component p has),   0 <= g <= 1.5
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.comparison import PROBIT, expected_scale, fit_scale
from learn2search.embed._numba.kernels import Prior, State, adam_step, add_slopes, begin, normal_pool
from learn2search.embedding import Embedding
from learn2search.progress import bar
from learn2search.streams import open_stream, stream_keys
from learn2search.typing import Array, Array32, Mask, Triplets

MOST_COMPONENTS = 256
_RATE, _LAST_RATE = 0.05, 0.02  # of a step; of the first rate, at the end
_BETA1, _BETA2 = 0.9, 0.99
_STEPS = (800, 2500)  # at least, at most; about 0.15 a triplet
_EVERY = 10  # steps between two looks at the scales
_MOST_SLOPE = 1.5  # g
_FIRST_MAP, _FIRST_REST = 1.8, 0.2  # Σ λ and τ² at the start


class Components(NamedTuple):
    """Features on their principal axes, with unit variance. centre: `(f,)`; turn: `(f, p)`; share: `(p,)` of the
    variance."""

    centre: Array
    turn: Array
    share: Array

    def of(self, features: Array) -> Array:
        """z, `(n, p)`."""
        return np.asarray((features - self.centre) @ self.turn)


class FeatureMap(NamedTuple):
    """A map that was learnt: mean and variance of A, `(p, d)`, and the variance τ² of what it does not tell."""

    components: Components
    mean: Array
    variance: Array
    rest: float

    def place(self, features: ArrayLike) -> Embedding:
        """Where items are of which only the features are known.

        Parameters
        ----------
        features : (n, f) array_like
            The same features as those of the fit.

        Returns
        -------
        Embedding
            Means and variances.

        Raises
        ------
        ValueError
            If these are not as many numbers an item as in the fit.
        """
        given = checked_features(features, None, len(self.components.centre))
        z = self.components.of(given)
        return Embedding(z @ self.mean, z**2 @ self.variance + self.rest)


def checked_features(features: ArrayLike, n_items: int | None, width: int | None = None) -> Array:
    """Finite numbers, a row an item."""
    given = np.asarray(features, float)
    n, f = n_items if n_items is not None else "n", width if width is not None else "f"
    if given.ndim != 2 or n_items not in (None, len(given)) or width not in (None, given.shape[1]):
        raise ValueError(f"features must be numbers of shape ({n}, {f}), one row an item, got shape {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError("features must be finite numbers: fill in or leave out what is missing")
    return given


def components_of(features: Array) -> Components:
    """The principal components with unit variance; those that hardly vary are left out."""
    centre = features.mean(axis=0)
    _, singular, turn = np.linalg.svd(features - centre, full_matrices=False)
    variance = singular**2 / len(features)
    kept = (variance > 1e-9 * variance.max(initial=0.0)) & (np.arange(len(variance)) < MOST_COMPONENTS)
    if not kept.any():
        raise ValueError("the features are the same for all items: they tell nothing")
    return Components(centre, turn[kept].T / np.sqrt(variance[kept]), variance[kept] / variance[kept].sum())


def fit_map(
    rows: Triplets, features: Array, d: int, weights: Array32, seed: np.random.SeedSequence, *, verbose: bool = False
) -> tuple[FeatureMap, Embedding]:
    """The map, and the positions of all items; weights: ω of each triplet, `(m,)`."""
    components = components_of(features)
    steps = int(np.clip(0.15 * len(rows), *_STEPS))
    fit = _Fit(rows, components, np.ascontiguousarray(components.of(features), np.float32), d, weights, seed, steps)
    with bar("fitting", steps, verbose) as show:
        for step in range(steps):
            fit.step(step)
            if step % _EVERY == 0:
                fit.rescale()
                show(step + 1, f"features tell {fit.share_explained():.0%}")
    return fit.result()


class _Fit:
    """One fit: the posteriors of map and residuals, their scales, and Adam's moments of the map."""

    def __init__(
        self,
        rows: Triplets,
        components: Components,
        z: Array32,
        d: int,
        weights: Array32,
        seed: np.random.SeedSequence,
        steps: int,
    ) -> None:
        n, p = z.shape
        self.rows, self.components, self.z, self.steps = rows, components, z, steps
        self.weights = np.ascontiguousarray(weights, np.float32)
        self.generator = np.random.default_rng(seed)
        key = stream_keys(seed, 1)[0]
        self.pool, self.stream = normal_pool(key, d), open_stream(key, 1)
        self.batch = min(len(rows), max(200, len(rows) // 100))
        self.log_share = np.log(components.share)
        self.slope, self.rest = 0.5, _FIRST_REST
        self.level = math.log(_FIRST_MAP / np.sqrt(components.share).sum())
        self.expected = self._own_axes(d)
        chance = 0.1 * np.sqrt(self.scales) * self.generator.standard_normal((p, d))
        self.mean = np.asarray(self.expected + chance, np.float32)
        self.log_sd = np.repeat(0.5 * np.log(self.scales), d, axis=1).astype(np.float32)
        self.moments = np.zeros((4, p, d), np.float32)
        first = 0.03 * self.generator.standard_normal((n, d))
        self.residuals: State = begin(first, np.full((n, d), 0.5 * math.log(self.rest)))
        self.seen: Mask = np.bincount(rows.ravel(), minlength=n) > 0

    @property
    def scales(self) -> Array:
        """λ, `(p, 1)`."""
        return np.exp(self.level + self.slope * self.log_share)[:, None]

    def _own_axes(self, d: int) -> Array32:
        """sB, `(p, d)`: the first d components as the features have them, at the scale that the triplets tell."""
        axes = np.arange(min(len(self.log_share), d))
        own = np.zeros((len(self.log_share), d))
        own[axes, axes] = np.sqrt(self.components.share[axes])
        placed = self.z @ own
        return np.asarray(fit_scale(placed, self.rows, expected_scale(placed)) * own, np.float32)

    def step(self, number: int) -> None:
        """One batch."""
        sd, scales = np.asarray(np.exp(self.log_sd), np.float32), np.asarray(self.scales, np.float32)
        noise = self.generator.standard_normal(sd.shape, np.float32)
        places = np.asarray(self.z @ (self.mean + sd * noise) + self.residuals.nu, np.float32)
        part = self.generator.integers(0, len(self.rows), self.batch)
        slope, width_slope = np.zeros(places.shape, np.float32), np.zeros(places.shape, np.float32)
        given = (self.rows, self.weights, part, places, self.residuals.sd, self.pool, self.stream)
        add_slopes(*given, PROBIT, 1, slope, width_slope)
        times = len(self.rows) / len(part)
        in_map = np.asarray(times * (self.z.T @ slope), np.float32)
        fall = 0.5 * (1.0 + math.cos(math.pi * number / self.steps))
        rate = _RATE * (_LAST_RATE + (1.0 - _LAST_RATE) * fall)
        off = (self.mean - self.expected) / scales
        self._move(self.mean, in_map - off, self.moments[:2], rate * np.sqrt(scales), number)
        self._move(self.log_sd, in_map * noise * sd - sd**2 / scales + 1, self.moments[2:], rate, number)
        d = places.shape[1]
        prior = Prior(np.zeros((1, d), np.float32), np.full(d, self.rest, np.float32), 1.0)
        adam_step(self.residuals, prior, slope, width_slope, times, rate, number + 1)

    @staticmethod
    def _move(place: Array32, slope: Array32, moments: Array32, rate: Any, number: int) -> None:
        """Adam."""
        first, second = moments
        first += (1 - _BETA1) * (slope - first)
        second += (1 - _BETA2) * (slope**2 - second)
        place += (
            rate
            * (first / (1 - _BETA1 ** (number + 1)))
            / (np.sqrt(second / (1 - _BETA2 ** (number + 1))) + np.float32(1e-8))
        )

    def rescale(self) -> None:
        """Scales under which the present posteriors are more probable: steps of Fisher scoring on (a, g), and τ²."""
        off_axes = (self.mean - self.expected).astype(float)
        found = (off_axes**2 + np.exp(2.0 * self.log_sd)).mean(axis=1)
        design = np.column_stack([np.ones_like(self.log_share), self.log_share])
        for _ in range(3):
            off = np.clip(found / self.scales[:, 0] - 1.0, -1.0, 1.0)
            move, *_ = np.linalg.lstsq(design, off, rcond=None)
            self.slope = float(np.clip(self.slope + np.clip(move[1], -0.2, 0.2), 0.0, _MOST_SLOPE))
            again = np.clip(found / self.scales[:, 0] - 1.0, -1.0, 1.0)
            self.level += float(np.clip(again.mean(), -0.5, 0.5))
        own = (self.residuals.nu.astype(float) ** 2 + self.residuals.sd.astype(float) ** 2)[self.seen]
        self.rest = max(float(own.mean()), 1e-3)

    def share_explained(self) -> float:
        """The share of the positions' variance that is expected of the features."""
        explained = float(self.scales.sum() + (self.expected.astype(float) ** 2).sum() / self.expected.shape[1])
        return explained / (explained + self.rest)

    def result(self) -> tuple[FeatureMap, Embedding]:
        mean, variance = self.mean.astype(float), np.exp(2.0 * self.log_sd.astype(float))
        nu, psi = self.residuals.nu.astype(float), self.residuals.sd.astype(float) ** 2
        nu[~self.seen], psi[~self.seen] = 0.0, self.rest
        z = self.z.astype(float)
        learnt = FeatureMap(self.components, mean, variance, self.rest)
        return learnt, Embedding(z @ mean + nu, z**2 @ variance + psi)
