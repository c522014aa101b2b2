"""What an owner does to a whole collection: make, rename, move, list, archive, delete it. Pages and API call these."""

import shutil
from typing import Any

from learn2search.site.catalogue.import_jobs import jobs_of
from learn2search.site.catalogue.imports import make_collection, slug_of
from learn2search.site.catalogue.options import dated, in_order, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid
from learn2search.store import collections
from learn2search.store.collections import Collection

LONGEST_TITLE = 100


def create_collection(site: Site, title: str, slug: str | None = None, **options: Any) -> Collection:
    """Make a new collection without items.

    Parameters
    ----------
    slug
        Its address; by default one that is free, made from the title.
    options
        Of `Options`.

    Raises
    ------
    Invalid
        If the title, the address or an option cannot be used.
    Conflict
        If another collection has this address.
    """
    title = _checked_title(title)
    with site.database.read() as db:
        taken = {one.slug for one in collections.all_collections(db)}
    if slug is None:
        slug = _free_slug(slug_of(title), taken)
    if slug in taken:
        raise Conflict(f"There is a collection with the address “{slug}” already: choose another one.")
    made = make_collection(site, slug, title, **options)
    site.forget()
    return made


def rename_collection(site: Site, collection: Collection, title: str) -> Collection:
    """Give a collection another title; its address stays. `Invalid` without a title."""
    return change_options(site, collection, title=title)


def change_options(site: Site, collection: Collection, title: str | None = None, **changes: Any) -> Collection:
    """Change the title or single options, and leave the others as they are now.

    Raises
    ------
    Invalid
        If the title or an option cannot be used.
    """
    with site.database.write() as db:
        now = collections.by_id(db, collection.id)
        old = options_of(now)
        new = dated(old, type(old).model_validate(old.model_dump() | changes), site.now())
        wanted = now.title if title is None else _checked_title(title)
        collections.change(db, now.id, wanted, new.model_dump(mode="json"))
        changed = collections.by_id(db, now.id)
    site.forget()
    return changed


def list_collection(site: Site, collection: Collection, listed: bool) -> Collection:
    """Show a collection on the first page, or only to those who have its link."""
    return change_options(site, collection, listed=listed)


def archive_collection(site: Site, collection: Collection, archived: bool = True) -> Collection:
    """Begin no new searches in a collection, or begin them again. Searches under way go on; nothing is lost."""
    return change_options(site, collection, archived=archived)


def move_collection(site: Site, collection: Collection, by: int) -> None:
    """Move a collection up (`by` < 0) or down in all lists. At an end of the list it stays there."""
    with site.database.write() as db:
        known = in_order(collections.all_collections(db))
        order = [one.id for one in known]
        at = order.index(collection.id)
        order.insert(min(max(at + by, 0), len(order) - 1), order.pop(at))
        for one in known:
            options = options_of(one).model_copy(update={"position": order.index(one.id)})
            collections.change(db, one.id, one.title, options.model_dump(mode="json"))
    site.forget()


def delete_collection(site: Site, collection: Collection, confirmed_title: str) -> None:
    """Delete a collection for good: its items, searches and models, and its files. Only a backup brings it back.

    Parameters
    ----------
    confirmed_title
        The title of the collection, as the owner has typed it.

    Raises
    ------
    Invalid
        If that is not its title; nothing is deleted then.
    Conflict
        If an import into it is under way.
    """
    if confirmed_title.strip() != collection.title.strip():
        raise Invalid(
            f"The title is “{collection.title}”, but “{confirmed_title.strip()}” was typed: nothing was deleted."
        )
    if any(not job.finished and not job.is_interrupted(site.now()) for job in jobs_of(site, collection)):
        raise Conflict(f"An import into “{collection.title}” is under way: delete it when that has ended.")
    with site.database.write() as db:
        collections.remove(db, collection.id)
    site.media.delete_all(collection.slug)
    shutil.rmtree(site.settings.features / collection.slug, ignore_errors=True)
    site.models.tidy_files()
    site.forget()


def _checked_title(title: str) -> str:
    plain = " ".join(title.split())
    if not plain or len(plain) > LONGEST_TITLE:
        raise Invalid(f"A title has 1 to {LONGEST_TITLE} characters, got {len(plain)}.")
    return plain


def _free_slug(wanted: str, taken: set[str]) -> str:
    """The address, or "address-2", "address-3", ... where it is taken."""
    number, slug = 1, wanted
    while slug in taken:
        number += 1
        slug = f"{wanted[:56]}-{number}"
    return slug
