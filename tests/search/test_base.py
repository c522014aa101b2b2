"""What every strategy promises: ask, tell, undo, top, store, and clear errors."""

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import learn2search as l2s
from learn2search.nearest import twins_of
from learn2search.search.places import count_places

STRATEGIES = ["gauss", "sampled", "ig", "eff", "random"]
FEATURES = np.random.default_rng(0).random((40, 3))
AN_ARRAY: Any = FEATURES  # where an Embedding is expected
SPACE = l2s.Embedding(FEATURES)
UNCERTAIN = l2s.Embedding(FEATURES, np.random.default_rng(1).gamma(1.0, 0.02, size=FEATURES.shape))


@pytest.fixture(params=STRATEGIES)
def strategy(request: pytest.FixtureRequest) -> str:
    return request.param


def new_search(strategy: str, space: l2s.Embedding = SPACE, **options: Any) -> l2s.Search:
    return l2s.make_search(strategy, space, noise=0.2, seed=3, **options)


def test_asking_twice_should_give_the_same_query(strategy: str) -> None:
    search = new_search(strategy)
    query = search.ask(4)
    assert search.ask(4) == search.ask(2) == query
    assert len(set(query)) == 4


@pytest.mark.parametrize("k", range(2, 13))
def test_two_to_twelve_items_should_be_asked(strategy: str, k: int) -> None:
    search = new_search(strategy)
    query = search.ask(k)
    assert len(set(query)) == k
    search.tell(query[-1])
    assert not set(search.ask(k)) & set(query)


@pytest.mark.parametrize("space", [SPACE, UNCERTAIN], ids=["exact", "uncertain"])
@pytest.mark.parametrize("stop", ["shown", "mode"])
@pytest.mark.parametrize("reuse", [False, True])
def test_a_search_should_come_to_its_target(strategy: str, space: l2s.Embedding, stop: str, reuse: bool) -> None:
    search, oracle = new_search(strategy, space, stop=stop, reuse=reuse), l2s.ProbitOracle(FEATURES, 0.02, seed=5)
    for _ in range(12):
        query = search.ask()
        search.tell(oracle.choose(query, target=11))
        if stop == "shown" and 11 in query:
            return
    probability = search.probability()
    assert probability.sum() == pytest.approx(1)
    distances = np.linalg.norm(FEATURES - FEATURES[11], axis=1)
    assert probability @ distances < 0.8 * distances.mean()  # the belief has come nearer
    best = search.top(3)
    assert [p for _, p in best] == sorted(probability, reverse=True)[:3]


def test_cant_tell_should_use_the_items_up_and_say_nothing_else(strategy: str) -> None:
    search = new_search(strategy)
    before, query = search.probability(), search.ask(4)
    search.tell(None)
    after = search.probability()
    others = [item for item in range(40) if item not in query]
    np.testing.assert_allclose(after[others] / after[others].sum(), before[others] / before[others].sum())
    assert after[list(query)].sum() == 0
    assert search.used == frozenset(query)
    assert search.left == 36


def test_given_items_should_be_shown_in_place_of_the_proposed_ones(strategy: str) -> None:
    search = new_search(strategy)
    search.ask(3)
    assert search.show([5, 9, 11]) == search.ask() == (5, 9, 11)
    search.tell(9)
    assert search.used == {5, 9, 11}
    with pytest.raises(ValueError, match="item 9 was shown before"):
        search.show([1, 9])
    with pytest.raises(ValueError, match="2 to 12 different items"):
        search.show([1, 1])
    with pytest.raises(ValueError, match="a query is a list of items"):
        search.show([True, 3])
    assert search.show(np.array([1, 2])) == (1, 2)


def test_an_item_that_the_search_itself_brings_back_should_stay_in_the_question() -> None:
    """The most probable item was shown, and may have been overlooked."""
    weights = np.full(40, 1e-9)
    weights[7] = 1.0
    search = l2s.PosteriorSearch(SPACE, 0.1, prior=weights, miss_rate=0.5, seed=0)
    search.show([7, 8])
    search.tell(None)
    assert 7 in search.ask(3)
    assert search.show([7, 1, 2]) == (7, 1, 2)
    with pytest.raises(ValueError, match="item 8 was shown before"):
        search.show([7, 8, 2])
    assert l2s.Search.from_dict(search.to_dict(), SPACE).ask() == (7, 1, 2)


