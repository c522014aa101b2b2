"""Strategies of one's own: a class with one method, a name for it, and everything else follows."""

import copy
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import learn2search as l2s
from learn2search.search import compiled_loop
from learn2search.search.compiled_loop import LoopSetup, implements, loop_setup
from learn2search.typing import Array, Blocked, Items, Stream

FEATURES = np.random.default_rng(0).random((40, 3))
SPACE = l2s.Embedding(FEATURES)
BUILT_IN = ("eff", "gauss", "ig", "posterior", "random", "sampled")


class AnyItems(l2s.Search):
    """The least that a strategy can be."""

    def propose(self, k: int, generator: np.random.Generator) -> Items:
        return generator.choice(self.free, k, replace=False)


class Votes(l2s.Search):
    """Each answer is a vote for all items on its side; options of its own, and a belief."""

    def __init__(
        self,
        embedding: l2s.Embedding,
        noise: float = 1.0,
        *,
        pool: float = 0.2,
        weights: Any = (1.0,),
        **options: Any,
    ) -> None:
        super().__init__(embedding, noise, **options)
        self.pool, self.weight = pool, sum(weights)

    def start(self) -> None:
        self.votes = np.zeros(self.embedding.n_items)

    def learn(self, query: tuple[int, ...], chosen: int | None) -> None:
        x = self.embedding.mean
        for other in query:
            if chosen not in (None, other):
                self.votes += self.weight * (l2s.margin(x[chosen], x[other], x) > 0)

    def propose(self, k: int, generator: np.random.Generator) -> Items:
        best = self.free[np.argsort(-self.votes[self.free], kind="stable")]
        return generator.choice(best[: max(k, int(self.pool * len(best)))], k, replace=False)

    def probability(self) -> Array:
        chances = np.zeros(self.embedding.n_items)
        chances[self.candidates] = np.exp(self.votes[self.candidates] - self.votes.max())
        return chances / chances.sum()


class LikeliestFirst(l2s.PosteriorSearch):
    """Another question with a belief that is there already."""

    def propose(self, k: int, generator: np.random.Generator) -> Items:
        return self.free[np.argsort(-self.probability()[self.free], kind="stable")[:k]]


class Careful(l2s.PosteriorSearch):
    """An option that is fixed, and others that are passed on."""

    def __init__(self, embedding: l2s.Embedding, noise: float = 1.0, **options: Any) -> None:
        super().__init__(embedding, noise, miss_rate=0.1, **options)


OWN = [AnyItems, Votes, LikeliestFirst, Careful]


pytestmark = pytest.mark.usefixtures("forgotten_names")


@pytest.fixture(params=OWN, ids=lambda strategy: strategy.__name__)
def own(request: pytest.FixtureRequest) -> Any:
    return l2s.register_strategy(request.param.__name__)(request.param)


# --- a search by it --------------------------------------------------------------------------------


def test_one_method_should_be_enough() -> None:
    search = AnyItems(SPACE, 0.2, seed=1)
    first = search.ask(3)
    assert len(set(first)) == 3
    search.tell(first[0])
    assert not set(search.ask(3)) & set(first)
    probability = search.probability()
    assert probability.sum() == pytest.approx(1)
    assert set(np.flatnonzero(probability == 0)) == set(first)
    assert search.undo() == first == search.ask()
    np.testing.assert_allclose(search.probability(), 1 / 40)
    with pytest.raises(TypeError, match="abstract"):
        l2s.Search(SPACE)  # type: ignore[abstract]


def test_its_searches_should_be_undone_stored_and_copied(own: Any) -> None:
    search = own(SPACE, 0.2, seed=3)
    for answer in (0, None, 1):
        query = search.ask(3)
        search.tell(None if answer is None else query[answer])
    after = search.ask(3), search.probability()
    search.tell(None)
    search.undo()
    stored = json.loads(json.dumps(search.to_dict()))
    copies = (l2s.Search.from_dict(stored, SPACE), copy.copy(search), copy.deepcopy(search))
    for again in (search, *copies, pickle.loads(pickle.dumps(search))):
        assert type(again) is own
        assert again.ask() == after[0]
        np.testing.assert_array_equal(again.probability(), after[1])
        again.tell(again.ask()[0])
    assert len({again.ask() for again in (search, *copies)}) == 1


