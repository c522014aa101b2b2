"""Probabilities and online steps with uncertain places, against quadrature and against sampling."""

import numpy as np
import pytest
from scipy import special

import learn2search as l2s
from learn2search.embed._numba.kernels import Link
from learn2search.embed.online import log_chances, update_in_place

PROBIT, RATIO = Link(False, 1.0), Link(True, 2.0)


def test_update_in_places_should_match_moments_by_quadrature():
    """d = 1, only the anchor uncertain, probit: the exact posterior is one integral."""
    nu, psi = np.array([[0.2], [1.0], [-0.5]]), np.array([[0.8], [1e-12], [1e-12]])
    x = np.linspace(-8, 8, 40_001)
    weight = np.exp(-((x - 0.2) ** 2) / 1.6) * special.ndtr(l2s.margin(nu[1], nu[2], x[:, None]))
    weight /= weight.sum()
    update_in_place(nu, psi, np.array([[0, 1, 2]]), PROBIT)
    assert nu[0, 0] == pytest.approx(weight @ x, abs=1e-5)
    assert psi[0, 0] == pytest.approx(weight @ (x - weight @ x) ** 2, abs=1e-5)


def test_update_in_places_should_be_close_to_quadrature_with_the_ratio_link():
    """Near and far on both sides at a distance: the margin is nearly linear in the anchor."""
    nu, psi = np.array([[0.3], [3.0], [-3.0]]), np.array([[0.2], [1e-12], [1e-12]])
    x = np.linspace(-4, 4, 20_001)
    margin = RATIO.kappa * (np.log1p((x + 3) ** 2) - np.log1p((x - 3) ** 2))
    weight = np.exp(-((x - 0.3) ** 2) / 0.4) * special.expit(margin)
    weight /= weight.sum()
    update_in_place(nu, psi, np.array([[0, 1, 2]]), RATIO)
    assert nu[0, 0] == pytest.approx(weight @ x, abs=0.02)
    assert psi[0, 0] == pytest.approx(weight @ (x - weight @ x) ** 2, abs=0.02)


@pytest.mark.parametrize("link", [PROBIT, RATIO], ids=["probit", "ratio"])
def test_chances_should_be_those_of_sampled_places(link):
    generator = np.random.default_rng(0)
    nu, psi = 2 * generator.normal(size=(6, 4)), 0.1 * generator.random((6, 4)) + 0.02
    rows = np.array([[0, 1, 2], [3, 4, 5], [1, 0, 5], [2, 4, 3]])
    x = nu + np.sqrt(psi) * generator.normal(size=(20_000, 6, 4))
    for row, chance in zip(rows, np.exp(log_chances(nu, psi, rows, link)), strict=True):
        anchor, near, far = np.moveaxis(x[:, row], 1, 0)
        if link.ratio:
            to_near, to_far = (np.log1p(((anchor - other) ** 2).sum(axis=1)) for other in (near, far))
            sampled = special.expit(link.kappa * (to_far - to_near)).mean()
        else:
            sampled = special.ndtr(l2s.margin(near, far, anchor)).mean()
        assert chance == pytest.approx(sampled, abs=0.02)


@pytest.mark.parametrize("link", [PROBIT, RATIO], ids=["probit", "ratio"])
def test_exact_places_should_have_the_models_own_probability(link):
    nu = np.random.default_rng(1).normal(size=(3, 2))
    chance = np.exp(log_chances(nu, np.zeros((3, 2)), np.array([[0, 1, 2]]), link))[0]
    near, far = ((nu[0] - nu[1]) ** 2).sum(), ((nu[0] - nu[2]) ** 2).sum()
    expected = ((1 + far) / (1 + near)) ** link.kappa if link.ratio else None
    expected = expected / (1 + expected) if link.ratio else special.ndtr(l2s.margin(nu[1], nu[2], nu[0]))
    assert chance == pytest.approx(expected, rel=1e-9)


def test_rows_that_name_an_item_twice_should_teach_nothing():
    nu, psi = np.random.default_rng(0).normal(size=(3, 2)), np.ones((3, 2))
    before = nu.copy()
    update_in_place(nu, psi, np.array([[0, 0, 1], [1, 2, 2], [2, 1, 2]]), PROBIT)
    np.testing.assert_array_equal(nu, before)
    np.testing.assert_array_equal(psi, 1)


def test_variances_should_stay_positive_over_many_contradictory_steps():
    nu, psi = np.random.default_rng(0).normal(size=(5, 2)), np.full((5, 2), 50.0)
    rows = np.array([[0, 1, 2], [0, 2, 1], [3, 4, 0], [3, 0, 4]] * 2000)
    update_in_place(nu, psi, rows, PROBIT)
    assert (psi > 0).all()
    assert np.isfinite(nu).all()
