"""Which items a search may show at all: the candidates that an application names, and how they are stored.

A mask `(n,)` of booleans, True for a candidate. None stands for all items.
"""

import base64
import binascii
import zlib
from collections.abc import Callable, Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learn2search.typing import Items, Mask

Selection = ArrayLike | Set[int] | Callable[[Items], ArrayLike]  # of items; a function gets all items and returns one


def candidate_mask(candidates: Selection | None, exclude: Selection | None, n: int) -> Mask | None:
    """The items of `candidates` (by default all) that are not in `exclude`; at least one must be left.

    Parameters
    ----------
    candidates, exclude : (n,) array_like of bool, (m,) array_like of int, or callable
        A mask, item numbers, or a function of the array of all items that returns either.
    n : int
        How many items there are.

    Returns
    -------
    (n,) array of bool or None
        None when every item is a candidate.

    Raises
    ------
    ValueError
        If they name no items, or leave none.

    Examples
    --------
    >>> from learn2search.search.candidates import candidate_mask
    >>> candidate_mask([0, 1, 2], lambda items: items > 1, n=4).tolist()
    [True, True, False, False]
    """
    if candidates is None and exclude is None:
        return None
    mask = np.ones(n, bool) if candidates is None else _mask_of(candidates, n, "candidates")
    if exclude is not None:
        mask = mask & ~_mask_of(exclude, n, "exclude")
    return None if mask.all() else _not_empty(mask)


def both(first: Mask | None, second: Mask | None) -> Mask | None:
    """The items of both; at least one must be left."""
    if first is None or second is None:
        return second if first is None else first
    return _not_empty(first & second)


def _not_empty(mask: Mask) -> Mask:
    if not mask.any():
        raise ValueError(
            f"none of the {len(mask)} items is a candidate: a search needs at least one, so widen the selection"
        )
    return mask


def _mask_of(selection: Selection, n: int, name: str) -> Mask:
    given = np.asarray(selection(np.arange(n)) if callable(selection) else _as_sequence(selection))
    if given.dtype == bool and given.shape == (n,):
        return given.copy()
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(
            f"{name} must be {n} booleans, one an item, or a list of item numbers, "
            f"got shape {given.shape} of {given.dtype}"
        )
    if given.size and (given.min() < 0 or given.max() >= n):
        outside = given[(given < 0) | (given >= n)][0]
        raise ValueError(f"{name} names item {outside}, but the items are 0..{n - 1}")
    mask = np.zeros(n, bool)
    mask[given.astype(np.int64)] = True
    return mask


def _as_sequence(selection: Any) -> Any:
    """Sets and ranges of items are welcome, too."""
    return list(selection) if isinstance(selection, Set | range) else selection


# --- storing --------------------------------------------------------------------------------------


def packed(mask: Mask | None) -> str | None:
    """The mask as text: eight items a byte, compressed, in base64. 100,000 items take 17 KB at most."""
    return None if mask is None else base64.b64encode(zlib.compress(np.packbits(mask).tobytes())).decode("ascii")


def unpacked(text: Any, n: int) -> Mask | None:
    """The mask that `packed` made into text."""
    if text is None:
        return None
    try:
        row = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), np.uint8)
    except (TypeError, ValueError, binascii.Error, zlib.error):
        row = np.empty(0, np.uint8)
    if len(row) != (n + 7) // 8 or not (mask := np.unpackbits(row, count=n).astype(bool)).any():
        raise ValueError(f"the stored search has bad candidates: expected {n} packed bits, not all 0, got {text!r:.60}")
    return mask
