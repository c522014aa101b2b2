"""Online steps against quadrature."""

import numpy as np
import pytest
from scipy import special

import learn2search as l2s
from learn2search.comparison import PROBIT, Link
from learn2search.embed.fit_loop import unweighted
from learn2search.embed.online import online_step, update_in_place

RATIO = Link(True, 2.0)


def test_online_steps_should_match_moments_by_quadrature() -> None:
    """d = 1, only the anchor uncertain, probit: the exact posterior is one integral."""
    nu, psi = np.array([[0.2], [1.0], [-0.5]]), np.array([[0.8], [1e-12], [1e-12]])
    x = np.linspace(-8, 8, 40_001)
    weight = np.exp(-((x - 0.2) ** 2) / 1.6) * special.ndtr(l2s.margin(nu[1], nu[2], x[:, None]))
    weight /= weight.sum()
    update_in_place(nu, psi, *unweighted(np.array([[0, 1, 2]])), PROBIT)
    assert nu[0, 0] == pytest.approx(weight @ x, abs=1e-5)
    assert psi[0, 0] == pytest.approx(weight @ (x - weight @ x) ** 2, abs=1e-5)


@pytest.mark.parametrize("start", [0.2, -1.5])
def test_online_steps_with_lapses_should_match_moments_by_quadrature(start: float) -> None:
    """An answer as expected narrows what is known; one that surprises would widen it, and leaves it as it is."""
    nu, psi = np.array([[start], [1.0], [-0.5]]), np.array([[0.8], [1e-12], [1e-12]])
    x = np.linspace(-8, 8, 40_001)
    chance = 0.7 * special.ndtr(l2s.margin(nu[1], nu[2], x[:, None])) + 0.15
    weight = np.exp(-((x - start) ** 2) / 1.6) * chance
    weight /= weight.sum()
    update_in_place(nu, psi, *unweighted(np.array([[0, 1, 2]])), PROBIT._replace(lapse=0.3))
    assert nu[0, 0] == pytest.approx(weight @ x, abs=1e-5)
    assert psi[0, 0] == pytest.approx(min(weight @ (x - weight @ x) ** 2, 0.8), abs=1e-5)


def test_online_steps_should_be_close_to_quadrature_with_the_ratio_link() -> None:
    """Near and far on both sides at a distance: the margin is nearly linear in the anchor."""
    nu, psi = np.array([[0.3], [3.0], [-3.0]]), np.array([[0.2], [1e-12], [1e-12]])
    x = np.linspace(-4, 4, 20_001)
    margin = RATIO.kappa * (np.log1p((x + 3) ** 2) - np.log1p((x - 3) ** 2))
    weight = np.exp(-((x - 0.3) ** 2) / 0.4) * special.expit(margin)
    weight /= weight.sum()
    update_in_place(nu, psi, *unweighted(np.array([[0, 1, 2]])), RATIO)
    assert nu[0, 0] == pytest.approx(weight @ x, abs=0.02)
    assert psi[0, 0] == pytest.approx(weight @ (x - weight @ x) ** 2, abs=0.02)


def test_rows_that_name_an_item_twice_should_teach_nothing() -> None:
    nu, psi = np.random.default_rng(0).normal(size=(3, 2)), np.ones((3, 2))
    before = nu.copy()
    update_in_place(nu, psi, *unweighted(np.array([[0, 0, 1], [1, 2, 2], [2, 1, 2]])), PROBIT)
    np.testing.assert_array_equal(nu, before)
    np.testing.assert_array_equal(psi, 1)


def test_variances_should_stay_positive_over_many_contradictory_steps() -> None:
    nu, psi = np.random.default_rng(0).normal(size=(5, 2)), np.full((5, 2), 50.0)
    rows = np.array([[0, 1, 2], [0, 2, 1], [3, 4, 0], [3, 0, 4]] * 2000)
    update_in_place(nu, psi, *unweighted(rows), PROBIT)
    assert (psi > 0).all()
    assert np.isfinite(nu).all()


def test_a_step_should_be_a_pure_function_of_an_embedding() -> None:
    generator = np.random.default_rng(0)
    before = l2s.Embedding(generator.normal(size=(4, 2)), generator.random((4, 2)))
    mean, var = before.mean.copy(), before.var.copy()
    rows = np.array([[0, 1, 2], [3, 2, 1]])
    after = online_step(before, rows)
    np.testing.assert_array_equal(before.mean, mean)
    update_in_place(mean, var, *unweighted(rows), PROBIT)
    np.testing.assert_array_equal(after.mean, mean)
    np.testing.assert_array_equal(after.var, var)
    probable = l2s.answer_probabilities(after, rows) - l2s.answer_probabilities(before, rows)
    assert (probable > 0).all()


def test_exact_positions_should_not_move() -> None:
    known = l2s.Embedding(np.eye(3))
    assert online_step(known, [[0, 1, 2]]) is known


def test_a_weight_should_count_as_so_much_of_an_answer() -> None:
    """0 says nothing; two halves say about as much as one; a weight for all is a weight for each."""
    generator = np.random.default_rng(3)
    before = l2s.Embedding(generator.normal(size=(6, 2)), np.full((6, 2), 0.01))
    rows = np.array([[0, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(online_step(before, rows, sample_weight=[0, 0]).mean, before.mean)
    once, twice = online_step(before, rows), online_step(before, np.repeat(rows, 2, axis=0), sample_weight=0.5)
    np.testing.assert_allclose(once.mean, twice.mean, atol=1e-4)
    np.testing.assert_allclose(once.var, twice.var, atol=1e-5)
