"""Files that the owner sends by the page, added to a collection. Nothing is retired; single files replace nothing."""

import hashlib
import itertools
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from learn2search.site.catalogue.features.feature_cache import Progress
from learn2search.site.catalogue.imports import Report, finish_import, import_entries, is_current, known_items
from learn2search.site.catalogue.sources import Entry, entries
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, TooLarge
from learn2search.store.collections import Collection
from learn2search.store.items import Item

_NAME_BYTES, _SUFFIX_LENGTH = 200, 10  # of an uploaded file's name, at most


def import_upload(
    site: Site,
    sent: Sequence[tuple[str, BinaryIO]],
    collection: Collection,
    most_bytes: int,
    progress: Progress | None = None,
    *,
    by_key: bool = False,
) -> Report:
    """Add what was sent to a collection.

    Parameters
    ----------
    sent
        (name, content) of each file: pictures, sounds and texts with or without a table, or one ZIP file of them.
    progress
        As of `import_source`.
    by_key
        A file replaces what the item of its name shows; by default it becomes another item.

    Raises
    ------
    TooLarge
        If all files together have more than `most_bytes`.
    Invalid
        If there are other files beside a ZIP file, or a table cannot be read.
    """
    with tempfile.TemporaryDirectory(dir=site.settings.home) as folder:
        save_upload(Path(folder), sent, most_bytes)
        return import_saved(site, Path(folder), collection, progress, by_key=by_key)


def save_upload(folder: Path, sent: Sequence[tuple[str, BinaryIO]], most_bytes: int) -> None:
    """Write what was sent into an empty folder, for `import_saved`; errors as of `import_upload`."""
    paths = [_saved(folder, name, content) for name, content in sent]
    if sum(path.stat().st_size for path in paths) > most_bytes:
        raise TooLarge(f"At most {most_bytes / 1e6:.0f} MB can be uploaded at once.")
    archives = [path for path in paths if zipfile.is_zipfile(path)]
    if archives and len(paths) > 1:
        raise Invalid(f"{archives[0].name} is a ZIP file: please send it alone, or its files without it.")


def import_saved(
    site: Site, folder: Path, collection: Collection, progress: Progress | None = None, *, by_key: bool = False
) -> Report:
    """Add what `save_upload` has written to a collection."""
    paths = sorted(folder.iterdir())
    is_archive = len(paths) == 1 and zipfile.is_zipfile(paths[0])
    wanted, problems = entries(paths[0] if is_archive else folder)
    known = known_items(site, collection)
    if not (is_archive or by_key):
        wanted = [_with_free_key(entry, known) for entry in wanted]
    report = import_entries(site, collection, wanted, problems, known, progress=progress, uploaded=True)
    finish_import(site, collection, progress)
    return report


def _saved(folder: Path, name: str, content: BinaryIO) -> Path:
    """Write the content into the folder, under a name without any path that no other file has.

    The file's time is made from its content: the same file sent again is the same entry.
    """
    plain = PurePosixPath(re.sub(r"[\x00-\x1f/\\]", "/", name)).name.lstrip(".") or "upload"
    stem, suffix = os.path.splitext(plain)
    plain = stem.encode()[:_NAME_BYTES].decode(errors="ignore") + suffix[:_SUFFIX_LENGTH]
    path = next(folder / one for one in _numbered(plain) if not (folder / one).exists())
    with open(path, "wb") as target:
        shutil.copyfileobj(content, target)
    with open(path, "rb") as written:
        stamp = int(hashlib.file_digest(written, "sha256").hexdigest()[:15], 16)
    os.utime(path, ns=(stamp, stamp))
    return path


def _with_free_key(entry: Entry, known: dict[str, Item]) -> Entry:
    """The entry under a key that no other item has: phones call every picture image.png."""
    free = (key for key in _numbered(entry.key) if key not in known or is_current(entry, known[key]))
    return replace(entry, key=next(free))


def _numbered(name: str) -> Iterator[str]:
    """The name, and then "2 name", "3 name", ..."""
    return itertools.chain([name], (f"{number} {name}" for number in itertools.count(2)))
