"""Links as they stand in the repository, and as they have to be on the site.

On disk a page of `docs/` may link to any file of the repository. On the site `docs/` is the root, some pages from
outside have a place of their own, and all other files are copied to `files/`.
"""

import posixpath
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
FROM_OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
ELSEWHERE = {**FROM_OUTSIDE, "README.md": "index.md", "docs/research/README.md": "research/index.md"}
FILES = "files"
PAGES_AND_PICTURES = (".md", ".webp", ".png", ".svg")

_FENCE = re.compile(r"(^ *(`{3,}|~{3,}).*?^ *\2`*$)", re.DOTALL | re.MULTILINE)
_FOLDER = re.compile(r"\[([^\]]+)\]\(([^):#]+)\)")
_LINK = re.compile(r"(\]\(<?|(?:src|href)=\")([^)\s>\"#]+)")


def place_on_site(path: str) -> str:
    """Where the file of the repository is on the site, from the site's root."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if path.startswith("docs/tutorials/") and path.endswith(".py"):
        return path.removeprefix("docs/").removesuffix(".py") + ".md"
    if path.startswith("docs/") and path.endswith(PAGES_AND_PICTURES):
        return path.removeprefix("docs/")
    return f"{FILES}/{path}"


def for_site(text: str, page: str, copy: Callable[[str], None]) -> str:
    """The text of a page of the repository with its links as on the site.

    Parameters
    ----------
    text, page
        The text, and the path of the page in the repository: `docs/searching.md`.
    copy
        Called with each linked file that is no page.
    """
    here = PurePosixPath(page).parent
    new_home = PurePosixPath(place_on_site(page)).parent

    def replaced(found: re.Match[str]) -> str:
        target = found[2]
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            return found[0]
        path = posixpath.normpath(posixpath.join(str(here), target))
        place = place_on_site(path)
        if place.startswith(f"{FILES}/"):
            copy(path)
        return found[1] + posixpath.relpath(place, str(new_home))

    def without_folders(found: re.Match[str]) -> str:
        return found[1] if (ROOT / here / found[2]).is_dir() else found[0]

    return _outside_of_code(text, lambda prose: _LINK.sub(replaced, _FOLDER.sub(without_folders, prose)))


def _outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """The text with only that changed which is no block of code."""
    parts = _FENCE.split(text)
    return "".join(change(part) if index % 3 == 0 else part for index, part in enumerate(parts) if index % 3 != 2)
