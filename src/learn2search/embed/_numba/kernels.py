"""Adam on the (tempered) ELBO of batches of triplets, compiled.

    objective = Σ_triplets w E_q log P(m) - τ Σ_i KL(N(ν_i, Ψ_i) || N(ν0_i, S)),   Ψ_i and S diagonal

P(m) and the slopes of the margin m are those of the link (`comparison.margin_and_slopes`). Where the link expects
lapses, (1 - ε) P(m) + ε / 2 stands for P(m): an answer that the positions contradict by far moves them little.
One or more reparametrised samples x = ν + sd·ε a triplet; the slope in log sd is the one in x times sd·ε. An embedding
without widths (t-STE, CKL) is the case sd = 0.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learn2search.comparison import Link, attention, margin_and_slopes, steepness
from learn2search.compiled import compiled
from learn2search.streams import below, normal_pair, open_stream, shuffle
from learn2search.typing import Array32, Integers, Key, Stream, Triplets

_POOL = 1 << 16  # normal numbers from which each triplet reads a run, from a random place on
_BETA1, _BETA2, _EPSILON = np.float32(0.9), np.float32(0.99), np.float32(1e-8)  # Adam
_LAST_RATE = 0.02  # of the first


class State(NamedTuple):
    """Means ν, log standard deviations ρ, standard deviations, and Adam's moments of ν and ρ, `(n, d)` each."""

    nu: Array32
    rho: Array32
    sd: Array32
    nu_first: Array32
    nu_second: Array32
    rho_first: Array32
    rho_second: Array32


class Prior(NamedTuple):
    """N(mean, variance), mean `(n, d)` or `(1, d)` for all, variance `(d,)`; `temper` is the KL term's weight τ."""

    mean: Array32
    variance: Array32
    temper: float


class Schedule(NamedTuple):
    """How a fit proceeds: batch size, samples a triplet, first rate, epochs in all."""

    batch: int
    samples: int
    rate: float
    epochs: int


def begin(nu: NDArray[np.floating], rho: NDArray[np.floating] | None) -> State:
    """The state before the first step; without ρ the embedding has no widths."""
    nu = np.ascontiguousarray(nu, np.float32)
    rho = np.full_like(nu, -np.inf) if rho is None else np.ascontiguousarray(rho, np.float32)
    return State(nu, rho, np.exp(rho), *(np.zeros_like(nu) for _ in range(4)))


@compiled
def normal_pool(key: Key, d: int) -> Array32:
    """Enough normal numbers that a run of 3d can begin at any of `_POOL` places."""
    stream = open_stream(key, 0)
    pool = np.empty(_POOL + 3 * d + 1, np.float32)
    for at in range(0, len(pool) - 1, 2):
        pool[at], pool[at + 1] = normal_pair(stream)
    return pool


@compiled
def run_epoch(
    rows: Triplets,
    weights: Array32,
    state: State,
    link: Link,
    prior: Prior,
    schedule: Schedule,
    pool: Array32,
    key: Key,
    epoch: int,
) -> None:
    """One pass over all triplets in random order, in place; weights: `(m,)`, of the triplets."""
    stream = open_stream(key, 1 + epoch)
    order = np.arange(len(rows))
    shuffle(stream, order)
    nu_slope, rho_slope = np.empty_like(state.nu), np.empty_like(state.rho)
    per_epoch = (len(rows) + schedule.batch - 1) // schedule.batch
    for number in range(per_epoch):
        part = order[number * schedule.batch : (number + 1) * schedule.batch]
        nu_slope[:], rho_slope[:] = 0.0, 0.0
        add_slopes(rows, weights, part, state.nu, state.sd, pool, stream, link, schedule.samples, nu_slope, rho_slope)
        step = epoch * per_epoch + number
        fall = 0.5 * (1.0 + math.cos(math.pi * step / (schedule.epochs * per_epoch)))
        rate = schedule.rate * (_LAST_RATE + (1.0 - _LAST_RATE) * fall)
        weight = len(rows) / (len(part) * schedule.samples)  # the batch stands for all triplets
        adam_step(state, prior, nu_slope, rho_slope, weight, rate, step + 1)


