"""What an owner does to many items at once: retire, restore, delete for good. Pages and API call these."""

from collections.abc import Iterable
from dataclasses import replace

from learn2search.site.catalogue.item_features import forget_features
from learn2search.site.catalogue.item_media import TextCard, media_of, to_json
from learn2search.site.context import Site
from learn2search.site.learning import publishing
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.enums import RetiredBy


def retire_items(site: Site, collection: Collection, numbers: Iterable[int]) -> int:
    """Take items out of new searches; what was learnt about them stays. How many were in."""
    return _set_active(site, collection, numbers, False)


def restore_items(site: Site, collection: Collection, numbers: Iterable[int]) -> int:
    """Bring retired items back into the searches; those that were deleted for good stay out. How many came back."""
    return _set_active(site, collection, numbers, True)


def _set_active(site: Site, collection: Collection, numbers: Iterable[int], active: bool) -> int:
    with site.database.write() as db:
        found = items.by_number(db, collection.id, numbers).values()
        changed = [item for item in found if item.active != active and item.retired_by is not RetiredBy.ERASED]
        why = None if active else RetiredBy.OWNER
        items.change(db, [replace(item, active=active, retired_by=why) for item in changed])
    if changed:
        site.forget()
        publishing.cover(site, collection.id)
    return len(changed)


def delete_items(site: Site, collection: Collection, numbers: Iterable[int]) -> int:
    """Delete items for good: their words, their files, and what was computed from them. How many there were.

    Their numbers stay, because models and the log of searches name them; wherever an item had a title it is then
    "(deleted)". Files that another item shows as well stay for that one. Backups that were made before still hold all
    of it.
    """
    with site.database.write() as db:
        found = items.by_number(db, collection.id, numbers)
        gone = [item for item in found.values() if item.retired_by is not RetiredBy.ERASED]
        items.erase(db, collection.id, [item.number for item in gone], to_json(TextCard(edited=True)))
        kept = {name for item in items.all_items(db, collection.id) for name in media_of(item).files.values()}
    if gone:
        site.media.delete(collection.slug, {name for item in gone for name in media_of(item).files.values()} - kept)
        forget_features(site, collection, gone, kept)
        site.forget()
        publishing.cover(site, collection.id)
    return len(gone)
