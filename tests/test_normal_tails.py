"""Tails and tables of the normal distribution against SciPy and known values."""

import math

import numpy as np
import pytest
from scipy import special, stats

from learn2search import normal_tails

GRID = np.concatenate([-np.logspace(-8, 4, 4000), [0.0], np.logspace(-8, 4, 4000)])


def test_compiled_log_ndtr_should_agree_with_the_array_form() -> None:
    compiled = np.array([normal_tails.log_ndtr_at(g) for g in GRID])
    np.testing.assert_allclose(compiled, normal_tails.log_ndtr(GRID), rtol=1e-12, atol=1e-300)


def test_compiled_hazard_should_agree_with_the_array_form() -> None:
    compiled = np.array([normal_tails.hazard_at(g) for g in GRID])
    assert np.isfinite(compiled).all()
    np.testing.assert_allclose(compiled, normal_tails.hazard(GRID), rtol=1e-12, atol=1e-300)


def test_hazard_should_be_the_slope_of_log_ndtr() -> None:
    g = np.linspace(-30, 8, 400)
    step = 1e-5
    slope = (normal_tails.log_ndtr(g + step) - normal_tails.log_ndtr(g - step)) / (2 * step)
    np.testing.assert_allclose(normal_tails.hazard(g), slope, rtol=1e-6, atol=1e-9)


def test_hazard_should_have_its_known_value_where_the_quotient_is_nan() -> None:
    assert math.isclose(normal_tails.hazard_at(-40.0), 40.024968847207264, rel_tol=1e-13)  # mpmath, 60 digits
    assert math.isclose(normal_tails.hazard_at(-1e4), 1e4 + 1e-4, rel_tol=1e-12)


def test_tables_should_follow_the_functions() -> None:
    z = np.linspace(-6, 6, 50_001)
    table = np.array([normal_tails.ndtr_tabled(at) for at in z])
    np.testing.assert_allclose(table, special.ndtr(z), rtol=1e-6)
    values = np.full(len(z), 3.0)
    normal_tails.multiply_by_ndtr(values, z.astype(np.float32))
    np.testing.assert_allclose(values, 3 * special.ndtr(z.astype(np.float32).astype(float)), rtol=1e-5)
    p = special.ndtr(z)
    entropy = stats.entropy([p, special.ndtr(-z)], base=2)
    np.testing.assert_allclose([normal_tails.entropy_tabled(at) for at in z], entropy, atol=1e-7)
    assert normal_tails.ndtr_tabled(-50.0) == pytest.approx(special.ndtr(-6.0), rel=1e-6)
    assert normal_tails.ndtr_tabled(math.nan) == pytest.approx(special.ndtr(-6.0), rel=1e-6)
    strange = np.ones(3)
    normal_tails.multiply_by_ndtr(strange, np.array([np.nan, np.inf, -np.inf], np.float32))
    np.testing.assert_allclose(strange, special.ndtr([-6, 6, -6]), rtol=1e-4)
    assert normal_tails.ndtr_tabled(50.0) == pytest.approx(1.0, abs=1e-8)
