"""The exact posterior, and answers about items whose places are uncertain."""

import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import learn2search as l2s
from learn2search.click import all_positive, click_margins, rivals_of
from learn2search.comparison import PROBIT, normal_log_probabilities
from learn2search.search.likelihood import most_probable, space_of, uncertain_margin, weigh
from learn2search.streams import open_stream, stream_keys
from learn2search.typing import Array, Stream

FREE = np.zeros(30, np.uint8)
UNIFORM = np.full(30, 1 / 30)


def stream() -> Stream:
    return open_stream(stream_keys(0, 1)[0], 0)


@given(st.integers(0, 10**6), st.integers(1, 6), st.floats(0.05, 2))
def test_weighing_by_a_pair_should_be_bayes_rule(seed: int, d: int, noise: float) -> None:
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(30, d)) + 1000 * generator.normal(size=d)  # far from the origin too
    query, chosen = generator.choice(30, 2, replace=False), int(generator.integers(2))
    prior = generator.dirichlet(np.ones(30))
    z = l2s.margin(features[query[chosen]], features[query[1 - chosen]], features) / noise
    expected = prior * special.ndtr(np.clip(z, -6, 6))
    p = prior.copy()
    weigh(p, space_of(l2s.Embedding(features), noise), query, chosen, 1.0, FREE, UNIFORM)
    np.testing.assert_allclose(p, expected / expected.sum(), rtol=2e-4, atol=1e-12)  # margins in float32


@given(st.integers(0, 10**6), st.integers(1, 12), st.floats(0.05, 2), st.sampled_from([1e-4, 0.1, 1.0, 4.0]))
def test_weighing_in_blocks_should_be_the_comparison_models_normal_form(
    seed: int, d: int, noise: float, variance: Array
) -> None:
    """Against `normal_log_probabilities`: the same moments, multiplied out, in float32."""
    generator = np.random.default_rng(seed)
    mean, var = generator.normal(size=(30, d)), variance * noise**2 * generator.gamma(1.0, size=(30, d))
    rows = np.array([[k, 3, 7] for k in range(30)])
    expected = normal_log_probabilities(mean / noise, var / noise**2, rows, PROBIT)
    chances = np.maximum(np.exp(expected), special.ndtr(-6))
    p = np.ones(30)
    weigh(p, space_of(l2s.Embedding(mean, var), noise), np.array([3, 7]), 0, 1.0, FREE, UNIFORM)
    np.testing.assert_allclose(p * chances.sum(), chances, rtol=2e-3, atol=1e-7)


@given(st.integers(0, 10**6), st.integers(3, 12), st.integers(1, 6), st.sampled_from([0.0, 1e-3, 0.3, 2.0]))
def test_weighing_in_blocks_should_be_the_probability_of_the_click(seed: int, k: int, d: int, variance: float) -> None:
    """Against `click.all_positive`, one target at a time in full precision; 700 targets are more than one block."""
    generator = np.random.default_rng(seed)
    mean, var = generator.normal(size=(700, d)), variance * generator.gamma(1.0, size=(700, d))
    space = space_of(l2s.Embedding(mean, var if variance else None), 0.5)
    query = generator.choice(700, k, replace=False)
    fast, slow = np.ones(700), np.ones(700)
    for p, coarse in [(fast, False), (slow, True)]:
        weigh(p, space._replace(coarse=coarse), query, 0, 1.0, np.zeros(700, np.uint8), np.ones(700))
    np.testing.assert_allclose(fast / slow.max(), slow / slow.max(), rtol=2e-3, atol=2e-6)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("variance", [0.0, 0.3])
@pytest.mark.parametrize("coarse", [False, True])
def test_a_click_should_be_a_lapse_now_and_then(k: int, variance: float, coarse: bool) -> None:
    """Bayes' rule by hand, one target at a time: p ((1 - lapse) P + lapse / k)."""
    generator = np.random.default_rng(k)
    mean, var = generator.normal(size=(30, 3)), variance * generator.gamma(1.0, size=(30, 3))
    prior, query = generator.dirichlet(np.ones(30)), generator.choice(30, k, replace=False)
    space = space_of(l2s.Embedding(mean, var if variance else None), 0.3, lapse=0.2)._replace(coarse=coarse)
    rivals, chances = rivals_of(space.mean, space.var, query, 1), np.empty(30)
    for target in range(30):
        margins, cov = np.empty(k - 1), np.empty((k - 1, k - 1))
        click_margins(space.mean, space.var, int(query[1]), rivals, target, 0.3, margins, cov)
        chances[target] = all_positive(margins, cov)
    expected, p = prior * (0.8 * chances + 0.2 / k), prior.copy()
    weigh(p, space, query, 1, 1.0, FREE, UNIFORM)
    np.testing.assert_allclose(p, expected / expected.sum(), rtol=2e-3)


@given(st.integers(0, 10**6))
def test_vanishing_uncertainty_should_give_the_exact_margin(seed: int) -> None:
    x = np.random.default_rng(seed).normal(size=(3, 5))
    tiny = np.full(5, 1e-14)
    assert math.isclose(
        uncertain_margin(x[0], x[1], x[2], tiny, tiny, tiny, 0.5),
        float(l2s.margin(x[0], x[1], x[2])) / 0.5,
        rel_tol=1e-6,
        abs_tol=1e-6,
    )


