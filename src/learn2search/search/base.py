"""What every search strategy has in common: `ask`, `tell`, `undo`, `top`, and a log that is the whole truth.

A search is a function of its options, its key (from the seed) and its log of answers. So `undo` forgets the last
answer and replays the others, and a stored search (`to_dict`) is the log: no belief and no generator is ever stored.

A strategy of one's own is a subclass of `Search` with the method `propose`; see docs/strategies.md.
"""

import inspect
import re
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from learn2search.comparison import check_noise
from learn2search.embedding import Embedding
from learn2search.nearest import twins_of
from learn2search.registry import Registry
from learn2search.search.places import at_different_places, count_places, free_items, use_up
from learn2search.streams import below, open_stream, set_stream, stream_keys, stream_of
from learn2search.typing import Array, Items, Key, Seed

MAX_SHOWN = 12
_LEAST_NOISE = 1e-8  # of the spread of the items: below, rounding is louder
_FORMAT = "learn2search.search"
_VERSION = 1


class Step(NamedTuple):
    """One question and its answer.

    Attributes
    ----------
    query : tuple of int
        The items shown.
    chosen : int or None
        The item chosen, None for "can't tell".

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.Step((4, 7), chosen=7).query
    (4, 7)
    """

    query: tuple[int, ...]
    chosen: int | None


