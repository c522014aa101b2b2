"""Collects the pages of the site in one folder, which Sphinx then reads.

A file is written only where it changes: Sphinx then reads only that page anew.
"""

import shutil
from fnmatch import fnmatch
from pathlib import Path

from docs.website import reference, tutorials
from docs.website.links import FROM_OUTSIDE, ROOT, for_site, place_on_site

DOCS = ROOT / "docs"
OWN = DOCS / "website"
FIRST = DOCS / "index.md"
LAST_OF = ":caption: In depth"
PICTURES = (".webp", ".png", ".svg")


def stage(folder: Path) -> None:
    """Fill the folder with the pages of the site, and remove what no longer belongs there."""
    written = Written(folder)
    for page in [path for path in sorted(DOCS.rglob("*.md")) if OWN not in path.parents and path != FIRST]:
        written.page(page.relative_to(ROOT).as_posix())
    for name in FROM_OUTSIDE:
        written.page(name)
    for picture in [path for path in sorted((DOCS / "images").rglob("*")) if path.suffix in PICTURES]:
        written.copy(picture.relative_to(ROOT).as_posix())
    for program in tutorials.tutorials():
        path = program.relative_to(ROOT).as_posix()
        written.text(place_on_site(path), for_site(tutorials.as_page(program), path, written.copy))
    for made in reference.pages():
        written.text(made.place, made.text)
    first = for_site(FIRST.read_text(), "docs/index.md", written.copy)
    written.text("index.md", with_all_pages(first, written.pages()))
    written.remove_others()


def with_all_pages(index: str, pages: list[str]) -> str:
    """The first page with its lists fitted to the pages that there are.

    A pattern that no page matches is left out. A page that no list names stands at the end of those in depth.
    """
    lines = index.splitlines()
    empty = [line for line in lines if line.endswith("/*") and not any(fnmatch(page, line) for page in pages)]
    unlisted = [page for page in pages if "/" not in page and page not in lines]
    end = lines.index("```", lines.index(LAST_OF))
    return "\n".join(line for line in [*lines[:end], *unlisted, *lines[end:]] if line not in empty) + "\n"


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

    def pages(self) -> list[str]:
        """The names of the pages so far, as lists of pages have them."""
        paths = sorted(path.relative_to(self.folder) for path in self.places if path.suffix == ".md")
        return [path.with_suffix("").as_posix() for path in paths]

    def remove_others(self) -> None:
        """Remove files of an earlier build that have no source any more."""
        for path in [path for path in self.folder.rglob("*") if path.is_file() and path not in self.places]:
            path.unlink()

    def _target(self, place: str) -> Path:
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        self.places.add(target)
        return target
