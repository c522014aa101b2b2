"""The query rules against brute force."""

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

import learn2search as l2s
from learn2search.nearest import twins_of
from learn2search.normal_tails import entropy_tabled, ndtr_tabled
from learn2search.search import rules
from learn2search.search.click_value import entropy_part, make_panel, panel_margins
from learn2search.search.likelihood import Space, space_of, uncertain_margin
from learn2search.search.posterior import _pair_tables
from learn2search.streams import open_stream, stream_keys
from learn2search.typing import Array, Blocked, Items32, Stream

NOISE = 0.25


def entropy(p: Array) -> Any:
    return -np.sum(special.xlogy(p, p), axis=0) / math.log(2)


def situation(seed: int, n: int = 25, d: int = 3) -> tuple[l2s.Embedding, Space, Array]:
    generator = np.random.default_rng(seed)
    embedding = l2s.Embedding(generator.normal(size=(n, d)))
    return embedding, space_of(embedding, NOISE), generator.dirichlet(np.full(n, 0.5))


def free(n: int) -> Blocked:
    return np.zeros(n, np.uint8)


def alone(n: int) -> Items32:
    return np.arange(n, dtype=np.int32)


def stream(seed: int = 0) -> Stream:
    return open_stream(stream_keys(seed, 1)[0], 0)


def chance(embedding: l2s.Embedding, i: int, j: int) -> Array:
    return special.ndtr(np.clip(l2s.margin(embedding.mean[i], embedding.mean[j], embedding.mean) / NOISE, -6, 6))


def information_gain(embedding: l2s.Embedding, p: Array, i: int, j: int) -> float:
    q = chance(embedding, i, j)
    return entropy(np.array([p @ q, 1 - p @ q])) - p @ entropy(np.array([q, 1 - q]))


def collision(embedding: l2s.Embedding, p: Array, i: int, j: int) -> float:
    """Expected Σ_k P(k | answer)²."""
    q = chance(embedding, i, j)
    return float(sum(float(p @ a) * np.sum((p * a / (p @ a)) ** 2) for a in (q, 1 - q)))


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from([True, False]))
def test_exact_rules_should_find_the_best_pair_of_all(seed: int, by_gain: bool) -> None:
    embedding, space, p = situation(seed)
    query = rules.exact_query(p, space, _pair_tables(embedding, space), by_gain, 0.0, free(25), alone(25), 2, stream())
    value = information_gain if by_gain else collision
    best = max(value(embedding, p, i, j) for i, j in itertools.combinations(range(25), 2))
    assert math.isclose(value(embedding, p, *query), best, rel_tol=1e-5)


@pytest.mark.parametrize("by_gain", [True, False])
def test_blocked_items_should_not_be_asked_by_the_exact_rules(by_gain: bool) -> None:
    embedding, space, p = situation(0)
    blocked = free(25)
    blocked[3:] = 1
    query = rules.exact_query(p, space, _pair_tables(embedding, space), by_gain, 0.0, blocked, alone(25), 2, stream())
    assert set(query) <= {0, 1, 2}


def click_probabilities(embedding: l2s.Embedding, query: Iterable[int]) -> Array:
    """P(click c | target y) ∝ Π Φ(c beats s | y), `(k, n)`."""
    products = np.array([np.prod([chance(embedding, c, s) for s in query if s != c], axis=0) for c in query])
    return products / products.sum(axis=0)


def click_gain(embedding: l2s.Embedding, p: Array, query: Iterable[int]) -> float:
    clicks = click_probabilities(embedding, query)
    return entropy(clicks @ p) - p @ entropy(clicks)


def test_a_third_item_should_be_the_one_that_adds_most_information() -> None:
    embedding, space, p = situation(4)
    query = rules.exact_query(p, space, _pair_tables(embedding, space), True, 0.0, free(25), alone(25), 3, stream())
    pair = rules.exact_query(p, space, _pair_tables(embedding, space), True, 0.0, free(25), alone(25), 2, stream())
    assert tuple(query[:2]) == tuple(pair)
    gains = {item: click_gain(embedding, p, (*pair, item)) for item in range(25) if item not in pair}
    assert gains[query[2]] > max(gains.values()) - 2e-3  # -x log x is interpolated


def test_a_panel_should_give_exact_margins_when_positions_are_exact() -> None:
    embedding, space, p = situation(5)
    panel = make_panel(space, np.array([3, 7, 9]), np.arange(25), p, True)
    z = np.empty(25)
    panel_margins(panel, 0, 2, z)
    np.testing.assert_allclose(z, l2s.margin(embedding.mean[3], embedding.mean[9], embedding.mean) / NOISE, atol=1e-9)


@given(st.integers(0, 10**6))
def test_a_panel_should_give_the_uncertain_margin_when_variances_are_round(seed: int) -> None:
    generator = np.random.default_rng(seed)
    mean, var = generator.normal(size=(8, 3)), np.repeat(generator.gamma(1.0, size=(8, 1)), 3, axis=1)
    space = space_of(l2s.Embedding(mean, var), NOISE)
    panel = make_panel(space, np.array([0, 1]), np.arange(8), np.full(8, 1 / 8), True)
    z = np.empty(8)
    panel_margins(panel, 0, 1, z)
    expected = [uncertain_margin(mean[0], mean[1], mean[k], var[0], var[1], var[k], NOISE) for k in range(8)]
    np.testing.assert_allclose(z, expected, rtol=1e-9, atol=1e-9)