# --- for an application ----------------------------------------------------------------------------


def test_this_is_it_should_end_a_search_and_be_taken_back(strategy: str) -> None:
    search = new_search(strategy)
    search.tell(search.ask(3)[0])
    before, query = search.probability(), search.ask(3)
    search.found(query[1])
    assert (search.done, search.target, search.log[-1]) == (True, query[1], l2s.Step(query, query[1]))
    stored = json.loads(json.dumps(search.to_dict()))
    for again in (l2s.Search.from_dict(stored, SPACE), copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        assert (again.target, again.log, again.done) == (search.target, search.log, True)
    refusals: list[Callable[[], object]] = [search.ask, lambda: search.show([1, 2]), lambda: search.found(3)]
    for refused in refusals:
        with pytest.raises(ValueError, match=f"the search is over: item {query[1]} was found"):
            refused()
    assert search.undo() == query == search.ask(3)
    np.testing.assert_array_equal(search.probability(), before)
    assert search.target is None
    search.found(query[0])
    search.restart()
    assert not search.done
    assert search.target is None


def test_an_item_that_no_question_showed_may_be_it() -> None:
    search = new_search("sampled")
    query = search.ask()
    other = next(item for item in range(40) if item not in query)
    search.found(other)
    assert search.log == (l2s.Step((other,), other),)
    again = l2s.Search.from_dict(search.to_dict(), SPACE)
    assert again.target == other
    assert again.undo() == ()
    assert again.ask() == query
    wrong: Any
    for wrong in (40, -1, True, 2.5, None):
        with pytest.raises(ValueError, match=r"found\(\) takes an item, a whole number of 0..39, got"):
            again.found(wrong)
    with pytest.raises(ValueError, match="the last entry of its log must choose it"):
        again.replay([((1, 2), 1)], target=2)


def test_entropy_should_be_the_bits_that_are_missing(strategy: str) -> None:
    search = new_search(strategy)
    if strategy != "gauss":
        assert search.entropy == pytest.approx(np.log2(40))
    before = search.entropy
    search.tell(search.ask(4)[0])
    p = search.probability()[search.probability() > 0]
    assert search.entropy == pytest.approx(-(p * np.log2(p)).sum())
    assert search.entropy < before


def test_a_search_should_say_where_it_stands() -> None:
    search = new_search("sampled", candidates=range(8))
    search.show([1, 2])
    search.tell(1)
    best, chance = search.top()[0]
    assert repr(search) == (
        f"<PosteriorSearch: 8 of 40 items, 1 answers, {search.entropy:.1f} bits to go, "
        f"most probable {best} ({chance:.0%})>"
    )
    search.found(5)
    assert repr(search) == "<PosteriorSearch: 8 of 40 items, found 5 after 2 questions>"
    assert repr(new_search("random", candidates=[3])).endswith("0.0 bits to go, most probable 3 (100%), done>")


def test_a_replayed_log_should_lead_to_the_same_belief_and_questions(strategy: str) -> None:
    search, again = new_search(strategy), new_search(strategy)
    for answer in (0, None, 2):
        query = search.ask(3)
        search.tell(None if answer is None else query[answer])
    again.tell(again.ask(4)[1])  # forgotten
    again.replay(search.log, pending=search.ask(3))
    np.testing.assert_array_equal(again.probability(), search.probability())
    assert again.to_dict() == search.to_dict()
    again.replay([([3, 4], 3)])
    assert again.log == (l2s.Step((3, 4), 3),)
    assert again.ask() != (3, 4)


@pytest.mark.parametrize(
    ("log", "pending", "message"),
    [
        ([([3, 4], 5)], None, r"the answer 5 is not an item of its query \[3, 4\]"),
        ([([3, 40], 3)], None, "names item 40, but the items are 0..39"),
        ([([3], 3)], None, "2 to 12 different items"),
        ([], (1, 1), "2 to 12 different items"),
    ],
)
def test_a_log_that_cannot_be_should_be_refused_and_change_nothing(log: list[Any], pending: Any, message: str) -> None:
    search = new_search("sampled")
    query = search.ask()
    search.tell(query[0])
    with pytest.raises(ValueError, match=message):
        search.replay(log, pending)
    assert search.log == (l2s.Step(query, query[0]),)


def test_undo_should_bring_the_question_and_the_belief_back(strategy: str) -> None:
    search = new_search(strategy)
    for _ in range(3):
        search.tell(search.ask()[0])
    before, query = search.probability(), search.ask()
    search.tell(query[1])
    following = search.ask()
    assert search.undo() == query == search.ask()
    np.testing.assert_array_equal(search.probability(), before)
    search.tell(query[1])
    assert search.ask() == following
    with pytest.raises(ValueError, match="no answer to undo"):
        new_search(strategy).undo()


def test_a_stored_search_should_go_on_as_if_nothing_had_happened(strategy: str) -> None:
    search = new_search(strategy)
    for answer in (0, None, 1):
        query = search.ask()
        search.tell(None if answer is None else query[answer])
    search.ask(3)
    stored = json.loads(json.dumps(search.to_dict()))
    again = l2s.Search.from_dict(stored, SPACE)
    assert type(again) is type(search)
    for _ in range(5):
        assert again.ask() == search.ask()
        for one in (again, search):
            one.tell(one.ask()[0])
    np.testing.assert_array_equal(again.probability(), search.probability())
    assert again.to_dict() == search.to_dict()


def test_options_should_be_stored_too() -> None:
    weights = np.arange(1.0, 41)
    search = l2s.PosteriorSearch(SPACE, 0.3, stop="mode", prior=weights, miss_rate=0.1, hit_bonus=1.5, seed=0)
    again = l2s.Search.from_dict(search.to_dict(), SPACE)
    np.testing.assert_allclose(again.probability(), weights / weights.sum())
    assert again.to_dict() == search.to_dict()
    belief = l2s.Belief(np.zeros(3), 2 * np.eye(3))
    gauss = l2s.GaussSearch(UNCERTAIN, 0.3, prior=belief, metric="euclidean", eigen="exact", reuse=True, seed=0)
    assert l2s.GaussSearch.from_dict(gauss.to_dict(), UNCERTAIN).ask() == gauss.ask()


def test_a_search_should_depend_on_nothing_but_seed_and_answers(strategy: str) -> None:
    first, second = new_search(strategy), new_search(strategy)
    second.probability()
    second.top(5)
    for _ in range(4):
        assert first.ask() == second.ask()
        first.tell(first.ask()[1])
        second.tell(second.ask()[1])
    assert l2s.make_search(strategy, SPACE, 0.2, seed=4).ask(8) != l2s.make_search(strategy, SPACE, 0.2, seed=5).ask(
        8
    ) or strategy in ("ig", "eff")


@pytest.mark.parametrize("k", [2, 3, 12])
def test_a_search_whose_items_are_used_up_should_end(strategy: str, k: int) -> None:
    search, shown = new_search(strategy), list[int]()
    while not search.done:
        query = search.ask(min(k, search.left))
        shown += query
        search.tell(query[0])
    assert len(shown) == len(set(shown)) >= 39
    with pytest.raises(ValueError, match="nothing left to ask"):
        search.ask()
    assert search.probability().sum() == pytest.approx(1)


def test_items_at_the_same_place_should_never_be_compared(strategy: str) -> None:
    features = np.repeat(np.random.default_rng(2).random((12, 2)), [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3], axis=0)
    search = l2s.make_search(strategy, l2s.Embedding(features), 0.2, seed=1)
    assert search.left == 12
    while not search.done:
        query = search.ask(min(4, search.left))
        assert len(np.unique(features[list(query)], axis=0)) == len(query)
        search.tell(query[0])
    rest = set(range(24)) - search.used
    assert len(np.unique(features[list(rest)], axis=0)) <= 1


def test_places_should_be_counted_once() -> None:
    features = np.array([[0.0], [1.0], [0.0], [2.0], [1.0], [0.0]])
    assert count_places(twins_of(l2s.Embedding(features))) == 3


# --- bad input -------------------------------------------------------------------------------------


def test_telling_before_asking_should_be_refused(strategy: str) -> None:
    search = new_search(strategy)
    with pytest.raises(ValueError, match="call ask\\(\\) first"):
        search.tell(3)
    search.tell(search.ask()[0])
    with pytest.raises(ValueError, match="call ask\\(\\) first"):
        search.tell(None)


def test_an_item_that_was_not_shown_should_be_refused_and_the_shown_ones_named(strategy: str) -> None:
    search = new_search(strategy)
    query = search.ask()
    other = next(item for item in range(40) if item not in query)
    with pytest.raises(
        ValueError, match=f"item {other} was not shown: the items shown are \\({query[0]}, {query[1]}\\)"
    ):
        search.tell(other)
    assert search.ask() == query
    search.tell(query[0])


@pytest.mark.parametrize("k", [0, 1, 13, 2.5, None])
def test_a_query_size_that_makes_no_sense_should_be_refused(strategy: str, k: int) -> None:
    with pytest.raises(ValueError, match="a query shows 2 to 12 items, got k="):
        new_search(strategy).ask(k)


def test_where_fewer_items_are_left_than_asked_for_those_should_be_shown(strategy: str) -> None:
    search = l2s.make_search(strategy, l2s.Embedding(FEATURES[:9]), 0.2, seed=0)
    sizes = []
    while not search.done:
        sizes.append(len(search.ask(4)))
        search.tell(search.ask(4)[0])
    assert sizes == [4, 4]
    assert search.candidates.tolist() == [item for item in range(9) if item not in search.used]
    with pytest.raises(ValueError, match="nothing left to ask"):
        search.ask(4)


@pytest.mark.parametrize("noise", [0, -0.1, float("nan"), "loud"])
def test_noise_should_be_positive(strategy: str, noise: float) -> None:
    with pytest.raises(ValueError, match="a positive number, got"):
        l2s.make_search(strategy, SPACE, noise)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: l2s.make_search("gaus", SPACE),
            "strategy must be one of eff, gauss, ig, posterior, random, sampled.*'gaus'",
        ),
        (lambda: l2s.PosteriorSearch(SPACE, rule="best"), "rule must be one of sampled, ig, eff, random, got 'best'"),
        (lambda: l2s.PosteriorSearch(SPACE, stop="found"), 'stop must be "shown"'),
        (lambda: l2s.PosteriorSearch(SPACE, miss_rate=1.0), "miss_rate is a share"),
        (lambda: l2s.PosteriorSearch(SPACE, hit_bonus=-1), "hit_bonus is a number of bits"),
        (
            lambda: l2s.PosteriorSearch(SPACE, prior=[1.0, 2.0]),
            "the prior must be 40 weights, one an item, got shape .2,.",
        ),
        (lambda: l2s.PosteriorSearch(SPACE, prior=np.zeros(40)), "not all 0"),
        (lambda: l2s.GaussSearch(SPACE, eigen="fast"), 'eigen must be "power" or "exact"'),
        (lambda: l2s.GaussSearch(SPACE, metric="mahalanobis"), "needs an Embedding with variances"),
        (lambda: l2s.GaussSearch(AN_ARRAY), "a search takes an Embedding, got ndarray: Embedding\\(features\\)"),
        (lambda: l2s.PosteriorSearch(AN_ARRAY), "a search takes an Embedding, got ndarray"),
    ],
)
def test_bad_options_should_be_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_exact_rules_should_refuse_what_they_cannot_serve() -> None:
    many = l2s.Embedding(np.random.default_rng(0).random((5000, 2)))
    with pytest.raises(
        ValueError, match=r'465\.6 GiB .at most 2 are allowed. and about 62\.5 s a question. Use rule="sampled"'
    ):
        l2s.PosteriorSearch(many, 0.1, rule="ig")


