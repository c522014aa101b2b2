"""How many triplets a collection has to learn from, without counting all of them each second."""

from learn2search.site.context import Site
from learn2search.store import collections, lessons
from learn2search.store.collections import Collection

_SECONDS = 60.0  # until all are counted again: by then it is known that older ones were withdrawn


def triplet_count(site: Site, collection: Collection) -> int:
    """How many triplets a fit may use: as counted a minute ago at most, and those of the lessons since then."""

    def count() -> tuple[int, int]:
        with site.database.read() as db:
            return collections.by_id(db, collection.id).lessons, lessons.count(db, collection.id)

    up_to, known = site.remember(_name(collection.id), _SECONDS, count)
    if up_to >= collection.lessons:
        return known
    with site.database.read() as db:
        return known + lessons.count(db, collection.id, after=up_to)


def count_anew(site: Site, collection_id: int) -> None:
    """Older triplets were withdrawn, or came back."""
    site.drop(_name(collection_id))


def _name(collection_id: int) -> tuple[str, int]:
    return "triplets", collection_id
