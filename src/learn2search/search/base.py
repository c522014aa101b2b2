"""What every search strategy has in common: `ask`, `tell`, `undo`, `top`, and a log that is the whole truth.

A search is a function of its options, its key (from the seed), what it is about (the candidates, and what the target
is said to be like) and its log of answers. So `undo` forgets the last answer and replays the others, other candidates
replay them all, and a stored search (`to_dict`) is these: no belief and no generator is ever stored.

A strategy of one's own is a subclass of `Search` with the method `propose`; see docs/strategies.md.
"""

import inspect
import logging
from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learn2search.comparison import check_noise
from learn2search.embedding import Embedding
from learn2search.nearest import twins_of
from learn2search.registry import Registry
from learn2search.search.candidates import Selection, both, candidate_mask, packed, unpacked
from learn2search.search.neighbourhood import near_weights
from learn2search.search.noise_check import warn_of_default
from learn2search.search.places import at_different_places, count_places, free_items, use_up
from learn2search.search.stored_search import (
    FORMAT,
    MAX_SHOWN,
    VERSION,
    Step,
    check_state,
    checked_items,
    checked_step,
    is_item,
    plain,
)
from learn2search.streams import below, open_stream, set_stream, stream_keys, stream_of
from learn2search.typing import Array, Blocked, Items, Key, Mask, Seed

_LEAST_NOISE = 1e-8  # of the spread of the items: below, rounding is louder
_TOP_BLOCK = 1000  # items, of which only the largest is looked at first
_MANY = 1 << 23  # numbers: from here on it is said that they are prepared
_NOT_OPTIONS = ("seed", "candidates", "exclude")  # stored in a form of their own


