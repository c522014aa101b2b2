"""The loop of the paper's section 5.2: search with the present embedding, learn from the answers, search again.

Only searches that found their target teach: then the target is known, and each answer is a triplet around it. All
randomness is a function of the seed and the number of the search, so a loop that was stopped goes on exactly.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learn2search.embedding import Embedding
from learn2search.learn.learnt_embedding import LearntEmbedding
from learn2search.learn.recipe import Recipe, make_recipe
from learn2search.learn.search_clicks import clicks_of
from learn2search.learn.state import read_state, write_state
from learn2search.oracle import Oracle, ProbitOracle, is_modelled
from learn2search.search.base import MAX_SHOWN, Search, Step
from learn2search.search.compiled_loop import loop_of, setup_of
from learn2search.search.plain_loop import search_for
from learn2search.search.strategies import make_search_knowing
from learn2search.search.trace import new_games, new_trace, steps_of
from learn2search.streams import seed_sequence, stream_keys
from learn2search.table_oracle import visitor_of
from learn2search.triplets import from_search
from learn2search.typing import Array, Integers, Items, Key, Keys, Seed, Triplets

Targets = ArrayLike | Callable[[int, np.random.Generator], int] | None
_KEYS_AHEAD = 1024  # visitors whose random streams are made together


@dataclass(frozen=True, slots=True)
class Episode:
    """One search of a learning loop.

    Attributes
    ----------
    number : int
        From 0.
    target : int
        What was looked for.
    queries : tuple of tuple of int
        The items shown, question by question.
    answers : tuple of int or None
        The item chosen each time, None for "can't tell".
    cost : int
        The number of questions.
    found : bool
        False when the search ended without its target; then it taught nothing.
    version : int
        Of the model that the search used: the number of fits before it.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.Episode(0, 9, ((4, 2), (9, 5)), (2, 9), cost=2, found=True, version=0).triplets.tolist()
    [[9, 2, 4]]
    """

    number: int
    target: int
    queries: tuple[tuple[int, ...], ...]
    answers: tuple[int | None, ...]
    cost: int
    found: bool
    version: int

    @property
    def triplets(self) -> Triplets:
        """What it teaches, `(m, 3)`."""
        return from_search(self.target, self._steps())

    @property
    def places(self) -> Integers:
        """Where on its screen the near item of each triplet was, `(m,)`."""
        clicks = clicks_of([(self.target, self._steps())])
        return np.repeat(clicks.places, clicks.sizes - 1)

    def _steps(self) -> list[tuple[tuple[int, ...], int | None]]:
        """The questions that teach."""
        steps = zip(self.queries, self.answers, strict=True) if self.found else ()
        return [step for step in steps if self.target not in step[0]]


class Learner:
    """The state of a learning loop, which can be saved, changed on the way, and continued.

    Parameters
    ----------
    oracle : Oracle
        Who answers.
    n_items : int
        How many items there are.
    preset : {"best", "paper"}, optional
        Where the choices begin.
    seed : int, SeedSequence or Generator, optional
        The same seed gives the same loop.
    k : int, optional
        Items a query, 2 to 12.
    targets : (n_items,) array_like or callable, optional
        What people look for: all items alike, weights (popularity), or a function of the search's number and a
        generator that returns an item.
    give_up : int, optional
        After so many questions without the target a person leaves; by default never.
    features : (n_items, f) array_like, optional
        If something is known about the items: their positions before any answer, in any unit. They may explain only a
        part.
    **changes : object
        Choices of `Recipe`.

    Raises
    ------
    ValueError
        If an argument cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> person = l2s.ProbitOracle(np.random.default_rng(0).uniform(size=(8, 2)), noise=0.1, seed=1)
    >>> learner = l2s.Learner(person, n_items=8, seed=0)
    >>> [episode.found for episode in learner.searches(3)]
    [True, True, True]
    >>> learner.search().number, learner.n_items, learner.embedding.n_items
    (3, 8, 8)
    >>> learner.retire(5)
    >>> learner.oracle = l2s.ProbitOracle(np.random.default_rng(0).uniform(size=(9, 2)), noise=0.1, seed=1)
    >>> learner.join(1)
    range(8, 9)
    >>> learner.save("loop.npz")
    >>> l2s.Learner.load("loop.npz", learner.oracle).number
    4
    """

    def __init__(
        self,
        oracle: Oracle,
        n_items: int,
        *,
        preset: str = "best",
        seed: Seed = None,
        k: int = 2,
        targets: Targets = None,
        give_up: int | None = None,
        features: ArrayLike | None = None,
        **changes: Any,
    ) -> None:
        self.recipe: Recipe = make_recipe(preset, k, **changes)
        if isinstance(n_items, bool) or not isinstance(n_items, int | np.integer) or n_items < 3:
            raise ValueError(f"a loop needs 3 or more items, got n_items={n_items!r}")
        if not isinstance(k, int | np.integer) or not 2 <= k <= min(MAX_SHOWN, n_items):
            raise ValueError(f"a query shows 2 to {MAX_SHOWN} of the items, got k={k!r}")
        if give_up is not None and not (isinstance(give_up, int | np.integer) and give_up >= 1):
            raise ValueError(f"give_up is a number of questions, 1 or more, got {give_up!r}")
        self.k, self.give_up = int(k), None if give_up is None else int(give_up)
        self.number = 0  # searches so far
        self.active = np.ones(n_items, bool)
        self._seed = seed_sequence(seed)
        self.learnt = LearntEmbedding(int(n_items), self.recipe, self._stream(0), features)
        self.targets = targets
        self._changed()
        self.oracle = oracle

    # --- what is known ---

    @property
    def n_items(self) -> int:
        """All items that ever joined, retired ones included."""
        return len(self.active)

    @property
    def triplets(self) -> Triplets:
        """All triplets so far."""
        return self.learnt.lessons.triplets

    @property
    def counts(self) -> Items:
        """In how many triplets each item stands, the paper's m(i), `(n_items,)`."""
        return self.learnt.counts.copy()

    @property
    def search_weights(self) -> Array:
        """How much each search that taught counts, in their order: 1, unless the recipe says `weigh_searches`."""
        return self.learnt.lesson_weights

    @property
    def version(self) -> int:
        """How often the embedding was refitted."""
        return self.learnt.version

    @property
    def embedding(self) -> Embedding:
        """Of all items; searches on it take the noise `learner.noise`."""
        return self.learnt.space()

    @property
    def noise(self) -> float:
        """σ of the answers in the unit of the embedding: 1, but for embeddings without variances."""
        return self.learnt.now.noise

    @property
    def lapse(self) -> float:
        """The share of answers that say nothing, as the next search expects it: 0, unless the recipe says `lapse`."""
        if self.recipe.embedding == "true":
            return 0.0 if isinstance(self.recipe.lapse, str) else self.recipe.lapse
        return self.learnt.now.lapse

    # --- the loop ---

    def searches(self, count: int) -> Iterator[Episode]:
        """The next searches.

        Parameters
        ----------
        count : int
            How many.

        Yields
        ------
        Episode
            One a search.
        """
        for _ in range(count):
            yield self.search()

    def search(self) -> Episode:
        """One search, and what is learnt from it.

        Returns
        -------
        Episode
            What was shown, chosen and found.
        """
        target = self._draw_target()
        search = self._new_search()
        unknown, setup = self._unknown(), setup_of(search)
        if not is_modelled(self._oracle) or setup is None or self._place_of[target] < 0 or len(unknown):
            episode = self._run_in_python(search, target, visitor_of(self._oracle, self.number), unknown)
        else:
            episode = self._run_compiled(setup, target)
        self.number += 1
        if self.recipe.embedding != "true":
            self.learnt.learn(episode.triplets, self.number, episode.places)
        return episode

    # --- items come and go ---

    def join(self, count: int = 1, features: ArrayLike | None = None) -> range:
        """New items, at the prior. The oracle must know them, so replace it first.

        Parameters
        ----------
        count : int, optional
            How many.
        features : (count, f) array_like, optional
            If the others have them.

        Returns
        -------
        range
            The numbers of the new items.

        Raises
        ------
        ValueError
            If the oracle does not know so many items.
        """
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ValueError(f"1 or more items can join, got {count!r}")
        new = range(self.n_items, self.n_items + int(count))
        if isinstance(self._oracle, ProbitOracle) and len(self._oracle.features) < new.stop:
            raise ValueError(
                f"the oracle knows {len(self._oracle.features)} items, with the new ones there would be {new.stop}: "
                "first set learner.oracle to one that knows them all"
            )
        self.learnt.join(int(count), features)
        self.active = np.concatenate([self.active, np.ones(int(count), bool)])
        self._changed()
        return new

    def retire(self, items: int | Sequence[int]) -> None:
        """Never show these items again. What was learnt about them stays: it says where others are.

        Parameters
        ----------
        items : int or sequence of int
            Which ones.

        Raises
        ------
        ValueError
            If an item is unknown, or fewer than three would stay.
        """
        leaving = np.atleast_1d(np.asarray(items))
        if leaving.dtype.kind not in "iu" or leaving.min(initial=0) < 0 or leaving.max(initial=0) >= self.n_items:
            raise ValueError(f"the items are 0..{self.n_items - 1}, got {items!r}")
        staying = self.active.copy()
        staying[leaving] = False
        if staying.sum() < 3:
            raise ValueError(f"at least 3 items must stay, but only {staying.sum()} would")
        self.active = staying
        self._changed()

    @property
    def oracle(self) -> Oracle:
        """Who answers; may be replaced, as when new items join."""
        return self._oracle

    @oracle.setter
    def oracle(self, oracle: Oracle) -> None:
        if isinstance(oracle, ProbitOracle) and len(oracle.features) < self.n_items:
            raise ValueError(f"the oracle knows {len(oracle.features)} items, the loop has {self.n_items}")
        if self.recipe.embedding == "true" and not isinstance(oracle, ProbitOracle):
            raise ValueError('embedding="true" takes the features of a ProbitOracle; this oracle has none')
        self._oracle = oracle
        self._visitors: Keys = np.empty((0, 2), np.uint64)
        self._changed()

    # --- storing ---

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the oracle and the targets to a file that `load` reads.

        Parameters
        ----------
        path : str or path
            The file to write.
        """
        choices = {"recipe": self.recipe.to_dict(), "k": self.k, "give_up": self.give_up, "number": self.number}
        seed = {"entropy": self._seed.entropy, "spawn_key": list(self._seed.spawn_key)}
        write_state(path, {**choices, **seed}, {"active": self.active, **self.learnt.to_arrays()})

    @classmethod
    def load(cls, path: str | os.PathLike[str], oracle: Oracle, targets: Targets = None) -> "Learner":
        """The loop as it was saved: with the same oracle and targets, the same episodes follow.

        Parameters
        ----------
        path : str or path
            The file to read.
        oracle : Oracle
            Who answers.
        targets : (n_items,) array_like or callable, optional
            As in the constructor.

        Returns
        -------
        Learner
            Ready to go on.
        """
        choices, arrays = read_state(path)
        recipe = Recipe.from_dict(choices["recipe"])
        seed = np.random.SeedSequence(choices["entropy"], spawn_key=tuple(choices["spawn_key"]))
        learner = cls.__new__(cls)
        learner.recipe, learner.k, learner.give_up = recipe, choices["k"], choices["give_up"]
        learner.number, learner._seed, learner.active = choices["number"], seed, arrays["active"]
        learner.learnt = LearntEmbedding(len(learner.active), recipe, learner._stream(0))
        learner.learnt.take_arrays(arrays)
        learner.targets = targets
        learner.oracle = oracle
        return learner

    # --- parts of a search ---

    def _changed(self) -> None:
        """Another oracle, or other items: what follows from them."""
        self._items = np.flatnonzero(self.active)
        self._place_of = np.full(self.n_items, -1)
        self._place_of[self._items] = np.arange(len(self._items))
        limit = self.give_up or self.n_items
        self._trace = new_trace(limit, self.k)
        oracle = getattr(self, "_oracle", None)
        if isinstance(oracle, ProbitOracle):
            self._person = oracle.person._replace(features=np.ascontiguousarray(oracle.features[self._items]))
            self._truth = Embedding(self._person.features)

    def _new_search(self) -> Search:
        if self.recipe.embedding == "true":
            space, noise, strategy = self._truth, self._person.noise, self.recipe.strategy
        else:
            space, noise, strategy = self.learnt.space(self._items), self.learnt.now.noise, self.learnt.strategy
        given = {"metric": self.recipe.metric} if strategy == "gauss" and space.var is not None else {}
        return make_search_knowing(self.lapse, strategy, space, noise, seed=self._stream(1, self.number), **given)

    def _draw_target(self) -> int:
        generator = np.random.default_rng(self._stream(2, self.number))
        if callable(self.targets):
            target = int(self.targets(self.number, generator))
            if not 0 <= target < self.n_items:
                raise ValueError(f"targets() gave item {target}, but the items are 0..{self.n_items - 1}")
            return target
        if self.targets is None:
            return int(self._items[generator.integers(len(self._items))])
        weights = _checked_weights(self.targets, self.n_items)[self._items]
        if weights.sum() == 0:
            raise ValueError("all items with a weight in targets= are retired: there is nothing to look for")
        return int(generator.choice(self._items, p=weights / weights.sum()))

    def _unknown(self) -> Items:
        """Items that are to be explored: the first query of the search shows up to half its size of them."""
        if self.recipe.embedding == "true" or not self.recipe.explore_below:
            return self._items[:0]
        unknown = np.flatnonzero(self.active & (self.learnt.counts < self.recipe.explore_below))
        if len(unknown) == 0 or len(unknown) == len(self._items):
            return unknown[:0]
        generator = np.random.default_rng(self._stream(3, self.number))
        return generator.choice(unknown, min(self.k // 2, len(unknown)), replace=False)

    def _run_compiled(self, setup: Any, target: int) -> Episode:
        """The whole search in compiled code."""
        keys, visitor_keys = stream_keys(self._stream(1, self.number), 1), self._visitor_key()[None]
        places, games = self._place_of[[target]], new_games(1)
        loop_of(setup)(setup, keys, self._person, visitor_keys, places, self.k, self._trace, games)
        return self._episode(target, steps_of(self._trace), int(games.costs[0]))

    def _run_in_python(self, search: Search, target: int, oracle: Oracle, unknown: Items) -> Episode:
        """The same search step by step, for any oracle and strategy, and where items are explored."""
        items, place = self._items, int(self._place_of[target])

        def answer(query: tuple[int, ...]) -> int | None:
            shown = tuple(int(items[at]) for at in query)
            chosen = oracle.choose(shown, target)
            if chosen is not None and chosen not in shown:
                raise ValueError(f"the oracle chose item {chosen!r}, which was not shown: the items shown are {shown}")
            return None if chosen is None else query[shown.index(chosen)]

        if len(unknown):
            search.show(_with_unknown(search.ask(min(self.k, search.left)), self._place_of[unknown]))
        cost = search_for(place if place >= 0 else None, search, answer, self.k, self.give_up or self.n_items)
        return self._episode(target, search.log, cost)

    def _episode(self, target: int, log: Sequence[Step], cost: int) -> Episode:
        """cost: negative when the target was not found."""
        items = self._items
        queries = tuple(tuple(int(items[place]) for place in step.query) for step in log)
        answers = tuple(None if step.chosen is None else int(items[step.chosen]) for step in log)
        return Episode(self.number, target, queries, answers, abs(cost), cost > 0, self.version)

    def _visitor_key(self) -> Key:
        """The random stream of this search's visitor: the one that `oracle.visitor(number)` has."""
        if self.number >= len(self._visitors) and isinstance(self._oracle, ProbitOracle):
            self._visitors = self._oracle.keys(2 * self.number + _KEYS_AHEAD)
        key: Key = self._visitors[self.number]
        return key

    def _stream(self, *place: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self._seed.entropy, spawn_key=(*self._seed.spawn_key, *place))


