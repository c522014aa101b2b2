"""What every search strategy has in common: `ask`, `tell`, `undo`, `top`, and a log that is the whole truth.

A search is a function of its options, its key (from the seed) and its log of answers. So `undo` forgets the last
answer and replays the others, and a stored search (`to_dict`) is the log: no belief and no generator is ever stored.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np

from learn2search.comparison import check_noise
from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.nearest import twins_of
from learn2search.oracle import Person
from learn2search.search.trace import Games, Trace
from learn2search.streams import open_stream, stream_keys
from learn2search.typing import Array, Blocked, Integers, Items, Items32, Key, Seed, Stream

MAX_SHOWN = 8
_LEAST_NOISE = 1e-8  # of the spread of the items: below, rounding is louder
_FORMAT = "learn2search.search"
_VERSION = 1


class Step(NamedTuple):
    """One question and its answer; `chosen` is None for "can't tell"."""

    query: tuple[int, ...]
    chosen: int | None


class Search(ABC):
    """One person's way to one target. Strategies differ in their belief and in what they ask."""

    name: ClassVar[str]
    _strategies: ClassVar[dict[str, type["Search"]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:  # a subclass that has no name of its own is not another strategy
            Search._strategies[cls.name] = cls

    def __init__(self, embedding: Embedding, *, noise: float, stop: str, reuse: bool, seed: Seed) -> None:
        if not isinstance(embedding, Embedding):
            raise ValueError(f"a search takes an Embedding, got {type(embedding).__name__}: Embedding(features)")
        if stop not in ("shown", "mode"):
            raise ValueError(
                f'stop must be "shown" (the target was shown) or "mode" (it is most probable), got {stop!r}'
            )
        self.embedding = embedding
        self.noise = check_noise(noise)
        if self.noise < _LEAST_NOISE * embedding.spread:
            raise ValueError(
                f"noise {self.noise:.2g} is next to nothing for items that are {embedding.spread:.2g} apart: err high"
            )
        self.stop = stop
        self.reuse = bool(reuse)
        self._key = stream_keys(seed, 1)[0]
        self._twins = twins_of(embedding)
        self._n_places = embedding.derived("places", lambda: int(count_places(self._twins)))
        self._log: list[Step] = []
        self._pending: tuple[int, ...] | None = None
        self._forget()

    # --- the protocol ---

    def ask(self, k: int = 2) -> tuple[int, ...]:
        """The items to show next. Asked twice without an answer between, it gives the same query."""
        if self._pending is None:
            self._check_size(k)
            query = self._propose(k, open_stream(self._key, len(self._log)))
            self._pending = tuple(int(item) for item in query)
        return self._pending

    def show(self, query: Sequence[int]) -> tuple[int, ...]:
        """Ask about these items instead of what the search would ask.

        Parameters
        ----------
        query : sequence of int
            2 to 8 different items that were not shown before in this search (or may be shown again: `reuse`).

        Returns
        -------
        tuple of int
            The same items. The question is open, and `tell` answers it.

        Raises
        ------
        ValueError
            If an item is unknown, given twice, or was shown before.

        Examples
        --------
        >>> import learn2search as l2s
        >>> search = l2s.GaussSearch(l2s.Embedding([[0.0], [1.0], [2.0], [3.0]]), seed=0)
        >>> search.show([0, 3])
        (0, 3)
        >>> search.ask()
        (0, 3)
        """
        self._pending = self._checked_question(query, self._log)
        return self._pending

    def tell(self, chosen: int | None) -> None:
        """The answer to the last query: one of its items, or None for "can't tell"."""
        if self._pending is None:
            raise ValueError("tell() answers a question, and none is open: call ask() first")
        if chosen is not None and (isinstance(chosen, bool) or chosen not in self._pending):
            raise ValueError(
                f"item {chosen!r} was not shown: the items shown are {self._pending}, or None for can't tell"
            )
        step = Step(self._pending, None if chosen is None else int(chosen))
        self._take_in(step)
        self._log.append(step)
        self._pending = None

    def undo(self) -> tuple[int, ...]:
        """Take the last answer back; its query is open again and returned."""
        if not self._log:
            raise ValueError("there is no answer to undo: this search has none yet")
        *before, last = self._log
        self._replay(before)
        self._pending = last.query
        return last.query

    def replay(self, log: Iterable[tuple[Sequence[int], int | None]], pending: Sequence[int] | None = None) -> None:
        """Forget all answers and take these in instead, as when a search is rebuilt from a table of answers.

        Parameters
        ----------
        log : iterable of (query, chosen)
            The answered questions in their order: the items shown, and the one chosen or None for "can't tell". A
            search's own `log` will do.
        pending : sequence of int, optional
            The question that is open after them. By default none is, and `ask` makes one.

        Raises
        ------
        ValueError
            If a question or an answer is not possible; then the search is as it was.

        Examples
        --------
        >>> import learn2search as l2s
        >>> search = l2s.GaussSearch(l2s.Embedding([[0.0], [1.0], [2.0], [3.0]]), seed=0)
        >>> search.replay([((0, 3), 3)], pending=(1, 2))
        >>> search.used, search.ask()
        (frozenset({0, 3}), (1, 2))
        """
        steps = [_checked_step(query, chosen, self.embedding) for query, chosen in log]
        question = None if pending is None else self._checked_question(pending, steps)
        self._replay(steps)
        self._pending = question

    def restart(self, key: Key | None = None) -> None:
        """Forget all answers and begin again, with a new random stream if a key is given."""
        if key is not None:
            self._key = key
        self._forget()

    def top(self, k: int = 1) -> list[tuple[int, float]]:
        """The k most probable items with their probabilities, best first."""
        if not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"top(k) gives the k best items, k from 1, got {k!r}")
        probability = self.probability()
        k = min(int(k), len(probability))
        best = np.argpartition(-probability, k - 1)[:k]
        best = best[np.lexsort((best, -probability[best]))]
        return [(int(item), float(probability[item])) for item in best]

    @property
    def log(self) -> tuple[Step, ...]:
        """The questions answered so far."""
        return tuple(self._log)

    @property
    def used(self) -> frozenset[int]:
        """The items shown in answered questions."""
        return frozenset(item for step in self._log for item in step.query)

    @property
    def left(self) -> int:
        """How many items can still be asked together: unused items, counting those at the same place once."""
        return self._n_places if self.reuse else int(self._places_left[0])

    @property
    def done(self) -> bool:
        """True when nothing is left to ask: fewer than two unused items."""
        return self._pending is None and self.left < 2

    # --- storing ---

    def to_dict(self) -> dict[str, Any]:
        """The search as plain JSON values; `from_dict` makes it again."""
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "strategy": self.name,
            "embedding": self.embedding.fingerprint,
            "options": self._options(),
            "key": [f"{word:016x}" for word in self._key],
            "log": [[list(step.query), step.chosen] for step in self._log],
            "pending": None if self._pending is None else list(self._pending),
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], embedding: Embedding) -> "Search":
        """The search that `to_dict` described, on the same embedding."""
        import_module("learn2search.search.simulate")  # which knows all strategies
        _check_state(state, embedding)
        strategy = Search._strategies.get(state["strategy"])
        if strategy is None or not issubclass(strategy, cls):
            raise ValueError(f'this is a "{state["strategy"]}" search, not one that {cls.__name__} can continue')
        try:
            search = strategy(embedding, **state["options"])
        except TypeError as error:
            raise ValueError(f"the stored search has options that {strategy.__name__} does not know: {error}") from None
        search._key = np.array([int(word, 16) for word in state["key"]], np.uint64)
        search.replay(state["log"], state["pending"])
        return search

    def __reduce__(self) -> tuple[Any, tuple[dict[str, Any], Embedding]]:
        """Copying and pickling go by way of the log, too."""
        return _restore, (self.to_dict(), self.embedding)

    # --- what a strategy provides ---

    @abstractmethod
    def probability(self) -> Array:
        """How probable each item is as the target, `(n,)`, summing to 1."""

    @abstractmethod
    def play(self, key: Key, person: Person, person_key: Key, target: int, k: int, trace: Trace) -> int:
        """A whole compiled search for `target`; the number of queries, negative when it was not found."""

    @abstractmethod
    def play_many(
        self, keys: Key, person: Person, person_keys: Key, targets: Items, k: int, trace: Trace, games: Games
    ) -> None:
        """The same for many targets, one after the other; `games` takes the results, `trace` is scratch space."""

    @abstractmethod
    def _start(self) -> None:
        """Set the belief back to the prior."""

    @abstractmethod
    def _propose(self, k: int, stream: Stream) -> Items: ...

    @abstractmethod
    def _learn(self, query: Items, chosen: int) -> None:
        """Update the belief; `chosen` is a place in the query, or -1."""

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """The keyword arguments (without the seed) that make this search again."""

    # --- shared parts ---

    def _forget(self) -> None:
        self._log = []
        self._pending = None
        self._blocked = np.zeros(self.embedding.n_items, np.uint8)
        self._places_left = np.array([self._n_places])
        self._start()

    def _take_in(self, step: Step) -> None:
        query = np.array(step.query, np.int64)
        self._learn(query, -1 if step.chosen is None else step.query.index(step.chosen))
        if not self.reuse:
            use_up(query, self._blocked, self._twins, self._places_left)

    def _replay(self, log: list[Step]) -> None:
        self._forget()
        for step in log:
            self._take_in(step)
            self._log.append(step)

    def _checked_question(self, query: Sequence[int], log: list[Step]) -> tuple[int, ...]:
        """The query as one that can be asked after `log`."""
        question = _checked_step(query, None, self.embedding).query
        used = set() if self.reuse else {item for step in log for item in step.query}
        for item in question:
            if item in used:
                raise ValueError(f"item {item} was shown before in this search: show items that are not in `used`")
        return question

    def _check_size(self, k: int) -> None:
        if not isinstance(k, int | np.integer) or not 2 <= k <= MAX_SHOWN:
            raise ValueError(f"a query shows 2 to {MAX_SHOWN} items, got k={k!r}")
        if self.left < 2:
            raise ValueError(
                "there is nothing left to ask: fewer than two different items are unused; see top(), or undo()"
            )
        if k > self.left:
            raise ValueError(f"{k} items asked for, but only {self.left} different ones are left: ask(k={self.left})")


