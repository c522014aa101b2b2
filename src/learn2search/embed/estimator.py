"""What all embeddings share: parameters as in scikit-learn, validation, prediction, scores, files."""

import inspect
import json
import os
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.comparison import Link, log_probabilities
from learn2search.embedding import Embedding
from learn2search.files import read_npz, write_npz
from learn2search.triplets import as_triplets, is_degenerate, number_of_items
from learn2search.typing import Array, Array32, Arrays, Mask, Triplets

_VERSION = 3


class TripletEmbedding(ABC):
    """Learns a position for every item from triplets `(anchor, near, far)`.

    `fit` sets `embedding_` `(n, d)`, `n_items_` and `epochs_`. X is triplets `(m, 3)`; y, if given, is an answer a row
    (docs/data.md).
    """

    embedding_: Array
    n_items_: int
    epochs_: int
    _stored: ClassVar[tuple[str, ...]] = ("embedding_",)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters given to the constructor, as in scikit-learn.

        Parameters
        ----------
        deep : bool, optional
            There is nothing nested, so without effect.

        Returns
        -------
        dict
            Values by name.
        """
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Change parameters, as in scikit-learn.

        Parameters
        ----------
        **params : object
            Values by name.

        Returns
        -------
        self
            The estimator.

        Raises
        ------
        ValueError
            If a name is unknown; the message lists the known ones.
        """
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

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn's tools (cross-validation, grid search), where it is installed."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False), input_tags=InputTags())

    @abstractmethod
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        init: ArrayLike | Embedding | None = None,
        n_items: int | None = None,
        groups: ArrayLike | None = None,
    ) -> Self: ...

    @abstractmethod
    def _model(self) -> tuple[Array, Array, Link]:
        """Positions and variances in the units of the link, and the link: what gives probabilities."""

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None, **options: Any) -> Array:
        """Fit, and return the positions, as in scikit-learn.

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far).
        y : (m,) array_like, optional
            An answer a row, as in `triplets.as_triplets`.
        **options : object
            Others that `fit` takes.

        Returns
        -------
        (n, d) array
            One row an item.
        """
        return self.fit(X, y, **options).transform()

    def predict(self, X: ArrayLike) -> Mask:
        """Is the anchor closer to near than to far?

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far).

        Returns
        -------
        (m,) array of bool
            True where the positions satisfy the triplet.
        """
        anchor, near, far = (self.embedding_[column] for column in self._known(X).T)
        return np.asarray(((anchor - near) ** 2).sum(axis=1) < ((anchor - far) ** 2).sum(axis=1))

    def predict_proba(self, X: ArrayLike) -> Array:
        """How probable it is that the anchor is judged closer to near than to far.

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far).

        Returns
        -------
        (m,) array
            The probabilities, the uncertainty of all three positions integrated out.
        """
        return np.exp(self._log_probabilities(X))

    def transform(self, X: ArrayLike | None = None) -> Array:
        """The positions of all items.

        Parameters
        ----------
        X : optional
            Not used; scikit-learn's tools pass it.

        Returns
        -------
        (n, d) array
            One row an item.
        """
        self._check_fitted()
        return self.embedding_

    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """The share of triplets that the positions satisfy.

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far).
        y : (m,) array_like, optional
            An answer a row, as in `triplets.as_triplets`.

        Returns
        -------
        float
            From 0 to 1.
        """
        return float(self.predict(as_triplets(X, y)).mean())

    def log_likelihood(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """The mean log probability of the triplets.

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far).
        y : (m,) array_like, optional
            An answer a row, as in `triplets.as_triplets`.

        Returns
        -------
        float
            0 at best; guessing gives -0.693.
        """
        return float(self._log_probabilities(as_triplets(X, y)).mean())

    def to_embedding(self) -> Embedding:
        """What a search takes.

        Returns
        -------
        Embedding
            The positions, without variances.
        """
        self._check_fitted()
        return Embedding(self.embedding_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an NPZ file that `load` reads: the parameters and what was learnt.

        Parameters
        ----------
        path : str or path
            The file to write.
        """
        self._check_fitted()
        known = {name: _plain(value) for name, value in self.get_params().items()}
        params = {name: value for name, value in known.items() if _is_plain(value)}
        arrays = {name: np.asarray(getattr(self, name)) for name in self._stored}
        write_npz(path, self._format(), _VERSION, {"parameters": np.array(json.dumps(params)), **arrays})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote.

        Parameters
        ----------
        path : str or path
            The file to read; anything else is a ValueError that says what was found.

        Returns
        -------
        estimator
            Fitted, as it was saved.
        """
        names = ("parameters", *cls._stored)
        content = read_npz(path, cls._format(), _VERSION, f"a saved {cls.__name__}", names, _upgraded)
        model = cls(**json.loads(str(content["parameters"])))
        for name in cls._stored:
            setattr(model, name, _plain(content[name]))
        model.n_items_ = len(model.embedding_)
        return model

    @classmethod
    def _format(cls) -> str:
        return f"learn2search.{cls.__name__}"

    def _log_probabilities(self, X: ArrayLike) -> Array:
        rows = self._known(X)
        mean, variance, link = self._model()
        return log_probabilities(mean, variance, rows, link)

    def _known(self, X: ArrayLike) -> Triplets:
        self._check_fitted()
        return as_triplets(X, n_items=self.n_items_)

    def _check_fitted(self) -> None:
        if not hasattr(self, "embedding_"):
            raise ValueError(f"this {type(self).__name__} is not fitted yet: call fit(triplets) first")


def check_dimension(n_components: object) -> None:
    """An error for anything but a whole number from 1."""
    whole = isinstance(n_components, int | np.integer) and not isinstance(n_components, bool)
    if not whole or n_components < 1:  # type: ignore[operator]
        raise ValueError(f"n_components must be a whole number from 1, got {n_components!r}")


def check_positive(**values: float | None) -> None:
    """An error for any value that is neither None nor a positive number."""
    for name, value in values.items():
        if value is not None and not is_positive(value):
            raise ValueError(f"{name} must be positive, got {value!r}")


def is_positive(value: object) -> bool:
    """A number above 0, and finite."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(0 < value < np.inf)


def check_fraction(validation_fraction: float) -> None:
    """An error for a share of held-out triplets outside [0, 1)."""
    if not 0 <= validation_fraction < 1:
        raise ValueError(f"validation_fraction must lie between 0 and 1, got {validation_fraction!r}")


def _plain(value: Any) -> Any:
    """Python's number for one of NumPy's."""
    return value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value


def _upgraded(arrays: Arrays) -> Arrays:
    """Version 1 had no factor of the variances: it is 1. Version 2 had no lapse rate: it is 0."""
    missing = {"variance_factor_": np.array(1.0), "lapse_": np.array(0.0)}
    if str(arrays.get("version")) not in ("1", "2"):
        return arrays
    return {**missing, **arrays, "version": np.array(_VERSION)}


def _is_plain(value: object) -> bool:
    """A parameter that a file can hold; a generator as `random_state` is left out."""
    return value is None or isinstance(value, bool | int | float | str)


def training_triplets(
    X: ArrayLike, y: ArrayLike | None, n_items: int | None, groups: ArrayLike | None
) -> tuple[Triplets, int, NDArray[np.generic] | None]:
    """Checked rows without those that say nothing, the number of items, and the groups of these rows."""
    n_items = getattr(X, "n_items", None) if n_items is None else n_items  # TripletData knows it
    rows = as_triplets(X, y, n_items=n_items)
    if len(rows) == 0:
        raise ValueError("all answers are undecided (y = 0): there is nothing to learn from")
    informative = ~is_degenerate(rows)
    if not informative.any():
        raise ValueError(f"all {len(rows)} triplets name the same item twice and say nothing")
    n = number_of_items(as_triplets(X), n_items)
    kept = rows if informative.all() else rows[informative]
    return kept, n, None if groups is None else _groups_of(groups, X, y)[informative]


def _groups_of(groups: ArrayLike, X: ArrayLike, y: ArrayLike | None) -> NDArray[np.generic]:
    """The groups of the decided rows."""
    labels, count = np.asarray(groups), len(as_triplets(X))
    if labels.shape != (count,):
        raise ValueError(f"groups must name a group for each triplet, shape ({count},), got {labels.shape}")
    answers = None if y is None else np.asarray(y)
    return labels if answers is None or answers.dtype.kind == "b" else labels[answers != 0]


def row_weights(sample_weight: ArrayLike | None, X: ArrayLike, y: ArrayLike | None, n_rows: int) -> Array32:
    """How much each decided row counts, `(n_rows,)`."""
    if sample_weight is None:
        return np.ones(n_rows, np.float32)
    given = np.asarray(sample_weight, float)
    count = len(as_triplets(X))
    if given.shape != (count,) or not np.isfinite(given).all() or given.min() < 0 or given.max() == 0:
        raise ValueError(
            f"sample_weight must be {count} numbers, one a triplet, 0 or more and not all 0, got shape {given.shape}"
        )
    return _groups_of(given, X, y).astype(np.float32)


def is_scarce(count: int, n: int, d: int) -> bool:
    """Fewer than 20 triplets for each coordinate: a fit then pays to be longer."""
    return count < 20 * n * d


def initial_embedding(init: ArrayLike | Embedding | None, n: int, d: int) -> Embedding | None:
    """Where to begin, checked."""
    if init is None:
        return None
    given = init if isinstance(init, Embedding) else Embedding(init)
    if given.mean.shape != (n, d):
        raise ValueError(
            f"init must have shape ({n}, {d}), one row an item and n_components columns, got {given.mean.shape}"
        )
    return given
