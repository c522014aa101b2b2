"""The blind loop: it learns, step by step as the searches do, goes on exactly after a restart, and never hangs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.learn import loop
from learn2search.typing import Array, Items, Triplets

N, D = 40, 2
FEATURES = np.random.default_rng(7).normal(size=(N, D))


def person(seed: int = 1, noise: float = 0.15) -> l2s.ProbitOracle:
    return l2s.ProbitOracle(FEATURES, noise, seed=seed)


class StepByStep:
    """The same simulated people as a Python object, so that searches go through ask and tell."""

    def __init__(self, oracle: l2s.ProbitOracle) -> None:
        self.oracle, self.number = oracle, -1

    def choose(self, query: Sequence[int], target: int) -> int | None:
        return self.visitor.choose(query, target)

    def next(self) -> None:
        self.number += 1
        self.visitor = self.oracle.visitor(self.number)


def learner(**options: Any) -> l2s.Learner:
    given = {"n_components": D, "seed": 3, **options}
    return l2s.Learner(given.pop("oracle", person()), N, **given)


def test_the_public_function_should_yield_numbered_episodes() -> None:
    episodes = list(l2s.learn2search(person(), N, 12, n_components=D, seed=0))
    assert [episode.number for episode in episodes] == list(range(12))
    assert [episode.version for episode in episodes][:6] == [0, 1, 2, 3, 4, 5]  # the first fits are all used
    for episode in episodes:
        assert episode.found
        assert len(episode.queries) == len(episode.answers) == episode.cost
        assert episode.target in episode.queries[-1]
        assert all(answer in query for query, answer in zip(episode.queries, episode.answers, strict=True))
        assert episode.target not in {item for query in episode.queries[:-1] for item in query}


@pytest.mark.parametrize("strategy", ["sampled", "gauss"])
def test_searches_should_become_shorter(strategy: str) -> None:
    costs = [episode.cost for episode in learner(strategy=strategy).searches(300)]
    assert np.mean(costs[200:]) < 0.7 * np.mean(costs[:20])


def test_an_episode_should_teach_each_answer_but_the_last() -> None:
    loop_ = learner()
    episodes = list(loop_.searches(5))
    assert sum(len(episode.triplets) for episode in episodes) == len(loop_.triplets)
    first = episodes[0]
    assert len(first.triplets) == first.cost - 1
    assert (first.triplets[:, 0] == first.target).all()


@pytest.mark.parametrize("strategy", ["sampled", "gauss"])
@pytest.mark.parametrize("k", [2, 4, 12])
def test_compiled_searches_should_equal_ask_and_tell(strategy: str, k: int) -> None:
    slow_oracle = StepByStep(person())
    fast, slow = learner(strategy=strategy, k=k), learner(strategy=strategy, k=k, oracle=slow_oracle)
    for _ in range(15):
        slow_oracle.next()
        assert fast.search() == slow.search()
    np.testing.assert_array_equal(fast.embedding.mean, slow.embedding.mean)


# --- with people instead of an oracle ----------------------------------------------------------------


def answered_by(visitor: l2s.Oracle, search: l2s.Search, target: int, k: int, give_up: int = 100) -> l2s.Search:
    """What an application does: it asks until the visitor says "this is it", or leaves."""
    while not search.done and len(search.log) < give_up:
        query = search.ask(k)
        if target in query and visitor.choose(query, target) == target:
            search.found(target)
        else:
            search.tell(visitor.choose(query, target))
            if target in query:
                search.found(target)
    return search


class FirstShown:
    """Takes the target when it is shown, else the first item."""

    def choose(self, query: Sequence[int], target: int) -> int:
        return target if target in query else query[0]


@pytest.mark.parametrize(
    "options", [{}, {"k": 4, "strategy": "gauss"}, {"explore_below": 4}, {"features": FEATURES, "k": 3}]
)
def test_an_application_should_learn_exactly_as_the_loop_does(options: dict[str, Any]) -> None:
    """The same people, once as the oracle of the loop and once as visitors of an application."""
    loop_, app = learner(oracle=FirstShown(), **options), l2s.Learner(n_items=N, n_components=D, seed=3, **options)
    for number in range(14):
        if number == 8:
            for one in (loop_, app):
                one.retire([0, 5])
        episode = loop_.search()
        assert episode.target is not None
        search = answered_by(FirstShown(), app.new_search(), episode.target, app.k)
        assert app.observe(search) == episode
    np.testing.assert_array_equal(app.triplets, loop_.triplets)
    np.testing.assert_array_equal(app.embedding.mean, loop_.embedding.mean)


def test_a_loop_should_be_as_it_was_before_applications_could_learn() -> None:
    features = np.random.default_rng(0).uniform(size=(30, 2))
    people = l2s.ProbitOracle(features, noise=0.1, seed=1)
    costs = [episode.cost for episode in l2s.learn2search(people, 30, 12, preset="paper", seed=0)]
    assert costs == [10, 6, 1, 5, 8, 13, 9, 8, 5, 7, 11, 12]


def test_a_log_should_teach_and_one_without_an_end_should_only_be_counted(tmp_path: Path) -> None:
    app = l2s.Learner(n_items=N, seed=0)
    log = [((1, 2, 3), 2), ((4, 5), None), ((6, 7), 7)]
    assert app.observe(log, target=9).triplets.tolist() == [[9, 2, 1], [9, 2, 3], [9, 7, 6]]
    assert app.observe(iter(log)).triplets.shape == (0, 3)
    assert app.observe(app.new_search()) == l2s.Episode(2, None, (), (), 0, False, app.version)
    assert (app.number, len(app.triplets)) == (3, 3)
    app.save(tmp_path / "app.npz")
    again = l2s.Learner.load(tmp_path / "app.npz")
    assert again.new_search().ask(4) == app.new_search().ask(4)
    for wrong, target, message in [
        ([((1, N), 1)], 3, f"a query names item {N}"),
        ([((1, 2), 3)], 3, "the answer 3 is not an item of its query"),
        ([((1, 2), 1)], N, f"the target names item {N}, but the items are 0..{N - 1}"),
    ]:
        with pytest.raises(ValueError, match=message):
            app.observe(wrong, target)
    assert app.number == 3
    with pytest.raises(ValueError, match="this learner has no oracle: ask people by new_search"):
        app.search()


def test_searches_that_are_open_together_should_ask_different_questions() -> None:
    app = l2s.Learner(n_items=N, seed=0)
    assert len({app.new_search().ask(4) for _ in range(10)}) > 5
    app.retire(3)
    search = app.new_search(candidates=[1, 2, 3, 4, 5], exclude=[2], miss_rate=0.1)
    assert search.candidates.tolist() == [1, 4, 5]
    search.restrict()
    assert search.candidates.tolist() == [1, 4, 5]  # a retired item stays so


class Likeliest(l2s.PosteriorSearch):
    """A strategy of one's own."""

    def propose(self, k: int, generator: np.random.Generator) -> Items:
        shuffled = generator.permutation(self.free)
        return shuffled[np.argsort(-self.probability()[shuffled], kind="stable")[:k]]


