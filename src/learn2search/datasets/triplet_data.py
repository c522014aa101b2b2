"""What a loader of triplets returns."""

from dataclasses import dataclass

import numpy as np

from learn2search.typing import Groups, Triplets


@dataclass(frozen=True, repr=False)
class TripletData:
    """triplets: `(m, 3)`; groups: `(m,)`, the screen of each row (never split one); names: of the `n_items` items."""

    triplets: Triplets
    n_items: int
    groups: Groups
    names: tuple[str, ...]

    def __repr__(self) -> str:
        n_groups = len(np.unique(self.groups))
        return f"TripletData({len(self.triplets):,} triplets of {self.n_items} items in {n_groups:,} groups)"