def _check_state(state: Mapping[str, Any], embedding: Embedding) -> None:
    if state.get("format") != _FORMAT:
        raise ValueError(f'not a stored search: expected format "{_FORMAT}", got {state.get("format")!r}')
    if state.get("version") != _VERSION:
        raise ValueError(
            f"the stored search has version {state.get('version')!r}, this release reads version {_VERSION}: "
            "finish it with the release that began it, or begin a new one"
        )
    missing = {"strategy", "embedding", "options", "key", "log", "pending"} - set(state)
    if missing:
        raise ValueError(f"the stored search is incomplete: {', '.join(sorted(missing))} missing")
    if state["embedding"] != embedding.fingerprint:
        raise ValueError(
            f"the stored search was made on embedding {state['embedding']}, this one is {embedding.fingerprint}: "
            "load the embedding that it began with"
        )
    key, log = state["key"], state["log"]
    if not (isinstance(key, list) and len(key) == 2 and all(re.fullmatch("[0-9a-f]{16}", str(word)) for word in key)):
        raise ValueError(f"the stored search has a bad key: expected two words of 16 hex digits, got {key!r}")
    if not (isinstance(log, list) and all(isinstance(entry, list | tuple) and len(entry) == 2 for entry in log)):
        raise ValueError("the stored search has a bad log: expected a list of [query, chosen]")


