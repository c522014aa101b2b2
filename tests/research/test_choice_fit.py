"""The fit with one choice a click: its probability against scipy's, its slopes against finite differences."""

import numpy as np
import pytest
from scipy import stats

import learn2search as l2s
from research.choice_fit import Clicks, click_slopes, fit_choices
from research.k_way_training import clicks_of, fit_triplets


def test_triplets_of_clicks_should_follow_each_other() -> None:
    clicks = Clicks(np.array([9, 8]), np.array([[1, 2, 3], [4, 5, 6]]))
    assert clicks.triplets().tolist() == [[9, 1, 2], [9, 1, 3], [8, 4, 5], [8, 4, 6]]


@pytest.mark.parametrize("k", [2, 3, 4, 6])
@pytest.mark.heavy
def test_the_probability_of_a_click_should_be_that_of_all_margins(k: int) -> None:
    for seed in range(5):
        x = np.random.default_rng([k, seed]).normal(size=(k + 1, 6))
        normals = (x[1] - x[2:]) / np.linalg.norm(x[1] - x[2:], axis=1)[:, None]
        margins = (normals * (x[0] - (x[1] + x[2:]) / 2)).sum(axis=1)
        exact = stats.multivariate_normal(cov=normals @ normals.T, seed=0).cdf(margins)
        assert np.exp(click_slopes(x, np.empty_like(x))) == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize(("k", "d"), [(2, 2), (4, 3), (8, 3), (8, 10)])
@pytest.mark.heavy
def test_slopes_should_equal_finite_differences(k: int, d: int) -> None:
    x = np.random.default_rng([k, d]).normal(size=(k + 1, d))
    slope, room = np.empty_like(x), np.empty_like(x)
    click_slopes(x, slope)
    for place in np.ndindex(x.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = x.copy()
            moved[place] += step
            ends.append(click_slopes(moved, room))
        assert slope[place] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-6)


@pytest.mark.heavy
def test_a_fit_should_place_items_as_people_see_them() -> None:
    """And about as well as one to their triplets."""
    features, generator = np.random.default_rng(0).normal(size=(30, 2)), np.random.default_rng(1)
    clicks = clicks_of(l2s.ProbitOracle(features, 0.3, seed=2), 4, 600, generator)
    asked = l2s.make_triplets(l2s.ProbitOracle(features, 0.3, seed=3), 30, 2000, seed=4)
    one = l2s.answer_probabilities(fit_choices(clicks, 30, 2, 0, length=5), asked)
    many = l2s.answer_probabilities(fit_triplets(clicks, 30, 2, 0, length=5), asked)
    assert np.log(one).mean() > np.log(many).mean() - 0.02
