"""Items that are kept in float32: the same searches as in float64, to rounding, without a second copy.

A large float32 array stays as it is. Here a small one counts as large.
"""

from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search import embedding
from learn2search.compiled import FunctionAddress, by_address, compiled
from learn2search.search import base, likelihood, rules
from learn2search.search.density import LogDensity

N = 700


@pytest.fixture(autouse=True)
def _small_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_LARGE", 0)
    monkeypatch.setattr(embedding, "_PART", 1000)  # several parts


def both_forms(d: int, uncertain: bool = False, away: float = 0.0) -> tuple[l2s.Embedding, l2s.Embedding]:
    """The same items in float32 and in float64."""
    generator = np.random.default_rng(d)
    mean = (generator.normal(size=(N, d)) + away).astype(np.float32)
    mean[5] = mean[9]  # twins
    var = generator.uniform(0.01, 0.2, (N, d)).astype(np.float32) if uncertain else None
    wide = None if var is None else var.astype(float)
    return l2s.Embedding(mean, var), l2s.Embedding(mean.astype(float), wide)


def test_a_large_float32_array_should_be_kept_without_a_copy() -> None:
    given = np.random.default_rng(0).normal(size=(N, 3)).astype(np.float32)
    kept, copied = l2s.Embedding(given, copy=False), l2s.Embedding(given)
    assert kept.mean is given
    assert copied.mean is not given
    assert copied.mean.dtype == np.float32
    assert not given.flags.writeable
    wide = l2s.Embedding(given.astype(float))
    assert kept.fingerprint == wide.fingerprint
    assert kept.spread == pytest.approx(wide.spread, rel=1e-6)
    assert l2s.Embedding([[0.0], [1.0]]).mean.dtype == np.float64
    given64 = np.array([[0.0], [1.0]])
    assert l2s.Embedding(given64, copy=False).mean is given64


def test_float32_values_that_cannot_be_searched_should_be_refused() -> None:
    bad = np.random.default_rng(0).normal(size=(N, 3)).astype(np.float32)
    bad[600, 1] = np.nan
    with pytest.raises(ValueError, match=r"1 of 700 rows hold NaN or infinity \(the first is row 600\)"):
        l2s.Embedding(bad)


@pytest.mark.parametrize(("d", "away"), [(5, 0.0), (40, 0.0), (40, 1000.0)])
@pytest.mark.parametrize("uncertain", [False, True])
def test_the_posterior_should_be_that_of_float64(d: int, away: float, uncertain: bool) -> None:
    narrow, wide = both_forms(d, uncertain, away)
    searches = [l2s.PosteriorSearch(space, 0.7, lapse=0.1, seed=3) for space in (narrow, wide)]
    for query in ([0, 1, 2, 3], [4, 5], [6, 7, 8]):
        for search in searches:
            search.show(query)
            search.tell(query[1])
    ours, other = (search.probability() for search in searches)
    np.testing.assert_allclose(ours, other, rtol=2e-3, atol=1e-9)
    assert searches[0].top(5)[0][0] == searches[1].top(5)[0][0]


def test_the_posterior_should_be_exact_where_float32_is_too_coarse() -> None:
    narrow, wide = both_forms(5)
    p, q = np.full((2, N), 1.0 / N)
    for chances, space in ((p, narrow), (q, wide)):
        form = likelihood.space_of(space, 0.7)._replace(coarse=True)
        likelihood.weigh(chances, form, np.array([0, 1, 2]), 0, 0.0, np.zeros(N, np.uint8), chances.copy())
    np.testing.assert_allclose(p, q, rtol=1e-12)


@pytest.mark.parametrize("answer", [0, None])
def test_undo_should_divide_by_what_was_multiplied(answer: int | None) -> None:
    search = l2s.PosteriorSearch(both_forms(40)[0], 0.7, seed=1)
    befores = []
    for _ in range(3):
        befores.append(search.probability())
        query = search.ask(4)
        search.tell(None if answer is None else query[answer])
    for before in reversed(befores):
        query = search.log[-1].query
        assert search.undo() == query
        np.testing.assert_allclose(search.probability(), before, rtol=1e-9, atol=1e-300)
        assert len(search.free) == N - 1 - len(search.used)  # one of the twins is not shown beside the other
    search.tell(search.ask(4)[0])
    now = search.probability()
    search.found(int(search.ask(4)[0]))
    search.undo()
    assert search.target is None
    np.testing.assert_array_equal(search.probability(), now)


