"""The comparison model against independent forms: geometry, quadrature and sampling."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, special, stats

import learn2search as l2s
from learn2search import comparison
from learn2search.comparison import PROBIT, Link
from learn2search.typing import Array, Triplets

points = arrays(float, (3, 4), elements=st.floats(-100, 100))


@given(points)
def test_margin_should_be_the_signed_distance_to_the_bisector(three: Array) -> None:
    i, j, t = three
    if np.linalg.norm(i - j) < 1e-3:
        return
    w, b = comparison.hyperplane(i, j)
    assert math.isclose(np.linalg.norm(w), 1, rel_tol=1e-9)
    assert math.isclose(w @ ((i + j) / 2) + b, 0, abs_tol=1e-6)
    expected = (np.sum((j - t) ** 2) - np.sum((i - t) ** 2)) / (2 * np.linalg.norm(i - j))
    assert math.isclose(comparison.margin(i, j, t), expected, rel_tol=1e-7, abs_tol=1e-6)
    assert math.isclose(w @ t + b, expected, rel_tol=1e-7, abs_tol=1e-6)


@given(points)
def test_swapping_the_pair_should_swap_the_answer(three: Array) -> None:
    i, j, t = three
    forward, backward = comparison.choice_probability(i, j, t, 2.0), comparison.choice_probability(j, i, t, 2.0)
    assert math.isclose(forward + backward, 1, abs_tol=1e-12)


def test_choice_probability_should_be_the_chance_that_a_noisy_target_is_nearer() -> None:
    i, j, t = np.array([0.3, -1.0]), np.array([1.0, 0.5]), np.array([0.2, 0.4])
    noise = np.random.default_rng(0).normal(0, 0.7, size=(400_000, 2))
    nearer = np.sum((t + noise - i) ** 2, axis=1) < np.sum((t + noise - j) ** 2, axis=1)
    probability = comparison.choice_probability(i, j, t, 0.7)
    assert abs(nearer.mean() - probability) < 4 * math.sqrt(probability * (1 - probability) / len(noise))


def test_items_at_the_same_place_should_be_a_coin_flip() -> None:
    assert comparison.choice_probability([1.0, 2.0], [1.0, 2.0], [5.0, 5.0], 1.0) == 0.5


def test_flip_rate_should_be_an_integral_over_the_margins() -> None:
    margins = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000, scale=1.5)
    expected, _ = integrate.quad(
        lambda m: stats.norm.pdf(m, scale=1.5) * special.ndtr(-abs(m) / 0.4), -12, 12, points=[0]
    )
    assert math.isclose(comparison.flip_rate(margins, 0.4), expected, rel_tol=1e-4)
    # for normal margins the integral is arctan(σ/s)/π
    assert math.isclose(expected, math.atan(0.4 / 1.5) / math.pi, rel_tol=1e-6)


def test_calibrated_noise_should_give_the_rate_back() -> None:
    margins = comparison.random_margins(np.random.default_rng(3).random((500, 5)), seed=1)
    noise = comparison.calibrate_noise(margins, 0.1)
    assert math.isclose(comparison.flip_rate(margins, noise), 0.1, abs_tol=1e-9)
    assert 0.105 < noise < 0.118  # about 0.11 on the unit cube with d = 5


def test_random_margins_should_use_three_different_items() -> None:
    features = np.array([[0.0], [1.0], [3.0]])
    margins = comparison.random_margins(features, 3000, seed=0)
    assert len(margins) == 3000
    assert set(np.round(np.abs(margins), 6)) == {0.5, 2.0, 2.5}  # (0, 3; 1), (1, 3; 0), (0, 1; 3)


@pytest.mark.parametrize("noise", [0, -1.0, math.nan, math.inf, "1", None, True])
def test_noise_that_is_not_positive_should_be_refused(noise: float) -> None:
    with pytest.raises(ValueError, match="a positive number, got"):
        comparison.choice_probability([0.0], [1.0], [0.5], noise)


def test_impossible_calibration_should_be_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 0.5"):
        comparison.calibrate_noise([1.0, 2.0], 0.7)
    with pytest.raises(ValueError, match="are ties"):
        comparison.calibrate_noise([0.0, 0.0, 0.0, 1.0], 0.1)
    with pytest.raises(ValueError, match="at least 3 items"):
        comparison.random_margins([[0.0], [1.0]])


# --- the scale of positions -----------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.05, 0.25, 4.0])
def test_the_scale_should_be_that_of_the_answers(noise: float) -> None:
    points = np.random.default_rng(1).standard_normal((40, 3))
    rows = l2s.make_triplets(l2s.ProbitOracle(points, noise, seed=0), 40, 20_000, seed=2)
    assert comparison.fit_scale(points, rows) == pytest.approx(1 / noise, rel=0.1)


def test_the_scale_should_be_where_the_likelihood_has_no_slope() -> None:
    """An independent form: Newton's root of d/ds Σ log Φ(s m) = Σ m h(s m)."""
    points = np.random.default_rng(3).standard_normal((30, 2))
    rows = l2s.make_triplets(l2s.ProbitOracle(points, 0.6, seed=4), 30, 500, seed=5)
    m = comparison.margin(points[rows[:, 1]], points[rows[:, 2]], points[rows[:, 0]])
    s = 1.0
    for _ in range(50):
        h = l2s.hazard(s * m)
        s += float(m @ h) / float(m**2 @ (h * (h + s * m)))
    assert comparison.fit_scale(points, rows) == pytest.approx(s, rel=1e-3)
    assert comparison.fit_scale(100 * points, rows) == pytest.approx(s / 100, rel=1e-3)