def test_the_closed_form_should_follow_the_integral() -> None:
    """h(Φ(m/√(s²+σ²))) - C/√(s²/σ²+C²) exp(-m²/2(s²+σ²C²)) against quadrature over a normal margin."""
    c2 = math.pi * math.log(2) / 2
    for m, s in itertools.product([0.0, 0.3, 1.0], [0.1, 0.5, 2.0]):
        closed = entropy_tabled(m / math.hypot(s, NOISE))
        closed -= math.sqrt(c2 / (s**2 / NOISE**2 + c2)) * math.exp(-(m**2) / 2 / (s**2 + NOISE**2 * c2))

        def gain(z: float, m: float = m, s: float = s) -> float:
            q = special.ndtr(z / NOISE)
            return stats.norm.pdf(z, m, s) * entropy(np.array([q, 1 - q]))

        left = integrate.quad(gain, m - 10 * s, m + 10 * s, points=[0], limit=200)[0]
        q = special.ndtr(m / math.hypot(s, NOISE))
        assert abs(closed - (entropy(np.array([q, 1 - q])) - left)) < 0.01


def test_samples_should_be_systematic() -> None:
    generator = np.random.default_rng(0)
    p = generator.dirichlet(np.full(1000, 0.1))
    items, weights = rules.draw_samples(p, False, stream())
    assert len(set(items)) == len(items)
    assert math.isclose(weights.sum(), 1)
    hits = np.zeros(1000)
    hits[items] = weights * rules.SAMPLES
    assert np.all(np.abs(hits - p * rules.SAMPLES) < 1 + 1e-9)  # never more than one away from the expectation


def test_a_nearly_certain_posterior_should_be_sampled_flattened() -> None:
    p = np.full(1000, 1e-6)
    p[7] = 1 - 999e-6
    items, _ = rules.draw_samples(p, True, stream())
    assert len(items) > 50
    items, _ = rules.draw_samples(p, False, stream())
    assert items.tolist() == [7]


@given(st.integers(0, 10**6), st.integers(0, 23))
def test_the_pool_should_hold_free_items_of_different_places(seed: int, n_blocked: int) -> None:
    generator = np.random.default_rng(seed)
    mean = np.round(generator.normal(size=(25, 1)) * 3)
    mean[0], mean[1] = 50, 60
    embedding = l2s.Embedding(mean)
    blocked = free(25)
    blocked[2 : 2 + n_blocked] = 1
    before = blocked.copy()
    pool = rules.draw_pool(0, np.arange(25), blocked, twins_of(embedding), 2, stream(seed))
    np.testing.assert_array_equal(blocked, before)
    assert not blocked[pool].any()
    places = mean[pool, 0].tolist()
    assert sorted(places) == sorted(set(mean[blocked == 0, 0]))  # all free places, each once, for so few items


@pytest.mark.parametrize("seed", range(10))
def test_the_sampled_rule_should_come_close_to_the_best_pair(seed: int) -> None:
    """With fewer items than samples and pool places it sees everything: only the shortlist is approximate."""
    embedding, space, _ = situation(seed, n=60)
    p = np.full(60, 1 / 60)
    query = rules.sampled_query(p, space, 0.0, free(60), alone(60), 2, stream(seed))
    best = max(information_gain(embedding, p, i, j) for i, j in itertools.combinations(range(60), 2))
    assert information_gain(embedding, p, *query) > 0.85 * best


def test_four_pictures_should_hold_the_most_probable_item_and_say_much() -> None:
    embedding, space, p = situation(3, n=200)
    query = rules.sampled_query(p, space, 0.0, free(200), alone(200), 4, stream())
    assert len(set(query)) == 4
    assert int(np.argmax(p)) in query
    rng = np.random.default_rng(0)
    random_gain = np.mean([click_gain(embedding, p, rng.choice(200, 4, replace=False)) for _ in range(50)])
    assert click_gain(embedding, p, query) > 1.1 * random_gain


def test_random_queries_should_be_uniform_over_free_items() -> None:
    blocked, counts = free(10), np.zeros(10)
    blocked[:4] = 1
    s = stream()
    for _ in range(3000):
        query = rules.random_query(blocked, alone(10), 3, s)
        assert len(set(query)) == 3
        counts[query] += 1
    assert counts[:4].sum() == 0
    assert ((counts[4:] - 1500) ** 2 / 1500).sum() < 20.5  # 5 degrees of freedom, p = 0.001 (conservative: no repeats)


def test_entropy_parts_should_follow_x_log_x() -> None:
    x = np.linspace(0, 1, 10_001)
    parts = np.array([entropy_part(value) for value in x])
    np.testing.assert_allclose(parts, entropy(x[None]), atol=1e-3)
    assert ndtr_tabled(0.0) == pytest.approx(0.5)


def test_items_that_almost_coincide_should_still_be_asked_about_once() -> None:
    generator = np.random.default_rng(0)
    base = generator.random((10, 3))
    features = np.concatenate([base, base + 1e-9 * generator.normal(size=base.shape)])
    for seed in range(30):
        search = l2s.PosteriorSearch(l2s.Embedding(features), 0.1, miss_rate=0.02, seed=seed)
        while not search.done:
            query = search.ask()
            assert len(set(query)) == 2
            search.tell(query[0])
    assert set(l2s.PosteriorSearch(l2s.Embedding([[0.0], [1e-20]]), 1e-21, seed=0).ask()) == {0, 1}