def test_a_stored_search_of_another_version_or_embedding_should_be_refused() -> None:
    state = new_search("sampled").to_dict()
    with pytest.raises(ValueError, match="version 99, this release reads version 1 and 2"):
        l2s.Search.from_dict({**state, "version": 99}, SPACE)
    with pytest.raises(ValueError, match=f"made on embedding {SPACE.fingerprint}, this one is {UNCERTAIN.fingerprint}"):
        l2s.Search.from_dict(state, UNCERTAIN)
    with pytest.raises(ValueError, match="not a stored search"):
        l2s.Search.from_dict({"something": 1}, SPACE)
    with pytest.raises(ValueError, match="incomplete: log missing"):
        l2s.Search.from_dict({key: state[key] for key in state if key != "log"}, SPACE)
    with pytest.raises(ValueError, match="names item 40, but the items are 0..39"):
        l2s.Search.from_dict({**state, "log": [[[3, 40], 3]]}, SPACE)
    with pytest.raises(ValueError, match='this is a "posterior" search, not one that GaussSearch can continue'):
        l2s.GaussSearch.from_dict(state, SPACE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"log": [[[3, 3], 3]]}, "2 to 12 different items"),
        ({"log": [[[3], 3]]}, "2 to 12 different items"),
        ({"log": [[[3, 4], 5]]}, r"the answer 5 is not an item of its query \[3, 4\]"),
        ({"log": [[[3, 4], True]]}, "the answer True"),
        ({"log": [[[3, 1.5], 3]]}, "a query is a list of items"),
        ({"log": None}, "bad log"),
        ({"log": [[1, 2, 3]]}, "bad log"),
        ({"pending": []}, "2 to 12 different items"),
        ({"key": ["00000000000000ff"]}, "bad key: expected two words of 16 hex digits"),
        ({"options": {"colour": 1}}, "options that PosteriorSearch does not know"),
    ],
)
def test_a_damaged_stored_search_should_be_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.Search.from_dict({**new_search("sampled").to_dict(), **change}, SPACE)