@pytest.mark.parametrize("k", [2, 4])
def test_a_strategy_of_ones_own_should_learn(k: int) -> None:
    episodes = list(learner(strategy=Likeliest, k=k).searches(200))
    assert all(episode.found for episode in episodes)
    costs = [episode.cost for episode in episodes]
    assert np.mean(costs[150:]) < 0.8 * np.mean(costs[:20])


@pytest.mark.usefixtures("forgotten_names")
def test_a_loop_should_be_stored_with_the_name_of_its_strategy(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give .*Likeliest one by register_strategy"):
        learner(strategy=Likeliest).save(tmp_path / "state.npz")
    with pytest.raises(ValueError, match="only be stored when its strategy has a name"):
        l2s.learn2search(person(), N, 3, strategy=Likeliest, checkpoint=tmp_path / "state.npz")
    l2s.register_strategy("likeliest")(Likeliest)
    whole = learner(strategy=Likeliest)
    assert whole.recipe.strategy == "likeliest"
    list(whole.searches(8))
    whole.save(tmp_path / "state.npz")
    again = l2s.Learner.load(tmp_path / "state.npz", person())
    assert list(again.searches(4)) == list(whole.searches(4))


@pytest.mark.usefixtures("forgotten_names")
def test_an_embedding_of_ones_own_should_run_in_the_same_loop(tmp_path: Path) -> None:
    @l2s.register_embedding("mine")
    class Mine:
        """Positions by t-STE, in another unit."""

        def __init__(self, n_components: int, random_state: Any) -> None:
            self.model = l2s.TSTE(n_components, random_state=random_state)

        def fit(self, X: Triplets, *, init: l2s.Embedding | None, n_items: int) -> None:
            self.model.fit(X, n_items=n_items)

        def to_embedding(self) -> l2s.Embedding:
            return l2s.Embedding(7 * self.model.embedding_)

    loop_ = learner(embedding="mine", k=4)
    costs = [episode.cost for episode in loop_.searches(120)]
    assert np.mean(costs[80:]) < 0.8 * np.mean(costs[:10])
    loop_.save(tmp_path / "state.npz")
    again = l2s.Learner.load(tmp_path / "state.npz", person())
    assert list(again.searches(4)) == list(loop_.searches(4))


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_a_saved_loop_should_go_on_with_the_same_episodes(preset: str, tmp_path: Path) -> None:
    whole = learner(preset=preset)
    list(whole.searches(25))
    whole.retire([2, 5])
    whole.save(tmp_path / "state.npz")
    again = l2s.Learner.load(tmp_path / "state.npz", person())
    assert list(whole.searches(15)) == list(again.searches(15))
    np.testing.assert_array_equal(whole.triplets, again.triplets)
    np.testing.assert_array_equal(whole.embedding.var, again.embedding.var)


def test_a_checkpoint_should_be_continued(tmp_path: Path) -> None:
    path = tmp_path / "loop.npz"
    once = list(l2s.learn2search(person(), N, 20, n_components=D, seed=5))
    begun = l2s.learn2search(person(), N, 20, n_components=D, seed=5, checkpoint=path)
    first = [next(begun) for _ in range(9)]  # and then the program is killed
    rest = list(l2s.learn2search(person(), N, 20, n_components=D, seed=5, checkpoint=path))
    assert first == once[:9]
    assert rest == once[20 - len(rest) :]
    assert rest[0].number <= 9
    assert list(l2s.learn2search(person(), N, 20, n_components=D, seed=5, checkpoint=path)) == []


def test_a_checkpoint_of_another_loop_should_be_refused(tmp_path: Path) -> None:
    list(l2s.learn2search(person(), N, 2, n_components=D, seed=5, checkpoint=tmp_path / "loop.npz"))
    others: tuple[dict[str, Any], ...] = ({"strategy": "gauss"}, {"seed": 6}, {"give_up": 9}, {"features": FEATURES})
    for other in others:
        with pytest.raises(ValueError, match="another loop"):
            l2s.learn2search(person(), N, 2, n_components=D, checkpoint=tmp_path / "loop.npz", **{"seed": 5, **other})
    unseeded = l2s.learn2search(person(), N, 2, n_components=D, checkpoint=tmp_path / "loop.npz")
    assert list(unseeded) == []  # it goes on with the seed that it began with


def test_numbers_of_numpy_should_be_stored_as_well(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "n_items": np.int64(N),
        "n_components": np.int64(D),
        "give_up": np.int64(9),
        "batches": np.int32(50),
    }
    loop_ = l2s.Learner(person(), seed=3, **options)
    list(loop_.searches(3))
    loop_.save(tmp_path / "loop.npz")
    assert l2s.Learner.load(tmp_path / "loop.npz", person()).recipe == loop_.recipe


def test_memory_should_be_bounded_by_triplets_and_embedding() -> None:
    loop_ = learner()
    list(loop_.searches(60))
    held = loop_.learnt._rows.nbytes + loop_.learnt._numbers.nbytes
    held += sum(one.embedding.mean.nbytes + one.embedding.var.nbytes for one in (loop_.learnt.fitted, loop_.learnt.now))
    assert held <= 2 * 32 * max(len(loop_.triplets), 512) + 4 * 8 * N * D
    assert not [name for name, value in vars(loop_).items() if isinstance(value, list)]  # no log of episodes


# --- who is looked for, and how it ends ------------------------------------------------------------


def test_popular_targets_should_be_looked_for_more_often() -> None:
    weights = np.zeros(N)
    weights[[3, 4]] = 9, 1
    targets = [episode.target for episode in learner(targets=weights).searches(60)]
    assert set(targets) == {3, 4}
    assert targets.count(3) > 40


def test_targets_may_come_from_a_function() -> None:
    episodes = learner(targets=lambda number, generator: number % 7).searches(14)
    assert [episode.target for episode in episodes] == [number % 7 for number in range(14)]
    with pytest.raises(ValueError, match="gave item 99"):
        learner(targets=lambda number, generator: 99).search()
    with pytest.raises(ValueError, match="weights"):
        learner(targets=[1.0, 2.0]).search()


def test_searches_that_were_given_up_should_teach_nothing() -> None:
    loop_ = learner(give_up=1)
    episodes = list(loop_.searches(30))
    assert {episode.cost for episode in episodes} == {1}
    lost = [episode for episode in episodes if not episode.found]
    assert lost
    assert all(len(episode.triplets) == 0 for episode in lost)
    assert len(loop_.triplets) == 0


def test_looking_for_something_that_is_not_here_should_end_and_teach_nothing() -> None:
    loop_ = learner(targets=lambda number, generator: 0)
    loop_.retire(0)
    episode = loop_.search()
    assert not episode.found
    assert len(loop_.triplets) == 0
    assert 0 not in {item for query in episode.queries for item in query}


# --- items come and go -----------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["sampled", "gauss"])
def test_a_retired_item_should_never_be_shown(strategy: str) -> None:
    loop_ = learner(strategy=strategy)
    list(loop_.searches(5))
    loop_.retire([1, 7, 30])
    for episode in loop_.searches(15):
        assert not {1, 7, 30} & {episode.target, *(item for query in episode.queries for item in query)}


def test_a_new_item_should_start_at_the_prior_and_be_explored_until_it_is_known() -> None:
    loop_ = l2s.Learner(person(), N - 3, n_components=D, seed=3, explore_below=10)
    list(loop_.searches(40))
    new = loop_.join(3)
    assert list(new) == [N - 3, N - 2, N - 1]
    np.testing.assert_allclose(loop_.embedding.var[list(new)], np.tile(loop_.learnt.now.prior_variance, (3, 1)))
    for episode in loop_.searches(80):
        unknown = loop_.learnt.counts[list(new)].max() == 0
        assert not unknown or set(new) & set(episode.queries[0])
    assert loop_.learnt.counts[list(new)].min() >= 10


def test_bad_joins_and_retirements_should_be_refused() -> None:
    loop_ = learner()
    with pytest.raises(ValueError, match="1 or more"):
        loop_.join(0)
    with pytest.raises(ValueError, match="knows 40 items, .* there would be 43: first set learner.oracle"):
        loop_.join(3)
    assert loop_.n_items == N
    with pytest.raises(ValueError, match="0..39"):
        loop_.retire(40)
    with pytest.raises(ValueError, match="at least 3"):
        loop_.retire(list(range(38)))


def test_targets_that_are_all_retired_should_be_said() -> None:
    loop_ = learner(targets=np.eye(N)[3])
    loop_.retire(3)
    with pytest.raises(ValueError, match="nothing to look for"):
        loop_.search()


# --- baselines -------------------------------------------------------------------------------------


def test_true_features_should_search_as_simulate_does() -> None:
    loop_ = learner(embedding="true", strategy="gauss")
    episodes = list(loop_.searches(50))
    run = l2s.simulate("gauss", l2s.Embedding(FEATURES), person(), [e.target for e in episodes], progress=False)
    assert abs(np.mean([episode.cost for episode in episodes]) - run.mean) < 2
    assert loop_.version == 0


@pytest.mark.parametrize("embedding", ["tste", "ckl"])
def test_embeddings_without_variances_should_run_in_the_same_loop(embedding: str, tmp_path: Path) -> None:
    loop_ = learner(preset="paper", embedding=embedding)
    list(loop_.searches(9))
    assert loop_.version == 4
    assert loop_.embedding.var is None
    assert 0 < loop_.noise < np.inf
    loop_.save(tmp_path / "state.npz")
    again = l2s.Learner.load(tmp_path / "state.npz", person())
    assert list(again.searches(4)) == list(loop_.searches(4))


@pytest.mark.heavy
def test_features_should_shorten_the_first_searches() -> None:
    def first(**options: Any) -> float:
        runs = (learner(seed=seed, **options).searches(8) for seed in range(6))
        return float(np.mean([episode.cost for run in runs for episode in run]))

    assert first(features=50 * FEATURES + 3) < 0.7 * first()  # in any unit, from anywhere
    assert first(features=FEATURES[:, :1]) < first()  # a part of them


def test_new_items_should_bring_features_when_the_others_have_them() -> None:
    loop_ = l2s.Learner(person(), N - 2, n_components=D, seed=3, features=FEATURES[:-2])
    list(loop_.searches(10))
    with pytest.raises(ValueError, match="need features"):
        loop_.join(2)
    with pytest.raises(ValueError, match=r"shape \(2, 2\)"):
        loop_.join(2, features=np.zeros((2, 5)))
    loop_.join(2, features=FEATURES[-2:])
    list(loop_.searches(5))


def test_the_number_of_axes_should_be_chosen_when_there_are_enough_triplets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("learn2search.learn.policy.CHOOSE_AT", 150)
    loop_ = learner(n_components="estimated")
    assert loop_.embedding.dim == N - 1
    list(loop_.searches(60))
    assert loop_.embedding.dim < N - 1


def test_more_and_fewer_axes_should_be_compared_when_the_searches_have_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def compare(d: int, ladder: list[int], scores: Callable[[int, int], Array]) -> int:
        compared.append((d, [len(scores(ladder[0], part)) for part in range(3)]))  # a score for each lesson of a part
        return d

    monkeypatch.setattr("learn2search.learn.policy.COMPARE_FROM", 16)
    monkeypatch.setattr("learn2search.learn.policy.better_dimension", compare)
    loop_ = learner(n_components="auto")
    list(loop_.searches(50))
    assert loop_.embedding.dim == 10
    assert 1 <= len(compared) <= 6
    assert all(d == 10 and sum(parts) >= 16 and max(parts) - min(parts) <= 1 for d, parts in compared)


@pytest.mark.heavy
def test_a_loop_should_find_its_own_number_of_axes() -> None:
    """16 hidden features: ten axes are too few, and "auto" notices. Triplets of four items count two thirds each."""
    features = np.random.default_rng(0).normal(size=(60, 16))
    oracle = l2s.ProbitOracle(features, noise=0.1, seed=0)
    loop_ = l2s.Learner(oracle, 60, k=4, seed=0)
    while len(loop_.triplets) < 21_000:
        loop_.search()
    assert 10 < loop_.embedding.dim <= 40


# --- bad input -------------------------------------------------------------------------------------


class Answers:
    """Always the same kind of answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def choose(self, query: Sequence[int], target: int) -> int | None:
        answer: int | None = self.answer(query) if callable(self.answer) else self.answer
        return answer


def test_an_answer_that_was_not_shown_should_be_an_error() -> None:
    with pytest.raises(ValueError, match="chose item 1000, which was not shown"):
        learner(oracle=Answers(1000)).search()


@pytest.mark.parametrize("strategy", ["sampled", "gauss"])
@pytest.mark.parametrize("answer", [None, lambda query: query[0]])
def test_an_oracle_that_says_nothing_should_not_stop_the_loop(strategy: str, answer: Any) -> None:
    loop_ = learner(oracle=Answers(answer), strategy=strategy)
    episodes = list(loop_.searches(12))
    assert all(episode.found for episode in episodes)
    assert (len(loop_.triplets) == 0) == (answer is None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"k": 1}, "2 to 12"), ({"give_up": 0}, "give_up"), ({"preset": "worst"}, "preset"), ({"seed": -1}, "seed")],
)
def test_wrong_arguments_should_be_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        learner(**wrong)


def test_an_oracle_that_does_not_fit_should_be_refused() -> None:
    with pytest.raises(ValueError, match="knows 40 items, the loop has 50"):
        l2s.Learner(person(), 50)
    with pytest.raises(ValueError, match="ProbitOracle"):
        learner(oracle=Answers(None), embedding="true")


def test_the_module_should_give_the_function_of_the_package() -> None:
    assert l2s.learn2search is loop.learn2search


def test_a_loop_that_weighs_should_go_on_where_it_was_saved(tmp_path: Path) -> None:
    whole, first = (learner(k=4, weigh_searches=True) for _ in range(2))
    list(whole.searches(30))
    assert whole.search_weights.shape == (len(np.unique(whole.learnt.lessons.numbers)),)
    assert ((whole.search_weights > 0) & (whole.search_weights <= 1)).all()
    list(first.searches(20))
    first.save(tmp_path / "loop.npz")
    again = l2s.Learner.load(tmp_path / "loop.npz", person())
    list(again.searches(10))
    np.testing.assert_array_equal(again.embedding.mean, whole.embedding.mean)
    np.testing.assert_array_equal(again.search_weights, whole.search_weights)


def test_a_loop_that_learns_lapses_should_search_with_them_and_go_on_where_it_was_saved(tmp_path: Path) -> None:
    whole = learner(k=4, lapse="fit", one_choice=True)
    list(whole.searches(30))
    lapse = whole.lapse
    assert 0 < lapse < 0.3
    assert whole._begin(whole.number)[0].options["lapse"] == lapse
    whole.save(tmp_path / "loop.npz")
    again = l2s.Learner.load(tmp_path / "loop.npz", person())
    assert again.lapse == lapse
    assert list(whole.searches(10)) == list(again.searches(10))
    gauss = learner(strategy="gauss", lapse=0.2)
    list(gauss.searches(3))  # a strategy that knows no lapses searches without
    assert "lapse" not in gauss._begin(gauss.number)[0].options
    known = learner(embedding="true", lapse=0.2)
    assert known._begin(known.number)[0].options["lapse"] == 0.2