def test_options_should_be_stored_as_they_were_given() -> None:
    l2s.register_strategy("votes")(Votes)
    weights = np.array([0.5, 0.25])
    search = Votes(SPACE, 0.2, pool=np.float64(0.3), weights=weights, stop="mode", seed=0)
    weights[:] = 9
    assert search.to_dict()["options"] == {"noise": 0.2, "pool": 0.3, "weights": [0.5, 0.25], "stop": "mode"}
    again: Any = l2s.Search.from_dict(search.to_dict(), SPACE)
    assert (again.pool, again.weight, again.stop) == (0.3, 0.75, "mode")
    with pytest.raises(ValueError, match="the option weights is a set, which cannot be stored"):
        Votes(SPACE, 0.2, weights={1.0}).to_dict()


def test_help_should_show_the_constructor() -> None:
    import inspect

    assert list(inspect.signature(Votes).parameters) == ["embedding", "noise", "pool", "weights", "options"]
    assert list(inspect.signature(AnyItems).parameters)[:4] == ["embedding", "noise", "stop", "reuse"]


def test_free_items_should_be_unused_and_at_different_places() -> None:
    features = np.repeat(FEATURES[:5], [1, 3, 1, 2, 1], axis=0)
    search = AnyItems(l2s.Embedding(features), 0.2, seed=0)
    assert search.free.tolist() == [0, 1, 4, 5, 7]
    search.show([0, 1])
    search.tell(0)
    assert search.free.tolist() == [2, 4, 5, 7]
    assert len(search.free) == search.left
    assert search.candidates.tolist() == [2, 3, 4, 5, 6, 7]
    assert AnyItems(SPACE, 0.2, stop="mode", reuse=True, seed=0).candidates.tolist() == list(range(40))


@pytest.mark.parametrize(
    ("proposal", "message"),
    [
        ([1, 1], r"proposed \[1, 1\]: it must propose 2 different items of 0..39"),
        ([1], "it must propose 2 different items"),
        ([1.5, 2], "it must propose 2 different items"),
        ([1, 40], "it must propose 2 different items"),
        ([-1, 3], "it must propose 2 different items"),
        ([0, 5], "some were shown before and cannot be the target; `free` has those"),
        ([6, 7], "some are at the same place and cannot be compared"),
    ],
)
def test_a_question_that_cannot_be_asked_should_be_refused(proposal: Any, message: str) -> None:
    class Wrong(l2s.Search):
        def propose(self, k: int, generator: np.random.Generator) -> Items:
            return proposal

    features = FEATURES.copy()
    features[6] = features[7]
    search = Wrong(l2s.Embedding(features), 0.2, seed=0)
    search.show([0, 1])
    search.tell(None)
    with pytest.raises(ValueError, match=message):
        search.ask()


@pytest.mark.parametrize("shape", [(3,), (40, 1), ()])
def test_probabilities_of_another_shape_should_be_refused(shape: tuple[int, ...]) -> None:
    class Wrong(AnyItems):
        def probability(self) -> Array:
            return np.full(shape, 0.5)

    looks: list[Callable[[l2s.Search], object]] = [lambda search: search.top(2), lambda search: search.entropy]
    for look in looks:
        with pytest.raises(ValueError, match=r"Wrong.probability\(\) must give one number an item, shape \(40,\), got"):
            look(Wrong(SPACE, 0.2, seed=0))


class BrokenSetup(NamedTuple):
    loop: LoopSetup
    proposal: Items


@implements(compiled_loop.start, BrokenSetup)
def _start(setup: BrokenSetup) -> int:
    return 0


@implements(compiled_loop.propose, BrokenSetup)
def _propose(setup: BrokenSetup, belief: int, blocked: Blocked, k: int, stream: Stream) -> Items:
    return setup.proposal


