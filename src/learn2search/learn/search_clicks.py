"""The clicks of finished searches as arrays: what was shown, what was clicked, and what the search was after."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from learn2search.typing import Array, Integers, Items, Triplets

Steps = Iterable[tuple[Sequence[int], int | None]]


class SearchClicks(NamedTuple):
    """All clicks of s searches, in their order.

    targets: `(s,)`. search: `(q,)`, the search that each click belongs to, ascending. shown: `(q, k)`, the clicked item
    and after it its rivals, filled up with -1. places: `(q,)`, where on the screen the clicked item was, -1 where that
    is not known. sizes: `(q,)`, how many items were compared.
    """

    targets: Items
    search: Integers
    shown: Items
    places: Integers
    sizes: Integers

    def triplets(self) -> tuple[Triplets, Integers]:
        """Rows (anchor, near, far), and the search of each."""
        rivals = self.shown[:, 1:]
        click, column = np.nonzero(rivals >= 0)
        search = self.search[click]
        return np.column_stack([self.targets[search], self.shown[click, 0], rivals[click, column]]), search

    def triplet_weights(self) -> Array:
        """How much each triplet tells, as in `triplets.click_weights`."""
        rivals = np.repeat(self.sizes - 1, self.sizes - 1)
        return np.asarray(np.log2(1 + rivals) / rivals)


def clicks_of(searches: Iterable[tuple[int, Steps]]) -> SearchClicks:
    """From targets and what was shown and chosen, as in `triplets.from_search`: screens without a choice, and what the
    target itself is shown with, say nothing."""
    targets, of, clicks, places = [], [], [], []
    for number, (target, steps) in enumerate(searches):
        targets.append(int(target))
        for query, chosen in steps:
            rivals = [int(item) for item in query if item not in (chosen, target)]
            if chosen is None or chosen == target or not rivals:
                continue
            if chosen not in query:
                raise ValueError(f"item {chosen} was not shown: the items shown are {tuple(query)}")
            of.append(number)
            clicks.append([int(chosen), *rivals])
            places.append(list(query).index(chosen))
    return _packed(np.array(targets, np.int64), np.array(of, np.int64), clicks, np.array(places, np.int64))


def _packed(targets: Items, search: Integers, clicks: Sequence[Sequence[int]], places: Integers) -> SearchClicks:
    sizes = np.array([len(click) for click in clicks], np.int64)
    shown = np.full((len(clicks), int(sizes.max(initial=2))), -1, np.int64)
    for row, click in zip(shown, clicks, strict=True):
        row[: len(click)] = click
    return SearchClicks(targets, search, shown, places, sizes)


def clicks_from_triplets(triplets: Triplets, numbers: Integers, places: Integers | None = None) -> SearchClicks:
    """From triplets in the order of `triplets.from_search`, with the number of the search of each, ascending; places:
    of the clicked items on their screens, one a triplet, -1 where it is not known.

    Triplets that follow each other with the same target and the same near item are one click.
    """
    begins = np.ones(len(triplets), bool)
    same = (triplets[1:, :2] == triplets[:-1, :2]).all(axis=1) & (numbers[1:] == numbers[:-1])
    at = np.full(len(triplets), -1, np.int64) if places is None else places
    begins[1:] = ~same | (at[1:] != at[:-1])
    click, first = np.cumsum(begins) - 1, np.flatnonzero(begins)
    sizes = np.bincount(click).astype(np.int64) + 1
    shown = np.full((len(first), int(sizes.max(initial=2))), -1, np.int64)
    shown[:, 0] = triplets[first, 1]
    shown[click, 1 + np.arange(len(triplets)) - first[click]] = triplets[:, 2]
    _, search_first, search = np.unique(numbers[first], return_index=True, return_inverse=True)
    return SearchClicks(triplets[first[search_first], 0], search.astype(np.int64), shown, at[first], sizes)
