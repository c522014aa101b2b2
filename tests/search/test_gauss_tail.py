"""Why GaussSearch is slow for a target far from all other items: docs/research/gauss_tail.md."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import learn2search as l2s
from learn2search.search.gauss_search import update

REACH = math.sqrt(2 / math.pi) / (1 - math.sqrt(1 - 2 / math.pi))  # 2.01


def after_answers(count: int, noise_var: float) -> tuple[float, float]:
    """Mean and variance of N(0, 1) after so many answers "above the mean"."""
    belief = l2s.Belief(np.zeros(1), np.eye(1), np.eye(1))
    for _ in range(count):
        belief = update(belief, np.ones(1), -belief.mean[0], noise_var)
    return float(belief.mean[0]), float(belief.cov[0, 0])


def test_an_answer_should_leave_the_moments_of_a_half_normal() -> None:
    mean, variance = after_answers(1, 1e-12)
    half = stats.halfnorm()
    assert (mean, variance) == pytest.approx((half.mean(), half.var()), abs=1e-6)


def test_true_answers_should_carry_the_belief_no_further_than_two_standard_deviations() -> None:
    """Each one moves the mean by 0.8 standard deviations and leaves 0.6 of them: a geometric series."""
    means = [after_answers(count, 1e-12)[0] for count in (1, 5, 10, 20)]
    assert means == sorted(means)
    assert means[-1] == pytest.approx(REACH, abs=1e-3)
    assert after_answers(40, 1e-12)[1] < 1e-12  # and it is sure of that


def test_the_exact_posterior_should_go_on() -> None:
    """After m answers "above the median" the median of N(0, 1) is where 2^-(m + 1) of the mass is left; that is
    √(2 m ln 2) for large m, and any target is reached."""
    for m in (20, 50, 100):
        median = -special.ndtri(2.0 ** -(m + 1))
        assert median > 2.4 * REACH
        assert median == pytest.approx(math.sqrt(2 * m * math.log(2)), rel=0.2)


def test_noise_should_let_the_belief_go_on_slowly() -> None:
    """Theorem 2 of the paper holds: with noise the variance falls as 1/m only, so the mean gets anywhere, in time."""
    means = [after_answers(count, 0.1)[0] for count in (20, 200, 2000)]
    assert means[0] < 2 * REACH < means[2]
    assert np.all(np.diff(means) > 0)


def test_a_far_target_should_take_long_unless_the_first_belief_is_wide() -> None:
    features = np.random.default_rng(0).normal(size=(300, 3))
    features[0] *= 10 / np.linalg.norm(features[0])
    space, person = l2s.Embedding(features), l2s.ProbitOracle(features, 0.3, seed=1)

    def mean_cost(strategy: str, **options: Any) -> float:
        run = l2s.simulate(strategy, space, person, np.zeros(20, int), seed=2, workers=1, progress=False, **options)
        return run.mean

    narrow, wide = mean_cost("gauss"), mean_cost("gauss", prior=l2s.Belief.of(space, 16.0))
    assert narrow > 3 * wide
    assert mean_cost("sampled") < narrow / 3
