"""Simulated people answer by the model they claim."""

from collections.abc import Sequence

import numpy as np
import pytest

import learn2search as l2s
from learn2search.streams import stream_keys
from learn2search.typing import Array


@pytest.fixture
def features() -> Array:
    return np.random.default_rng(0).random((20, 3))


def test_pairs_should_be_answered_by_the_probit_model(features: Array) -> None:
    oracle = l2s.ProbitOracle(features, noise=0.2, seed=1)
    for i, j, t in [(0, 1, 2), (3, 4, 5), (6, 7, 6)]:
        answers = np.mean([oracle.choose((i, j), t) == i for _ in range(20_000)])
        expected = l2s.choice_probability(features[i], features[j], features[t], 0.2)
        assert abs(answers - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000)


def test_four_pictures_should_be_answered_by_the_nearest_to_a_perceived_target(features: Array) -> None:
    query, target, noise = (0, 1, 2, 3), 4, 0.3
    oracle = l2s.ProbitOracle(features, noise=noise, seed=1)
    answers = np.bincount([oracle.choose(query, target) for _ in range(20_000)], minlength=4)[:4] / 20_000
    perceived = features[target] + np.random.default_rng(9).normal(0, noise, size=(400_000, 3))
    nearest = np.argmin(((perceived[:, None] - features[None, :4]) ** 2).sum(axis=2), axis=1)
    expected = np.bincount(nearest, minlength=4) / len(nearest)
    assert np.all(np.abs(answers - expected) < 4 * np.sqrt(expected * (1 - expected) / 20_000) + 1e-3)


def test_small_margins_should_be_undecided(features: Array) -> None:
    noise, limit = 0.1, 0.05
    oracle = l2s.ProbitOracle(features, noise=noise, seed=1, undecided=limit)
    answers = [oracle.choose((0, 1), 2) for _ in range(20_000)]
    margin = float(l2s.margin(features[0], features[1], features[2]))
    draws = margin + noise * np.random.default_rng(3).normal(size=400_000)
    expected = np.mean(np.abs(draws) < limit)
    assert abs(np.mean([answer is None for answer in answers]) - expected) < 4 * np.sqrt(expected / 20_000)
    assert any(
        l2s.ProbitOracle(features, 0.1, 1, undecided=0.05).visitor(n).choose((0, 1, 2), 3) is None for n in range(200)
    )


def test_lapses_should_be_clicks_at_random() -> None:
    features = np.array([[0.0], [10.0], [0.1]])
    oracle = l2s.ProbitOracle(features, noise=0.01, seed=1, lapse=0.3)
    wrong = np.mean([oracle.choose((0, 1), 2) == 1 for _ in range(20_000)])
    assert abs(wrong - 0.15) < 4 * np.sqrt(0.15 * 0.85 / 20_000)


def test_visitors_should_have_streams_of_their_own(features: Array) -> None:
    oracle = l2s.ProbitOracle(features, noise=5.0, seed=1)

    def answers(visitor: l2s.ProbitOracle) -> list[int | None]:
        return [visitor.choose((i, i + 1), 0) for i in range(19)]

    assert answers(oracle.visitor(0)) != answers(oracle.visitor(1)) != answers(oracle.visitor(2))
    assert answers(oracle.visitor(1)) == answers(oracle.visitor(1))


def test_bad_questions_should_be_refused(features: Array) -> None:
    oracle = l2s.ProbitOracle(features, noise=0.1)
    with pytest.raises(ValueError, match=r"a query is 2 or more items of 0..19, got \(3, 20\)"):
        oracle.choose((3, 20), 0)
    with pytest.raises(ValueError, match="a query is 2 or more"):
        oracle.choose((3,), 0)
    with pytest.raises(ValueError, match="the target must be an item of 0..19, got 99"):
        oracle.choose((3, 4), 99)
    with pytest.raises(ValueError, match="share of random answers"):
        l2s.ProbitOracle(features, 0.1, lapse=2)
    with pytest.raises(ValueError, match="undecided is a distance"):
        l2s.ProbitOracle(features, 0.1, undecided=-1)
    with pytest.raises(ValueError, match="a positive number"):
        l2s.ProbitOracle(features, 0.0)


def test_people_and_searches_of_the_same_seed_should_not_share_a_stream() -> None:
    assert not set(l2s.ProbitOracle([[0.0], [1.0]], 0.1, seed=0).keys(50).ravel()) & set(stream_keys(0, 50).ravel())
    features = np.random.default_rng(0).random((1000, 1))  # in one dimension shared numbers once tripled the cost
    space, targets = l2s.Embedding(features), np.arange(0, 1000, 5)
    same, other = (
        l2s.simulate("gauss", space, l2s.ProbitOracle(features, 0.05, seed=seed), targets, stop="mode", seed=0)
        for seed in (0, 1)
    )
    assert abs(same.mean - other.mean) < 4 * np.hypot(same.standard_error, other.standard_error)


def test_an_overridden_person_should_be_asked() -> None:
    class Stubborn(l2s.ProbitOracle):
        def choose(self, query: Sequence[int], target: int) -> int | None:
            return query[0]

    features = np.random.default_rng(0).random((20, 3))
    run = l2s.simulate("gauss", l2s.Embedding(features), Stubborn(features, 0.1), [3], seed=0)
    assert all(step.chosen == step.query[0] for step in run.logs[0])
