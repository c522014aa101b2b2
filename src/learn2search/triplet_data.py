"""Triplets with what belongs to them: screens, participants, and the names of the items."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from learn2search.typing import Groups, Integers, Items, Mask, Triplets


@dataclass(frozen=True, repr=False, eq=False)
class TripletData:
    """Triplets with screens, participants and names: what `read_triplets` and the loaders of data sets return.

    It can stand wherever triplets are taken; `data[rows]` is the same of some of its rows.

    Attributes
    ----------
    triplets : (m, 3) array of int
        Rows (anchor, near, far).
    n_items : int
        The number of items.
    groups : (m,) array of int
        The screen of each row: never split one.
    names : tuple
        The names of the items: labels of any kind.
    participants : (m,) array, optional
        Who answered, where that is known.

    Examples
    --------
    >>> import learn2search as l2s
    >>> import numpy as np
    >>> data = l2s.TripletData(np.array([(0, 1, 2), (1, 0, 2)]), 3, np.array([0, 1]), ("apple", "pear", "car"))
    >>> data
    TripletData(2 triplets of 3 items in 2 groups)
    >>> data[data.groups == 1].triplets.tolist()
    [[1, 0, 2]]
    >>> data.encode(["car", "apple"]).tolist(), data.decode([2, 0])
    ([2, 0], ['car', 'apple'])
    """

    triplets: Triplets
    n_items: int
    groups: Groups
    names: tuple[Any, ...]
    participants: NDArray[Any] | None = None

    def encode(self, labels: Iterable[Hashable]) -> Items:
        """The numbers of items.

        Parameters
        ----------
        labels : iterable
            Names of items.

        Returns
        -------
        (k,) array of int
            Their numbers.

        Raises
        ------
        ValueError
            If there is no such item.
        """
        number = {name: at for at, name in enumerate(self.names)}
        wanted = list(labels)
        unknown = [label for label in wanted if label not in number]
        if unknown:
            known = ", ".join(map(repr, self.names[:3]))
            raise ValueError(f"there is no item {unknown[0]!r}: the {self.n_items} items are {known}, ...")
        return np.array([number[label] for label in wanted], np.int64)

    def decode(self, items: Iterable[int]) -> list[Any]:
        """The names of items.

        Parameters
        ----------
        items : iterable of int
            Numbers of items.

        Returns
        -------
        list
            Their names.
        """
        return [self.names[item] for item in items]

    @property
    def shape(self) -> tuple[int, ...]:
        """(m, 3), as the triplets have it: scikit-learn's tools then take `data[rows]`."""
        return self.triplets.shape

    def __getitem__(self, rows: slice | Integers | Mask) -> "TripletData":
        who = None if self.participants is None else self.participants[rows]
        return replace(self, triplets=self.triplets[rows], groups=self.groups[rows], participants=who)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.triplets)

    def __len__(self) -> int:
        return len(self.triplets)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.triplets, dtype, copy=copy)

    def __repr__(self) -> str:
        n_groups = len(np.unique(self.groups))
        return f"TripletData({len(self.triplets):,} triplets of {self.n_items} items in {n_groups:,} groups)"