@implements(compiled_loop.learn, BrokenSetup)
def _learn(setup: BrokenSetup, belief: int, query: Items, chosen: int, blocked: Blocked) -> int:
    return belief


@implements(compiled_loop.is_mode, BrokenSetup)
def _is_mode(setup: BrokenSetup, belief: int, target: int, stream: Stream) -> bool:
    return False


@pytest.mark.parametrize(
    "proposal", [[0, 10**12], [-(10**12), 3], [40, 1], [2, 2], [2], [5, 6, 7], [3, 8]], ids=lambda items: str(items)
)
def test_a_compiled_question_that_cannot_be_asked_should_be_an_error_and_damage_nothing(proposal: list[int]) -> None:
    """It would be read as places in arrays, far outside of them."""

    class Broken(AnyItems):
        def compiled_setup(self) -> BrokenSetup:
            return BrokenSetup(loop_setup(self), np.array(proposal))

    people, shown = l2s.ProbitOracle(FEATURES, 0.1, seed=5), re.escape(str(proposal[:2]))
    with pytest.raises(
        ValueError, match=rf"the compiled loop of BrokenSetup proposed {shown}: it must propose as many"
    ):
        l2s.simulate(Broken, SPACE, people, np.arange(5), exclude=[8], workers=2, progress=False)


# --- simulated -------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", ["shown", "mode"])
def test_it_should_be_simulated_and_find_every_target(own: Any, stop: str) -> None:
    people, targets = l2s.ProbitOracle(FEATURES, 0.02, seed=5), np.arange(40)
    run = l2s.simulate(own, SPACE, people, targets, k=3, stop=stop, seed=1, reuse=False)
    assert run.found.all() or stop == "mode"
    assert 0 <= run.flip_rate < 0.3
    again = l2s.simulate(own.__name__, SPACE, people, targets, k=3, stop=stop, seed=1, reuse=False)
    assert again.logs == run.logs
    if own in (Votes, LikeliestFirst):
        assert run.mean < l2s.simulate("random", SPACE, people, targets, k=3, stop=stop, seed=1, reuse=False).mean


def test_a_changed_step_should_be_what_is_simulated() -> None:
    """A subclass inherits the compiled loop of its parent, which knows nothing of the change."""
    people = l2s.ProbitOracle(FEATURES, 0.1, seed=5)
    run = l2s.simulate(LikeliestFirst, SPACE, people, [7, 8], noise=0.1, keep_logs=True)
    assert run.logs[0][0].query == (0, 1)
    unchanged = l2s.simulate(Careful, SPACE, people, [7, 8], keep_logs=True)
    assert unchanged.logs == l2s.simulate("sampled", SPACE, people, [7, 8], miss_rate=0.1, keep_logs=True).logs


def test_a_function_should_be_a_strategy_too() -> None:
    def mine(embedding: l2s.Embedding, noise: float, **options: Any) -> l2s.Search:
        return l2s.GaussSearch(embedding, noise, eigen="exact", **options)

    people = l2s.ProbitOracle(FEATURES, 0.1, seed=5)
    ours = l2s.simulate("gauss", SPACE, people, np.arange(40), eigen="exact")
    np.testing.assert_array_equal(l2s.simulate(mine, SPACE, people, np.arange(40)).costs, ours.costs)
    assert l2s.make_search(mine, SPACE, 0.1, seed=0).to_dict()["strategy"] == "gauss"
    with pytest.raises(ValueError, match="made a str, not a Search"):
        l2s.make_search(lambda embedding, noise: "search", SPACE)  # type: ignore[arg-type, return-value]
    wrong: Any
    for wrong in (3, dict, None):
        with pytest.raises(ValueError, match="a strategy is a subclass of Search"):
            l2s.simulate(wrong, SPACE, people, [3])


def test_a_changed_ask_should_be_what_is_simulated() -> None:
    class Fixed(l2s.PosteriorSearch):
        def ask(self, k: int = 2) -> tuple[int, ...]:
            return self.show((0, 1)) if not self.log else super().ask(k)

    run = l2s.simulate(Fixed, SPACE, l2s.ProbitOracle(FEATURES, 0.1, seed=5), [7, 8], keep_logs=True)
    assert [log[0].query for log in run.logs] == [(0, 1), (0, 1)]