def test_a_scale_without_contradictions_or_without_margins_should_stay_finite() -> None:
    points = np.array([[0.0], [1.0], [3.0]])
    assert 0 < comparison.fit_scale(points, [[0, 1, 2]]) < 1e3
    assert comparison.fit_scale(np.array([[1.0], [1.0], [1.0]]), [[0, 1, 2]]) == 1.0


def test_an_expected_scale_should_count_while_triplets_are_few() -> None:
    """Against the most probable scale on a grid."""
    points = np.random.default_rng(0).normal(size=(20, 2))
    people = l2s.ProbitOracle(points, 0.5, seed=0)
    for count in (3, 30, 3000):
        rows = l2s.make_triplets(people, 20, count, seed=1)
        near, far, anchor = points[rows[:, 1]], points[rows[:, 2]], points[rows[:, 0]]
        margins = comparison.margin(near, far, anchor)
        grid = np.exp(np.linspace(-4, 4, 8001))
        posterior = [special.log_ndtr(s * margins).sum() - 0.5 * np.log(s / 0.3) ** 2 for s in grid]
        assert comparison.fit_scale(points, rows, 0.3) == pytest.approx(grid[np.argmax(posterior)], rel=2e-3)
    assert comparison.fit_scale(points, rows, 0.3) == pytest.approx(2.0, rel=0.1)


# --- uncertain positions --------------------------------------------------------------------------


def by_fourier(x: Array, v: Array) -> float:
    """P(near chosen) exactly, for anchor, near, far at x ± √v, `(3, d)`, noise 1: Gil-Pelaez' integral.

    The answer is near if u·c > 0 with u = x_near - x_far, c = x_anchor + N(0, I) - (x_near + x_far)/2: a sum of
    independent products of normal numbers, whose characteristic function is known.
    """
    (t, i, j), (v_t, v_i, v_j) = x, v
    u, c, var_u, k = i - j, t - (i + j) / 2, v_i + v_j, (v_j - v_i) / 2
    var_c = v_t + var_u / 4 + 1
    unit = math.sqrt(np.sum(var_u * c**2 + var_c * u**2 + 2 * k * u * c + var_u * var_c + k**2))
    log_s = np.linspace(-14, 9, 2000)
    s = 1j * np.exp(log_s)[:, None] / unit
    below = (1 - k * s) ** 2 - var_u * var_c * s**2
    above = s * u * c + s**2 / 2 * (var_u * c**2 + var_c * u**2 - 2 * k * u * c)
    characteristic = np.exp(np.sum(above / below - np.log(below) / 2, axis=1))
    return 0.5 + np.sum(characteristic.imag) * (log_s[1] - log_s[0]) / math.pi


