"""The compiled slopes and steps, against finite differences of the objective written in plain NumPy."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

import learn2search as l2s
from learn2search.comparison import Link
from learn2search.embed._numba import kernels
from learn2search.embed._numba.kernels import Prior
from learn2search.embed.fit_loop import unweighted
from learn2search.streams import below, open_stream, stream_keys
from learn2search.typing import Array, Triplets

Start = tuple[Array, Array, Triplets]  # means, log standard deviations, rows

N, D, M = 8, 3, 12
LINKS = {
    "probit": Link(False, 1.0),
    "ratio": Link(True, 2.5),
    "probit with lapses": Link(False, 1.0, 0.2),
    "ratio with lapses": Link(True, 2.5, 0.2),
}


def log_likelihood(link: Link, nu: Array, rho: Array, rows: Triplets, noise: Array) -> float:
    """Σ log((1 - lapse) P + lapse / 2) at x = ν + sd·ε, in float64 and by the array forms; noise `(m, 3, d)`."""
    anchor, near, far = np.moveaxis(nu[rows] + np.exp(rho)[rows] * noise, 1, 0)
    chance = special.ndtr(l2s.margin(near, far, anchor))
    if link.ratio:
        distances = [np.log1p(((anchor - other) ** 2).sum(axis=1)) for other in (near, far)]
        chance = special.expit(link.kappa * (distances[1] - distances[0]))
    return float(np.log((1 - link.lapse) * chance + link.lapse / 2).sum())


def finite_difference(function: Callable[[Array, Array], float], at: list[Array], which: int) -> Array:
    """The slope of function(nu, rho) in every coordinate of its argument number `which`."""
    slopes = np.empty_like(at[which])
    for place in np.ndindex(slopes.shape):
        ends = []
        for step in (1e-5, -1e-5):
            moved = [part.copy() for part in at]
            moved[which][place] += step
            ends.append(function(*moved))
        slopes[place] = (ends[0] - ends[1]) / 2e-5
    return slopes


@pytest.fixture
def start() -> Start:
    """Means, log standard deviations, rows."""
    generator = np.random.default_rng(0)
    nu, rho = generator.normal(size=(N, D)), 0.3 * generator.normal(size=(N, D))
    return nu, rho, np.array([generator.choice(N, 3, replace=False) for _ in range(M)])


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("samples", [1, 3])
def test_slopes_should_equal_finite_differences(start: Start, name: str, samples: int) -> None:
    nu, rho, rows = start
    link, key = LINKS[name], stream_keys(5, 1)[0]
    pool, stream = kernels.normal_pool(key, D), open_stream(key, 1)
    starts = [int(below(stream, kernels._POOL)) for _ in range(M * samples)]
    noise = np.array([pool[at : at + 3 * D].reshape(3, D) for at in starts], float)
    nu_slope, rho_slope = np.zeros((2, N, D), np.float32)
    state = kernels.begin(nu, rho)
    stream = open_stream(key, 1)
    kernels.add_slopes(
        rows, np.ones(M, np.float32), np.arange(M), state.nu, state.sd, pool, stream, link, samples, nu_slope, rho_slope
    )

    def objective(nu: Array, rho: Array) -> float:
        return log_likelihood(link, nu, rho, np.repeat(rows, samples, axis=0), noise)

    assert nu_slope == pytest.approx(finite_difference(objective, [nu, rho], 0), rel=2e-3, abs=2e-3)
    in_rho = rho_slope * np.exp(rho)  # the step multiplies by sd
    assert in_rho == pytest.approx(finite_difference(objective, [nu, rho], 1), rel=2e-3, abs=2e-3)


def test_slopes_should_be_those_of_the_weighted_sum(start: Start) -> None:
    """Weights 0 and 2 for the first and the second half: the slopes of the second half, twice."""
    nu, rho, rows = start
    state, key = kernels.begin(nu, rho), stream_keys(5, 1)[0]
    pool = kernels.normal_pool(key, D)
    weights = np.where(np.arange(M) < M // 2, 0, 2).astype(np.float32)
    found, halves = np.zeros((2, N, D), np.float32), np.zeros((2, 2, N, D), np.float32)
    kernels.add_slopes(
        rows, weights, np.arange(M), state.nu, state.sd, pool, open_stream(key, 1), LINKS["probit"], 1, *found
    )
    stream = open_stream(key, 1)
    for half, part in zip(halves, np.split(np.arange(M), [M // 2]), strict=True):  # one stream for both
        kernels.add_slopes(*unweighted(rows), part, state.nu, state.sd, pool, stream, LINKS["probit"], 1, *half)
    np.testing.assert_allclose(found, 2 * halves[1], rtol=1e-5, atol=1e-5)


def test_the_first_step_should_follow_the_slope_of_the_tempered_kl(start: Start) -> None:
    """Adam's first moments after one step are a tenth of the slope: that of -τ KL to N(mean, variance)."""
    nu, rho, _ = start
    mean, variance, temper = np.arange(N * D).reshape(N, D) / 10, np.array([0.5, 1.0, 2.0]), 0.3

    def minus_kl(nu: Array, rho: Array) -> float:
        psi = np.exp(2 * rho)
        return -temper * 0.5 * (psi / variance + (nu - mean) ** 2 / variance - 1 - np.log(psi / variance)).sum()

    state, zeros = kernels.begin(nu, rho), np.zeros((N, D), np.float32)
    prior = Prior(mean.astype(np.float32), variance.astype(np.float32), temper)
    kernels.adam_step(state, prior, zeros.copy(), zeros.copy(), 1.0, 0.01, 1)
    assert state.nu_first * 10 == pytest.approx(finite_difference(minus_kl, [nu, rho], 0), abs=1e-4)
    assert state.rho_first * 10 == pytest.approx(finite_difference(minus_kl, [nu, rho], 1), abs=1e-4)
    np.testing.assert_allclose(state.nu, nu + 0.01 * np.sign(state.nu_first), atol=1e-5)
    np.testing.assert_allclose(state.sd, np.exp(state.rho), rtol=1e-6)


def test_steps_should_be_adams(start: Start) -> None:
    """Ten steps along given slopes, against Adam's rule in float64."""
    place, first, second = np.zeros((3, 5), np.float32)
    expected, m, v = np.zeros((3, 5))
    for step in range(1, 11):
        slope = np.random.default_rng(step).normal(size=5)
        kernels._adam(place, slope.astype(np.float32), first, second, 0.1, step)
        m, v = 0.9 * m + 0.1 * slope, 0.99 * v + 0.01 * slope**2
        expected += 0.1 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-8)
    assert place == pytest.approx(expected, abs=1e-5)


def test_an_embedding_without_widths_should_keep_none(start: Start) -> None:
    nu, _, rows = start
    state = kernels.begin(nu, None)
    flat = Prior(np.zeros((1, D), np.float32), np.full(D, np.inf, np.float32), 1.0)
    key = stream_keys(1, 1)[0]
    kernels.run_epoch(
        *unweighted(rows),
        state,
        LINKS["ratio"],
        flat,
        kernels.Schedule(4, 1, 0.1, 5),
        kernels.normal_pool(key, D),
        key,
        0,
    )
    assert (state.sd == 0).all()
    assert np.isfinite(state.nu).all()
