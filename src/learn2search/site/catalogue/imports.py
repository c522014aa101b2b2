"""From a folder, ZIP file or table to a collection. A second run adds what is new; only `replace` retires what is gone.

Items are written in small batches: an import that was interrupted goes on where it was.
"""

import hashlib
import os
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from learn2search.site.catalogue.features.feature_cache import Progress, silent
from learn2search.site.catalogue.item_features import feature_source, item_features
from learn2search.site.catalogue.item_media import MediaKind, Picture, media_of, to_json
from learn2search.site.catalogue.media import PixelBudget, StoredMedia, Unreadable, store_media
from learn2search.site.catalogue.options import checked, dated, options_of
from learn2search.site.catalogue.sources import Entry, Problem, entries
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.learning import publishing
from learn2search.store import collections, items
from learn2search.store.collections import Collection
from learn2search.store.enums import RetiredBy
from learn2search.store.items import Item

_BATCH = 64  # items in one transaction
_NEW: dict[str, Any] = {"warm_start": "pictures"}  # of a collection that is made now; one that exists keeps its own
_LATER = ("warm_start", "encoder", "strategies")  # what can be given to a collection that exists
_TALL, _WIDE = 0.9, 1.15  # width / height of the median picture: below, frames are tall; above, wide

Prepared = tuple[Entry, StoredMedia | Problem]


@dataclass
class Report:
    """What an import did."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    retired: int = 0
    problems: list[Problem] = field(default_factory=list)


def slug_of(title: str) -> str:
    """A title as a part of an address: letters a-z, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60] or "collection"


