"""Only candidates are ever shown: by every strategy, also one's own, whatever happens on the way."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learn2search as l2s
from learn2search.search.candidates import candidate_mask, packed, unpacked
from learn2search.typing import Array, Items

FEATURES = np.random.default_rng(0).random((40, 3))
FEATURES[7] = FEATURES[8] = FEATURES[9]  # items at the same place
SPACE = l2s.Embedding(FEATURES)


class Stubborn(l2s.Search):
    """Knows nothing of candidates but `free`, and believes in items that are none."""

    def propose(self, k: int, generator: np.random.Generator) -> Items:
        return generator.choice(self.free, k, replace=False)

    def probability(self) -> Array:
        return np.arange(40.0) / np.arange(40.0).sum()


class LikeliestFirst(l2s.PosteriorSearch):
    def propose(self, k: int, generator: np.random.Generator) -> Items:
        return self.free[np.argsort(-self.probability()[self.free], kind="stable")[:k]]


STRATEGIES: list[Any] = ["gauss", "sampled", "ig", "eff", "random", Stubborn, LikeliestFirst]


def new_search(strategy: Any, **options: Any) -> l2s.Search:
    return l2s.make_search(strategy, SPACE, 0.2, seed=3, **options)


ITEMS = st.sets(st.integers(0, 39), min_size=1)


@settings(max_examples=60)
@given(
    strategy=st.sampled_from(STRATEGIES),
    first=ITEMS,
    later=st.lists(ITEMS, max_size=2),
    stop=st.sampled_from(["shown", "mode"]),
    reuse=st.booleans(),
    k=st.integers(2, 12),
    answers=st.lists(st.one_of(st.none(), st.integers(0, 11)), min_size=1, max_size=6),
)
def test_nothing_but_candidates_should_be_shown(
    strategy: Any,
    first: set[int],
    later: list[set[int]],
    stop: str,
    reuse: bool,
    k: int,
    answers: list[int | None],
) -> None:
    search, allowed, restrictions = new_search(strategy, exclude=[5, 8], stop=stop, reuse=reuse), first, iter(later)
    first -= {5, 8}
    first |= {1}
    search.restrict(first)
    for answer in answers:
        assert {item for item, _ in search.top(40)} <= allowed
        assert set(search.candidates.tolist()) <= allowed
        assert search._chances()[list(allowed)].sum() == pytest.approx(1)
        if search.done:
            assert search.left < 2
            break
        query = search.ask(k)
        assert set(query) <= allowed
        assert 2 <= len(query) <= k
        search.tell(None if answer is None else query[answer % len(query)])
        if (chosen := next(restrictions, None)) is not None:
            allowed = (chosen | {1}) - {5, 8}
            search.restrict(chosen | {1})


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_search_whose_candidates_are_used_up_should_be_done(strategy: Any) -> None:
    search = new_search(strategy, candidates=[3, 8, 9, 12, 21, 30])  # 8 and 9 are at the same place
    while not search.done:
        search.tell(search.ask(2)[0])
    assert search.used <= {3, 8, 9, 12, 21, 30}
    assert len(search.used) >= 4
    assert new_search(strategy, candidates=[8, 9]).done  # they cannot be compared
    assert new_search(strategy, exclude=np.arange(1, 40)).top(3)[0][0] == 0


def test_masks_numbers_and_functions_should_mean_the_same() -> None:
    mask = np.arange(40) % 3 == 0
    numbers = range(0, 40, 3)
    selections: list[Any] = [mask, mask.tolist(), np.flatnonzero(mask), set(numbers), numbers, lambda i: i % 3 == 0]
    for selection in selections:
        np.testing.assert_array_equal(candidate_mask(selection, None, 40), mask)
        np.testing.assert_array_equal(candidate_mask(None, selection, 40), ~mask)
    assert candidate_mask(None, [], 40) is None
    assert candidate_mask(range(40), None, 40) is None
    np.testing.assert_array_equal(
        new_search("gauss", candidates=lambda items: FEATURES[items, 0] < 0.5).candidates,
        np.flatnonzero(FEATURES[:, 0] < 0.5),
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidates": [3, 40]}, "candidates names item 40, but the items are 0..39"),
        ({"exclude": [-1]}, "exclude names item -1"),
        (
            {"candidates": [True, False]},
            r"40 booleans, one an item, or a list of item numbers, got shape \(2,\) of bool",
        ),
        ({"candidates": [0.5]}, "of float64"),
        ({"candidates": []}, "none of the 40 items is a candidate: a search needs at least one"),
        ({"exclude": range(40)}, "none of the 40 items is a candidate"),
    ],
)
def test_candidates_that_are_none_should_be_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        new_search("sampled", **options)
    search = new_search("sampled", candidates=[1, 2, 3])
    query = search.ask()
    with pytest.raises(ValueError, match=message):
        search.restrict(**options)
    assert search.ask() == query
    with pytest.raises(ValueError, match="item 9 is no candidate and may not be shown"):
        search.show([1, 9])


def test_an_open_question_should_stay_only_while_it_may_be_shown() -> None:
    search = new_search("sampled")
    query = search.ask(3)
    search.restrict(exclude=[item for item in range(40) if item not in query][:5])
    assert search.ask() == query
    search.restrict(exclude=query[:1])
    assert query[0] not in search.ask(3)
    search.tell(None)
    search.restrict(exclude=search.log[0].query)
    assert search.undo() == ()  # what was shown may not be shown again


def test_restricting_should_keep_the_answers_and_lifting_it_bring_all_back() -> None:
    search, free = new_search("sampled"), new_search("sampled")
    for query, chosen in [((0, 1, 2), 1), ((3, 4), None), ((5, 6), 6)]:
        for one in (search, free):
            one.show(query)
            one.tell(chosen)
    before = search.probability()
    search.restrict(range(10, 20))
    inside = np.where((np.arange(40) >= 10) & (np.arange(40) < 20), before, 0)
    np.testing.assert_allclose(search.probability(), inside / inside.sum(), rtol=1e-9)
    search.restrict()
    np.testing.assert_array_equal(search.probability(), free.probability())
    assert search.ask(4) == free.ask(4)


@pytest.mark.parametrize("strategy", ["gauss", "sampled"])
def test_the_belief_should_be_that_of_a_collection_of_the_candidates_alone(strategy: str) -> None:
    some = np.array([2, 5, 11, 12, 13, 17, 20, 31, 35, 39])
    search, alone = new_search(strategy, candidates=some), l2s.make_search(strategy, l2s.Embedding(FEATURES[some]), 0.2)
    for query, chosen in [((0, 4, 7), 4), ((1, 2), None), ((3, 8), 8)]:
        alone.show(query)
        alone.tell(chosen)
        search.show(some[list(query)])
        search.tell(None if chosen is None else int(some[chosen]))
    np.testing.assert_allclose(search.probability()[some], alone.probability(), rtol=1e-5, atol=1e-12)


def test_popularity_should_be_the_weights_of_every_strategy() -> None:
    """Whole weights are items that are there several times."""
    weights = np.random.default_rng(1).integers(0, 5, 40)
    gauss: Any = new_search("gauss", prior=weights)
    several = np.repeat(FEATURES, weights, axis=0)
    np.testing.assert_allclose(gauss.belief.mean, several.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(gauss.belief.cov, np.cov(several.T, ddof=0), rtol=1e-8)
    var = np.random.default_rng(2).random((40, 3))
    uncertain = l2s.GaussSearch(l2s.Embedding(FEATURES, var), prior=weights.tolist())
    expected = np.cov(several.T, ddof=0) + np.diag(np.repeat(var, weights, axis=0).mean(axis=0))
    np.testing.assert_allclose(uncertain.belief.cov, expected, rtol=1e-8)
    for strategy in ("sampled", "random", "ig"):
        np.testing.assert_allclose(new_search(strategy, prior=weights).probability(), weights / weights.sum())
        np.testing.assert_allclose(new_search(strategy, prior=weights).prior, weights / weights.sum())
    assert l2s.Search.from_dict(gauss.to_dict(), SPACE).ask(4) == gauss.ask(4)
    assert new_search("sampled", prior=np.eye(40)[3], exclude=[3]).prior.max() == pytest.approx(1 / 39)


# --- stored ----------------------------------------------------------------------------------------


def test_candidates_should_be_stored_in_little_room() -> None:
    generator = np.random.default_rng(0)
    for n, mask in [
        (100_000, generator.random(100_000) < 0.5),
        (100_000, np.arange(100_000) > 300),
        (13, np.arange(13) == 12),
    ]:
        text = packed(mask)
        assert text is not None
        assert len(text) < (17_000 if mask.mean() == pytest.approx(0.5, abs=0.1) else 300)
        np.testing.assert_array_equal(unpacked(text, n), mask)
    assert unpacked(None, 5) is None
    for bad in ("", "?", 3, packed(np.ones(80, bool)), packed(np.zeros(40, bool))):
        with pytest.raises(ValueError, match="bad candidates: expected 40 packed bits"):
            unpacked(bad, 40)


@pytest.mark.parametrize("strategy", ["gauss", "sampled", "random"])
def test_a_stored_search_should_keep_its_candidates(strategy: str) -> None:
    search = new_search(strategy, candidates=lambda items: items % 2 == 0)
    search.tell(search.ask(3)[0])
    search.restrict(exclude=range(12))
    search.ask(4)
    with pytest.raises(ValueError, match="none of the 40 items is a candidate"):
        search.restrict([3, 5])  # not what the search was made for
    stored = json.loads(json.dumps(search.to_dict()))
    assert stored["version"] == 2
    assert not {"candidates", "exclude"} & set(stored["options"])
    again = l2s.Search.from_dict(stored, SPACE)
    for _ in range(3):
        assert again.ask(4) == search.ask(4)
        for one in (again, search):
            one.tell(one.ask()[1])
    assert again.to_dict() == search.to_dict()
    again.restrict()
    assert not (again._chances()[1::2]).any()


def test_a_search_that_was_stored_before_there_were_candidates_should_be_read() -> None:
    search = new_search("sampled")
    search.tell(search.ask(3)[0])
    state = search.to_dict()
    older = {name: state[name] for name in state if name not in ("candidates", "restricted", "near", "found")} | {
        "version": 1
    }
    assert l2s.Search.from_dict(older, SPACE).ask(4) == search.ask(4)


# --- simulated -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", ["shown", "mode"])
@pytest.mark.parametrize("strategy", ["gauss", "sampled"])
def test_the_compiled_loop_should_show_candidates_only_and_equal_the_plain_one(strategy: str, stop: str) -> None:
    class Plain(type(l2s.make_search(strategy, SPACE, 0.2))):  # type: ignore[misc]
        def start(self) -> None:
            super().start()

    people, some = l2s.ProbitOracle(FEATURES, 0.2, seed=5), np.arange(3, 40, 3)
    options: dict[str, Any] = {"stop": stop, "candidates": some, "seed": 1, "max_queries": 30, "progress": False}
    run = l2s.simulate(strategy, SPACE, people, some, k=3, keep_logs=True, workers=1, **options)
    plain = l2s.simulate(Plain, SPACE, people, some, k=3, **options)
    assert run.logs == plain.logs
    np.testing.assert_array_equal(run.costs, plain.costs)
    assert {item for log in run.logs for step in log for item in step.query} <= set(some.tolist())
    with pytest.raises(ValueError, match="target 4 is no candidate and would never be shown"):
        l2s.simulate(strategy, SPACE, people, [3, 4], **options)
