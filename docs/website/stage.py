"""Collects the pages of the site in one folder, which Sphinx then reads.

A file is written only where it changes: Sphinx then reads only that page anew.
"""

import shutil
from pathlib import Path

from docs.website.links import FROM_OUTSIDE, ROOT, for_site, place_on_site

DOCS = ROOT / "docs"
OWN = DOCS / "website"
PICTURES = (".webp", ".png", ".svg")


def stage(folder: Path) -> None:
    """Fill the folder with the pages of the site, and remove what no longer belongs there."""
    written = Written(folder)
    for path in sorted(DOCS.rglob("*.md")):
        if OWN not in path.parents:
            written.page(path.relative_to(ROOT).as_posix())
    for name in FROM_OUTSIDE:
        written.page(name)
    for path in sorted((DOCS / "images").rglob("*")):
        if path.suffix in PICTURES:
            written.copy(path.relative_to(ROOT).as_posix())
    written.remove_others()


class Written:
    """What was written into a folder.

    Parameters
    ----------
    folder
        The root of the pages.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.places: set[Path] = set()

    def page(self, path: str) -> None:
        """Write a page of the repository, with links as on the site."""
        self.text(place_on_site(path), for_site((ROOT / path).read_text(), path, self.copy))

    def text(self, place: str, text: str) -> None:
        """Write a page that is made here."""
        target = self._target(place)
        if not target.exists() or target.read_text() != text:
            target.write_text(text)

    def copy(self, path: str) -> None:
        """Copy a file of the repository."""
        source, target = ROOT / path, self._target(place_on_site(path))
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            shutil.copyfile(source, target)

    def remove_others(self) -> None:
        """Remove files of an earlier build that have no source any more."""
        for path in [path for path in self.folder.rglob("*") if path.is_file() and path not in self.places]:
            path.unlink()

    def _target(self, place: str) -> Path:
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        self.places.add(target)
        return target