def learn2search(
    oracle: Oracle,
    n_items: int,
    n_searches: int,
    *,
    preset: str = "best",
    seed: Seed = None,
    checkpoint: str | os.PathLike[str] | None = None,
    targets: Targets = None,
    **options: Any,
) -> Iterator[Episode]:
    """Search and learn, without any features of the items.

    Parameters
    ----------
    oracle : Oracle
        Who answers.
    n_items : int
        How many items there are.
    n_searches : int
        How many searches.
    preset : {"best", "paper"}, optional
        Ours, or the paper's.
    seed : int, SeedSequence or Generator, optional
        The same seed gives the same loop.
    checkpoint : str or path, optional
        A file where the state is kept, written at each fit and at the end. When it is there already, the loop goes on
        after its last search; episodes after it come again, the same.
    targets : (n_items,) array_like or callable, optional
        As in `Learner`.
    **options : object
        Options of `Learner`, and the choices of `Recipe`.

    Returns
    -------
    iterator of Episode
        One a search.

    Raises
    ------
    ValueError
        If the checkpoint is of another loop, or cannot be written because the strategy has no name.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> person = l2s.ProbitOracle(np.random.default_rng(0).uniform(size=(8, 2)), noise=0.1, seed=1)
    >>> for episode in l2s.learn2search(person, n_items=8, n_searches=5, seed=0):
    ...     last = episode
    >>> last.number, last.found
    (4, True)
    """
    learner = Learner(oracle, n_items, preset=preset, seed=seed, targets=targets, **options)
    if checkpoint is not None:
        learner.recipe.check_storable()
    if checkpoint is not None and Path(checkpoint).exists():
        asked, learner = learner, Learner.load(checkpoint, oracle, targets)
        if not _is_same_loop(learner, asked, seeded=seed is not None):
            raise ValueError(
                f"{os.fspath(checkpoint)} is the state of another loop ({learner.n_items} items, k={learner.k}, "
                f"give_up={learner.give_up}, {learner.recipe}, perhaps another seed or other features): "
                "give it another name, or ask for the same loop"
            )
    return _episodes(learner, n_searches, checkpoint)


