"""A noise that does not fit the items is said, one that does is not."""

import warnings

import numpy as np
import pytest

import learn2search as l2s
from learn2search.search.noise_check import expected_flips


@pytest.mark.parametrize("d", [1, 2, 5, 20])
@pytest.mark.parametrize("relative", [0.2, 0.5, 1.0, 2.0])
def test_the_share_of_flips_should_be_that_of_random_pairs(d: int, relative: float) -> None:
    generator = np.random.default_rng(d)
    for features in (generator.uniform(size=(3000, d)), generator.normal(size=(3000, d)) * np.linspace(0.2, 3, d)):
        noise = relative * float(features.std())
        margins = l2s.random_margins(features, count=20_000)
        assert expected_flips(l2s.Embedding(features), noise) == pytest.approx(l2s.flip_rate(margins, noise), abs=0.03)


@pytest.mark.parametrize("strategy", ["gauss", "sampled", "random"])
def test_a_noise_in_another_unit_should_be_warned_of(strategy: str) -> None:
    features = np.random.default_rng(0).uniform(size=(200, 5))
    with pytest.warns(l2s.NoiseWarning, match="noise=1, 39% of the .* 0.059 for 5% wrong answers, 0.18 for 15%"):
        l2s.make_search(strategy, l2s.Embedding(features))
    with pytest.warns(l2s.NoiseWarning):
        l2s.GaussSearch(l2s.Embedding(features), seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        l2s.make_search(strategy, l2s.Embedding(features), 1.0)  # who gives it means it
        l2s.make_search(strategy, l2s.Embedding(10 * features))
        l2s.make_search(strategy, l2s.Embedding(1e-3 * features, np.full((200, 5), 1e-3)))  # learnt: in units of noise
