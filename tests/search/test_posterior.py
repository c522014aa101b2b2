"""The posterior search tells the truth about how much it knows, with two and with more items shown."""

import numpy as np
import pytest

import learn2search as l2s

N, SEARCHES, ANSWERS = 120, 150, 3


@pytest.mark.parametrize("k", [2, 4, 8])
def test_as_many_bits_should_be_missing_as_the_belief_says(k: int) -> None:
    """The mean of -log₂ p(target) is the mean entropy, within four standard errors of the difference; the product over
    pairs would be off by more than ten with k = 8. research/calibration.py has more searches, bins and learnt
    positions."""
    generator = np.random.default_rng(0)
    space = l2s.Embedding(generator.normal(size=(N, 3)))
    people = l2s.ProbitOracle(space, l2s.calibrate_noise(l2s.random_margins(space.mean), 0.1), seed=1)
    missing = []
    for number, target in enumerate(generator.integers(0, N, SEARCHES)):
        search = l2s.make_search("sampled", space, people.noise, stop="mode", seed=number)
        for _ in range(ANSWERS):
            search.tell(people.choose(search.ask(k), int(target)))
        p = search.probability()
        entropy = -(p[p > 0] * np.log2(p[p > 0])).sum()
        missing.append(-np.log2(p[target]) - entropy)
    error = np.std(missing, ddof=1) / np.sqrt(SEARCHES)
    assert abs(np.mean(missing)) < 4 * error + 0.03  # and 0.03 for what the formula itself is off
