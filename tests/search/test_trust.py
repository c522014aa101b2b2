"""How far a belief is trusted: a power that makes its probabilities come true."""

import numpy as np
import pytest

import learn2search as l2s


def said_and_true(power: float, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Beliefs about 20 items whose targets are drawn from the power of them, as if each answer had counted too much."""
    generator = np.random.default_rng(seed)
    true = generator.dirichlet(np.full(20, 0.3), count)
    said = true ** (1 / power)
    said /= said.sum(axis=1, keepdims=True)
    return said, np.array([generator.choice(20, p=p / p.sum()) for p in true])


@pytest.mark.parametrize("power", [0.4, 0.7, 1.0])
def test_the_power_should_be_found_that_the_targets_were_drawn_with(power: float) -> None:
    beliefs, targets = said_and_true(power, 3000, seed=1)
    assert l2s.fit_trust(beliefs, targets) == pytest.approx(power, rel=0.08)  # a step of the powers is 6%


def test_few_searches_should_hardly_move_it() -> None:
    beliefs, targets = said_and_true(0.4, 3, seed=2)
    assert l2s.fit_trust(np.empty((0, 20)), []) == 1.0
    assert l2s.fit_trust(beliefs, targets) > 0.5


def test_a_tempered_belief_should_be_the_posterior_of_tempered_answers() -> None:
    """p_τ ∝ prior × Π likelihood^τ, for a uniform prior, answer by answer."""
    generator = np.random.default_rng(3)
    likelihoods = generator.uniform(size=(5, 30))
    p = np.full(30, 1 / 30)
    slow = p.copy()
    for one in likelihoods:
        p, slow = p * one / (p @ one), slow * one**0.6 / (slow @ one**0.6)
    np.testing.assert_allclose(l2s.temper_belief(p, 0.6), slow)
    np.testing.assert_allclose(l2s.temper_belief(p, 1.0), p)
    half = l2s.temper_belief([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]], 0.0)
    np.testing.assert_allclose(half, [[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])  # what was ruled out stays so


def test_what_cannot_be_used_should_be_refused() -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        l2s.temper_belief([0.5, 0.5], 1.5)
    with pytest.raises(ValueError, match="one row a target"):
        l2s.fit_trust([[0.5, 0.5]], [0, 1])
