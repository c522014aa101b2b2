"""Searches that begin near some items."""

import json
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.search import neighbourhood

SPACE = l2s.Embedding(np.random.default_rng(0).random((300, 3)))
EXAMPLES = (5, 20, 41)
NOISE = 0.1


def widths() -> list[float]:
    """h² = σ² + r²/d, where a tenth of the items is within r."""
    distances = np.linalg.norm(SPACE.mean[:, None] - SPACE.mean[list(EXAMPLES)], axis=2)
    return [NOISE**2 + np.quantile(column, 0.1) ** 2 / 3 for column in distances.T]


def test_weights_should_be_a_mixture_about_the_examples() -> None:
    weights = neighbourhood.near_weights(SPACE, EXAMPLES, NOISE)
    expected = np.full(300, 0.1 / 300)
    for example, width2 in zip(EXAMPLES, widths(), strict=True):
        kernel = [np.exp(-(np.linalg.norm(row - SPACE.mean[example]) ** 2) / (2 * width2)) for row in SPACE.mean]
        expected += 0.9 / 3 * np.array(kernel) / sum(kernel)
    np.testing.assert_allclose(weights, expected, rtol=1e-3)
    assert weights.sum() == pytest.approx(1)


def test_moments_should_be_those_of_the_mixture() -> None:
    generator = np.random.default_rng(1)
    samples = np.concatenate(
        [
            generator.normal(SPACE.mean[a], np.sqrt(h2), size=(40_000, 3))
            for a, h2 in zip(EXAMPLES, widths(), strict=True)
        ]
    )
    mean, cov = neighbourhood.near_moments(SPACE, EXAMPLES, NOISE)
    np.testing.assert_allclose(mean, samples.mean(axis=0), atol=0.004)  # standard errors are below 0.001
    np.testing.assert_allclose(cov, np.cov(samples.T), atol=0.003)


@pytest.mark.parametrize("strategy", ["gauss", "sampled"])
def test_beginning_near_the_target_should_shorten_searches(strategy: str) -> None:
    costs: dict[bool, list[int]] = {False: [], True: []}
    people = l2s.ProbitOracle(SPACE, NOISE, seed=1)
    for target in range(0, 300, 6):
        like = int(np.argsort(np.linalg.norm(SPACE.mean - SPACE.mean[target], axis=1))[5])
        for near, visitor in ((False, people.visitor(target)), (True, people.visitor(target))):
            search = l2s.make_search(strategy, SPACE, NOISE, seed=target)
            if near:
                search.begin_near(like)
            while target not in search.used:
                search.tell(visitor.choose(search.ask(2), target))
            costs[near].append(len(search.log))
    saved = np.array(costs[False]) - np.array(costs[True])
    assert saved.mean() > 3 * saved.std(ddof=1) / np.sqrt(len(saved))


@pytest.mark.parametrize("strategy", ["gauss", "sampled", "random"])
def test_the_beginning_should_be_stored_and_kept_by_undo(strategy: str) -> None:
    search = l2s.make_search(strategy, SPACE, NOISE, seed=0)
    uniform = search.probability()
    search.tell(search.ask(3)[0])
    search.begin_near([5, 20])
    search.restrict(exclude=[5])
    stored = json.loads(json.dumps(search.to_dict()))
    again = l2s.Search.from_dict(stored, SPACE)
    assert again.ask(4) == search.ask(4)
    np.testing.assert_array_equal(again.probability(), search.probability())
    search.undo()
    assert search.prior[20] > 3 * search.prior.mean()
    assert search.probability()[5] == 0
    search.restrict()
    search.begin_near([])
    np.testing.assert_array_equal(search.probability(), uniform)
    wrong: Any
    for wrong, message in [
        ([300], "begin_near names item 300"),
        ("ab", "begin_near is a list of items"),
        (None, "items"),
    ]:
        with pytest.raises(ValueError, match=message):
            search.begin_near(wrong)


def test_a_belief_of_few_candidates_should_be_usable() -> None:
    for some in ([3, 4], [3, 4, 5], [7]):
        search = l2s.GaussSearch(SPACE, NOISE, candidates=some, seed=0)
        assert np.linalg.eigvalsh(search.belief.cov)[0] > 0
        assert search.probability()[some].sum() == pytest.approx(1)
        if len(some) > 1:
            search.tell(search.ask(3)[0])