class _SearchType(ABCMeta):
    """Makes searches: keeps what a search was made with, and starts it when its whole constructor has run."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        search = super().__call__(*given, **named)
        search._given = tuple(map(_own, given))
        search._named = {name: _own(value) for name, value in named.items()}
        search.restart()
        if len(given) < 2 and "noise" not in named:
            warn_of_default(search.embedding, search.noise)
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
    prior : (n,) array_like, optional
        Weights of the items before any answer, as their popularity; by default all alike.
    candidates : (n,) array_like of bool, (m,) array_like of int, or callable, optional
        The items that may be shown, as a mask, by their numbers, or as a function of the array of all items that
        returns either; by default all. Nothing else is ever shown. `restrict` chooses among them on the way.
    exclude : the same, optional
        Items that may not be shown.
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
    _target: int | None
    _prior: Array  # (n,) how probable each item is before any answer
    _closed: Blocked  # (n,) 1 for items that are no candidates
    _n_open: int  # different places of the candidates

    def __init__(
        self,
        embedding: Embedding,
        noise: float = 1.0,
        *,
        stop: str = "shown",
        reuse: bool = False,
        prior: ArrayLike | None = None,
        candidates: Selection | None = None,
        exclude: Selection | None = None,
        seed: Seed = None,
    ) -> None:
        if not isinstance(embedding, Embedding):
            raise ValueError(f"a search takes an Embedding, got {type(embedding).__name__}: Embedding(features)")
        if stop not in ("shown", "mode"):
            raise ValueError(
                f'stop must be "shown" (the target was shown) or "mode" (it is most probable), got {stop!r}'
            )
        self.embedding = embedding
        embedding.derived("said", lambda: _say_large(embedding))
        self.noise = check_noise(noise)
        if self.noise < _LEAST_NOISE * embedding.spread:
            raise ValueError(
                f"noise {self.noise:.2g} is next to nothing for items that are {embedding.spread:.2g} apart: "
                "give it in their unit"
            )
        self.stop = stop
        self.reuse = bool(reuse)
        self._key = stream_keys(seed, 1)[0]
        self._twins = twins_of(embedding)
        self._given_prior = _checked_weights(prior, embedding.n_items)
        self._domain = candidate_mask(candidates, exclude, embedding.n_items)
        self._set_out(self._domain, ())

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

    def unlearn(self, query: tuple[int, ...], chosen: int | None) -> bool:
        """Take the last answer back, where the strategy can do that without taking in all others again.

        Parameters
        ----------
        query : tuple of int
            The items that were shown.
        chosen : int or None
            What was answered.

        Returns
        -------
        bool
            Was it taken back? By default not, and the other answers are taken in anew.

        Examples
        --------
        >>> import learn2search as l2s
        >>> search = l2s.GaussSearch(l2s.Embedding([[0.0], [1.0], [2.0], [3.0]]), seed=0)
        >>> search.unlearn((0, 3), 3)
        False
        """
        return False

    def probability(self) -> Array:
        """How probable each item is as the target. By default the `candidates` are as probable as before any answer.

        Returns
        -------
        (n,) array
            Summing to 1.
        """
        chances = np.zeros(self.embedding.n_items)
        chances[self.candidates] = self._prior[self.candidates]
        if chances.sum() == 0:
            chances[self.candidates] = 1.0
        return np.asarray(chances / chances.sum())

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
            How many items, 2 to 12. Where fewer are `left`, these are shown.

        Returns
        -------
        tuple of int
            Different candidates, none at the same place as another.

        Raises
        ------
        ValueError
            If the search is `done`, or k is no number of items.

        Examples
        --------
        >>> import learn2search as l2s
        >>> search = l2s.GaussSearch(l2s.Embedding([[0.0], [1.0], [2.0], [3.0], [4.0]]), candidates=[0, 2, 4], seed=0)
        >>> while not search.done:
        ...     search.tell(search.ask(4)[0])
        >>> sorted(search.used)
        [0, 2, 4]
        """
        if self._pending is None:
            size = self._checked_size(k)
            set_stream(self._generator, open_stream(self._key, len(self._log)))
            self._pending = self._checked_proposal(self.propose(size, self._generator), size)
        return self._pending

    def show(self, query: Sequence[int] | Items) -> tuple[int, ...]:
        """Ask about these items instead of what the search would ask.

        Parameters
        ----------
        query : sequence of int
            2 to 12 different candidates that were not shown before in this search, unless they may be shown again
            (`reuse`) or are in the open question.

        Returns
        -------
        tuple of int
            The same items. The question is open, and `tell` answers it.

        Raises
        ------
        ValueError
            If an item is unknown, no candidate, given twice, or was shown before; or the search is over.

        Examples
        --------
        >>> import learn2search as l2s
        >>> search = l2s.GaussSearch(l2s.Embedding([[0.0], [1.0], [2.0], [3.0]]), seed=0)
        >>> search.show([0, 3])
        (0, 3)
        >>> search.ask()
        (0, 3)
        """
        question = self._checked_question(query)
        self._check_not_found()
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
            Its query, which is open again. Where not all of its items may be shown any more (`restrict`), or the
            search was ended by an item that no question showed (`found`), this is () and `ask` makes a question.

        Raises
        ------
        ValueError
            If there is no answer yet.
        """
        if not self._log:
            raise ValueError("there is no answer to undo: this search has none yet")
        *before, last = self._log
        if self._target is not None or self.unlearn(*last):  # what `found` ends with was never learnt
            self._forget()
            for step in before:
                self._note(step)
        else:
            self._replay(before)
        self._pending = last.query if len(last.query) > 1 and not self._closed[list(last.query)].any() else None
        return self._pending or ()

    def found(self, item: int) -> None:
        """This is it: the search is over, and `target` is the item.

        The log ends with the open question and the item, or with the item alone where the open question does not show
        it: it may have been seen elsewhere, in a list of the most probable items, say.

        Parameters
        ----------
        item : int
            Any item.

        Raises
        ------
        ValueError
            If there is no such item, or the search is over already.

        Examples
        --------
        >>> import learn2search as l2s
        >>> search = l2s.GaussSearch(l2s.Embedding([[0.0], [1.0], [2.0], [3.0]]), seed=0)
        >>> query = search.show([0, 3])
        >>> search.found(3)
        >>> search.done, search.target, search.log
        (True, 3, (Step(query=(0, 3), chosen=3),))
        """
        self._check_not_found()
        if not is_item(item) or not 0 <= item < self.embedding.n_items:
            raise ValueError(f"found() takes an item, a whole number of 0..{self.embedding.n_items - 1}, got {item!r}")
        shown = self._pending if self._pending is not None and item in self._pending else (int(item),)
        self._end(Step(shown, int(item)))

    def restrict(self, candidates: Selection | None = None, exclude: Selection | None = None) -> None:
        """From now on show only these items, of those that the search was made for. The answers so far are kept.

        It takes the place of an earlier restriction, also to widen it; without arguments there is none any more. `undo`
        takes answers back, not restrictions. An open question that shows other items is dropped.

        Parameters
        ----------
        candidates : (n,) array_like of bool, (m,) array_like of int, or callable, optional
            The items that may be shown, as in the constructor; by default all that the search was made for.
        exclude : the same, optional
            Items that may not be shown.

        Raises
        ------
        ValueError
            If they name no items, or leave none; then the search is as it was.

        Examples
        --------
        >>> import learn2search as l2s
        >>> search = l2s.PosteriorSearch(l2s.Embedding([[0.0], [1.0], [2.0], [3.0], [4.0]]), noise=0.5, seed=0)
        >>> search.restrict([0, 1, 2, 4], exclude=lambda items: items > 2)
        >>> search.candidates.tolist(), len(search.ask(4))
        ([0, 1, 2], 3)
        """
        chosen = candidate_mask(candidates, exclude, self.embedding.n_items)
        self._set_out(both(self._domain, chosen), self._near)
        self._replay_all(self._pending)

    def begin_near(self, items: int | Sequence[int] | Items) -> None:
        """The target is like these items: they say where to begin, and later answers may overrule them.

        What is believed before any answer is their neighbourhood, about a tenth of all items for each, and with
        probability 0.1 anything else. The Gaussian belief of `GaussSearch` has the mean and the covariance of the
        neighbourhood. Answers so far are kept, an open question is dropped. `undo` does not take this back;
        `begin_near([])` does.

        Parameters
        ----------
        items : int or sequence of int
            One or more items, candidates or not.

        Raises
        ------
        ValueError
            If an item is unknown.

        Examples
        --------
        >>> import numpy as np
        >>> import learn2search as l2s
        >>> search = l2s.PosteriorSearch(l2s.Embedding(np.arange(100.0)[:, None]), noise=1.0, seed=0)
        >>> before = search.entropy
        >>> search.begin_near([20])
        >>> search.top(1)[0][0], search.entropy < before
        (20, True)
        """
        given = [items] if is_item(items) else items
        self._set_out(self._allowed, checked_items(given, self.embedding, "begin_near"))
        self._replay_all(None)

    def replay(
        self,
        log: Iterable[tuple[Sequence[int], int | None]],
        pending: Sequence[int] | None = None,
        target: int | None = None,
    ) -> None:
        """Forget all answers and take these in instead, as when a search is rebuilt from a table of answers.

        Parameters
        ----------
        log : iterable of (query, chosen)
            The answered questions in their order: the items shown, and the one chosen or None for "can't tell". A
            search's own `log` will do.
        pending : sequence of int, optional
            The question that is open after them. By default none is, and `ask` makes one.
        target : int, optional
            The item that was found, if the last entry of the log is where `found` ended the search.

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
        entries = list(log)
        last = [] if target is None else entries[-1:]
        steps = [checked_step(query, chosen, self.embedding) for query, chosen in entries[: len(entries) - len(last)]]
        end = [checked_step(query, chosen, self.embedding, least=1) for query, chosen in last]
        if target is not None and (pending is not None or not end or end[0].chosen != target):
            raise ValueError(
                f"a search that found item {target!r} ends with it: the last entry of its log must choose it"
            )
        question = None if pending is None else self._checked_question(pending)
        self._replay(steps)
        for step in end:
            self._end(step)
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
        probability = self._chances()
        if self._allowed is None:
            best = _highest(probability, int(k))
        else:
            items = np.flatnonzero(self._allowed)
            best = items[_highest(probability[items], int(k))]
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

        Only items that may be shown (`restrict`). When all have been shown it was overlooked, and all are candidates
        again.
        """
        return np.flatnonzero(self._possible())

    def _possible(self) -> Mask:
        """`candidates` as a mask, `(n,)`."""
        every = np.ones(self.embedding.n_items, bool) if self._allowed is None else self._allowed.copy()
        if self.stop == "shown" and self._log:
            unseen = every.copy()
            unseen[list(self.used)] = False
            return unseen if unseen.any() else every
        return every

    @property
    def left(self) -> int:
        """How many items can still be asked together: unused items, counting those at the same place once."""
        return self._n_open if self.reuse else int(self._places_left[0])

    @property
    def done(self) -> bool:
        """True when nothing is left to ask: the target was `found`, or fewer than two candidates are unused."""
        return self._target is not None or (self._pending is None and self.left < 2)

    @property
    def target(self) -> int | None:
        """The item that was `found`; None while the search goes on."""
        return self._target

    @property
    def prior(self) -> Array:
        """How probable each item was before any answer, `(n,)`; 0 for items that are no candidates."""
        return self._prior.copy()

    @property
    def entropy(self) -> float:
        """How much is not known about the target, in bits: log₂ m where m items are equally probable."""
        chances = self._chances()
        chances = chances[chances > 0]
        return max(float(-(chances * np.log2(chances)).sum()), 0.0)

    def __repr__(self) -> str:
        n = self.embedding.n_items
        items = f"{n:,} items" if self._allowed is None else f"{int(self._allowed.sum()):,} of {n:,} items"
        if self._target is not None:
            return f"<{type(self).__name__}: {items}, found {self._target} after {len(self._log)} questions>"
        (best, chance), *_ = self.top(1)
        known = f"{len(self._log)} answers, {self.entropy:.1f} bits to go, most probable {best} ({chance:.0%})"
        return f"<{type(self).__name__}: {items}, {known}{', done' if self.done else ''}>"

    @property
    def options(self) -> dict[str, Any]:
        """What the search was made with, but for the embedding, the candidates and the seed."""
        bound = inspect.signature(type(self)).bind(*self._given, **self._named)
        bound.apply_defaults()
        given: dict[str, Any] = {}
        for name, parameter in bound.signature.parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                raise ValueError(f"{type(self).__name__} takes *{name}: a search is stored by the names of its options")
            given |= bound.arguments[name] if parameter.kind is parameter.VAR_KEYWORD else {name: bound.arguments[name]}
        return {name: value for name, value in list(given.items())[1:] if name not in _NOT_OPTIONS}

    # --- storing ---

    def to_dict(self) -> dict[str, Any]:
        """The search as plain JSON values: its options, its candidates, its key and its log. No belief is stored,
        because it follows from them.

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
            "format": FORMAT,
            "version": VERSION,
            "strategy": name,
            "embedding": self.embedding.fingerprint,
            "options": {name: plain(value, name) for name, value in self.options.items()},
            "candidates": packed(self._domain),
            "restricted": packed(self._allowed),
            "near": list(self._near),
            "key": [f"{word:016x}" for word in self._key],
            "log": [[list(step.query), step.chosen] for step in self._log],
            "pending": None if self._pending is None else list(self._pending),
            "found": self._target,
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
        check_state(state, embedding)
        strategy = STRATEGIES.get(state["strategy"])
        if not (isinstance(strategy, type) and issubclass(strategy, cls)):
            raise ValueError(f'this is a "{state["strategy"]}" search, not one that {cls.__name__} can continue')
        try:
            search = strategy(embedding, **state["options"])
        except TypeError as error:
            raise ValueError(f"the stored search has options that {strategy.__name__} does not know: {error}") from None
        search._key = np.array([int(word, 16) for word in state["key"]], np.uint64)
        search._domain = unpacked(state.get("candidates"), embedding.n_items)
        allowed = both(search._domain, unpacked(state.get("restricted"), embedding.n_items))
        search._set_out(allowed, checked_items(state.get("near", ()), embedding, "begin_near"))
        search.replay(state["log"], state["pending"], state.get("found"))
        return search

    def __reduce__(self) -> tuple[Callable[..., "Search"], tuple[Any, ...]]:
        """Copying and pickling go by way of the log, too."""
        about = self._domain, self._allowed, self._near
        so_far = self.log, self._pending, self._target
        return _copied, (type(self), self.embedding, self.options, self._key, about, so_far)

    # --- shared parts ---

    def _set_out(self, allowed: Mask | None, near: tuple[int, ...]) -> None:
        """Which items are candidates (None: all), and which ones the target is said to be like; then answers have to be
        taken in anew.
        """
        n = self.embedding.n_items
        self._allowed, self._near = allowed, near
        if allowed is None:
            self._closed = self.embedding.derived("closed", lambda: _frozen(np.zeros(n, np.uint8)))
            self._n_open = self.embedding.derived("places", lambda: int(count_places(self._twins)))
        else:
            self._closed = _frozen((~allowed).astype(np.uint8))
            self._n_open = len(free_items(self._closed, self._twins))
        if allowed is None and self._given_prior is None and not near:  # searches share it
            self._prior = self.embedding.derived("uniform", lambda: _frozen(np.full(n, 1.0 / n)))
        else:
            self._prior = _frozen(_first_chances(self._given_prior, self._near_weights(), allowed, n))

    def _near_weights(self) -> Array | None:
        return near_weights(self.embedding, self._near, self.noise) if self._near else None

    def _replay_all(self, pending: tuple[int, ...] | None) -> None:
        """Take all answers in anew, and ask the open question again if it still can be."""
        steps, target = self._log, self._target
        last = [] if target is None else steps[-1:]
        self._replay(steps[: len(steps) - len(last)])
        for step in last:
            self._end(step)
        self._pending = None if pending is None or self._closed[list(pending)].any() else pending

    def _replay(self, log: list[Step]) -> None:
        self._forget()
        self.start()
        for step in log:
            self._take_in(step)

    def _forget(self) -> None:
        """No answer and no question, nothing used; what was learnt stays."""
        self._log, self._pending, self._target = [], None, None
        self._blocked = self._closed.copy()
        self._places_left = np.array([self._n_open])

    def _take_in(self, step: Step) -> None:
        self.learn(*step)
        self._note(step)

    def _note(self, step: Step) -> None:
        """Write an answer into the log; its items are used."""
        if not self.reuse:
            use_up(np.array(step.query, np.int64), self._blocked, self._twins, self._places_left)
        self._log.append(step)

    def _end(self, step: Step) -> None:
        """The last entry of the log: its choice is what was looked for."""
        self._log.append(step)
        self._pending, self._target = None, step.chosen

    def _chances(self) -> Array:
        """`probability()`, but nothing for items that are no candidates, whatever a strategy thinks of them."""
        chances = np.asarray(self.probability())
        if chances.shape != (self.embedding.n_items,):
            raise ValueError(
                f"{type(self).__name__}.probability() must give one number an item, shape ({self.embedding.n_items},), "
                f"got {chances.shape}"
            )
        if self._allowed is None or not chances[~self._allowed].any():
            return chances
        chances = np.where(self._allowed, chances, 0.0)
        return np.asarray(chances / chances.sum()) if chances.sum() > 0 else self._prior.copy()

    @cached_property
    def _generator(self) -> np.random.Generator:
        """Of the last question asked, after what was drawn for it."""
        return np.random.Generator(np.random.SFC64(0))

    def _is_mode(self, target: int) -> bool:
        """Is the target the most probable item? Ties are broken at random."""
        probability = self._chances()
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
        elif self._closed[items].any():
            fault = "some are no candidates (`restrict`) and may not be shown; `free` has those that may"
        elif not at_different_places(items.astype(np.int64, copy=False), self._twins):
            fault = "some are at the same place and cannot be compared; `free` has one of each place"
        elif self._blocked[items].any() and not self.probability()[items[self._blocked[items] > 0]].all():
            fault = "some were shown before and cannot be the target; `free` has those that were not shown"
        else:
            return tuple(items.tolist())
        raise ValueError(f"{type(self).__name__} proposed {items.tolist()}: {fault}")

    def _checked_question(self, query: Any) -> tuple[int, ...]:
        """A question that was given, of candidates only."""
        question = checked_step(query, None, self.embedding).query
        for item in question:
            if self._closed[item]:
                raise ValueError(f"item {item} is no candidate and may not be shown: restrict() says which items may")
        return question

    def _checked_size(self, k: int) -> int:
        if not isinstance(k, int | np.integer) or not 2 <= k <= MAX_SHOWN:
            raise ValueError(f"a query shows 2 to {MAX_SHOWN} items, got k={k!r}")
        self._check_not_found()
        if self.left < 2:
            raise ValueError(
                "there is nothing left to ask: fewer than two different items are unused; see top(), or undo()"
            )
        return min(int(k), self.left)

    def _check_not_found(self) -> None:
        if self._target is not None:
            raise ValueError(f"the search is over: item {self._target} was found; undo() or restart()?")