@given(st.integers(0, 10**6))
def test_swapping_an_uncertain_pair_should_negate_its_margin(seed: int) -> None:
    generator = np.random.default_rng(seed)
    x, v = generator.normal(size=(3, 3)), generator.gamma(1.0, size=(3, 3))
    forward = uncertain_margin(x[0], x[1], x[2], v[0], v[1], v[2], 0.5)
    backward = uncertain_margin(x[1], x[0], x[2], v[1], v[0], v[2], 0.5)
    assert math.isclose(forward, -backward, rel_tol=1e-9, abs_tol=1e-12)


def test_uncertain_items_should_say_less() -> None:
    generator = np.random.default_rng(1)
    x = generator.normal(size=(30, 3))
    sharp, vague = (space_of(l2s.Embedding(x, np.full((30, 3), v)), 0.2) for v in (1e-6, 1.0))
    spreads = []
    for space in (sharp, vague):
        p = UNIFORM.copy()
        weigh(p, space, np.array([0, 1]), 0, 1.0, FREE, UNIFORM)
        spreads.append(p.std())
    assert spreads[1] < spreads[0]


def test_shown_items_should_keep_only_the_miss_rate() -> None:
    features = np.random.default_rng(0).normal(size=(30, 2))
    space = space_of(l2s.Embedding(features), 0.3)
    p = UNIFORM.copy()
    weigh(p, space, np.array([3, 4]), -1, 0.02, FREE, UNIFORM)  # can't tell
    assert math.isclose(p[3] / p[5], 0.02)
    assert math.isclose(p[4] / p[5], 0.02)
    assert math.isclose(p.sum(), 1)
    weigh(p, space, np.array([5, 6]), 0, 0.0, FREE, UNIFORM)
    assert p[5] == p[6] == 0


def test_when_nothing_is_left_the_prior_of_the_free_items_should_come_back() -> None:
    features = np.random.default_rng(0).normal(size=(30, 2))
    space, blocked = space_of(l2s.Embedding(features), 0.3), FREE.copy()
    blocked[:10] = 1
    p = np.zeros(30)
    p[12] = 1.0
    weigh(p, space, np.array([12, 13]), 1, 0.0, blocked, UNIFORM)
    np.testing.assert_allclose(p[14:], 1 / 18)
    assert p[:10].sum() + p[12] + p[13] == 0


def test_no_single_answer_should_rule_an_item_out() -> None:
    features = np.array([[0.0], [1.0], [1000.0], [1001.0]])
    p = np.full(4, 0.25)
    weigh(p, space_of(l2s.Embedding(features), 0.01), np.array([0, 1]), 0, 1.0, np.zeros(4, np.uint8), np.full(4, 0.25))
    assert p[3] == pytest.approx(special.ndtr(-6.0) / 1.0, rel=1e-2)
    assert most_probable(p, stream()) == 0


def test_ties_for_the_most_probable_should_be_broken_at_random() -> None:
    p, s = np.array([0.1, 0.3, 0.3, 0.3]), stream()
    counts = np.bincount([most_probable(p, s) for _ in range(3000)], minlength=4)
    assert counts[0] == 0
    assert ((counts[1:] - 1000) ** 2 / 1000).sum() < 13.8  # 2 degrees of freedom, p = 0.001


def test_one_far_item_should_not_blur_the_others() -> None:
    generator = np.random.default_rng(0)
    features = np.concatenate([generator.random((1000, 3)), [[1e9, 1e9, 1e9]]])
    p = np.full(1001, 1 / 1001)
    weigh(p, space_of(l2s.Embedding(features), 0.02), np.array([0, 1]), 0, 1.0, np.zeros(1001, np.uint8), p.copy())
    expected = special.ndtr(np.clip(l2s.margin(features[0], features[1], features) / 0.02, -6, 6))
    np.testing.assert_allclose(p, expected / expected.sum(), rtol=1e-5, atol=1e-15)


def test_a_prior_on_one_item_that_is_refused_should_leave_all_others() -> None:
    features = np.random.default_rng(0).random((40, 3))
    prior = np.zeros(40)
    prior[7] = 1.0
    search = l2s.PosteriorSearch(l2s.Embedding(features), 0.1, prior=prior, seed=0)
    query = search.ask()
    assert 7 in query
    search.tell(next(item for item in query if item != 7))
    probability = search.probability()
    assert probability[list(query)].sum() == 0
    assert probability.sum() == pytest.approx(1)


def test_exact_and_uncertain_positions_should_be_of_one_type_for_the_compiler() -> None:
    """Otherwise everything that takes them would be compiled twice."""
    exact = l2s.Embedding(np.random.default_rng(0).random((5, 2)))
    uncertain = l2s.Embedding(exact.mean, np.ones((5, 2)))
    assert numba.typeof(space_of(exact, 0.1)) == numba.typeof(space_of(uncertain, 0.1))
    assert numba.typeof(l2s.Nearest(exact).index) == numba.typeof(l2s.Nearest(uncertain, "mahalanobis").index)
