"""The items of a collection as their owner looks through them: filtered, sorted, with what is known about each."""

from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl, urlencode

import numpy as np

from learn2search.site.context import Site
from learn2search.store import items, lessons
from learn2search.store.collections import Collection
from learn2search.store.items import Item

SORTS = {
    "number": "as they came",
    "comparisons": "fewest comparisons first",
    "uncertainty": "least certain place first",
}
SHOWN = {"all": None, "shown": True, "retired": False}


@dataclass(frozen=True)
class ItemFilter:
    """Which items, and in which order.

    Attributes
    ----------
    words
        In the title, the file's name or the group.
    group
        All items, or those of this group.
    shown
        A key of `SHOWN`: all items, those in the searches, or the retired ones.
    sort
        A key of `SORTS`.
    """

    words: str = ""
    group: str = ""
    shown: str = "all"
    sort: str = "number"

    @classmethod
    def from_query(cls, query: str) -> "ItemFilter":
        """From a query string that `query` wrote; other values in it are left out."""
        given = {name: value for name, value in parse_qsl(query) if name in cls.__dataclass_fields__}
        made = cls(**given)
        return made if made.shown in SHOWN and made.sort in SORTS else cls(words=made.words, group=made.group)

    def query(self, start: int = 0) -> str:
        """As a query string, without what is usual."""
        usual = asdict(ItemFilter())
        given = {name: value for name, value in asdict(self).items() if value != usual[name]}
        return urlencode(given | ({"start": start} if start else {}))


@dataclass(frozen=True)
class ListedItem:
    """An item, how many comparisons name it, and the standard deviation of its place; None where it has no place."""

    item: Item
    comparisons: int
    uncertainty: float | None


def matching_numbers(site: Site, collection: Collection, wanted: ItemFilter) -> list[int]:
    """The numbers of all items that a filter shows, as they came."""
    with site.database.read() as db:
        return items.matching(db, collection.id, wanted.words, wanted.group, SHOWN[wanted.shown])


def groups_of(site: Site, collection: Collection) -> list[str]:
    """The groups that items of the collection have."""
    with site.database.read() as db:
        return items.families(db, collection.id)


def list_items(
    site: Site, collection: Collection, wanted: ItemFilter, start: int, count: int
) -> tuple[int, list[ListedItem]]:
    """How many items a filter shows, and a page of them in its order."""
    numbers = matching_numbers(site, collection, wanted)
    spread = uncertainties(site, collection)
    with site.database.read() as db:
        counts = lessons.count_by_item(db, collection.id)
        if wanted.sort == "comparisons":
            numbers.sort(key=lambda number: counts.get(number, 0))
        elif wanted.sort == "uncertainty":
            numbers.sort(key=lambda number: -spread.get(number, -1.0))
        page = numbers[start : start + count]
        found = items.by_number(db, collection.id, page)
    return len(numbers), [ListedItem(found[one], counts.get(one, 0), spread.get(one)) for one in page]


def uncertainties(site: Site, collection: Collection) -> dict[int, float]:
    """The standard deviation of the place of each item in use, root mean square over the axes."""
    if collection.model_id is None:
        return {}
    known = site.newest_embedding(collection)
    if known.embedding.var is None:
        return {}
    spread = np.sqrt(known.embedding.var.mean(axis=1))
    return dict(zip(known.items.tolist(), spread.tolist(), strict=True))
