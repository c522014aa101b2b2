"""Strategies by name, and searches of any of them."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from learn2search.embedding import Embedding
from learn2search.registry import definition_of
from learn2search.search.base import STRATEGIES, Search
from learn2search.search.noise_check import warn_of_default

Strategy = str | Callable[..., Search]  # a name, a class, or a function that makes a search
_DEFAULT_NOISE = 1.0
Maker = TypeVar("Maker", bound=Callable[..., Search])


def register_strategy(name: str) -> Callable[[Maker], Maker]:
    """Give a strategy of one's own a name, as a decorator of its class or of a function that makes searches.

    Then `make_search`, `simulate`, `learn2search` and the site take the name, and its searches can be stored. An
    installed package needs no decorator where it has an entry point of this name in the group
    `learn2search.strategies`.

    Parameters
    ----------
    name : str
        Letters, digits, - and _, at most 64 of them.

    Returns
    -------
    callable
        The decorator, which returns the strategy unchanged.

    Raises
    ------
    ValueError
        If there is no name, or another strategy has it; the error says which.

    Examples
    --------
    >>> import learn2search as l2s
    >>> @l2s.register_strategy("in-order")
    ... class InOrder(l2s.Search):
    ...     def propose(self, k, generator):
    ...         return self.free[:k]
    >>> l2s.make_search("in-order", l2s.Embedding([[0.0], [1.0], [2.0], [3.0]])).ask()
    (0, 1)
    """

    if callable(name):  # @register_strategy without a name would leave a function in the place of the class
        raise ValueError(f'{definition_of(name)} needs a name: put @register_strategy("...") above it')

    def register(strategy: Maker) -> Maker:
        _check(strategy)
        STRATEGIES.register(name, strategy)
        return strategy

    return register


def strategy_names(built_in: bool = True) -> tuple[str, ...]:
    """The names of all strategies: the built-in ones, installed ones, and those of `register_strategy`.

    Parameters
    ----------
    built_in : bool, optional
        Also those of this package?

    Returns
    -------
    tuple of str
        Names that `make_search` takes, the built-in ones first.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.strategy_names()[:6]
    ('eff', 'gauss', 'ig', 'posterior', 'random', 'sampled')
    """
    return STRATEGIES.names() if built_in else STRATEGIES.added()


def known_strategy(strategy: Strategy) -> Strategy:
    """The strategy by its name, or as it is when it has none; anything else is an error."""
    if isinstance(strategy, str):
        STRATEGIES.get(strategy)
        return strategy
    _check(strategy)
    return STRATEGIES.name_of(strategy) or strategy


def make_search(strategy: Strategy, embedding: Embedding, noise: float | None = None, **options: Any) -> Search:
    """A search by any strategy.

    Parameters
    ----------
    strategy : str or callable
        A name (`strategy_names`), a subclass of `Search`, or a function of `(embedding, noise, **options)` that makes a
        search.
    embedding : Embedding
        Where the items are.
    noise : float, optional
        σ of the answers, in units of the embedding; by default 1.
    **options : object
        Of the strategy.

    Returns
    -------
    Search
        Ready to be asked.

    Raises
    ------
    ValueError
        If the strategy is unknown, does not take an option, or makes something else.

    Examples
    --------
    >>> import learn2search as l2s
    >>> space = l2s.Embedding([[0.0], [1.0], [2.0], [3.0]])
    >>> type(l2s.make_search("gauss", space, 0.1, seed=0)).__name__
    'GaussSearch'
    """
    maker = STRATEGIES.get(strategy) if isinstance(strategy, str) else strategy
    _check(maker)
    _check_takes(maker, options)
    search = maker(embedding, _DEFAULT_NOISE if noise is None else noise, **options)
    if not isinstance(search, Search):
        raise ValueError(f"the strategy {definition_of(maker)} made a {type(search).__name__}, not a Search")
    if noise is None:
        warn_of_default(embedding, _DEFAULT_NOISE)
    return search


def _check(strategy: object) -> None:
    if not callable(strategy) or (isinstance(strategy, type) and not issubclass(strategy, Search)):
        raise ValueError(f"a strategy is a subclass of Search, or a function that makes one, got {strategy!r}")


def _check_takes(strategy: Callable[..., Search], options: dict[str, Any]) -> None:
    """An error that names an option which the strategy has no room for."""
    try:
        signature = inspect.signature(strategy)
    except ValueError:  # some callables do not say
        return
    try:
        signature.bind(None, None, **options)
    except TypeError as error:
        raise ValueError(
            f"the strategy {definition_of(strategy)}{signature} cannot be made with {', '.join(options) or 'nothing'} "
            f"({error}): let it take (embedding, noise, **options) and pass the options on to Search"
        ) from None