def test_a_stored_search_should_be_read_by_a_fresh_process(tmp_path: Path) -> None:
    search = new_search("sampled")
    search.tell(search.ask()[0])
    SPACE.save(tmp_path / "space.npz")
    (tmp_path / "search.json").write_text(json.dumps(search.to_dict()))
    program = (
        "import json, learn2search as l2s; "
        "search = l2s.Search.from_dict(json.load(open('search.json')), l2s.Embedding.load('space.npz')); "
        "print(type(search).__name__, len(search.log))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert run.stdout.split() == ["PosteriorSearch", "1"]


OLDER = [  # written by version 0.1.0, with the question that it asked next
    (
        {
            "strategy": "posterior",
            "options": {
                "noise": 0.5,
                "rule": "sampled",
                "stop": "shown",
                "reuse": False,
                "prior": None,
                "miss_rate": 0.0,
                "hit_bonus": 3.0,
            },
            "log": [[[3, 8, 6], 8], [[10, 0], None]],
        },
        (11, 5, 4, 1),
    ),
    (
        {
            "strategy": "gauss",
            "options": {
                "noise": 0.5,
                "prior": [[0.0, 0.0], [[9.0, 0.0], [0.0, 9.0]]],
                "metric": "euclidean",
                "eigen": "power",
                "stop": "shown",
                "reuse": False,
            },
            "log": [[[0, 10, 6], 10], [[8, 1], None]],
        },
        (3, 5, 7, 4),
    ),
]


@pytest.mark.parametrize(("state", "following"), OLDER, ids=["posterior", "gauss"])
def test_a_search_that_an_older_version_stored_should_go_on(state: dict[str, Any], following: tuple[int, ...]) -> None:
    space = l2s.Embedding([[item * 7 % 13, item * 5 % 11] for item in range(12)])
    head = {"format": "learn2search.search", "version": 1, "embedding": "ccae298f021c41f2", "pending": None}
    search = l2s.Search.from_dict({**head, "key": ["6c73632b58de42c6", "23188e641dec4cb6"], **state}, space)
    assert search.ask(4) == following


def test_copies_should_be_searches_of_their_own(strategy: str) -> None:
    search = new_search(strategy)
    search.tell(search.ask()[0])
    for again in (copy.copy(search), copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        assert again.ask() == search.ask()
        again.tell(again.ask()[1])
        assert len(search.log) == 1


def test_a_subclass_should_not_take_its_parents_place() -> None:
    class Mine(l2s.PosteriorSearch):
        pass

    assert type(l2s.PosteriorSearch.from_dict(new_search("sampled").to_dict(), SPACE)) is l2s.PosteriorSearch
    assert Mine(SPACE, 0.2).ask()


def test_an_overlooked_item_should_come_back() -> None:
    """The target is shown, and the person does not notice it; all other answers are right."""
    oracle = l2s.ProbitOracle(FEATURES, 0.02, seed=5)
    for seed in range(10):
        search, times = l2s.PosteriorSearch(SPACE, 0.1, miss_rate=0.02, seed=seed), 0
        while times < 2 and not search.done:
            query = search.ask()
            times += 11 in query
            others = [item for item in query if item != 11]
            search.tell(oracle.choose(query, 11) if len(others) == 2 else others[0])
        assert times == 2


def test_small_wrong_inputs_should_be_refused(strategy: str) -> None:
    search = new_search(strategy)
    wrong: Any
    for wrong in (0, -1, 1.5):
        with pytest.raises(ValueError, match="k from 1"):
            search.top(wrong)
    query = search.ask(8)
    if 1 in query:
        with pytest.raises(ValueError, match="True was not shown"):
            search.tell(True)
    with pytest.raises(ValueError, match="next to nothing"):
        l2s.make_search(strategy, SPACE, 1e-12)


# --- any order of calls ----------------------------------------------------------------------------


class AnyOrder(RuleBasedStateMachine):
    """Ask, answer, undo and store in any order: the log always replays to the same belief."""

    @initialize(name=st.sampled_from(["gauss", "sampled", "random"]), miss=st.sampled_from([0.0, 0.1]))
    def begin(self, name: str, miss: float) -> None:
        options: dict[str, Any] = {} if name == "gauss" else {"miss_rate": miss}
        self.search = new_search(name, **options)

    @precondition(lambda self: not self.search.done)
    @rule(k=st.integers(2, 12), answer=st.one_of(st.none(), st.integers(0, 11)))
    def step(self, k: int, answer: int | None) -> None:
        query = self.search.ask(min(k, self.search.left))
        self.search.tell(None if answer is None else query[answer % len(query)])

    @rule(lowest=st.integers(0, 39), step=st.integers(1, 5))
    def restrict(self, lowest: int, step: int) -> None:
        self.search.restrict(range(lowest, 40, step))

    @rule(items=st.lists(st.integers(0, 39), max_size=3))
    def begin_near(self, items: list[int]) -> None:
        self.search.begin_near(items)

    @precondition(lambda self: self.search.target is None)
    @rule(item=st.integers(0, 39))
    def found(self, item: int) -> None:
        self.search.found(item)

    @precondition(lambda self: self.search.log)
    @rule()
    def undo(self) -> None:
        last, target = self.search.log[-1], self.search.target
        assert self.search.undo() in (last.query, ())
        assert self.search.target is None or target is None

    @rule()
    def store(self) -> None:
        again = l2s.Search.from_dict(json.loads(json.dumps(self.search.to_dict())), SPACE)
        np.testing.assert_array_equal(again.probability(), self.search.probability())
        for name in ("log", "used", "left", "done", "target"):
            assert getattr(again, name) == getattr(self.search, name)
        np.testing.assert_array_equal(again.candidates, self.search.candidates)
        self.search = again


AnyOrder.TestCase.settings = settings(max_examples=20, stateful_step_count=15, deadline=None)
TestAnyOrder = AnyOrder.TestCase
