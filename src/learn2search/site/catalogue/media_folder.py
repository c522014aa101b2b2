"""Where the files of media are: in a folder of this machine. `media_bucket.py` is the same for several machines.

A file's name is made from its content, so a file never changes: it is there or it is not.
"""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from learn2search.files import PARTIAL


class MediaFolder:
    """The files of each collection, in a folder of its own.

    Parameters
    ----------
    root
        The folder of those folders.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, slug: str) -> Path:
        """Where new files of a collection are written. They are `kept` from then on."""
        return self.root / slug

    def keep(self, slug: str, names: Iterable[str]) -> None:
        """These files were written into the folder: from now on every worker can read them."""

    def path(self, slug: str, name: str) -> Path | None:
        """A file of this machine with the content; None if there is no such file."""
        found = self.root / slug / name
        return found if found.is_file() else None

    def read(self, slug: str, name: str) -> bytes:
        """All of a file."""
        return (self.root / slug / name).read_bytes()

    def names(self, slug: str) -> set[str]:
        """The files of a collection."""
        folder = self.root / slug
        found = folder.iterdir() if folder.is_dir() else ()
        return {file.name for file in found if file.is_file() and file.suffix != PARTIAL}

    def delete(self, slug: str, names: Iterable[str]) -> None:
        """Delete files for good."""
        for name in names:
            (self.root / slug / name).unlink(missing_ok=True)

    def delete_all(self, slug: str) -> None:
        """Delete all files of a collection for good."""
        shutil.rmtree(self.root / slug, ignore_errors=True)

    def all_names(self) -> Iterator[tuple[str, str]]:
        """Collection and name of every file, in order."""
        for folder in sorted(self.root.iterdir()) if self.root.is_dir() else []:
            if folder.is_dir():
                yield from ((folder.name, name) for name in sorted(self.names(folder.name)))

    def trouble(self) -> str | None:
        """What keeps the files from being read, in a sentence; None if nothing does."""
        return None
