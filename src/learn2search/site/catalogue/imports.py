"""From a folder, ZIP file or table to a collection. A second run adds what is new and retires what is gone.

Items are written in small batches: an import that was interrupted goes on where it was.
"""

import hashlib
import itertools
import os
import re
import shutil
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from sqlalchemy import Connection

from learn2search.site.catalogue.media import Unreadable, store_media
from learn2search.site.catalogue.options import checked, options_of
from learn2search.site.catalogue.sources import Entry, Problem, entries
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, TooLarge
from learn2search.site.learning import publishing
from learn2search.store import collections, items
from learn2search.store.collections import Collection
from learn2search.store.items import Item

_BATCH = 64
_LONGEST, _SUFFIX = 200, 10  # bytes of an uploaded file's name, characters of its ending
Watch = Callable[[Iterable[Any], int], Iterable[Any]]


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
            return _with_warm_start(db, known, options.get("warm_start", "nothing"))
        return collections.add(db, slug, title, checked(options).model_dump(mode="json"), site.now())


def _with_warm_start(db: Connection, known: Collection, wanted: str) -> Collection:
    """A collection that is there keeps its options; a warm start can be asked for later too."""
    if wanted == "nothing" or known.options.get("warm_start") == wanted:
        return known
    changed = checked(known.options | {"warm_start": wanted}).model_dump(mode="json")
    collections.change(db, known.id, known.title, changed)
    return replace(known, options=changed)


def import_source(
    site: Site,
    source: Path,
    collection: Collection,
    watch: Watch | None = None,
    *,
    uploaded: bool = False,
    beside: bool = False,
) -> Report:
    """Bring a collection up to date with a source. watch: wraps the steps in a progress bar. uploaded: the source adds
    to the collection; else it is the collection, and what is gone from it is retired, save what was uploaded. beside:
    a file that has the name of another item is added, and does not replace it.
    """
    wanted, problems = entries(source)
    report = Report(problems=problems)
    with site.database.read() as db:
        known = {item.key: item for item in items.all_items(db, collection.id)}
    if beside:
        wanted = [_beside(entry, known) for entry in wanted]
    new = [entry for entry in wanted if not _is_current(entry, known.get(entry.key))]
    report.unchanged = len(wanted) - len(new)
    folder = site.settings.media / collection.slug
    results = _prepared(new, folder)
    batch: list[tuple[Entry, dict[str, Any]]] = []
    for entry, media in watch(results, len(new)) if watch is not None else results:
        if isinstance(media, Problem):
            report.problems.append(media)
            continue
        batch.append((entry, media | {"uploaded": True} if uploaded else media))
        if len(batch) == _BATCH:
            _write(site, collection, batch, known, report)
            batch = []
    _write(site, collection, batch, known, report)
    if not uploaded:
        _retire_missing(site, wanted, report, known)
    _fit_shape(site, collection)
    publishing.cover(site, collection.id)
    return report


def import_upload(site: Site, sent: Sequence[tuple[str, BinaryIO]], collection: Collection, most_bytes: int) -> Report:
    """Add what was sent, (name, content): one ZIP file, or files under the names that they had. Nothing is retired."""
    with tempfile.TemporaryDirectory(dir=site.settings.home) as folder:
        paths = [_saved(Path(folder), name, content) for name, content in sent]
        if sum(path.stat().st_size for path in paths) > most_bytes:
            raise TooLarge(f"At most {most_bytes / 1e6:.0f} MB can be uploaded at once.")
        archives = [path for path in paths if zipfile.is_zipfile(path)]
        if archives and len(paths) > 1:
            raise Invalid(f"{archives[0].name} is a ZIP file: please send it alone, or its files without it.")
        source = archives[0] if archives else Path(folder)
        return import_source(site, source, collection, uploaded=True, beside=not archives)


def _saved(folder: Path, name: str, content: BinaryIO) -> Path:
    """The content under a name that is only a name, and that no other file has. Its time stands for what is in it: the
    same file sent again is the same entry.
    """
    plain = PurePosixPath(re.sub(r"[\x00-\x1f/\\]", "/", name)).name.lstrip(".") or "upload"
    stem, suffix = os.path.splitext(plain)
    plain = stem.encode()[:_LONGEST].decode(errors="ignore") + suffix[:_SUFFIX]
    path = next(folder / one for one in _numbered(plain) if not (folder / one).exists())
    with open(path, "wb") as target:
        shutil.copyfileobj(content, target)
    with open(path, "rb") as written:
        stamp = int(hashlib.file_digest(written, "sha256").hexdigest()[:15], 16)
    os.utime(path, ns=(stamp, stamp))
    return path


def _beside(entry: Entry, known: dict[str, Item]) -> Entry:
    free = (name for name in _numbered(entry.key) if name not in known or _is_current(entry, known[name]))
    return replace(entry, key=next(free))


def _numbered(name: str) -> Iterator[str]:
    """The name, and then "2 name", "3 name", ..."""
    return itertools.chain([name], (f"{number} {name}" for number in itertools.count(2)))