@compiled
def add_slopes(
    rows: Triplets,
    weights: Array32,
    part: Integers,
    nu: Array32,
    sd: Array32,
    pool: Array32,
    stream: Stream,
    link: Link,
    samples: int,
    nu_slope: Array32,
    rho_slope: Array32,
) -> None:
    """Add the slopes of Σ w log P over the rows in `part`, at fresh samples, to nu_slope and rho_slope."""
    d = nu.shape[1]
    p, q = np.empty(d, np.float32), np.empty(d, np.float32)
    for at in range(len(part) * samples):
        row = part[at // samples]
        anchor, near, far = rows[row]
        start = below(stream, _POOL)
        noise, noise_near, noise_far = pool[start:], pool[start + d :], pool[start + 2 * d :]
        square_near, square_far, between = np.float32(0.0), np.float32(0.0), np.float32(0.0)
        for a in range(d):
            x = nu[anchor, a] + sd[anchor, a] * noise[a]
            p[a] = x - nu[near, a] - sd[near, a] * noise_near[a]
            q[a] = x - nu[far, a] - sd[far, a] * noise_far[a]
            square_near += p[a] * p[a]
            square_far += q[a] * q[a]
            between += (p[a] - q[a]) * (p[a] - q[a])
        m, a_, b_, c_ = margin_and_slopes(link.ratio, link.kappa, float(square_near), float(square_far), float(between))
        h = weights[row] * steepness(link.ratio, m) * attention(link, m)
        one, both, other = np.float32(h * a_), np.float32(h * b_), np.float32(h * c_)
        for a in range(d):
            to_near, to_far = one * p[a] + both * q[a], both * p[a] + other * q[a]
            to_anchor = -to_near - to_far
            nu_slope[anchor, a] += to_anchor
            nu_slope[near, a] += to_near
            nu_slope[far, a] += to_far
            rho_slope[anchor, a] += to_anchor * noise[a]
            rho_slope[near, a] += to_near * noise_near[a]
            rho_slope[far, a] += to_far * noise_far[a]


@compiled
def adam_step(
    state: State, prior: Prior, nu_slope: Array32, rho_slope: Array32, weight: float, rate: float, step: int
) -> None:
    """One step of Adam; the slope of -τ KL is added, and for ρ the factor sd that the batch left out."""
    n, d = state.nu.shape
    times, temper = np.float32(weight), np.float32(prior.temper)
    precision = temper / prior.variance
    widths = state.rho[0, 0] > -np.inf
    for item in range(n):
        centre = prior.mean[item if len(prior.mean) == n else 0]
        for a in range(d):
            nu_slope[item, a] = times * nu_slope[item, a] - precision[a] * (state.nu[item, a] - centre[a])
        if widths:
            for a in range(d):
                width = state.sd[item, a]
                rho_slope[item, a] = width * (times * rho_slope[item, a] - precision[a] * width) + temper
    _adam(state.nu.ravel(), nu_slope.ravel(), state.nu_first.ravel(), state.nu_second.ravel(), rate, step)
    if widths:
        _adam(state.rho.ravel(), rho_slope.ravel(), state.rho_first.ravel(), state.rho_second.ravel(), rate, step)
        sd, rho = state.sd.ravel(), state.rho.ravel()
        for at in range(len(sd)):
            sd[at] = np.exp(rho[at])


@compiled
def _adam(place: Array32, slope: Array32, first: Array32, second: Array32, rate: float, step: int) -> None:
    along = np.float32(rate / (1.0 - _BETA1**step))
    scale = np.float32(1.0 / (1.0 - _BETA2**step))
    one = np.float32(1.0)
    for at in range(len(place)):
        first[at] = _BETA1 * first[at] + (one - _BETA1) * slope[at]
        second[at] = _BETA2 * second[at] + (one - _BETA2) * slope[at] * slope[at]
        place[at] += along * first[at] / (np.sqrt(second[at] * scale) + _EPSILON)
