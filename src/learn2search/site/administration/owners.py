"""What an owner does with a collection beyond importing: look, edit, set searches aside."""

from dataclasses import dataclass, replace
from typing import Any

from learn2search.site.catalogue.item_media import media_of, to_json
from learn2search.site.catalogue.options import Options, dated, in_order, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid, NotFound
from learn2search.site.learning import finished_searches, publishing
from learn2search.site.learning.triplet_counts import count_anew
from learn2search.site.visits.search_state import answers_that_count
from learn2search.store import collections, items, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import RetiredBy
from learn2search.store.items import Item
from learn2search.store.searches import SearchFilter, SearchRow, StepRow


@dataclass(frozen=True)
class AnsweredSearch:
    """A search with the answers that counted."""

    row: SearchRow
    answers: tuple[StepRow, ...]

    @property
    def seconds(self) -> float | None:
        """Mean time of an answer, None where no time was measured."""
        times = [step.milliseconds for step in self.answers if step.milliseconds is not None]
        return sum(times) / len(times) / 1000 if times else None


def collections_of(site: Site) -> list[tuple[Collection, int]]:
    """All collections with their sizes."""
    with site.database.read() as db:
        sizes = collections.sizes(db)
        return [(one, sizes.get(one.id, 0)) for one in in_order(collections.all_collections(db))]


def items_by_number(site: Site, collection: Collection) -> dict[int, Item]:
    """All items of a collection, retired ones too."""
    with site.database.read() as db:
        return {item.number: item for item in items.all_items(db, collection.id)}


def find_items(
    site: Site, collection: Collection, words: str, start: int, count: int, *, active_only: bool = False
) -> list[Item]:
    """A page of the items with these words in their title, key or group."""
    with site.database.read() as db:
        return items.page(db, collection.id, words.strip(), start, count, active_only=active_only)


def latest_searches(
    site: Site, collection: Collection, count: int, start: int = 0, wanted: SearchFilter | None = None
) -> list[AnsweredSearch]:
    """A page of searches, the newest first."""
    with site.database.read() as db:
        rows = searches.latest(db, collection.id, count, start, wanted)
        steps = searches.steps_of(db, [row.id for row in rows])
    return [AnsweredSearch(row, tuple(answers_that_count(steps[row.id]))) for row in rows]


def strategies_used(site: Site, collection: Collection) -> list[str]:
    """The strategies that searches of the collection have used."""
    with site.database.read() as db:
        return searches.strategies(db, collection.id)


def replay(site: Site, search_id: str) -> list[StepRow]:
    """All steps of a search, undone ones too."""
    with site.database.read() as db:
        return searches.steps(db, search_id)


def change_collection(site: Site, collection: Collection, title: str, options: Options) -> None:
    """Give a collection another title and other options."""
    with site.database.write() as db:
        now = dated(options_of(collections.by_id(db, collection.id)), options, site.now())
        collections.change(db, collection.id, title, now.model_dump(mode="json"))
    site.forget()


def change_item(site: Site, collection: Collection, number: int, **changes: Any) -> Item:
    """Edit an item or take it out of the searches; the published model then covers just the active items.

    Parameters
    ----------
    changes
        title, description, family (the group), active.

    Raises
    ------
    Invalid
        If there is no such item, or it was deleted for good.
    """
    with site.database.write() as db:
        old = items.by_number(db, collection.id, [number]).get(number)
        if old is None:
            raise Invalid(f"There is no item {number} in “{collection.title}”.")
        if old.retired_by is RetiredBy.ERASED:
            raise Invalid(f"Item {number} of “{collection.title}” was deleted for good.")
        new = replace(old, **changes)
        if new.active != old.active:
            new = replace(new, retired_by=None if new.active else RetiredBy.OWNER)
        if (new.title, new.description, new.family) != (old.title, old.description, old.family):
            new = replace(new, media=to_json(media_of(new).model_copy(update={"edited": True})))
        items.change(db, [new])
    site.forget()
    if new.active != old.active:
        publishing.cover(site, collection.id)
    return new


def set_aside(site: Site, search_id: str) -> None:
    """Stop learning from a search that the owner does not trust.

    Raises
    ------
    NotFound
        If there is no such search.
    """
    with site.database.write() as db:
        row = searches.get(db, search_id)
        if row is None:
            raise NotFound("There is no such search.")
        searches.change(db, search_id, quarantine=finished_searches.BY_OWNER, trusted=False)
        finished_searches.withdraw(db, search_id)
    count_anew(site, row.collection_id)


def release(site: Site, search_id: str) -> None:
    """Learn from a search that was set aside, and that the owner trusts after all: it counts in full from now on.

    Raises
    ------
    NotFound
        If there is no such search.
    Conflict
        If it is not finished, or not set aside.
    """
    with site.database.write() as db:
        row = searches.get(db, search_id)
        if row is None:
            raise NotFound("There is no such search.")
        if not row.is_set_aside or row.target is None:
            raise Conflict("Only a finished search that was set aside can be released.")
        if row.is_wrong_end:
            raise Conflict("This search cannot teach: it ended with another item than the one to find.")
        searches.change(db, search_id, trusted=True, weight=1.0)
        if row.lesson is None:
            answers = tuple(answers_that_count(searches.steps(db, search_id)))
            rows = finished_searches.triplets_of(answers, row.target)
            lesson = finished_searches.Lesson(rows, quarantine=None, evidence=row.evidence)
            finished_searches.record(db, replace(row, quarantine=None), lesson)
    count_anew(site, row.collection_id)
