"""What is given to the functions on accelerators: a wrong value is named."""

from typing import Any

import numpy as np
from jax import Array
from numpy.typing import NDArray


def checked_rows(rows: Array | NDArray[Any], n: int) -> Array | NDArray[np.int32]:
    """The triplets as int32, where they are."""
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu" or len(rows) == 0:
        raise ValueError(
            "rows must be triplets of shape (m, 3), whole numbers in columns anchor, near, far; "
            f"got {rows.dtype} of shape {rows.shape}"
        )
    lowest, highest = int(rows.min()), int(rows.max())
    if lowest < 0 or highest >= n:
        raise ValueError(f"rows name the items {lowest} to {highest}, but there are {n} items, 0 to {n - 1}")
    return rows.astype(np.int32)


def check_choices(**choices: tuple[object, tuple[str, ...]]) -> None:
    for name, (value, known) in choices.items():
        if value not in known:
            raise ValueError(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")


def check_positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be a positive number, got {value!r}")


def check_whole(**values: int) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise ValueError(f"{name} must be a whole number from 1, got {value!r}")
