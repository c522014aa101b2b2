"""What a loader of triplets returns."""

from dataclasses import dataclass

import numpy as np

from learn2search.typing import Groups, Triplets


@dataclass(frozen=True, repr=False)
class TripletData:
    """What a loader of triplets returns.

    Attributes
    ----------
    triplets : (m, 3) array of int
        Rows (anchor, near, far).
    n_items : int
        The number of items.
    groups : (m,) array of int
        The screen of each row: never split one.
    names : tuple of str
        The names of the items.

    Examples
    --------
    >>> import learn2search as l2s
    >>> import numpy as np
    >>> l2s.TripletData(np.array([(0, 1, 2)]), 3, np.array([0]), ("apple", "pear", "car"))
    TripletData(1 triplets of 3 items in 1 groups)
    """

    triplets: Triplets
    n_items: int
    groups: Groups
    names: tuple[str, ...]

    def __repr__(self) -> str:
        n_groups = len(np.unique(self.groups))
        return f"TripletData({len(self.triplets):,} triplets of {self.n_items} items in {n_groups:,} groups)"
