"""What can be imported: a folder, a ZIP file or a CSV table, as a list of entries. No picture or sound is decoded here.

A table has the columns file, title, description, group, link; a row without a file is a text card. A folder or a ZIP
file may hold such a table. Names inside a ZIP file are keys and never become paths.
"""

import csv
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from learn2search.site.catalogue.item_media import MediaKind
from learn2search.site.catalogue.table_text import open_table
from learn2search.site.errors import Invalid

SUFFIXES = {
    MediaKind.PICTURE: {
        *(".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"),
        *(".tif", ".tiff", ".bmp", ".heic", ".heif"),
    },
    MediaKind.VIDEO: {".mp4", ".webm"},
    MediaKind.SOUND: {".mp3", ".ogg", ".oga", ".opus", ".wav", ".flac", ".m4a"},
    MediaKind.TEXT: {".txt"},
}
LARGEST = 50_000_000  # bytes a file
MOST_UNPACKED = 20_000_000_000  # bytes of all files of a ZIP file: no more than its directory says is ever read
_COLUMNS = ("file", "title", "description", "group", "link")
_LONGEST_LINK = 2000  # characters


@dataclass(frozen=True)
class Problem:
    """Why one file was not imported; left_out: its table does not name it."""

    name: str
    message: str
    left_out: bool = False


@dataclass(frozen=True)
class Entry:
    """One item to be.

    Attributes
    ----------
    stamp
        A text that changes whenever the item would.
    read
        Gives the content of its file; None for a card that is only a row of a table.
    link
        An http(s) address, or "".
    poster
        Gives the picture that stands for a video, if there is one.
    """

    key: str
    kind: MediaKind
    title: str
    description: str
    family: str
    stamp: str
    read: Callable[[], bytes] | None
    link: str = ""
    poster: Callable[[], bytes] | None = None


@dataclass(frozen=True)
class File:
    """A file of a folder or of a ZIP file."""

    name: str
    size: int
    stamp: str
    open: Callable[[], bytes]


def entries(source: Path) -> tuple[list[Entry], list[Problem]]:
    """The entries of a source in the order of their names, and the files that cannot be imported."""
    if not source.exists():
        raise Invalid(f"{source} does not exist: give a folder, a ZIP file or a CSV table.")
    if source.is_dir():
        return _collect(list(_folder(source)))
    if source.suffix.lower() == ".csv":
        return _rows(source.read_bytes(), {file.name: file for file in _folder(source.parent)}, source.name)
    if zipfile.is_zipfile(source):
        return _collect(list(_archive(source)))
    raise Invalid(f"{source} is neither a folder nor a ZIP file nor a CSV table.")


def _folder(folder: Path) -> Iterator[File]:
    root = folder.resolve()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in PurePosixPath(name).parts) or not path.is_file():
            continue
        if not path.resolve().is_relative_to(root):  # a link that leads out of the folder
            continue
        facts = path.stat()
        yield File(name, facts.st_size, f"{facts.st_size}:{facts.st_mtime_ns}", path.read_bytes)


def _archive(source: Path) -> Iterator[File]:
    archive = zipfile.ZipFile(source)  # one for all members, closed with the last: opening it reads its whole directory
    members = [member for member in archive.infolist() if not member.is_dir()]
    size = sum(member.file_size for member in members)
    if size > MOST_UNPACKED:
        raise Invalid(
            f"{source.name} is too much: unpacked it would have {size / 1e6:,.0f} MB. Please send it in parts."
        )
    for member in sorted(members, key=lambda one: one.filename):
        parts = PurePosixPath(member.filename).parts
        if not any(part.startswith(".") or part == "__MACOSX" for part in parts if part != ".."):
            stamp = f"{member.file_size}:{member.CRC:08x}"
            yield File(member.filename, member.file_size, stamp, _member_reader(archive, member.filename))


def _member_reader(archive: zipfile.ZipFile, name: str) -> Callable[[], bytes]:
    def read() -> bytes:
        with archive.open(name) as member:
            return member.read(LARGEST + 1)  # what the directory says about the size may be a lie

    return read


def _collect(files: list[File]) -> tuple[list[Entry], list[Problem]]:
    """The entries of a folder or ZIP file: from its table if it has one, else one for each file."""
    tables = [file for file in files if file.name.lower().endswith(".csv")]
    if tables:
        found, problems = _rows(_table(tables[0]), {file.name: file for file in files}, tables[0].name)
        return found, problems + _left_out(files, found, problems, tables[0].name)
    found = []
    problems = []
    posters = _posters(files)
    beside = {poster.name for poster in posters.values()}
    for file in files:
        if file.name in beside:
            continue
        entry = _entry(file)
        if isinstance(entry, Entry):
            found.append(_with_poster(entry, posters.get(file.name)))
        else:
            problems.append(entry)
    return found, problems


def _posters(files: Iterable[File]) -> dict[str, File]:
    """The picture of the same name beside each video that has one: `clip.jpg` of `clip.mp4`."""
    pictures = {_stem(file): file for file in files if _kind_of(file) is MediaKind.PICTURE}
    videos = [file for file in files if _kind_of(file) is MediaKind.VIDEO]
    return {file.name: pictures[_stem(file)] for file in videos if _stem(file) in pictures}


