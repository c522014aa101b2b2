"""Embedding methods by name, for the learning loop."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from learn2search.embedding import Embedding
from learn2search.registry import Registry
from learn2search.typing import Triplets


class Estimator(Protocol):
    """What the loop needs: made by `(n_components, random_state=seed)`, fitted to triplets, and an embedding after."""

    def fit(self, X: Triplets, *, init: Embedding | None, n_items: int) -> Any:
        """Learn from triplets `(m, 3)`; `init` is the embedding before, where a fit may begin there."""

    def to_embedding(self) -> Embedding:
        """Where the items are."""


Method = TypeVar("Method", bound=Callable[..., Estimator])

EMBEDDINGS: Registry[Callable[..., Estimator]] = Registry("embedding", "learn2search.embeddings", "learn2search.embed")


def register_embedding(name: str) -> Callable[[Method], Method]:
    """Give an embedding method of one's own a name, as a decorator of its class: `Recipe(embedding=name)` takes it.

    The class is made by `(n_components, random_state=seed)`, and has the methods `fit(X, init=None, n_items=None)` and
    `to_embedding()`. The loop takes its positions, and fits σ to the newest triplets. An installed package needs no
    decorator where it has an entry point of this name in the group `learn2search.embeddings`.

    Parameters
    ----------
    name : str
        Letters, digits, - and _, at most 64 of them.

    Returns
    -------
    callable
        The decorator, which gives the class back as it is.

    Raises
    ------
    ValueError
        If another method has the name, or if the class cannot be fitted.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> @l2s.register_embedding("wide-tste")
    ... class WideTSTE(l2s.TSTE):
    ...     def __init__(self, n_components=10, *, random_state=None):
    ...         super().__init__(n_components, alpha=20.0, random_state=random_state)
    >>> person = l2s.ProbitOracle(np.random.default_rng(0).uniform(size=(8, 2)), noise=0.1, seed=1)
    >>> len(list(l2s.learn2search(person, n_items=8, n_searches=3, embedding="wide-tste", n_components=2, seed=0)))
    3
    """

    def register(method: Method) -> Method:
        lacking = [needed for needed in ("fit", "to_embedding") if not callable(getattr(method, needed, None))]
        if lacking:
            raise ValueError(f"an embedding is a class with fit and to_embedding, and {method!r} has no {lacking[0]}")
        EMBEDDINGS.register(name, method)
        return method

    return register