class _SearchType(ABCMeta):
    """Makes searches: keeps what a search was made with, and starts it when its whole constructor has run."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        search = super().__call__(*given, **named)
        search._given = tuple(map(_own, given))
        search._named = {name: _own(value) for name, value in named.items()}
        search.restart()
        return search

    @property
    def __signature__(cls) -> inspect.Signature:
        """That of the constructor, as `help` shows it."""
        _, *parameters = inspect.signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return inspect.Signature(parameters)


def _own(option: Any) -> Any:
    """An option that cannot change from outside any more."""
    return option.copy() if isinstance(option, np.ndarray) else option


class Search(metaclass=_SearchType):
    """One person's way to one target. Strategies differ in their belief and in what they ask.

    A strategy provides `propose`: what to ask. Most also say what an answer means (`start`, `learn`) and how probable
    each item is (`probability`). Everything else follows from these; see docs/strategies.md.

    Parameters
    ----------
    embedding : Embedding
        Where the items are.
    noise : float, optional
        σ of the answers, in units of the embedding.
    stop : {"shown", "mode"}, optional
        A search is over when the target was shown, or when it is the most probable item.
    reuse : bool, optional
        May an item be shown twice?
    seed : int, SeedSequence or Generator, optional
        Of all that is random in the search.

    Raises
    ------
    ValueError
        If an option cannot be used.

    Examples
    --------
    >>> import learn2search as l2s
    >>> class InOrder(l2s.Search):
    ...     def start(self):
    ...         self.answers = 0
    ...     def learn(self, query, chosen):
    ...         self.answers += 1
    ...     def propose(self, k, generator):
    ...         return self.free[:k]
    >>> search = InOrder(l2s.Embedding([[0.0], [1.0], [2.0], [3.0]]))
    >>> search.ask()
    (0, 1)
    >>> search.tell(1)
    >>> search.ask(), search.answers, search.probability().tolist()
    ((2, 3), 1, [0.0, 0.0, 0.5, 0.5])
    >>> search.compiled_setup() is None
    True
    """

    _given: tuple[Any, ...]
    _named: dict[str, Any]
    _log: list[Step]
    _pending: tuple[int, ...] | None

    def __init__(
        self,
        embedding: Embedding,
        noise: float = 1.0,
        *,
        stop: str = "shown",
        reuse: bool = False,
        seed: Seed = None,
    ) -> None:
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

    # --- what a strategy provides ---

    def start(self) -> None:
        """Forget what the answers said. By default there is nothing to forget.

        Called when the search is made, after its constructor, and whenever its answers are taken in anew.
        """

    @abstractmethod
    def propose(self, k: int, generator: np.random.Generator) -> Sequence[int] | Items:
        """What to ask next. Every strategy has to provide this.

        Parameters
        ----------
        k : int
            How many items to show, 2 to `left`.
        generator : numpy.random.Generator
            The only source of randomness. It is a function of the seed and the number of answers, so the question is
            the same when the search is repeated, undone or stored.

        Returns
        -------
        sequence of int, `(k,)`
            Different items of `free`.
        """

    def learn(self, query: tuple[int, ...], chosen: int | None) -> None:
        """Take in an answer. By default nothing is learnt from it.

        Parameters
        ----------
        query : tuple of int
            The items that were shown. They are not in `used` yet.
        chosen : int or None
            The one that is most like the target, or None for "can't tell".
        """

    def probability(self) -> Array:
        """How probable each item is as the target. By default all `candidates` are alike.

        Returns
        -------
        (n,) array
            Summing to 1.
        """
        candidates = self.candidates
        chances = np.zeros(self.embedding.n_items)
        chances[candidates] = 1.0 / len(candidates)
        return chances

    def compiled_setup(self) -> Any:
        """What the compiled loop needs to run this search (`search/compiled_loop.py`).

        Returns
        -------
        object
            By default None: the search runs in Python.
        """
        return None

    # --- the protocol ---

    def ask(self, k: int = 2) -> tuple[int, ...]:
        """The items to show next. Asked twice without an answer between, it gives the same query.

        Parameters
        ----------
        k : int, optional
            How many items, 2 to 12.

        Returns
        -------
        tuple of int
            Different items, none at the same place as another.
        """
        if self._pending is None:
            self._check_size(k)
            set_stream(self._generator, open_stream(self._key, len(self._log)))
            self._pending = self._checked_proposal(self.propose(int(k), self._generator), int(k))
        return self._pending

    def show(self, query: Sequence[int] | Items) -> tuple[int, ...]:
        """Ask about these items instead of what the search would ask.

        Parameters
        ----------
        query : sequence of int
            2 to 12 different items that were not shown before in this search, unless they may be shown again (`reuse`)
            or are in the open question.

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
        question = _checked_step(query, None, self.embedding).query
        used = frozenset() if self.reuse else self.used.difference(self._pending or ())
        for item in question:
            if item in used:
                raise ValueError(f"item {item} was shown before in this search: show items that are not in `used`")
        self._pending = question
        return question

    def tell(self, chosen: int | None) -> None:
        """Answer the last query.

        Parameters
        ----------
        chosen : int or None
            One of its items, or None for "can't tell".

        Raises
        ------
        ValueError
            If no question is open, or the item was not shown.
        """
        if self._pending is None:
            raise ValueError("tell() answers a question, and none is open: call ask() first")
        if chosen is not None and (isinstance(chosen, bool) or chosen not in self._pending):
            raise ValueError(
                f"item {chosen!r} was not shown: the items shown are {self._pending}, or None for can't tell"
            )
        self._take_in(Step(self._pending, None if chosen is None else int(chosen)))
        self._pending = None

    def undo(self) -> tuple[int, ...]:
        """Take the last answer back.

        Returns
        -------
        tuple of int
            Its query, which is open again.

        Raises
        ------
        ValueError
            If there is no answer yet.
        """
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
        question = None if pending is None else _checked_step(pending, None, self.embedding).query
        self._replay(steps)
        self._pending = question

    def restart(self, key: Key | None = None) -> None:
        """Forget all answers and begin again.

        Parameters
        ----------
        key : (2,) array, optional
            Of a new random stream; by default the old one.
        """
        if key is not None:
            self._key = key
        self._replay([])

    def top(self, k: int = 1) -> list[tuple[int, float]]:
        """The most probable items, best first.

        Parameters
        ----------
        k : int, optional
            How many.

        Returns
        -------
        list of (int, float)
            Items with their probabilities.

        Raises
        ------
        ValueError
            If k is not a number from 1.
        """
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
    def free(self) -> Items:
        """The items that can be asked about, ascending: unused ones, and of those at the same place only the lowest."""
        return free_items(self._blocked, self._twins)

    @property
    def candidates(self) -> Items:
        """The items that can be the target, ascending: where it is found by being shown, those not shown yet.

        When all have been shown it was overlooked, and all are candidates again.
        """
        shown = self.used if self.stop == "shown" else frozenset()
        every = np.arange(self.embedding.n_items)
        return every if len(shown) in (0, len(every)) else np.delete(every, list(shown))

    @property
    def left(self) -> int:
        """How many items can still be asked together: unused items, counting those at the same place once."""
        return self._n_places if self.reuse else int(self._places_left[0])

    @property
    def done(self) -> bool:
        """True when nothing is left to ask: fewer than two unused items."""
        return self._pending is None and self.left < 2

    @property
    def options(self) -> dict[str, Any]:
        """What the search was made with, but for the embedding and the seed."""
        bound = inspect.signature(type(self)).bind(*self._given, **self._named)
        bound.apply_defaults()
        given: dict[str, Any] = {}
        for name, parameter in bound.signature.parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                raise ValueError(f"{type(self).__name__} takes *{name}: a search is stored by the names of its options")
            given |= bound.arguments[name] if parameter.kind is parameter.VAR_KEYWORD else {name: bound.arguments[name]}
        return {name: value for name, value in list(given.items())[1:] if name != "seed"}

    # --- storing ---

    def to_dict(self) -> dict[str, Any]:
        """The search as plain JSON values: its options, its key and its log. No belief is stored, because it follows
        from them.

        Returns
        -------
        dict
            What `from_dict` takes.

        Raises
        ------
        ValueError
            If the strategy has no name (`register_strategy`).
        """
        name = STRATEGIES.name_of(type(self))
        if name is None:
            raise ValueError(
                f'{type(self).__name__} has no name to be stored under: put @register_strategy("...") above the class'
            )
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "strategy": name,
            "embedding": self.embedding.fingerprint,
            "options": {name: _plain(value, name) for name, value in self.options.items()},
            "key": [f"{word:016x}" for word in self._key],
            "log": [[list(step.query), step.chosen] for step in self._log],
            "pending": None if self._pending is None else list(self._pending),
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], embedding: Embedding) -> "Search":
        """The search that `to_dict` described, to go on with.

        Parameters
        ----------
        state : mapping
            What `to_dict` gave.
        embedding : Embedding
            The one that the search began with.

        Returns
        -------
        Search
            Of the strategy that was stored.

        Raises
        ------
        ValueError
            If the state is of another version, another strategy or another embedding.
        """
        _check_state(state, embedding)
        strategy = STRATEGIES.get(state["strategy"])
        if not (isinstance(strategy, type) and issubclass(strategy, cls)):
            raise ValueError(f'this is a "{state["strategy"]}" search, not one that {cls.__name__} can continue')
        try:
            search = strategy(embedding, **state["options"])
        except TypeError as error:
            raise ValueError(f"the stored search has options that {strategy.__name__} does not know: {error}") from None
        search._key = np.array([int(word, 16) for word in state["key"]], np.uint64)
        search.replay(state["log"], state["pending"])
        return search

    def __reduce__(self) -> tuple[Callable[..., "Search"], tuple[Any, ...]]:
        """Copying and pickling go by way of the log, too."""
        return _copied, (type(self), self.embedding, self.options, self._key, self.log, self._pending)

    # --- shared parts ---

    def _replay(self, log: list[Step]) -> None:
        self._log, self._pending = [], None
        self._blocked = np.zeros(self.embedding.n_items, np.uint8)
        self._places_left = np.array([self._n_places])
        self.start()
        for step in log:
            self._take_in(step)

    def _take_in(self, step: Step) -> None:
        self.learn(*step)
        if not self.reuse:
            use_up(np.array(step.query, np.int64), self._blocked, self._twins, self._places_left)
        self._log.append(step)

    @cached_property
    def _generator(self) -> np.random.Generator:
        """Of the last question asked, after what was drawn for it."""
        return np.random.Generator(np.random.SFC64(0))

    def _is_mode(self, target: int) -> bool:
        """Is the target the most probable item? Ties are broken at random."""
        probability = self.probability()
        if probability[target] < probability.max():
            return False
        ties = int(np.sum(probability == probability[target]))
        return ties <= 1 or below(stream_of(self._generator), ties) == 0

    def _checked_proposal(self, proposal: Sequence[int] | Items, k: int) -> tuple[int, ...]:
        """The proposal as a query. An item that was shown may come back as long as it can be the target: it may have
        been overlooked.
        """
        items, n = np.asarray(proposal), self.embedding.n_items
        is_query = items.dtype.kind in "iu" and items.shape == (k,) and len(set(items.tolist())) == k
        if not is_query or items.min() < 0 or items.max() >= n:
            fault = f"it must propose {k} different items of 0..{n - 1}"
        elif not at_different_places(items.astype(np.int64, copy=False), self._twins):
            fault = "some are at the same place and cannot be compared; `free` has one of each place"
        elif self._blocked[items].any() and not self.probability()[items[self._blocked[items] > 0]].all():
            fault = "some were shown before and cannot be the target; `free` has those that were not shown"
        else:
            return tuple(items.tolist())
        raise ValueError(f"{type(self).__name__} proposed {items.tolist()}: {fault}")

    def _check_size(self, k: int) -> None:
        if not isinstance(k, int | np.integer) or not 2 <= k <= MAX_SHOWN:
            raise ValueError(f"a query shows 2 to {MAX_SHOWN} items, got k={k!r}")
        if self.left < 2:
            raise ValueError(
                "there is nothing left to ask: fewer than two different items are unused; see top(), or undo()"
            )
        if k > self.left:
            raise ValueError(f"{k} items asked for, but only {self.left} different ones are left: ask(k={self.left})")


STRATEGIES: Registry[Callable[..., Search]] = Registry("strategy", "learn2search.strategies", "learn2search.search")


def _copied(
    strategy: type[Search],
    embedding: Embedding,
    options: dict[str, Any],
    key: Key,
    log: tuple[Step, ...],
    pending: tuple[int, ...] | None,
) -> Search:
    search = strategy(embedding, **options)
    search._key = key
    search.replay(log, pending)
    return search


def _plain(value: Any, name: str) -> Any:
    """An option as JSON holds it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part, name) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"the option {name} is a {type(value).__name__}, which cannot be stored: give numbers or text")


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