def test_a_strategy_that_takes_no_options_should_be_told_so() -> None:
    class Closed(AnyItems):
        def __init__(self, embedding: l2s.Embedding, noise: float = 1.0) -> None:
            super().__init__(embedding, noise)

    message = (
        r"Closed.* cannot be made with stop .*unexpected keyword argument 'stop'.*: let it take \(embedding, noise"
    )
    with pytest.raises(ValueError, match=message):
        l2s.simulate(Closed, SPACE, l2s.ProbitOracle(FEATURES, 0.1), [3])
    with pytest.raises(ValueError, match="cannot be made with seed"):
        next(l2s.learn2search(l2s.ProbitOracle(FEATURES, 0.1), 40, 1, strategy=Closed, untaught_strategy=Closed))
    assert l2s.make_search(Closed, SPACE, 0.2).ask()
    with pytest.raises(ValueError, match="cannot be made with nothing"):
        l2s.make_search(lambda: Closed(SPACE, 0.2), SPACE)


def test_noise_should_be_calibrated_on_its_questions() -> None:
    noise = l2s.calibrate_on_policy(Votes, SPACE, 0.1, n_searches=20, seed=0)
    run = l2s.simulate(Votes, SPACE, l2s.ProbitOracle(FEATURES, noise, seed=3), np.arange(40).repeat(3), seed=4)
    assert run.flip_rate == pytest.approx(0.1, abs=0.03)


# --- names -----------------------------------------------------------------------------------------


def test_all_names_should_be_listed() -> None:
    assert l2s.strategy_names() == BUILT_IN
    l2s.register_strategy("any")(AnyItems)
    assert l2s.strategy_names() == (*BUILT_IN, "any")
    with pytest.raises(ValueError, match="strategy must be one of eff, gauss, .*sampled, any, got 'nay'"):
        l2s.make_search("nay", SPACE)


@pytest.mark.parametrize("name", ["", "two words", "a/b", "ü", "x" * 65, 3])
def test_a_name_should_be_plain(name: Any) -> None:
    with pytest.raises(ValueError, match="letters, digits, - and _, at most 64 of them: .*AnyItems has"):
        l2s.register_strategy(name)(AnyItems)
    assert l2s.register_strategy("x" * 64)(AnyItems) is AnyItems


def test_a_strategy_that_is_registered_without_a_name_should_be_refused() -> None:
    with pytest.raises(ValueError, match=r'Nameless needs a name: put @register_strategy\("..."\) above it'):

        @l2s.register_strategy  # type: ignore[arg-type]
        class Nameless(AnyItems):
            pass

    with pytest.raises(ValueError, match="at most 64 of them: .*Empty has ''"):

        @l2s.register_strategy("")
        class Empty(AnyItems):
            pass


def test_a_name_that_is_taken_should_be_refused_and_its_owner_named() -> None:
    with pytest.raises(ValueError, match=r'name "gauss" of .*AnyItems is taken by Learn2Search itself: choose another'):
        l2s.register_strategy("gauss")(AnyItems)
    l2s.register_strategy("mine")(AnyItems)
    with pytest.raises(ValueError, match=r'name "mine" of .*Votes is taken by .*AnyItems'):
        l2s.register_strategy("mine")(Votes)
    with pytest.raises(ValueError, match="a strategy is a subclass of Search"):
        l2s.register_strategy("other")(dict)  # type: ignore[type-var]


def test_the_same_definition_run_again_should_take_its_own_place() -> None:
    """As when a cell of a notebook is run twice."""

    def cell() -> type[l2s.Search]:
        @l2s.register_strategy("mine")
        class Mine(AnyItems):
            pass

        return Mine

    first, second = cell(), cell()
    assert first is not second
    assert type(l2s.make_search("mine", SPACE, 0.2)) is second