def _is_same_loop(one: Learner, other: Learner, *, seeded: bool) -> bool:
    """Were they asked for with the same choices? seeded: and with the same seed."""
    choices = [(loop.recipe, loop.k, loop.give_up, loop.n_items) for loop in (one, other)]
    seeds = [(loop._seed.entropy, loop._seed.spawn_key) if seeded else None for loop in (one, other)]
    features = [np.empty(0) if loop.learnt.features is None else loop.learnt.features for loop in (one, other)]
    same_features = np.array_equal(features[0], features[1])
    return choices[0] == choices[1] and seeds[0] == seeds[1] and same_features


def _episodes(learner: Learner, n_searches: int, checkpoint: str | os.PathLike[str] | None) -> Iterator[Episode]:
    while learner.number < n_searches:
        version = learner.version
        episode = learner.search()
        if checkpoint is not None and (learner.version != version or learner.number == n_searches):
            learner.save(checkpoint)
        yield episode


def _with_unknown(query: tuple[int, ...], unknown: Items) -> tuple[int, ...]:
    """The query with its last items replaced by unknown ones."""
    new = [int(place) for place in unknown]
    return (*[place for place in query if place not in new][: len(query) - len(new)], *new)


def _checked_weights(targets: ArrayLike, n_items: int) -> Array:
    weights = np.asarray(targets, float)
    if weights.shape != (n_items,) or not np.isfinite(weights).all() or weights.min() < 0 or weights.max() <= 0:
        raise ValueError(f"targets must be {n_items} weights, one an item, 0 or more and not all 0, or a function")
    return weights