def _is_current(entry: Entry, item: Item | None) -> bool:
    return item is not None and item.digest == _digest(entry) and item.retired_by != "import"


def _digest(entry: Entry) -> str:
    return hashlib.sha256(entry.stamp.encode()).hexdigest()


def _prepared(new: list[Entry], folder: Path) -> Iterator[tuple[Entry, Any]]:
    """Media made by all cores, in order, with little held in memory."""

    def prepare(entry: Entry) -> tuple[Entry, Any]:
        try:
            return entry, store_media(entry, folder)
        except Unreadable as error:
            return entry, Problem(entry.key, str(error))
        except OSError as error:
            return entry, Problem(entry.key, f"it cannot be read: {error.strerror or error}")
        except (RuntimeError, zipfile.BadZipFile, zlib.error) as error:  # of a member: encrypted, damaged, unknown kind
            return entry, Problem(entry.key, f"it cannot be unpacked: {error}")

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for start in range(0, len(new), _BATCH):
            yield from pool.map(prepare, new[start : start + _BATCH])


def _write(
    site: Site,
    collection: Collection,
    batch: list[tuple[Entry, dict[str, Any]]],
    known: dict[str, Item],
    report: Report,
) -> None:
    added, changed = [], []
    with site.database.write() as db:
        collections.lock(db, collection.id)
        number = items.next_number(db, collection.id)
        for entry, media in batch:
            old = known.get(entry.key)
            item = _item(site, collection, entry, media, number if old is None else old.number)
            if old is None:
                added.append(item)
                number += 1
            else:
                changed.append(_as_the_owner_left(old, item))
        items.add(db, added)
        items.change(db, changed)
    known.update({item.key: item for item in (*added, *changed)})
    report.added += len(added)
    report.changed += len(changed)


def _item(site: Site, collection: Collection, entry: Entry, media: dict[str, Any], number: int) -> Item:
    title, description = entry.title, entry.description
    if media["kind"] == "text" and media.get("text"):
        first, _, rest = media["text"].partition("\n")
        title, description = first.strip()[:300] or title, description or rest.strip()
    return Item(
        collection_id=collection.id,
        number=number,
        key=entry.key,
        title=title,
        description=description,
        family=entry.family,
        media={name: value for name, value in media.items() if name != "text"},
        digest=_digest(entry),
        active=True,
        retired_by=None,
        created_at=site.now(),
    )


def _as_the_owner_left(old: Item, new: Item) -> Item:
    """What the owner retired stays so, and words that the owner wrote stay."""
    if old.retired_by == "owner":
        new = replace(new, active=False, retired_by="owner")
    if old.media.get("edited"):
        new = replace(new, title=old.title, description=old.description, media=new.media | {"edited": True})
    return new


def _retire_missing(site: Site, wanted: list[Entry], report: Report, known: dict[str, Item]) -> None:
    """Items whose file is gone. A file that is there and cannot be read keeps its item; uploads never had one there."""
    there = {entry.key for entry in wanted} | {problem.name for problem in report.problems}
    ours = [item for item in known.values() if item.active and not item.media.get("uploaded")]
    gone = [item for item in ours if item.key not in there]
    with site.database.write() as db:
        items.change(db, [replace(item, active=False, retired_by="import") for item in gone])
    report.retired = len(gone)


def _fit_shape(site: Site, collection: Collection) -> None:
    """Show pictures tall, square or wide, as most of them are; name what is shown."""
    with site.database.read() as db:
        all_media = [item.media for item in items.all_items(db, collection.id, active_only=True)]
        current = collections.by_id(db, collection.id)
    if not all_media:
        return
    options = options_of(current)
    ratios = sorted(media["width"] / media["height"] for media in all_media if media["kind"] == "picture")
    middle = ratios[len(ratios) // 2] if ratios else 1.0
    changes: dict[str, Any] = {"shape": "tall" if middle < 0.9 else "wide" if middle > 1.15 else "square"}
    kinds = {media["kind"] for media in all_media}
    if options.noun == "picture" and kinds == {"text"}:
        changes |= {"noun": "card", "nouns": "cards"}
    if options.noun == "picture" and kinds == {"sound"}:
        changes |= {"noun": "sound", "nouns": "sounds"}
    with site.database.write() as db:
        values = options.model_copy(update=changes).model_dump(mode="json")
        collections.change(db, collection.id, current.title, values)


def change_item(site: Site, collection: Collection, number: int, **changes: Any) -> Item:
    """The owner edits or retires an item; the published model then covers just the active ones."""
    with site.database.write() as db:
        old = items.by_number(db, collection.id, [number]).get(number)
        if old is None:
            raise Invalid(f"There is no item {number} in “{collection.title}”.")
        new = replace(old, **changes)
        if new.active != old.active:
            new = replace(new, retired_by=None if new.active else "owner")
        if (new.title, new.description) != (old.title, old.description):
            new = replace(new, media=new.media | {"edited": True})
        items.change(db, [new])
    site.forget()
    if new.active != old.active:
        publishing.cover(site, collection.id)
    return new
