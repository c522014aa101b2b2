"""People of the γ-CKL model, and the search that believes in them."""

import numpy as np
import pytest

import learn2search as l2s
from research import strategy_race
from research.scale_free import ScaleFreeOracle, click_probabilities, likeliest_gamma

FEATURES = np.random.default_rng(5).uniform(-1, 1, (40, 3))


@pytest.mark.parametrize("gamma", [0.5, 3.0, 12.0])
def test_the_odds_should_be_the_ratio_of_distances_to_the_power(gamma: float) -> None:
    first, second = click_probabilities(FEATURES, (3, 8), 21, gamma)
    ratio = np.linalg.norm(FEATURES[8] - FEATURES[21]) / np.linalg.norm(FEATURES[3] - FEATURES[21])
    assert first / second == pytest.approx(ratio**gamma)
    assert first + second == pytest.approx(1)
    np.testing.assert_allclose(click_probabilities(7 * FEATURES, (3, 8), 21, gamma), (first, second))  # free of scale


def test_a_target_that_is_shown_should_be_chosen() -> None:
    assert ScaleFreeOracle(FEATURES, 2.0, seed=0).choose((4, 9, 1), 9) == 9


def test_answers_should_come_as_often_as_they_are_probable() -> None:
    oracle, query = ScaleFreeOracle(FEATURES, 3.0, seed=1), (1, 2, 3, 4)
    drawn = np.array([oracle.choose(query, 30) for _ in range(4000)])
    shares = [(drawn == item).mean() for item in query]
    np.testing.assert_allclose(shares, click_probabilities(FEATURES, query, 30, 3.0), atol=0.03)


def test_gamma_should_be_found_from_answers() -> None:
    oracle, generator = ScaleFreeOracle(FEATURES, 4.0, seed=2), np.random.default_rng(3)
    rows = []
    for _ in range(4000):
        target, i, j = generator.choice(40, 3, replace=False).tolist()
        near = oracle.choose((i, j), target)
        rows.append((target, near, i + j - near))
    assert likeliest_gamma(FEATURES, np.array(rows)) == pytest.approx(4.0, rel=0.1)


@pytest.mark.usefixtures("forgotten_names")
def test_the_search_should_hold_the_posterior_of_that_model() -> None:
    strategy_race.register_strategies_of_the_page.cache_clear()
    strategy_race.register_strategies_of_the_page()
    search = l2s.make_search("gamma-ckl", l2s.Embedding(FEATURES), noise=1.0, gamma=3.0, stop="mode", seed=0)
    person, expected = ScaleFreeOracle(FEATURES, 3.0, seed=4), np.ones(40)
    for _ in range(5):
        query = search.ask(3)
        chosen = person.choose(query, 17)
        search.tell(chosen)
        for item in range(40):
            expected[item] *= click_probabilities(FEATURES, query, item, 3.0)[query.index(chosen)]
    np.testing.assert_allclose(search.probability(), expected / expected.sum(), atol=1e-9)
    strategy_race.register_strategies_of_the_page.cache_clear()


@pytest.mark.usefixtures("forgotten_names")
def test_the_search_should_ask_across_the_longest_axis() -> None:
    """Items in a long thin row: the first question has one from each side, probable and near two deviations away."""
    strategy_race.register_strategies_of_the_page.cache_clear()
    strategy_race.register_strategies_of_the_page()
    row = np.column_stack([np.linspace(-1, 1, 101), 0.01 * np.random.default_rng(0).normal(size=101)])
    left, right = sorted(l2s.make_search("gamma-ckl", l2s.Embedding(row), noise=1.0, reach=1.0, seed=0).ask())
    deviation = row[:, 0].std()
    np.testing.assert_allclose(row[[left, right], 0], [-deviation, deviation], atol=0.03)
    strategy_race.register_strategies_of_the_page.cache_clear()