def _stem(file: File) -> str:
    return str(PurePosixPath(file.name).with_suffix("")).lower()


def _kind_of(file: File) -> MediaKind | None:
    return _kind(PurePosixPath(file.name).suffix.lower())


def _with_poster(entry: Entry, poster: File | None) -> Entry:
    if poster is None or poster.size > LARGEST:
        return entry
    return replace(entry, poster=poster.open, stamp=f"{entry.stamp}|{poster.stamp}")


def _left_out(files: list[File], found: list[Entry], problems: list[Problem], table: str) -> list[Problem]:
    """The files that a table could name, and does not."""
    named = {entry.key for entry in found} | {problem.name for problem in problems}
    named |= {poster.name[-255:] for poster in _posters(files).values()}
    others = [file for file in files if _kind_of(file) and file.name[-255:] not in named]
    return [Problem(file.name, f"{table} does not name it", left_out=True) for file in others]


def _table(file: File) -> bytes:
    try:
        return file.open()
    except (OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise Invalid(f"The table {file.name} cannot be read: {error}") from error


def _entry(file: File, title: str = "", description: str = "", family: str = "", link: str = "") -> Entry | Problem:
    path = PurePosixPath(file.name)
    kind = _kind(path.suffix.lower())
    if kind is None:
        known = ", ".join(sorted(suffix[1:].upper() for suffixes in SUFFIXES.values() for suffix in suffixes))
        return Problem(file.name, f"{path.suffix or 'a file without an ending'} is not imported; {known} are")
    if file.size > LARGEST:
        return Problem(file.name, f"{file.size / 1e6:.0f} MB are too large: at most {LARGEST / 1e6:.0f} MB")
    if file.size == 0:
        return Problem(file.name, "the file is empty")
    if not family and len(path.parts) > 1:
        family = path.parts[-2] if path.parts[-2] not in ("..", "/") else ""
    title = title or title_of(path.stem)
    stamp = _stamp(file.stamp, title, description, family, link)
    return Entry(file.name[-255:], kind, title, description, family, stamp, file.open, link)


def _stamp(*values: str) -> str:
    """Without a link, as before there were links: what was imported then is not imported again."""
    return "|".join(values if values[-1] else values[:-1])


def _kind(suffix: str) -> MediaKind | None:
    return next((kind for kind, suffixes in SUFFIXES.items() if suffix in suffixes), None)


def _rows(data: bytes, files: dict[str, File], name: str) -> tuple[list[Entry], list[Problem]]:
    reader, said = open_table(data, name, _COLUMNS)
    try:
        header = [column.strip().lower() for column in reader.fieldnames or []]
    except csv.Error as error:
        raise Invalid(f"{name} is not a table: {error}") from error
    if not {"file", "title"} & set(header):
        raise Invalid(f"{name} needs a column file or title (known: {', '.join(_COLUMNS)}), found: {', '.join(header)}")
    found: dict[str, Entry] = {}
    problems = [Problem(name, f"imported, but {said}", left_out=True)] if said else []
    posters = _posters(files.values())
    for line, row in _numbered(reader, name):
        values = {key.strip().lower(): (value or "").strip() for key, value in row.items() if isinstance(key, str)}
        entry = _row(values, files, f"{name}, line {line}")
        if isinstance(entry, Problem):
            problems.append(entry)
        elif entry.key in found:
            problems.append(Problem(f"{name}, line {line}", f"{entry.key} is there twice"))
        else:
            found[entry.key] = _with_poster(entry, posters.get(entry.key))
    return list(found.values()), problems


def _numbered(reader: "csv.DictReader[str]", name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table with the numbers of their lines."""
    try:
        yield from enumerate(reader, start=2)
    except csv.Error as error:
        raise Invalid(f"{name} is not a table: {error} (line {reader.line_num})") from error


def _row(values: dict[str, str], files: dict[str, File], line: str) -> Entry | Problem:
    file, title, description, family, link = (values.get(column, "") for column in _COLUMNS)
    if link and not is_link(link):
        return Problem(
            line, f"the link {link[:60]!r} is no address of a page: it has to begin with https:// or http://"
        )
    if file:
        known = files.get(PurePosixPath(file).as_posix())
        if known is None:
            return Problem(line, f"the file {file} is not there")
        return _entry(known, title[:300], description[:4000], family[:100], link)
    if not title:
        return Problem(line, "neither a file nor a title")
    stamp = _stamp(title, description, family, link)
    key = f"text: {title}"[:255]
    return Entry(key, MediaKind.TEXT, title[:300], description[:4000], family[:100], stamp, None, link)


def is_link(text: str) -> bool:
    """Is this the address of a page, which a visitor may be led to?

    Examples
    --------
    >>> is_link("https://example.org/wine?id=3"), is_link("javascript:alert(1)"), is_link("https://")
    (True, False, False)
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    plain = text.isprintable() and not re.search(r"[\s<>\"]", text) and len(text) <= _LONGEST_LINK
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname)


def title_of(stem: str) -> str:
    """A file's name as a title: `old_wine-3` is "Old wine 3"."""
    words = re.sub(r"[_\-\s]+", " ", stem).strip() or stem
    return (words[:1].upper() + words[1:])[:300]
