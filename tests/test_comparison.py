"""The comparison model against independent forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, special, stats

from learn2search import comparison

points = arrays(float, (3, 4), elements=st.floats(-100, 100))


@given(points)
def test_margin_should_be_the_signed_distance_to_the_bisector(three):
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
def test_swapping_the_pair_should_swap_the_answer(three):
    i, j, t = three
    forward, backward = comparison.choice_probability(i, j, t, 2.0), comparison.choice_probability(j, i, t, 2.0)
    assert math.isclose(forward + backward, 1, abs_tol=1e-12)


def test_choice_probability_should_be_the_chance_that_a_noisy_target_is_nearer():
    i, j, t = np.array([0.3, -1.0]), np.array([1.0, 0.5]), np.array([0.2, 0.4])
    noise = np.random.default_rng(0).normal(0, 0.7, size=(400_000, 2))
    nearer = np.sum((t + noise - i) ** 2, axis=1) < np.sum((t + noise - j) ** 2, axis=1)
    probability = comparison.choice_probability(i, j, t, 0.7)
    assert abs(nearer.mean() - probability) < 4 * math.sqrt(probability * (1 - probability) / len(noise))


def test_items_at_the_same_place_should_be_a_coin_flip():
    assert comparison.choice_probability([1.0, 2.0], [1.0, 2.0], [5.0, 5.0], 1.0) == 0.5


GRID = np.concatenate([-np.logspace(-8, 4, 4000), [0.0], np.logspace(-8, 4, 4000)])


def test_compiled_log_ndtr_should_agree_with_the_array_form():
    compiled = np.array([comparison.log_ndtr_at(g) for g in GRID])
    np.testing.assert_allclose(compiled, comparison.log_ndtr(GRID), rtol=1e-12, atol=1e-300)


def test_compiled_hazard_should_agree_with_the_array_form():
    compiled = np.array([comparison.hazard_at(g) for g in GRID])
    assert np.isfinite(compiled).all()
    np.testing.assert_allclose(compiled, comparison.hazard(GRID), rtol=1e-12, atol=1e-300)


def test_hazard_should_be_the_slope_of_log_ndtr():
    g = np.linspace(-30, 8, 400)
    step = 1e-5
    slope = (comparison.log_ndtr(g + step) - comparison.log_ndtr(g - step)) / (2 * step)
    np.testing.assert_allclose(comparison.hazard(g), slope, rtol=1e-6, atol=1e-9)


def test_hazard_should_have_its_known_value_where_the_quotient_is_nan():
    assert math.isclose(comparison.hazard_at(-40.0), 40.024968847207264, rel_tol=1e-13)  # mpmath, 60 digits
    assert math.isclose(comparison.hazard_at(-1e4), 1e4 + 1e-4, rel_tol=1e-12)


def test_tables_should_follow_the_functions():
    z = np.linspace(-6, 6, 50_001)
    table = np.array([comparison.ndtr_tabled(at) for at in z])
    np.testing.assert_allclose(table, special.ndtr(z), rtol=1e-6)
    values = np.full(len(z), 3.0)
    comparison.multiply_by_ndtr(values, z.astype(np.float32))
    np.testing.assert_allclose(values, 3 * special.ndtr(z.astype(np.float32).astype(float)), rtol=1e-5)
    p = special.ndtr(z)
    entropy = stats.entropy([p, special.ndtr(-z)], base=2)
    np.testing.assert_allclose([comparison.entropy_tabled(at) for at in z], entropy, atol=1e-7)
    assert comparison.ndtr_tabled(-50.0) == pytest.approx(special.ndtr(-6.0), rel=1e-6)
    assert comparison.ndtr_tabled(math.nan) == pytest.approx(special.ndtr(-6.0), rel=1e-6)
    strange = np.ones(3)
    comparison.multiply_by_ndtr(strange, np.array([np.nan, np.inf, -np.inf], np.float32))
    np.testing.assert_allclose(strange, special.ndtr([-6, 6, -6]), rtol=1e-4)
    assert comparison.ndtr_tabled(50.0) == pytest.approx(1.0, abs=1e-8)


def test_flip_rate_should_be_an_integral_over_the_margins():
    margins = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000, scale=1.5)
    expected, _ = integrate.quad(
        lambda m: stats.norm.pdf(m, scale=1.5) * special.ndtr(-abs(m) / 0.4), -12, 12, points=[0]
    )
    assert math.isclose(comparison.flip_rate(margins, 0.4), expected, rel_tol=1e-4)
    # for normal margins the integral is arctan(σ/s)/π
    assert math.isclose(expected, math.atan(0.4 / 1.5) / math.pi, rel_tol=1e-6)


def test_calibrated_noise_should_give_the_rate_back():
    margins = comparison.random_margins(np.random.default_rng(3).random((500, 5)), seed=1)
    noise = comparison.calibrate_noise(margins, 0.1)
    assert math.isclose(comparison.flip_rate(margins, noise), 0.1, abs_tol=1e-9)
    assert 0.105 < noise < 0.118  # about 0.11 on the unit cube with d = 5


def test_random_margins_should_use_three_different_items():
    features = np.array([[0.0], [1.0], [3.0]])
    margins = comparison.random_margins(features, 3000, seed=0)
    assert len(margins) == 3000
    assert set(np.round(np.abs(margins), 6)) == {0.5, 2.0, 2.5}  # (0, 3; 1), (1, 3; 0), (0, 1; 3)


@pytest.mark.parametrize("noise", [0, -1.0, math.nan, math.inf, "1", None, True])
def test_noise_that_is_not_positive_should_be_refused(noise):
    with pytest.raises(ValueError, match="a positive number, got"):
        comparison.choice_probability([0.0], [1.0], [0.5], noise)


def test_impossible_calibration_should_be_refused():
    with pytest.raises(ValueError, match="between 0 and 0.5"):
        comparison.calibrate_noise([1.0, 2.0], 0.7)
    with pytest.raises(ValueError, match="are ties"):
        comparison.calibrate_noise([0.0, 0.0, 0.0, 1.0], 0.1)
    with pytest.raises(ValueError, match="at least 3 items"):
        comparison.random_margins([[0.0], [1.0]])