STRATEGIES: Registry[Callable[..., Search]] = Registry("strategy", "learn2search.strategies", "learn2search.search")


def _copied(
    strategy: type[Search],
    embedding: Embedding,
    options: dict[str, Any],
    key: Key,
    about: tuple[Mask | None, Mask | None, tuple[int, ...]],
    so_far: tuple[tuple[Step, ...], tuple[int, ...] | None, int | None],
) -> Search:
    search = strategy(embedding, **options)
    search._key = key
    search._domain, allowed, near = about
    search._set_out(allowed, near)
    search.replay(*so_far)
    return search


def _checked_weights(prior: ArrayLike | None, n: int) -> Array | None:
    """Weights that sum to 1, or None where none were given."""
    if prior is None:
        return None
    weights = np.array(prior, float)
    if weights.shape != (n,):
        raise ValueError(f"the prior must be {n} weights, one an item, got shape {weights.shape}")
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() <= 0:
        raise ValueError(f"the prior's weights must be 0 or more and not all 0, got {weights.min()} to {weights.max()}")
    weights /= weights.max()
    return np.asarray(weights / weights.sum())


def _first_chances(given: Array | None, near: Array | None, allowed: Mask | None, n: int) -> Array:
    """How probable each item is before any answer; where the weights have nothing for the candidates, all alike."""
    chances = np.full(n, 1.0 / n) if given is None else given.copy()
    if near is None and allowed is None:
        return chances
    chances *= (1.0 if near is None else near) * (1.0 if allowed is None else allowed)
    if chances.sum() == 0:
        chances[:] = 1.0 if allowed is None else allowed
    return np.asarray(chances / chances.sum())


def _say_large(embedding: Embedding) -> None:
    """The first search of many items prepares them, which takes a second or two."""
    if embedding.mean.size >= _MANY:
        logging.getLogger("learn2search").info(
            "preparing %s items with %d features for searching: once, some seconds",
            f"{embedding.n_items:,}",
            embedding.dim,
        )


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _highest(values: Array, k: int) -> Items:
    """Places of the k largest values, largest first; of equal ones the lowest.

    The k-th largest of the blocks' own maxima is not above the k-th largest value: only what reaches it is sorted.
    """
    k, whole = min(k, len(values)), len(values) // _TOP_BLOCK * _TOP_BLOCK
    top = values[:whole].reshape(-1, _TOP_BLOCK).max(axis=1) if whole >= k * _TOP_BLOCK else values
    least = np.partition(top, len(top) - k)[len(top) - k]
    best = np.concatenate([np.flatnonzero(values > least), np.flatnonzero(values == least)[:k]])
    ordered: Items = best[np.lexsort((best, -values[best]))][:k]
    return ordered