def test_a_search_of_float32_items_should_do_all_that_others_do() -> None:
    narrow, _ = both_forms(5)
    search = l2s.PosteriorSearch(narrow, 0.5, candidates=np.arange(0, N, 2), prior=np.arange(N) + 1.0, seed=2)
    search.tell(search.ask(4)[0])
    search.restrict(exclude=[0, 2, 4])
    search.begin_near([10, 12])
    search.tell(search.ask(3)[1])
    again = l2s.Search.from_dict(search.to_dict(), narrow)
    np.testing.assert_array_equal(again.probability(), search.probability())
    assert again.ask(4) == search.ask(4)
    assert not set(search.ask(4)) & {0, 2, 4}


def test_simulated_searches_should_be_those_of_float64() -> None:
    narrow, wide = both_forms(5)
    people = l2s.ProbitOracle(narrow, 0.3, seed=0)
    for strategy, k in (("sampled", 4), ("gauss", 2)):
        ours, other = (l2s.simulate(strategy, space, people, range(20), k=k, seed=0) for space in (narrow, wide))
        assert np.mean(ours.costs == other.costs) > 0.8  # rounding may change a question


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
@pytest.mark.parametrize(("d", "form"), [(3, "tree"), (40, "pass")])
def test_the_nearest_item_should_be_that_of_brute_force(metric: str, d: int, form: str) -> None:
    narrow, wide = both_forms(d, uncertain=True)
    index, generator = l2s.Nearest(narrow, metric, form), np.random.default_rng(4)
    weights = 1.0 / wide.var if metric == "mahalanobis" and wide.var is not None else np.ones((N, d))
    for _ in range(30):
        point, blocked = generator.normal(size=d), (generator.random(N) < 0.3).astype(np.uint8)
        distances = np.where(blocked, np.inf, ((wide.mean - point) ** 2 * weights).sum(axis=1))
        assert index.query(point, blocked) == int(np.argmin(distances))


def test_gauss_search_should_believe_the_same_and_follow_it_from_answer_to_answer() -> None:
    narrow, wide = both_forms(40)
    ours, other = (l2s.GaussSearch(space, 0.7, seed=3) for space in (narrow, wide))
    for number in range(8):
        query = [4 * number, 4 * number + 1, 4 * number + 2, 4 * number + 3]
        for search in (ours, other):
            search.show(query)
            search.tell(query[number % 4])
        np.testing.assert_allclose(ours.probability(), other.probability(), rtol=1e-3, atol=1e-9)
    ours.undo()
    other.undo()
    np.testing.assert_allclose(ours.probability(), other.probability(), rtol=1e-3, atol=1e-9)
    assert [item for item, _ in ours.top(5)] == [item for item, _ in other.top(5)]


def test_a_followed_density_should_be_the_density() -> None:
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(N, 6)).astype(np.float32) + np.float32(50.0)
    follow = LogDensity(rows)
    for scale in (1.0, 2.0, 0.5):  # all directions change, and the mean
        mean, cov = generator.normal(size=6) + 50.0, scale * np.diag(generator.uniform(0.5, 2.0, 6))
        exact = -0.5 * ((rows - mean) ** 2 / np.diag(cov)).sum(axis=1)
        found = follow.at(mean, cov)
        np.testing.assert_allclose(found - found[0], exact - exact[0], atol=2e-3)


def test_the_highest_should_be_those_of_a_full_sort() -> None:
    generator = np.random.default_rng(0)
    for n, k in ((5, 9), (2500, 2), (30_000, 7), (30_000, 40)):
        values = np.asarray(generator.integers(0, 50, n), float)  # many ties
        expected = np.lexsort((np.arange(n), -values))[:k]
        np.testing.assert_array_equal(base._highest(values, k), expected)


def test_a_function_in_parts_should_be_the_function() -> None:
    space, p, stream = likelihood.space_of(both_forms(5)[0], 0.7), np.full(N, 1.0 / N), np.arange(4, dtype=np.uint64)
    about = (p, space, 1.0, np.zeros(N, np.uint8), np.arange(N, dtype=np.int32), 3)
    whole, parts = (one(*about, stream.copy()) for one in (rules.sampled_query, rules.sampled_query_in_parts))
    np.testing.assert_array_equal(whole, parts)


def test_compiled_code_should_call_by_address() -> None:
    addresses = [FunctionAddress(one, 1.5, 3) for one in (_plus, _times)]
    results = [_call(address, 1.5, 3) for address in addresses]
    assert results == [4.5, 4.5]
    assert [_call(address, 2.0, 3) for address in addresses] == [5.0, 6.0]
    assert len(_call.signatures) == 1  # type: ignore[attr-defined]


@by_address
def _plus(x: float, times: int) -> float:
    return x + times


@by_address
def _times(x: float, times: int) -> float:
    return x * times


@compiled
def _call(function: Any, x: float, times: int) -> float:
    result: float = function(x, times)
    return result
