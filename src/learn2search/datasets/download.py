"""Files of data sets: found in a folder, or downloaded from their public address, and always checked by SHA-256.

The folders are `LEARN2SEARCH_DATA`, if set, and the user's cache. A download is unpacked, checked, and kept in the
first of them that can be written to; afterwards no network is needed.
"""

import hashlib
import io
import os
import tarfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from learn2search.files import write_atomic

_TIMEOUT = 60  # seconds without a byte
_LARGEST = 1 << 30


class DataUnavailable(RuntimeError):
    """A data set is neither on this machine nor to be had from its address."""


@dataclass(frozen=True)
class DataFile:
    """One file of a data set. `address` is the file itself, or an archive (`archived`) that holds it somewhere."""

    name: str
    sha256: str
    address: str
    archived: bool = False

    def read(self) -> bytes:
        """The content, from a folder or from the address."""
        for folder in folders():
            if (folder / self.name).is_file():
                content = (folder / self.name).read_bytes()
                self._check(content, str(folder / self.name), "delete it, and it is downloaded again")
                return content
        return self._download()

    def _download(self) -> bytes:
        content = download(self.address, self.name)
        if self.archived:
            content = member(content, self.name, self.address)
        content = content.replace(b"\r\n", b"\n") if self.name.endswith((".txt", ".csv")) else content
        self._check(content, self.address, f"put the right file {self.name} into {folders()[0]}")
        keep(self.name, content)
        return content

    def _check(self, content: bytes, where: str, remedy: str) -> None:
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise DataUnavailable(f"{where} is not the expected file: sha256 {found}, not {self.sha256}; {remedy}")


def folders() -> list[Path]:
    """Where data sets are looked for, in this order."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "learn2search"
    given = os.environ.get("LEARN2SEARCH_DATA")
    return [Path(given), cache] if given else [cache]


def keep(name: str, content: bytes) -> None:
    """Write the file into the first folder that takes it; a reader never sees half of it."""
    for folder in folders():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomic(folder / name, content)
        except OSError:
            continue
        return


def download(address: str, name: str) -> bytes:
    """The bytes at a public address, or an error that says what to do instead."""
    try:
        with urllib.request.urlopen(address, timeout=_TIMEOUT) as response:  # verifies the certificate
            content: bytes = response.read(_LARGEST)
            return content
    except OSError as error:
        where = folders()[0]
        raise DataUnavailable(
            f"{name} is not in {' or '.join(map(str, folders()))}, and {address} cannot be reached ({error}). "
            f"Download it elsewhere and put it into {where}, or set LEARN2SEARCH_DATA to the folder that has it"
        ) from error


def member(archive: bytes, name: str, where: str) -> bytes:
    """The file called `name`, in whatever folder of the archive."""
    for path, content in members(archive):
        if PurePosixPath(path).name == name:
            return content
    raise DataUnavailable(f"the archive at {where} holds no {name}: it may have changed")


def members(archive: bytes) -> list[tuple[str, bytes]]:
    """All files of a ZIP or tar archive, as (path, content), sorted by path."""
    stream = io.BytesIO(archive)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as packed:
            found = [(entry.filename, packed.read(entry)) for entry in packed.infolist() if not entry.is_dir()]
    else:
        stream.seek(0)
        with tarfile.open(fileobj=stream) as packed_tar:
            files = [(entry.name, packed_tar.extractfile(entry)) for entry in packed_tar.getmembers() if entry.isfile()]
            found = [(path, file.read()) for path, file in files if file is not None]
    return sorted(found)