def make_collection(site: Site, slug: str, title: str, **options: Any) -> Collection:
    """The collection with this address, made if there is none."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", slug):
        raise Invalid(f"An address consists of a-z, 0-9 and hyphens, got “{slug}”.")
    with site.database.write() as db:
        known = collections.by_slug(db, slug)
        if known is not None:
            return _with_given(db, known, options, site.now())
        return collections.add(db, slug, title, checked(_NEW | options).model_dump(mode="json"), site.now())


def _with_given(db: Connection, known: Collection, options: dict[str, Any], now: float) -> Collection:
    """A collection that exists keeps its options, but a warm start and strategies can be asked for later too."""
    given = {name: options[name] for name in _LATER if options.get(name) is not None}
    wanted = dated(options_of(known), checked(known.options | given), now)
    changed = wanted.model_dump(mode="json") if given else known.options
    if changed == known.options:
        return known
    collections.change(db, known.id, known.title, changed)
    return replace(known, options=changed)


@dataclass(frozen=True)
class Source:
    """What was found in a folder, ZIP file or table: what can be imported, and what cannot."""

    path: Path
    entries: list[Entry]
    problems: list[Problem]

    @property
    def names(self) -> set[str]:
        """The keys of all that is there. A file that cannot be read is there: it keeps its item."""
        unread = {problem.name for problem in self.problems if not problem.left_out}
        return {entry.key for entry in self.entries} | unread


def read_source(path: Path) -> Source:
    """What a source holds.

    Raises
    ------
    Invalid
        If it is no source, or nothing in it can be imported.
    """
    found, problems = entries(path)
    if not found:
        why = f": {problems[0].name}: {problems[0].message}" if problems else ", it is empty"
        raise Invalid(f"There is nothing to import in {path}{why}.")
    return Source(path, found, problems)


@dataclass(frozen=True)
class Preview:
    """What an import would do: to so many items, save `gone`, those that it would retire where it replaces."""

    new: int
    changed: int
    unchanged: int
    gone: list[Item]
    active: int


def preview_import(site: Site, source: Source, slug: str) -> Preview:
    """What an import into the collection of this address would do, if there is one yet. Nothing is decoded or written.

    A file of another time counts as changed; the import itself looks at what is in it.
    """
    with site.database.read() as db:
        collection = collections.by_slug(db, slug)
    known = {} if collection is None else known_items(site, collection)
    there = [entry for entry in source.entries if entry.key in known]
    same = sum(is_current(entry, known[entry.key]) for entry in there)
    return Preview(
        new=len(source.entries) - len(there),
        changed=len(there) - same,
        unchanged=same,
        gone=_gone(source, known),
        active=sum(item.active for item in known.values()),
    )


def import_source(
    site: Site,
    source: Path | Source,
    collection: Collection,
    progress: Progress | None = None,
    *,
    replace: bool = False,
) -> Report:
    """Add what a source holds to a collection.

    Parameters
    ----------
    progress
        Wraps the steps of the import, for a progress bar. With it, an encoder that fails is an error.
    replace
        Retire the items that the source does not hold, save what the owner uploaded.

    Raises
    ------
    Invalid
        If there is nothing to import, or the encoder fails.
    """
    read = source if isinstance(source, Source) else read_source(source)
    known = known_items(site, collection)
    gone = _gone(read, known) if replace else []
    report = import_entries(site, collection, read.entries, list(read.problems), known, progress=progress)
    _retire(site, gone, report)
    finish_import(site, collection, progress)
    return report


def known_items(site: Site, collection: Collection) -> dict[str, Item]:
    """All items of a collection by their keys, retired ones too."""
    with site.database.read() as db:
        return {item.key: item for item in items.all_items(db, collection.id)}


def import_entries(
    site: Site,
    collection: Collection,
    wanted: list[Entry],
    problems: list[Problem],
    known: dict[str, Item],
    *,
    progress: Progress | None = None,
    uploaded: bool = False,
) -> Report:
    """Add and change items. `known` gets the new ones too; `uploaded` marks them as sent by the owner."""
    new = [entry for entry in wanted if not is_current(entry, known.get(entry.key))]
    report = Report(unchanged=len(wanted) - len(new), problems=problems)
    prepared = _prepared(site, collection, new, PixelBudget() if uploaded else None)
    batch: list[tuple[Entry, StoredMedia]] = []
    for entry, made in (progress or silent)(prepared, f"Importing into {collection.title}", len(new)):
        if isinstance(made, Problem):
            report.problems.append(made)
            continue
        batch.append((entry, replace(made, media=made.media.model_copy(update={"uploaded": uploaded}))))
        if len(batch) == _BATCH:
            _write(site, collection, batch, known, report)
            batch = []
    _write(site, collection, batch, known, report)
    return report


def finish_import(site: Site, collection: Collection, progress: Progress | None = None) -> None:
    """Suit the page to what the collection shows now, and publish a model that covers it."""
    _choose_shape_and_noun(site, collection)
    try:
        _compute_features(site, collection, progress)
    except Invalid:
        publishing.cover(site, collection.id)
        raise
    publishing.cover(site, collection.id)


def _compute_features(site: Site, collection: Collection, progress: Progress | None) -> None:
    """With a bar; without one they are computed when they are needed."""
    source = feature_source(collection)
    if progress is not None and source is not None:
        item_features(site, collection, source, progress=progress)


def is_current(entry: Entry, item: Item | None) -> bool:
    """Is the item just as this entry would make it?"""
    return item is not None and item.digest == _digest(entry) and item.retired_by is not RetiredBy.IMPORT


def _digest(entry: Entry) -> str:
    return hashlib.sha256(entry.stamp.encode()).hexdigest()


def _prepared(site: Site, collection: Collection, new: list[Entry], budget: PixelBudget | None) -> Iterator[Prepared]:
    """Decode and write the media with all cores, in order and a batch at a time, so that little is held in memory."""

    def prepare(entry: Entry) -> Prepared:
        try:
            made = store_media(entry, site.media.folder(collection.slug), budget)
        except Unreadable as error:
            return entry, Problem(entry.key, str(error))
        except OSError as error:
            return entry, Problem(entry.key, f"it cannot be read: {error.strerror or error}")
        except (RuntimeError, zipfile.BadZipFile, zlib.error) as error:  # of a member: encrypted, damaged, unknown kind
            return entry, Problem(entry.key, f"it cannot be unpacked: {error}")
        site.media.keep(collection.slug, made.media.files.values())
        return entry, made

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for start in range(0, len(new), _BATCH):
            yield from pool.map(prepare, new[start : start + _BATCH])


def _write(
    site: Site,
    collection: Collection,
    batch: list[tuple[Entry, StoredMedia]],
    known: dict[str, Item],
    report: Report,
) -> None:
    added: list[Item] = []
    changed: list[Item] = []
    touched: list[Item] = []
    with site.database.write() as db:
        collections.lock(db, collection.id)
        number = items.next_number(db, collection.id)
        for entry, made in batch:
            old = known.get(entry.key)
            item = _item(site, collection, entry, made, number if old is None else old.number)
            if old is None:
                added.append(item)
                number += 1
            else:
                item = _keeping_the_owners_changes(old, item)
                (touched if _is_like(old, item) else changed).append(item)
        items.add(db, added)
        items.change(db, changed + touched)
    known.update({item.key: item for item in (*added, *changed, *touched)})
    report.added += len(added)
    report.changed += len(changed)
    report.unchanged += len(touched)


def _is_like(old: Item, new: Item) -> bool:
    """Is only the file's time another, as after a copy?"""
    return replace(new, digest=old.digest, created_at=old.created_at) == old


