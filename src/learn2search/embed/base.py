"""What all embeddings share: parameters as in scikit-learn, validation, prediction and scores."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.embedding import Embedding
from learn2search.triplets import Triplets, as_triplets, drop_degenerate

Array = NDArray[np.float64]


class TripletEmbedding(ABC):
    """Learns a position for every item from triplets `(anchor, near, far)`.

    `fit` sets `embedding_` `(n, d)` and `n_items_`. X is triplets `(m, 3)`; y, if given, is an answer a row
    (docs/data.md).
    """

    embedding_: Array
    n_items_: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters given to the constructor."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters; an unknown name is an error that lists the known ones."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}, only {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {name: known.default for name, known in inspect.signature(type(self)).parameters.items()}
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]]
        return f"{type(self).__name__}({', '.join(changed)})"

    @abstractmethod
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self: ...

    @abstractmethod
    def predict_proba(self, X: ArrayLike) -> Array:
        """How probable it is that the anchor is judged closer to near than to far, `(m,)`."""

    def predict(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Is the anchor closer to near than to far? `(m,)`."""
        anchor, near, far = (self.embedding_[column] for column in self._known(X).T)
        return np.asarray(((anchor - near) ** 2).sum(axis=1) < ((anchor - far) ** 2).sum(axis=1))

    def transform(self, X: ArrayLike | None = None) -> Array:
        """The positions of all items, `(n, d)`."""
        self._check_fitted()
        return self.embedding_

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """The share of triplets that the positions satisfy."""
        return float(self.predict(as_triplets(X, y)).mean())

    def log_likelihood(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """The mean log probability of the triplets."""
        chance = self.predict_proba(as_triplets(X, y))
        return float(np.log(np.maximum(chance, 1e-300)).mean())

    def to_embedding(self) -> Embedding:
        """What a search takes."""
        self._check_fitted()
        return Embedding(self.embedding_)

    def _known(self, X: ArrayLike) -> Triplets:
        self._check_fitted()
        return as_triplets(X, n_items=self.n_items_)

    def _check_fitted(self) -> None:
        if not hasattr(self, "embedding_"):
            raise ValueError(f"this {type(self).__name__} is not fitted yet: call fit(triplets) first")


def training_triplets(X: ArrayLike, y: ArrayLike | None, n_items: int | None) -> tuple[Triplets, int]:
    """Checked rows without those that say nothing, and the number of items."""
    rows = drop_degenerate(as_triplets(X, y, n_items=n_items))
    return rows, n_items if n_items is not None else int(np.asarray(X).max()) + 1