def by_sampling(x: Array, v: Array, link: Link, noise: Array) -> float:
    """The same for any link by sampling positions; noise: `(samples, 3, d)`, with each its negative."""
    places = x + np.sqrt(v) * np.concatenate([noise, -noise])
    anchor, near, far = np.moveaxis(places, 1, 0)
    if not link.ratio:
        return special.ndtr(comparison.margin(near, far, anchor)).mean()
    to_near, to_far = (np.log1p(((anchor - other) ** 2).sum(axis=1)) for other in (near, far))
    return special.expit(link.kappa * (to_far - to_near)).mean()


def situations(d: int, spread: float, variance: float, count: int, seed: int, by_axis: bool) -> tuple[Array, Array]:
    """Positions of standard deviation `spread` and variances of mean `variance`, an axis' or an item's own."""
    generator = np.random.default_rng(seed)
    x = spread * generator.normal(size=(count, 3, d))
    v = variance * generator.gamma(1.0, size=(count, 3, d if by_axis else 1)) * np.ones(d)
    return x, v


def as_rows(x: Array, v: Array) -> tuple[Array, Array, Triplets]:
    """All situations as one embedding and its triplets."""
    return x.reshape(-1, x.shape[2]), v.reshape(-1, x.shape[2]), np.arange(3 * len(x)).reshape(-1, 3)


Form = Callable[[Array, Array, Triplets, Link], Array]
FORMS: tuple[Form, ...] = (comparison.log_probabilities, comparison.normal_log_probabilities)
SITUATIONS = [
    (spread, variance, by_axis)
    for spread in (0.5, 1, 3)
    for variance in (0.01, 0.25, 1, 4)
    for by_axis in (False, True)
]
NORMAL_FORM = {2: (0.025, 0.15), 10: (0.015, 0.06), 50: (0.005, 0.02)}  # mean and largest error of the probability


def test_the_fourier_integral_should_be_what_sampling_gives() -> None:
    noise = np.random.default_rng(0).normal(size=(100_000, 3, 2))
    x, v = situations(2, 1.0, 1.0, 5, 1, True)
    for at in range(5):
        assert by_fourier(x[at], v[at]) == pytest.approx(by_sampling(x[at], v[at], PROBIT, noise), abs=0.004)


@pytest.mark.parametrize("d", [2, 10, pytest.param(50, marks=pytest.mark.heavy)])
def test_uncertain_probit_answers_should_have_their_exact_probability(d: int) -> None:
    """From tiny variances to four times the noise: 0.01 on average, 0.03 at most; the fast form as stated."""
    for seed, (spread, variance, by_axis) in enumerate(SITUATIONS):
        x, v = situations(d, spread, variance, 60 if d < 50 else 20, seed, by_axis)
        exact = np.array([by_fourier(*one) for one in zip(x, v, strict=True)])
        error = np.abs(np.exp(comparison.log_probabilities(*as_rows(x, v), PROBIT)) - exact)
        assert error.mean() < 0.01
        assert error.max() < 0.03
        rough = np.abs(np.exp(comparison.normal_log_probabilities(*as_rows(x, v), PROBIT)) - exact)
        assert rough.mean() < NORMAL_FORM[d][0]
        assert rough.max() < NORMAL_FORM[d][1]


