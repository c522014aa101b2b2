"""The loop of the paper's section 5.2: search with the present embedding, learn from the answers, search again.

Only searches that found their target teach: then the target is known, and each answer is a triplet around it. Who
answers is an oracle, or people: an application asks them (`Learner.new_search`) and hands the finished search over
(`Learner.observe`). The loop with an oracle (`learn2search`) does just that. All randomness is a function of the seed
and the number of the search, so a loop that was stopped goes on exactly.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from learn2search.search.base import Search
from learn2search.search.candidates import both, candidate_mask
from learn2search.search.compiled_loop import check_proposals, loop_of, setup_of
from learn2search.search.plain_loop import search_for
from learn2search.search.stored_search import MAX_SHOWN, Step, checked_items, checked_step
from learn2search.search.strategies import make_search
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
    target : int or None
        What was looked for, None when that is not known.
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
    target: int | None
    queries: tuple[tuple[int, ...], ...]
    answers: tuple[int | None, ...]
    cost: int
    found: bool
    version: int

    @property
    def triplets(self) -> Triplets:
        """What it teaches, `(m, 3)`."""
        return np.empty((0, 3), np.int64) if self.target is None else from_search(self.target, self._steps())

    @property
    def places(self) -> Integers:
        """Where on its screen the near item of each triplet was, `(m,)`."""
        clicks = clicks_of([] if self.target is None else [(self.target, self._steps())])
        return np.repeat(clicks.places, clicks.sizes - 1)

    def _steps(self) -> list[tuple[tuple[int, ...], int | None]]:
        """The questions that teach."""
        steps = zip(self.queries, self.answers, strict=True) if self.found else ()
        return [step for step in steps if self.target not in step[0]]


class Learner:
    """The state of a learning loop, which can be saved, changed on the way, and continued.

    Parameters
    ----------
    oracle : Oracle, optional
        Who answers; without one, people do (`new_search`, `observe`).
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
        oracle: Oracle | None = None,
        n_items: int | None = None,
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
        self.number = self._begun = 0  # searches so far, and those that were begun
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

        Raises
        ------
        ValueError
            If there is no oracle to answer.
        """
        if self._oracle is None:
            raise ValueError("this learner has no oracle: ask people by new_search() and observe(), or set its oracle")
        target = self._draw_target()
        search, explores = self._begin(self.number)
        setup = setup_of(search)
        if not is_modelled(self._oracle) or setup is None or not self.active[target] or explores:
            return self._take_in(self._run_in_python(search, target, visitor_of(self._oracle, self.number)))
        return self._take_in(self._run_compiled(setup, target))

    # --- with people ---

    def new_search(self, **options: Any) -> Search:
        """A search with what is known now, for a person to answer. Hand it to `observe` when it is over.

        It goes on with what was known when it began. Any number may be open at a time.

        Parameters
        ----------
        **options : object
            Of the strategy, as `miss_rate=` or `exclude=`; retired items are never shown.

        Returns
        -------
        Search
            Its items are those of the learner.

        Examples
        --------
        >>> import learn2search as l2s
        >>> learner = l2s.Learner(n_items=8, k=4, seed=0)
        >>> len(learner.new_search().ask(learner.k))
        4
        """
        number = max(self.number, self._begun)
        self._begun = number + 1
        return self._begin(number, **options)[0]

    def observe(
        self, search: Search | Iterable[tuple[Sequence[int], int | None]], target: int | None = None
    ) -> Episode:
        """Learn from a finished search, as the loop does from its own.

        Parameters
        ----------
        search : Search or iterable of (query, chosen)
            What was asked and answered: a search that was `found`, or a log.
        target : int, optional
            What was looked for, by default what the search found. Where it is not known the search is counted, but
            teaches nothing.

        Returns
        -------
        Episode
            What was taken in; its triplets are what it taught.

        Raises
        ------
        ValueError
            If the log names items that are not there.

        Examples
        --------
        >>> import learn2search as l2s
        >>> learner = l2s.Learner(n_items=8, seed=0)
        >>> learner.observe([((0, 1), 1), ((2, 3), 3)], target=3).triplets.tolist()
        [[3, 1, 0]]
        """
        entries, found = (search.log, search.target) if isinstance(search, Search) else (search, None)
        space, known = self.embedding, found if target is None else target
        log = [checked_step(query, chosen, space, least=1) for query, chosen in entries]
        if known is not None:
            (known,) = checked_items([known], space, "the target")
        return self._take_in(self._episode(known, log, -len(log) if known is None else len(log)))

    def _take_in(self, episode: Episode) -> Episode:
        """Learn from an episode."""
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
    def oracle(self) -> Oracle | None:
        """Who answers, if it is not people; may be replaced, as when new items join."""
        return self._oracle

    @oracle.setter
    def oracle(self, oracle: Oracle | None) -> None:
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
    def load(cls, path: str | os.PathLike[str], oracle: Oracle | None = None, targets: Targets = None) -> "Learner":
        """The loop as it was saved: with the same oracle and targets, the same episodes follow.

        Parameters
        ----------
        path : str or path
            The file to read.
        oracle : Oracle, optional
            Who answers, if it is not people.
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
        learner._begun = learner.number
        learner.learnt = LearntEmbedding(len(learner.active), recipe, learner._stream(0))
        learner.learnt.take_arrays(arrays)
        learner.targets = targets
        learner.oracle = oracle
        return learner

    # --- parts of a search ---

    def _changed(self) -> None:
        """Another oracle, or other items: what follows from them."""
        self._items = np.flatnonzero(self.active)
        limit = self.give_up or self.n_items
        self._trace = new_trace(limit, self.k)
        oracle = getattr(self, "_oracle", None)
        if isinstance(oracle, ProbitOracle):
            self._person = oracle.person._replace(features=np.ascontiguousarray(oracle.features[: self.n_items]))
            self._truth = Embedding(self._person.features)

    def _begin(self, number: int, **options: Any) -> tuple[Search, bool]:
        """The search of this number, and whether its first question, which is open then, explores unknown items."""
        if self.recipe.embedding == "true":
            space, noise, strategy = self._truth, self._person.noise, self.recipe.strategy
        else:
            space, noise, strategy = self.learnt.space(), self.learnt.now.noise, self.learnt.strategy
        given = {"metric": self.recipe.metric} if strategy == "gauss" and space.var is not None else {}
        if not self.active.all():
            mine = options.pop("candidates", None), options.pop("exclude", None)
            options["candidates"] = both(self.active, candidate_mask(*mine, self.n_items))
        search = make_search(strategy, space, noise, seed=self._stream(1, number), **given, **options)
        unknown = self._unknown(number)
        if len(unknown):
            search.show(_with_unknown(search.ask(self.k), unknown))
        return search, len(unknown) > 0

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

    def _unknown(self, number: int) -> Items:
        """Items that are to be explored: the first query of the search shows up to half its size of them."""
        if self.recipe.embedding == "true" or not self.recipe.explore_below:
            return self._items[:0]
        unknown = np.flatnonzero(self.active & (self.learnt.counts < self.recipe.explore_below))
        if len(unknown) == 0 or len(unknown) == len(self._items):
            return unknown[:0]
        generator = np.random.default_rng(self._stream(3, number))
        return generator.choice(unknown, min(self.k // 2, len(unknown)), replace=False)

    def _run_compiled(self, setup: Any, target: int) -> Episode:
        """The whole search in compiled code."""
        keys, visitor_keys = stream_keys(self._stream(1, self.number), 1), self._visitor_key()[None]
        targets, games = np.array([target]), new_games(1)
        loop_of(setup)(setup, keys, self._person, visitor_keys, targets, self.k, self._trace, games)
        check_proposals(setup, games, self._trace)
        return self._episode(target, steps_of(self._trace), int(games.costs[0]))

    def _run_in_python(self, search: Search, target: int, oracle: Oracle) -> Episode:
        """The same search step by step, for any oracle and strategy, and where items are explored."""

        def answer(query: tuple[int, ...]) -> int | None:
            chosen = oracle.choose(query, target)
            if chosen is not None and chosen not in query:
                raise ValueError(f"the oracle chose item {chosen!r}, which was not shown: the items shown are {query}")
            return chosen

        wanted = target if self.active[target] else None
        cost = search_for(wanted, search, answer, self.k, self.give_up or self.n_items)
        return self._episode(target, search.log, cost)

    def _episode(self, target: int | None, log: Sequence[Step], cost: int) -> Episode:
        """cost: negative when the target was not found."""
        queries, answers = tuple(step.query for step in log), tuple(step.chosen for step in log)
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
