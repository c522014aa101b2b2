"""`Embedding`: where the items are, and how well that is known. A frozen value."""

import hashlib
import math
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from learn2search.compiled import compiled
from learn2search.files import read_npz, write_npz
from learn2search.typing import Array, Array32, Items

Made = TypeVar("Made")

_FORMAT = "learn2search.embedding"
_VERSION = 1
_LARGEST = (
    1e30  # squares of differences must stay well inside the range of float64, and the differences inside float32's
)
_LARGE = 1 << 22  # numbers; a float32 array of so many stays float32: in float64 it would take 32 MB or more
_PART = 1 << 18  # numbers that are looked at together: a part of a large array that fits into the cache


@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """A position for every item, with or without a variance. A frozen value; the shapes are in docs/data.md.

    Parameters
    ----------
    mean : (n, d) array_like
        Known features or learnt positions, one row an item. Copied and read-only. Kept as float64, but a large float32
        array (4 million numbers or more) as float32.
    var : (n, d) array_like, optional
        The variance of each coordinate of each position; None when the positions are exact. Kept in the same way.
    copy : bool, optional
        False keeps an array that has the right form already (float64 or large float32, row by row) as it is, without
        a copy, and makes it read-only. Nothing may change it any more, not even through another view.

    Raises
    ------
    ValueError
        If a value is missing or not finite, if all items are at the same place, or if a variance is not positive.

    Examples
    --------
    >>> import learn2search as l2s
    >>> space = l2s.Embedding([[0.0, 1.0], [2.0, 1.0], [2.0, 3.0]])
    >>> space
    Embedding(n_items=3, dim=2, var=None)
    >>> space.save("space.npz")
    >>> l2s.Embedding.load("space.npz").mean.tolist()
    [[0.0, 1.0], [2.0, 1.0], [2.0, 3.0]]
    """

    mean: Array
    var: Array | None
    _derived: dict[str, Any]
    _lock: threading.RLock

    def __init__(self, mean: ArrayLike, var: ArrayLike | None = None, *, copy: bool = True) -> None:
        object.__setattr__(self, "mean", _positions(mean, copy))
        object.__setattr__(self, "var", None if var is None else _variances(var, self.mean, copy))
        object.__setattr__(self, "_derived", {})
        object.__setattr__(self, "_lock", threading.RLock())

    @property
    def n_items(self) -> int:
        """The number of items n."""
        return len(self.mean)

    @property
    def dim(self) -> int:
        """The number of axes d."""
        return int(self.mean.shape[1])

    @cached_property
    def var_rows(self) -> Array:
        """`var`, or `(0, d)` where the positions are exact: the form that compiled code takes."""
        return no_variances(self.dim) if self.var is None else self.var

    @cached_property
    def spread(self) -> float:
        """How far apart the items are: the root of their total variance (in parts, to need little memory)."""
        middle = sum(rows.sum(axis=0, dtype=float) for rows in parts_of(self.mean)) / self.n_items
        total = sum(float(((rows - middle) ** 2).sum()) for rows in parts_of(self.mean))
        return math.sqrt(total / self.n_items)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits that change when any position or variance does."""
        digest = hashlib.sha256(repr((self.mean.shape, self.var is None)).encode())
        for array in (self.mean, self.var):
            for part in () if array is None else parts_of(array):
                digest.update(np.ascontiguousarray(part, np.float64).data)  # the same in whichever form it is kept
        return digest.hexdigest()[:16]

    def derived(self, name: str, make: Callable[[], Made], version: object = None) -> Made:
        """What follows from the embedding (an index, a prior), made once and shared by searches and threads.

        Parameters
        ----------
        name : str
            What it is.
        make : callable
            Makes it, at the first call.
        version : object, optional
            Another version is made anew; only one version is kept.

        Returns
        -------
        object
            What `make` returned.

        Examples
        --------
        >>> import learn2search as l2s
        >>> space = l2s.Embedding([[0.0], [4.0]])
        >>> space.derived("middle", lambda: space.mean.mean(axis=0).tolist())
        [2.0]
        """
        with self._lock:
            if name not in self._derived or self._derived[name][0] != version:
                self._derived[name] = (version, make())
            made: Made = self._derived[name][1]
            return made

    def __reduce__(self) -> tuple[type["Embedding"], tuple[Array, Array | None]]:
        return Embedding, (self.mean, self.var)

    def __repr__(self) -> str:
        return f"Embedding(n_items={self.n_items}, dim={self.dim}, var={'None' if self.var is None else 'given'})"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an NPZ file that `Embedding.load` reads.

        Parameters
        ----------
        path : str or path
            The file to write.
        """
        arrays = {"mean": self.mean} if self.var is None else {"mean": self.mean, "var": self.var}
        write_npz(path, _FORMAT, _VERSION, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Embedding":
        """Read what `save` wrote.

        Parameters
        ----------
        path : str or path
            The file to read; a file of anything else is a ValueError that says what was found.

        Returns
        -------
        Embedding
            As it was saved.
        """
        arrays = read_npz(path, _FORMAT, _VERSION, "an embedding file", ("mean",))
        return cls(arrays["mean"], arrays.get("var"), copy=False)


def no_variances(dim: int) -> Array:
    """`(0, d)`. Read-only, as given variances are: of one type for compiled code, which is then compiled only once."""
    nothing = np.empty((0, dim))
    nothing.flags.writeable = False
    return nothing


def parts_of(array: Array | Array32) -> Iterator[Any]:
    """The rows of a large array, a few at a time."""
    rows = max(1, _PART // max(1, array.shape[1]))
    for start in range(0, len(array), rows):
        yield array[start : start + rows]


def two_forms(array: Array) -> tuple[Array, Array32]:
    """The array in the form that compiled code takes: in float64 and in float32, one of which has no rows."""
    none = no_variances(array.shape[1])
    narrow = none.astype(np.float32)
    narrow.flags.writeable = False
    if array.dtype == np.float32:
        return none, np.asarray(array, np.float32)
    return array, narrow


def in_float64(array: Array) -> Array:
    """The array in float64, read-only as all positions are: a copy, where it is kept in float32."""
    wide = np.asarray(array, np.float64)
    wide.flags.writeable = False
    return wide


@compiled
def some_rows(wide: Array, narrow: Array32, items: Items) -> Array:
    """Some rows of an array that is kept in one of two forms, `(m, d)`."""
    d = wide.shape[1]
    found = np.empty((len(items), d))
    for at in range(len(items)):
        for a in range(d):
            found[at, a] = wide[items[at], a] if len(wide) else narrow[items[at], a]
    return found


def _positions(mean: ArrayLike, copy: bool) -> Array:
    array = _numbers(mean, "features", copy)
    if array.ndim != 2:
        hint = ": one feature per item? reshape(-1, 1)" if array.ndim == 1 else ""
        raise ValueError(f"features must be 2-D, (n_items, n_features), got shape {array.shape}{hint}")
    if array.shape[1] == 0 or len(array) < 2:
        raise ValueError(f"features need at least 2 items and 1 feature, got shape {array.shape}")
    low, high = _checked_range(array, "features")
    if max(-low.min(), high.max()) > _LARGEST:
        raise ValueError(
            f"features must lie within ±{_LARGEST:.0e}, got {low.min():.2g} to {high.max():.2g}: rescale them"
        )
    if (low == high).all():
        raise ValueError(f"all {len(array)} items have the same features: at least two must differ to be compared")
    if np.max(high - low) < 1 / _LARGEST:
        raise ValueError(f"features differ by less than {1 / _LARGEST:.0e}: rescale them")
    return array


def _variances(var: ArrayLike, mean: Array, copy: bool) -> Array:
    array = _numbers(var, "var", copy)
    if array.shape != mean.shape:
        raise ValueError(f"var must have the shape of mean, {mean.shape}, got {array.shape}")
    low, _ = _checked_range(array, "var")
    if low.min() <= 0:
        item = int(np.argwhere(array <= 0)[0, 0])
        raise ValueError(f"variances must be positive, item {item} has {array[item].min()}: leave var out when exact")
    return array


def _numbers(values: ArrayLike, name: str, copy: bool) -> Array:
    try:
        given = np.asanyarray(values)
        if np.ma.is_masked(given) or given.dtype.kind == "c":
            raise ValueError(
                f"got {'complex numbers' if given.dtype.kind == 'c' else 'masked values'}: fill or drop them"
            )
        kept = np.float32 if given.dtype == np.float32 and given.size >= _LARGE else np.float64
        array: Any = (np.array if copy else np.asarray)(given, dtype=kept, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers, one row an item: {error}") from error
    array.flags.writeable = False
    checked: Array = array
    return checked


def _checked_range(array: Array, name: str) -> tuple[Array, Array]:
    """The lowest and the highest number of each column, all of them finite."""
    low, high = array[0], array[0]
    for part in parts_of(array):  # no value that is missing escapes: minimum and maximum keep it
        low, high = np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        rows = np.flatnonzero(~np.isfinite(array).all(axis=1))
        raise ValueError(
            f"{name} must be finite, but {len(rows)} of {len(array)} rows hold NaN or infinity "
            f"(the first is row {rows[0]}): fill or drop them"
        )
    return low, high