def _checked_step(query: Any, chosen: Any, embedding: Embedding) -> Step:
    """A question and its answer as they were stored or given, or an error that says what is wrong with them."""
    if isinstance(query, str) or not isinstance(query, Sequence | np.ndarray) or not all(map(_is_item, query)):
        raise ValueError(f"a query is a list of items, whole numbers, got {query!r}")
    unknown = [item for item in query if not 0 <= item < embedding.n_items]
    if unknown:
        raise ValueError(f"a query names item {unknown[0]}, but the items are 0..{embedding.n_items - 1}")
    if not 2 <= len(set(query)) == len(query) <= MAX_SHOWN:
        raise ValueError(f"a query must be 2 to {MAX_SHOWN} different items, got {query!r}")
    if chosen is not None and (not _is_item(chosen) or chosen not in query):
        raise ValueError(f"the answer {chosen!r} is not an item of its query {query!r}")
    return Step(tuple(int(item) for item in query), None if chosen is None else int(chosen))


def _is_item(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _restore(state: dict[str, Any], embedding: Embedding) -> Search:
    return Search.from_dict(state, embedding)


# --- items that were shown, and items at the same place -------------------------------------------


@compiled
def count_places(twins: Items32) -> int:
    """How many different places the items have: rings of twins."""
    count = 0
    for item in range(len(twins)):
        other = twins[item]
        while other > item:
            other = twins[other]
        count += other == item  # the lowest of its ring
    return count


@compiled
def block_place(item: int | np.int64, change: int, blocked: Blocked, twins: Items32) -> None:
    """Block (+1) or free (-1) an item and all others at its place."""
    other = item
    while True:
        blocked[other] += change
        other = twins[other]
        if other == item:
            return


@compiled
def use_up(query: Items, blocked: Blocked, twins: Items32, places_left: Integers) -> None:
    """Mark the shown items as used, and count the places that have no unused item any more."""
    for item in query:
        if blocked[item]:
            continue
        blocked[item] = 1
        other = twins[item]
        while other != item and blocked[other]:
            other = twins[other]
        if other == item:
            places_left[0] -= 1


@compiled
def holds(query: Items, item: int) -> bool:
    found = False
    for shown in query:
        found |= shown == item
    return found


@compiled
def ending(step: int, target: int, blocked: Blocked, limit: int) -> int:
    """The cost when after `step` questions only one place is left, its items shown one by one; negative = too many."""
    cost = step
    for item in range(target + 1):
        cost += blocked[item] == 0
    return cost if cost <= limit else -limit
