"""Names for the arrays that functions take and return; what their rows and columns are is in docs/data.md."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Array32 = NDArray[np.float32]
Integers = NDArray[np.int64]  # counts, places in an array
Mask = NDArray[np.bool_]
Arrays = dict[str, NDArray[Any]]  # by name, as in an NPZ file

Items = NDArray[np.int64]  # item numbers
Items32 = NDArray[np.int32]  # the same, in half the memory
Blocked = NDArray[np.uint8]  # (n,) for each item how often it is blocked; 0: it may be shown
Triplets = NDArray[np.int64]  # (m, 3) anchor, near, far
Groups = NDArray[np.int64]  # (m,) the screen or search that a triplet comes from

Seed = int | np.random.SeedSequence | np.random.Generator | np.random.RandomState | None
Key = NDArray[np.uint64]  # (2,) of one search
Keys = NDArray[np.uint64]  # (count, 2)
Stream = NDArray[np.uint64]  # (4,) the state of a generator
