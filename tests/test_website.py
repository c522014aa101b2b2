"""The documentation site is built without a warning, from this machine alone, and each of its pages can be reached."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href", "video": "src"}
APART = {"genindex.html", "py-modindex.html", "search.html", "_modules/index.html"}  # the theme makes them

pytestmark = pytest.mark.heavy


class PageParts(HTMLParser):
    """What a page loads, where it leads and which places it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.places: set[str] = {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if LOADED.get(tag) in given and given.get("rel") not in ("next", "prev", "canonical"):
            self.loads.append(given[LOADED[tag]])
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])

    def local_targets(self) -> list[tuple[Path, str]]:
        """The files of the site that it links to, and the place in them."""
        parts = [urlsplit(link) for link in self.leads]
        inside = [part for part in parts if not part.scheme and not part.netloc]
        targets = [(self.path.parent / unquote(part.path) if part.path else self.path, part) for part in inside]
        return [(path.resolve(), unquote(part.fragment)) for path, part in targets]


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning of any page fails it."""
    out = tmp_path_factory.mktemp("documentation").resolve()
    command = [sys.executable, "-m", "docs.website", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "html"


@pytest.fixture(scope="module")
def pages(html: Path) -> dict[Path, PageParts]:
    return {path: PageParts(path) for path in html.rglob("*.html")}


def test_nothing_is_loaded_from_elsewhere(html: Path, pages: dict[Path, PageParts]) -> None:
    away = {f"{page.path.name}: {link}" for page in pages.values() for link in page.loads if "//" in link}
    for path in html.rglob("*.css"):
        away |= {f"{path.name}: {link}" for link in re.findall(r"url\([\"']?([^\"')]+)", path.read_text())}
    elsewhere = {link for link in away if re.search(r": (?!data:)(\w+:)?//", link)}
    assert not elsewhere, f"loaded from other hosts: {sorted(elsewhere)}"


def test_each_link_leads_to_a_page_and_to_a_place_in_it(html: Path, pages: dict[Path, PageParts]) -> None:
    broken = set()
    for page in pages.values():
        for path, place in page.local_targets():
            if not path.exists() or (path in pages and place not in pages[path].places):
                broken.add(f"{page.path.relative_to(html)} -> {path.name}#{place}")
    assert not broken, f"links that lead nowhere: {sorted(broken)}"


def test_each_page_is_reached_from_the_first(html: Path, pages: dict[Path, PageParts]) -> None:
    seen, waiting = set(), [html / "index.html"]
    while waiting:
        path = waiting.pop()
        if path in pages and path not in seen:
            seen.add(path)
            waiting += [target for target, _ in pages[path].local_targets()]
    lost = {path.relative_to(html).as_posix() for path in pages.keys() - seen} - APART
    assert not lost, f"no way leads to {sorted(lost)}"


def test_words_can_be_searched(html: Path) -> None:
    index = (html / "searchindex.js").read_text()
    assert '"searching"' in index
    assert (html / "search.html").exists()