@pytest.mark.parametrize(
    ("d", "mean", "largest"),
    [(2, 0.045, 0.16), (10, 0.015, 0.05), pytest.param(50, 0.006, 0.02, marks=pytest.mark.heavy)],
)
def test_uncertain_ratio_answers_should_be_close_to_sampling(d: int, mean: float, largest: float) -> None:
    """An item's variance, summed over its axes, up to four times the link's unit of length squared; κ to 14."""
    noise = np.random.default_rng(0).normal(size=(5_000, 3, d))
    for seed, (spread, variance, kappa) in enumerate(itertools.product((1, 3), (0.01, 0.1, 1, 4), (1.25, 5.0, 14.0))):
        x, v = situations(d, spread / math.sqrt(d), variance / d, 20 if d < 50 else 10, seed, True)
        link = Link(True, kappa)
        sampled = np.array([by_sampling(*one, link, noise) for one in zip(x, v, strict=True)])
        error = np.abs(np.exp(comparison.log_probabilities(*as_rows(x, v), link)) - sampled)
        assert error.mean() < mean
        assert error.max() < largest


@pytest.mark.parametrize("link", [PROBIT, Link(True, 2.0)], ids=["probit", "ratio"])
@pytest.mark.parametrize("form", FORMS)
def test_exact_positions_should_have_the_links_own_probability(link: Link, form: Form) -> None:
    x = np.random.default_rng(1).normal(size=(30, 2))
    rows = np.arange(30).reshape(-1, 3)
    for row, found in zip(rows, np.exp(form(x, np.zeros_like(x), rows, link)), strict=True):
        to_near, to_far = (((x[row[0]] - x[other]) ** 2).sum() for other in row[1:])
        odds = ((1 + to_far) / (1 + to_near)) ** link.kappa
        expected = odds / (1 + odds) if link.ratio else special.ndtr(comparison.margin(*x[row[[1, 2, 0]]]))
        assert found == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 10**6), st.sampled_from([1e-6, 0.01, 1.0, 30.0, 1e6]), st.sampled_from([0.0, 1.0, 1e4]))
def test_an_answer_and_its_opposite_should_be_certain_together(seed: int, variance: float, spread: float) -> None:
    x, v = situations(3, spread, variance, 4, seed, True)
    mean, var, rows = as_rows(x, v)
    for link, form in itertools.product([PROBIT, Link(True, 2.0)], FORMS):
        one, other = (np.exp(form(mean, var, asked, link)) for asked in (rows, rows[:, [0, 2, 1]]))
        np.testing.assert_allclose(one + other, 1, atol=1e-6)


def test_far_tails_should_have_finite_logarithms() -> None:
    mean, rows = np.array([[0.0, 0.0], [1e3, 0.0], [1.0, 0.0]]), np.array([[0, 1, 2], [0, 2, 1]])
    for var in (0.0, 1e-3, 1.0):
        wrong, right = comparison.log_probabilities(mean, np.full((3, 2), var), rows, PROBIT)
        assert -2e5 < wrong < -1e3
        assert -1e-12 < right <= 0


def test_items_at_one_uncertain_or_exact_place_should_be_a_coin_flip() -> None:
    for var in (0.0, 2.0):
        mean = np.array([[3.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
        for form in FORMS:
            assert np.exp(form(mean, np.full((3, 2), var), np.array([[0, 1, 2]]), PROBIT)) == pytest.approx(0.5)


def test_probabilities_of_an_embedding_should_be_in_its_unit_of_length() -> None:
    generator = np.random.default_rng(0)
    mean, var = generator.normal(size=(6, 3)), generator.random((6, 3))
    rows = np.array([[0, 1, 2], [3, 4, 5]])
    once = comparison.answer_probabilities(l2s.Embedding(mean, var), rows)
    np.testing.assert_allclose(once, np.exp(comparison.log_probabilities(mean, var, rows, PROBIT)))
    larger = comparison.answer_probabilities(l2s.Embedding(10 * mean, 100 * var), rows, noise=10.0)
    np.testing.assert_allclose(once, larger, rtol=1e-9)
    exact = comparison.answer_probabilities(l2s.Embedding(mean), rows, noise=0.5)
    np.testing.assert_allclose(exact, comparison.choice_probability(mean[[1, 4]], mean[[2, 5]], mean[[0, 3]], 0.5))
    with pytest.raises(ValueError, match="item 9"):
        comparison.answer_probabilities(l2s.Embedding(mean), [[0, 1, 9]])
