"""A site as one ZIP file: all rows as JSON lines, and the media. It can be restored into either kind of database."""

import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from learn2search.files import open_atomic
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid
from learn2search.store import dump
from learn2search.store.database import newest_revision

ROWS, ABOUT = "rows.jsonl", "about.json"
_FORMAT = "learn2search.backup"


def backup(site: Site, path: Path) -> int:
    """Write a backup, while the site may be running; how many rows it holds."""
    count = 0
    with open_atomic(path) as target, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr(ABOUT, json.dumps({"format": _FORMAT, "revision": site.database.revision()}))
        with site.database.read() as db, archive.open(ROWS, "w", force_zip64=True) as file:
            for table, row in dump.rows(db):
                file.write((json.dumps([table, row], separators=(",", ":")) + "\n").encode())
                count += 1
        for slug, name in site.media.all_names():
            with suppress(FileNotFoundError):  # deleted meanwhile
                archive.writestr(f"media/{slug}/{name}", site.media.read(slug, name), zipfile.ZIP_STORED)
    return count


def restore(site: Site, path: Path) -> int:
    """Fill an empty site from a backup of this release or of an older one; how many rows it held.

    Raises
    ------
    Invalid
        If the file is not a backup, is damaged, or comes from a newer release. Nothing is changed then.
    Conflict
        If the site has collections already.
    """
    if not zipfile.is_zipfile(path):
        raise Invalid(f"{path} is not a backup: a ZIP file was expected.")
    try:
        with zipfile.ZipFile(path) as archive:
            revision = _revision(archive, path)
            count = _restore(site, archive, revision)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, KeyError, TypeError) as error:
        raise Invalid(f"{path} is damaged, nothing was restored: {error}") from error
    site.forget()
    return count


def _restore(site: Site, archive: zipfile.ZipFile, revision: str) -> int:
    """Write all rows in one transaction, and the media."""
    with site.database.write() as db:
        if not dump.is_empty(db):
            raise Conflict("This site has collections already: restore into an empty LEARN2SEARCH_HOME.")
        dump.clear_settings(db)
        with archive.open(ROWS) as file:
            count = dump.load(db, dump.upgraded(_read(file), revision))
        _restore_media(site, archive)
    return count


def _revision(archive: zipfile.ZipFile, path: Path) -> str:
    """The schema that the backup was made with, if this release can read it."""
    names = set(archive.namelist())
    about: dict[str, Any] = json.loads(archive.read(ABOUT)) if ABOUT in names else {}
    if about.get("format") != _FORMAT or ROWS not in names:
        raise Invalid(f"{path} is not a backup of a site.")
    revision = about["revision"]
    if not dump.can_load(revision):
        raise Invalid(
            f"{path} was made with schema {revision}, this release has {newest_revision()}: "
            "restore it with the release that made it, then upgrade."
        )
    return str(revision)


def _read(file: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in file:
        table, row = json.loads(line)
        yield table, row


def _restore_media(site: Site, archive: zipfile.ZipFile) -> None:
    for name in archive.namelist():
        parts = PurePosixPath(name).parts
        if len(parts) != 3 or parts[0] != "media" or ".." in parts:
            continue
        target = site.media.folder(parts[1]) / parts[2]
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(name) as source, open_atomic(target) as copy:
            shutil.copyfileobj(source, copy)
        site.media.keep(parts[1], [parts[2]])