def _item(site: Site, collection: Collection, entry: Entry, made: StoredMedia, number: int) -> Item:
    """A new item. Of a text file, the first line is the title and the rest is the description."""
    title, description = entry.title, entry.description
    if made.text:
        first, _, rest = made.text.partition("\n")
        title, description = first.strip()[:300] or title, description or rest.strip()
    return Item(
        collection_id=collection.id,
        number=number,
        key=entry.key,
        title=title,
        description=description,
        family=entry.family,
        media=to_json(made.media),
        digest=_digest(entry),
        active=True,
        retired_by=None,
        created_at=site.now(),
        link=entry.link,
    )


def _keeping_the_owners_changes(old: Item, new: Item) -> Item:
    """What the owner retired stays retired, and the words that the owner wrote stay."""
    if old.retired_by is RetiredBy.OWNER:
        new = replace(new, active=False, retired_by=RetiredBy.OWNER)
    if media_of(old).edited:
        media = media_of(new).model_copy(update={"edited": True})
        new = replace(new, title=old.title, description=old.description, family=old.family, media=to_json(media))
    return new


def _gone(source: Source, known: dict[str, Item]) -> list[Item]:
    """The items that a source does not hold any more. Uploads never were in one."""
    names = source.names
    ours = [item for item in known.values() if item.active and not media_of(item).uploaded]
    return [item for item in ours if item.key not in names]


def _retire(site: Site, gone: list[Item], report: Report) -> None:
    with site.database.write() as db:
        items.change(db, [replace(item, active=False, retired_by=RetiredBy.IMPORT) for item in gone])
    report.retired = len(gone)


def _choose_shape_and_noun(site: Site, collection: Collection) -> None:
    """Show frames tall, square or wide, as the median picture is; call items "cards" or "sounds" where all are."""
    with site.database.read() as db:
        media = [media_of(item) for item in items.all_items(db, collection.id, active_only=True)]
        current = collections.by_id(db, collection.id)
    if not media:
        return
    options = options_of(current)
    ratios = sorted(one.width / one.height for one in media if isinstance(one, Picture))
    median = ratios[len(ratios) // 2] if ratios else 1.0
    changes = {"shape": "tall" if median < _TALL else "wide" if median > _WIDE else "square"}
    kinds = {one.kind for one in media}
    if options.noun == "picture" and kinds == {MediaKind.TEXT}:
        changes |= {"noun": "card", "nouns": "cards"}
    if options.noun == "picture" and kinds == {MediaKind.SOUND}:
        changes |= {"noun": "sound", "nouns": "sounds"}
    with site.database.write() as db:
        values = options.model_copy(update=changes).model_dump(mode="json")
        collections.change(db, collection.id, current.title, values)
