"""Files of data sets: found in a folder, or downloaded from their public address and checked by SHA-256.

The folders are `LEARN2SEARCH_DATA`, if set, and the user's cache. A download is unpacked, checked, and kept in the
first of them that can be written to; afterwards no network is needed.
"""

import io
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import platformdirs
import pooch

from learn2search.progress import spinner

_TIMEOUT = 60  # seconds without a byte


class DataUnavailable(RuntimeError):
    """A data set is neither here nor to be had from its address; the message says which file to put where."""


@dataclass(frozen=True)
class DataFile:
    """One file of a data set. `address` is the file itself, or an archive (`archived`) that holds it somewhere."""

    name: str
    sha256: str
    address: str
    archived: bool = False

    def read(self) -> bytes:
        """The content, from a folder or from the address."""
        path = find(self.name)
        if path is None:
            return retrieve(self.name, self.address, self.sha256, self._unpacked)
        found = pooch.file_hash(path)
        if found != self.sha256:
            raise DataUnavailable(
                f"{path} is not the expected file: sha256 {found}, not {self.sha256}; "
                "delete it, and it is downloaded again"
            )
        return path.read_bytes()

    def _unpacked(self, content: bytes) -> bytes:
        """The file in what was downloaded. Lines of text end in the same way wherever it was packed."""
        if self.archived:
            content = _member(content, self.name, self.address)
        return content.replace(b"\r\n", b"\n") if self.name.endswith((".txt", ".csv")) else content


def folders() -> list[Path]:
    """Where data sets are looked for, in this order."""
    cache = platformdirs.user_cache_path("learn2search", appauthor=False)
    given = os.environ.get("LEARN2SEARCH_DATA")
    return [Path(given), cache] if given else [cache]


def find(*names: str) -> Path | None:
    """The file in the first folder that has it; of several names the first."""
    paths = (folder / name for folder in folders() for name in names)
    return next((path for path in paths if path.is_file()), None)


def retrieve(name: str, address: str, sha256: str | None, unpack: Callable[[bytes], bytes]) -> bytes:
    """Download, unpack, check and keep a file, or raise an error that says what to do instead."""
    pooch.get_logger().setLevel("WARNING")  # it would advise those who write such code, not those who use it

    def download(url: str, output: str, _: object) -> None:
        content = io.BytesIO()
        pooch.HTTPDownloader(timeout=_TIMEOUT)(url, content, None)  # verifies the certificate
        Path(output).write_bytes(unpack(content.getvalue()))

    with _writable_folder() as folder, spinner(f"Downloading {name}"):
        try:
            return Path(pooch.retrieve(address, sha256, name, folder, downloader=download)).read_bytes()
        except OSError as error:
            raise DataUnavailable(
                f"{name} is not in {' or '.join(map(str, folders()))}, and {address} cannot be reached ({error}). "
                f"Download it elsewhere and put it into {folders()[0]}, or set LEARN2SEARCH_DATA to the folder that "
                "has it"
            ) from error
        except ValueError as error:
            raise DataUnavailable(
                f"{address} is not the expected file: {error} Put the right file {name} into {folders()[0]}"
            ) from error


@contextmanager
def _writable_folder() -> Iterator[Path]:
    """The first folder that can be written to; where there is none, a temporary one: then nothing is kept."""
    for folder in folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            yield folder
            return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary)


def _member(archive: bytes, name: str, where: str) -> bytes:
    """The file called `name`, in whatever folder of the archive."""
    for path, content in members(archive, where):
        if PurePosixPath(path).name == name:
            return content
    raise DataUnavailable(f"the archive at {where} holds no {name}: it may have changed")


def members(archive: bytes, where: str) -> list[tuple[str, bytes]]:
    """All files of a ZIP or tar archive, as (path, content), sorted by path. where: its address, for messages."""
    stream = io.BytesIO(archive)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as packed:
            return sorted((entry.filename, packed.read(entry)) for entry in packed.infolist() if not entry.is_dir())
    stream.seek(0)
    try:
        with tarfile.open(fileobj=stream) as packed_tar:
            files = [(entry.name, packed_tar.extractfile(entry)) for entry in packed_tar.getmembers() if entry.isfile()]
            return sorted((path, file.read()) for path, file in files if file is not None)
    except tarfile.ReadError as error:
        raise DataUnavailable(f"{where} is not a ZIP or tar archive: {error}") from error
