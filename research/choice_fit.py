"""A fit like `GaussEmbed`'s in which a click among k is one choice, in place of k - 1 triplets.

    objective = Σ_clicks E_q log P(c | x) - Σ_i KL(N(ν_i, Ψ_i) || N(0, s² I))

P(c | x) is the probability that all k - 1 margins of the click are positive, by the steps of `learn2search.click`: one
after the other is taken to be positive, and what is left is taken to be normal again. At one sample x = ν + sd·ε a
click,

    M_j = w_j·(x_t - (x_c + x_j)/2),   C_jl = w_j·w_l,   w_j = (x_c - x_j)/r_j          σ = 1

The slopes come from going through the steps backwards. For two items this is the triplet's Φ(M).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

import learn2search as l2s
from research import Array

Function = TypeVar("Function", bound=Callable[..., Any])
Items = NDArray[np.int64]
_LEAST_SHARE = 1e-6  # of its variance that a margin keeps at a step
_BETAS, _LAST_RATE = (0.9, 0.99), 0.02


def compiled(function: Function) -> Function:
    kernel: Any = numba.njit(cache=True, error_model="numpy")(function)
    return cast(Function, kernel)


class Clicks(NamedTuple):
    """targets: `(m,)`; shown: `(m, k)`, the clicked item first."""

    targets: Items
    shown: Items

    def triplets(self) -> Items:
        """k - 1 rows (anchor, near, far) a click, those of one click after each other."""
        k = self.shown.shape[1]
        anchor, near = (np.repeat(one, k - 1) for one in (self.targets, self.shown[:, 0]))
        return np.column_stack([anchor, near, self.shown[:, 1:].ravel()])


# --- the probability of a click and its slopes -----------------------------------------------------


@compiled
def _tail(z: float) -> tuple[float, float]:
    """log Φ(z) and φ(z)/Φ(z)."""
    z = max(z, -30.0)
    chance = 0.5 * math.erfc(-z / math.sqrt(2.0))
    return math.log(chance), math.exp(-0.5 * z * z) / (math.sqrt(2.0 * math.pi) * chance)


@compiled
def log_all_positive(mean: Array, cov: Array) -> float:
    """log P(all > 0) for N(mean, cov), `(m,)` and `(m, m)`, upper triangle. Row s is left as it was at step s."""
    total, count = 0.0, len(mean)
    for s in range(count):
        root = math.sqrt(cov[s, s])
        z = mean[s] / root
        log_chance, h = _tail(z)
        total += log_chance
        bend = h * (h + z) / cov[s, s]
        for j in range(s + 1, count):
            least = _LEAST_SHARE * cov[j, j]
            mean[j] += cov[s, j] * h / root
            for q in range(j, count):
                cov[j, q] -= cov[s, j] * cov[s, q] * bend
            cov[j, j] = max(cov[j, j], least)
    return total


@compiled
def back_through(mean: Array, cov: Array, mean_slope: Array, cov_slope: Array) -> None:
    """The slopes of `log_all_positive` in its arguments (upper triangle), from what it left of them."""
    count = len(mean)
    mean_slope[:], cov_slope[:] = 0.0, 0.0
    for s in range(count - 1, -1, -1):
        variance = cov[s, s]
        root = math.sqrt(variance)
        z = mean[s] / root
        _, h = _tail(z)
        bend, gain = h * (h + z) / variance, h / root
        by_gain, by_bend = 0.0, 0.0
        for j in range(s + 1, count):
            by_gain += mean_slope[j] * cov[s, j]
            cov_slope[s, j] += mean_slope[j] * gain
            for q in range(j, count):
                slope = cov_slope[j, q]
                by_bend -= slope * cov[s, j] * cov[s, q]
                cov_slope[s, j] -= bend * slope * cov[s, q]
                cov_slope[s, q] -= bend * slope * cov[s, j]
        by_h = by_gain / root + by_bend * (2.0 * h + z) / variance
        by_z = h + by_bend * h / variance - by_h * h * (h + z)  # h' = -h (h + z)
        mean_slope[s] = by_z / root
        cov_slope[s, s] -= (0.5 * by_gain * gain + by_bend * bend + 0.5 * by_z * z) / variance


@compiled
def click_slopes(x: Array, slope: Array) -> float:
    """log P of a click, and its slope in the positions; x, slope: `(k + 1, d)` of the target, the clicked item, and
    its rivals, which are taken in the order of their distances to it."""
    count, d = len(x) - 2, x.shape[1]
    r = np.zeros(count)
    for j in range(count):
        for a in range(d):
            r[j] += (x[1, a] - x[2 + j, a]) ** 2
        r[j] = math.sqrt(r[j] + 1e-12)
    order = np.argsort(r)
    w, mean, cov = np.empty((count, d)), np.zeros(count), np.zeros((count, count))
    for j in range(count):
        rival = 2 + order[j]
        for a in range(d):
            w[j, a] = (x[1, a] - x[rival, a]) / r[order[j]]
            mean[j] += w[j, a] * (x[0, a] - 0.5 * (x[1, a] + x[rival, a]))
            for q in range(j):
                cov[q, j] += w[q, a] * w[j, a]
        cov[j, j] = 1.0
    margins, cosines, by_mean, by_cov = mean.copy(), cov.copy(), np.empty(count), np.empty((count, count))
    found = log_all_positive(mean, cov)
    back_through(mean, cov, by_mean, by_cov)
    slope[:] = 0.0
    for j in range(count):
        _add_of_margin(x, w, j, 2 + order[j], margins[j], r[order[j]], cosines, by_mean[j], by_cov, slope)
    return found


@compiled
def _add_of_margin(
    x: Array,
    w: Array,
    j: int,
    rival: int,
    margin: float,
    r: float,
    cosines: Array,
    by_mean: float,
    by_cov: Array,
    slope: Array,
) -> None:
    """What one margin and its covariances add to the slope: ∂M/∂x_c = a - w/2, a = (x_t - (x_c + x_j)/2 - M w)/r,
    and ∂C_jq/∂w_j = (w_q - C_jq w_j)/r."""
    for a in range(x.shape[1]):
        along = by_mean * (x[0, a] - 0.5 * (x[1, a] + x[rival, a]) - margin * w[j, a]) / r
        for q in range(len(w)):
            if q != j:
                low, high = min(j, q), max(j, q)
                along += by_cov[low, high] * (w[q, a] - cosines[low, high] * w[j, a]) / r
        slope[0, a] += by_mean * w[j, a]
        slope[1, a] += along - 0.5 * by_mean * w[j, a]
        slope[rival, a] -= along + 0.5 * by_mean * w[j, a]


@compiled
def add_slopes(rows: Items, nu: Array, sd: Array, noise: Array, nu_slope: Array, sd_slope: Array) -> None:
    """Add the slopes in ν and sd of Σ log P over some clicks; rows: `(m, k + 1)`, target first; noise: as x."""
    x, slope = np.empty(noise.shape[1:]), np.empty(noise.shape[1:])
    for row in range(len(rows)):
        for place in range(rows.shape[1]):
            item = rows[row, place]
            for a in range(x.shape[1]):
                x[place, a] = nu[item, a] + sd[item, a] * noise[row, place, a]
        click_slopes(x, slope)
        for place in range(rows.shape[1]):
            item = rows[row, place]
            for a in range(x.shape[1]):
                nu_slope[item, a] += slope[place, a]
                sd_slope[item, a] += slope[place, a] * noise[row, place, a]


# --- the fit ---------------------------------------------------------------------------------------


class Adam:
    """Steps uphill for one array."""

    def __init__(self, values: Array) -> None:
        self.values, self.first, self.second, self.count = values, np.zeros_like(values), np.zeros_like(values), 0

    def step(self, slope: Array, rate: float) -> None:
        self.count += 1
        self.first += (1 - _BETAS[0]) * (slope - self.first)
        self.second += (1 - _BETAS[1]) * (slope**2 - self.second)
        scales = [1 - beta**self.count for beta in _BETAS]
        self.values += rate * (self.first / scales[0]) / (np.sqrt(self.second / scales[1]) + 1e-8)


def fit_choices(clicks: Clicks, n: int, d: int, seed: int, length: int = 1) -> l2s.Embedding:
    """As many steps, at the same rates and with the same empirical prior, as `GaussEmbed(d)` takes for their triplets;
    length: times its epochs."""
    rows = np.column_stack([clicks.targets, clicks.shown])
    count, per_click = len(rows), clicks.shown.shape[1] - 1
    schedule, generator = l2s.GaussEmbed(d).schedule(count * per_click, n), np.random.default_rng(seed)
    epochs, batch = length * schedule.epochs, max(1, schedule.batch // per_click)
    nu, rho = Adam(0.1 * generator.standard_normal((n, d))), Adam(np.zeros((n, d)))
    starts, variance = range(0, count, batch), 1.0
    for epoch in range(epochs):
        order = generator.permutation(count)
        for number, start in enumerate(starts):
            part = rows[order[start : start + batch]]
            slopes, sd = np.zeros((2, n, d)), np.exp(rho.values)
            add_slopes(part, nu.values, sd, generator.standard_normal((*part.shape, d)), slopes[0], slopes[1])
            times, done = count / len(part), (epoch * len(starts) + number) / (epochs * len(starts))
            rate = schedule.rate * (_LAST_RATE + (1 - _LAST_RATE) * 0.5 * (1 + math.cos(math.pi * done)))
            nu.step(times * slopes[0] - nu.values / variance, rate)
            rho.step(sd * (times * slopes[1] - sd / variance) + 1.0, rate)
        variance = float((nu.values**2 + np.exp(2 * rho.values)).mean())
    return l2s.Embedding(nu.values, np.exp(2 * rho.values))
