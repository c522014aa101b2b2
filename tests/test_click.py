"""One click among k: the cell of the clicked item, against quadrature and Monte Carlo."""

import numpy as np
import pytest
from scipy import integrate, stats

import learn2search as l2s
from learn2search.click import all_positive
from learn2search.typing import Array, Items

SAMPLES = 40_000


def world(k: int, d: int, seed: int, count: int = 60) -> tuple[Array, Items, Items]:
    """Positions of 200 items, queries of k and targets that are not shown."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(200, d))
    drawn = np.array([generator.choice(200, k + 1, replace=False) for _ in range(count)])
    return x, drawn[:, 1:], drawn[:, 0]


def perceived(x: Array, query: Items, target: int, noise: float, seed: int) -> Array:
    """The share of clicks on each item, over perceptions drawn from their distribution."""
    seen = x[target] + noise * np.random.default_rng(seed).normal(size=(SAMPLES, x.shape[1]))
    nearest = ((x[query] ** 2).sum(axis=1) - 2 * seen @ x[query].T).argmin(axis=1)  # |x - y|² but for |y|²
    return np.bincount(nearest, minlength=len(query)) / SAMPLES


def sampled(x: Array, var: Array, query: Items, target: int, noise: float, seed: int) -> Array:
    """The same, over positions too."""
    generator, d, samples = np.random.default_rng(seed), x.shape[1], SAMPLES // 2
    seen = x[target] + np.sqrt(var[target] + noise**2) * generator.normal(size=(samples, d))
    shown = x[query] + np.sqrt(var[query]) * generator.normal(size=(samples, len(query), d))
    nearest = ((shown - seen[:, None]) ** 2).sum(axis=2).argmin(axis=1)
    return np.bincount(nearest, minlength=len(query)) / samples


def test_a_pair_should_be_the_comparison_of_a_pair() -> None:
    x, queries, targets = world(2, 3, 0)
    found = l2s.click_probabilities(l2s.Embedding(x), queries, targets, noise=0.5)
    expected = l2s.choice_probability(x[queries[:, 0]], x[queries[:, 1]], x[targets], 0.5)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("correlation", [-0.8, -0.3, 0.0, 0.5, 0.9])
@pytest.mark.parametrize("mean", [(0.0, 0.0), (1.0, -0.5), (-2.0, 1.5), (3.0, 3.0)])
def test_three_items_should_be_a_double_integral(correlation: float, mean: tuple[float, float]) -> None:
    """P(both margins > 0) by quadrature: ∫ φ(a) Φ((m₂ + ρ a)/√(1 - ρ²)) over a > -m₁."""
    rest = np.sqrt(1 - correlation**2)
    expected, _ = integrate.quad(
        lambda a: stats.norm.pdf(a) * stats.norm.cdf((mean[1] + correlation * a) / rest), -mean[0], 9
    )
    found = all_positive(np.array(mean), np.array([[1.0, correlation], [correlation, 1.0]]))
    assert found == pytest.approx(expected, abs=0.03 if correlation == 0.9 else 0.012)


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("k", [3, 4, 8, 12])
def test_known_positions_should_agree_with_sampled_perceptions(k: int, d: int) -> None:
    """Also where rivals lie in nearly one direction, as they do on few axes."""
    x, queries, targets = world(k, d, k + d)
    found = l2s.click_probabilities(l2s.Embedding(x), queries, targets, noise=0.5)
    off = [
        np.abs(row - perceived(x, query, target, 0.5, at))
        for at, (row, query, target) in enumerate(zip(found, queries, targets, strict=True))
    ]
    assert np.mean(off) < (0.006 if d == 2 else 0.004)  # of which sampling is about 0.001
    assert np.max(off) < 0.07
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.parametrize("variance", [0.01, 0.25, 1.0])
@pytest.mark.parametrize("k", [3, 4, 8])
def test_uncertain_positions_should_agree_with_sampled_ones(k: int, variance: float) -> None:
    """Variances up to four times the noise's; pairs are off by as much (tests/test_comparison.py)."""
    x, queries, targets = world(k, 10, k, count=30)
    var = variance * np.random.default_rng(k).gamma(2.0, 0.5, size=x.shape)
    found = l2s.click_probabilities(l2s.Embedding(x, var), queries, targets, noise=0.5)
    off = [
        np.abs(row - sampled(x, var, query, target, 0.5, at))
        for at, (row, query, target) in enumerate(zip(found, queries, targets, strict=True))
    ]
    assert np.mean(off) < 0.015
    assert np.max(off) < 0.1


def test_the_order_of_the_query_should_not_matter() -> None:
    x, queries, targets = world(6, 3, 1)
    space = l2s.Embedding(x, np.full(x.shape, 0.1))
    forward = l2s.click_probabilities(space, queries, targets, noise=0.5)
    backward = l2s.click_probabilities(space, queries[:, ::-1], targets, noise=0.5)
    np.testing.assert_allclose(forward, backward[:, ::-1], rtol=1e-9)


def test_twins_should_share_their_clicks() -> None:
    space = l2s.Embedding([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.1, 0.2]])
    found = l2s.click_probabilities(space, [0, 1, 2], 3, noise=0.5)
    assert found[0] == pytest.approx(found[1])


def test_a_person_should_answer_as_often_as_it_says() -> None:
    x, queries, targets = world(4, 3, 2, count=5)
    person = l2s.ProbitOracle(x, 0.5, seed=0, lapse=0.2)
    for query, target in zip(queries, targets, strict=True):
        clicks = [person.choose(query, int(target)) for _ in range(4000)]
        shares = np.array([clicks.count(item) for item in query]) / 4000
        expected = person.click_probabilities(query, int(target))
        assert np.abs(shares - expected).max() < 4 * np.sqrt(0.25 / 4000) + 0.01


def test_a_fitted_embedding_should_predict_clicks() -> None:
    x, queries, targets = world(4, 2, 3, count=400)
    person = l2s.ProbitOracle(x, 0.3, seed=0)
    clicked = np.array([person.choose(query, int(target)) for query, target in zip(queries, targets, strict=True)])
    rows = l2s.make_triplets(l2s.ProbitOracle(x, 0.3, seed=1), 200, 20_000, seed=2)
    found = l2s.GaussEmbed(2, random_state=0).fit(rows, n_items=200).predict_click_proba(queries, targets)
    assert -np.log(found[queries == clicked[:, None]]).mean() < 0.75 * np.log(4)
    with pytest.raises(ValueError, match="the ratio link compares pairs only"):
        l2s.GaussEmbed(2, link="ratio", epochs=1).fit(rows, n_items=200).predict_click_proba(queries, targets)


@pytest.mark.parametrize(
    ("queries", "targets"), [([0], 1), ([[0, 1]], 2), ([0, 1], [2]), ([0, 7], 1), ([0, 1], -1), ([0.5, 1], 2)]
)
def test_a_question_that_makes_no_sense_should_be_refused(queries: object, targets: object) -> None:
    with pytest.raises(ValueError, match="queries"):
        l2s.click_probabilities(l2s.Embedding(np.eye(4)), queries, targets)  # type: ignore[arg-type]