def test_a_search_without_a_name_should_not_be_stored() -> None:
    with pytest.raises(ValueError, match="AnyItems has no name to be stored under: put @register_strategy"):
        AnyItems(SPACE, 0.2).to_dict()
    state = l2s.GaussSearch(SPACE, 0.2, seed=0).to_dict()
    with pytest.raises(ValueError, match="strategy must be one of"):
        l2s.Search.from_dict({**state, "strategy": "gone"}, SPACE)
    with pytest.raises(ValueError, match='this is a "sampled" search, not one that Search can continue'):
        l2s.Search.from_dict({**state, "strategy": "sampled"}, SPACE)


# --- an installed package --------------------------------------------------------------------------

MODULE = """
import learn2search as l2s

{decorator}
class InOrder(l2s.Search):
    def propose(self, k, generator):
        return self.free[:k]
"""
PROGRAM = """
import sys, json, learn2search as l2s
assert "{module}" not in sys.modules
space = l2s.Embedding([[0.0], [1.0], [2.0], [3.0]])
search = l2s.make_search("in-order", space)
search.tell(search.ask()[1])
again = l2s.Search.from_dict(json.loads(json.dumps(search.to_dict())), space)
print(type(again).__module__, again.ask(), "in-order" in l2s.strategy_names())
"""


def install(folder: Path, module: str, *, name: str = "in-order", decorator: str = "", target: str = "InOrder") -> None:
    """What pip leaves in a folder: a module, and the package's metadata beside it."""
    (folder / f"{module}.py").write_text(MODULE.format(decorator=decorator))
    metadata = folder / f"{module}-1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(f"[learn2search.strategies]\n{name} = {module}:{target}\n")


def run_python(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    import os

    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("decorator", ["", pytest.param('@l2s.register_strategy("in-order")', marks=pytest.mark.heavy)])
def test_an_installed_package_should_add_its_strategy(tmp_path: Path, decorator: str) -> None:
    install(tmp_path, "shelf", decorator=decorator)
    run = run_python(PROGRAM.format(module="shelf"), tmp_path)
    assert run.stdout.split("\n")[0] == "shelf (2, 3) True", run.stderr
    imported = run_python(
        "import shelf, learn2search as l2s\n"
        + PROGRAM.split("assert")[0]
        + ("space = l2s.Embedding([[0.0], [1.0], [2.0], [3.0]])\nprint(shelf.InOrder(space).to_dict()['strategy'])"),
        tmp_path,
    )
    assert imported.stdout.strip() == "in-order", imported.stderr


@pytest.mark.parametrize(
    ("packages", "message"),
    [
        ([{"module": "one"}, {"module": "two"}], 'name "in-order" of the package .* is taken by the package'),
        ([{"module": "one", "name": "gauss"}], 'name "gauss" of the package one 1.2 is taken by Learn2Search itself'),
        ([{"module": "one", "name": "in order"}], "the package one 1.2 has 'in order'"),
        ([{"module": "one", "target": "Nothing"}], '"in-order" of the package one 1.2 cannot be imported from one:No'),
    ],
)
@pytest.mark.heavy
def test_a_package_that_clashes_or_is_broken_should_be_named(
    tmp_path: Path, packages: list[dict[str, str]], message: str
) -> None:
    for package in packages:
        install(tmp_path, **package)
    run = run_python("import learn2search as l2s; l2s.make_search('in-order', l2s.Embedding([[0.0], [1.0]]))", tmp_path)
    assert run.returncode == 1
    assert __import__("re").search(message, run.stderr), run.stderr


def test_a_name_of_an_installed_package_should_be_refused(tmp_path: Path) -> None:
    install(tmp_path, "shelf")
    program = (
        "import learn2search as l2s\n"
        "@l2s.register_strategy('in-order')\n"
        "class Mine(l2s.Search):\n"
        "    def propose(self, k, generator): return self.free[:k]\n"
    )
    run = run_python(program, tmp_path)
    assert 'name "in-order" of __main__.Mine is taken by the package shelf 1.2' in run.stderr
