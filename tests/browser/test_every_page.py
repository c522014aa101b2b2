"""Every page, light and dark, wide and narrow: nothing that axe-core objects to, and pictures for the documentation."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page, StorageState

from learn2search import demo
from learn2search.site.context import Site
from learn2search.site.studies import study_setup, taking_part
from learn2search.site.teaching import access
from learn2search.site.visits import searching, to_find
from learn2search.site.visits.search_state import SearchState
from learn2search.store.enums import AnswerKind
from tests.browser.conftest import Running

WIDE: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
LOOKS = {
    "desktop": WIDE,
    "desktop-dark": WIDE | {"color_scheme": "dark"},
    "phone": PHONE,
    "phone-dark": PHONE | {"color_scheme": "dark"},
}
PAGES = (
    "landing",
    "search",
    "search-twelve",
    "gallery",
    "end",
    "not-here",
    "sign-in",
    "overview",
    "items",
    "searches",
    "replay",
    "settings",
    "result",
    "collections",
    "new",
    "imports",
    "duplicates",
    "delete",
    "plan",
    "like",
    "missed",
    "earlier",
    "sentences",
    "site",
    "studies",
    "study",
    "teach",
)
FIRST = ("landing", "search", "gallery", "end", "overview", "items")  # that are looked at in every run
QUICK = [(page, ("desktop", "phone-dark")[at % 2]) for at, page in enumerate(FIRST)]  # each in one look
IN_MIND = "Rafael Banerjee"
WRITE = os.environ.get("WRITE_IMAGES") == "1"  # make the pictures in docs/images anew
Look = Callable[[str, str], Page]  # (path, name of the look)
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def places(running: Running) -> dict[str, str]:
    """The address of each page, of searches that were begun for the purpose."""
    site = running.site
    asked = _walked(site, 6)
    twelve = searching.change_show(site, _walked(site, 1).row.id, 12)
    end = _walked(site, 100, ends=True)
    gone = _walked(site, 2)
    searching.answer(site, gone.row.id, 3, AnswerKind.NOT_HERE)
    missed = searching.start(site, "faces", ticket=to_find.draw(site, site.collection("faces")))
    searching.answer(site, missed.row.id, 1, AnswerKind.NOT_HERE)
    study = study_setup.create_study(site, site.collection("faces"), {"title": "Faces and memory"})
    taking_part.agree(site, taking_part.standing(site, study.id, "P1"))
    access.change_access(site, site.collection("faces"), "owner", 8)
    owner = "/owner/faces"
    return {
        "landing": "/",
        "search": f"/s/{asked.row.id}",
        "search-twelve": f"/s/{twelve.row.id}",
        "gallery": f"/s/{asked.row.id}/gallery",
        "end": f"/s/{end.row.id}",
        "result": f"/r/{searching.share_code(end.row.id)}",
        "not-here": f"/s/{gone.row.id}",
        "like": "/c/faces/like",
        "missed": f"/s/{missed.row.id}",
        "earlier": f"/s/{asked.row.id}?question=2",
        "sign-in": "/owner",
        "overview": owner,
        "items": f"{owner}/items",
        "searches": f"{owner}/searches",
        "replay": f"{owner}/searches/{end.row.id}",
        "settings": f"{owner}/settings",
        "collections": "/owner/?did=moved",
        "new": "/owner/-/new",
        "imports": f"{owner}/imports",
        "duplicates": f"{owner}/duplicates",
        "delete": f"{owner}/delete",
        "plan": "/owner/-/plan?items=513&searches=240",
        "sentences": f"{owner}/sentences",
        "site": "/owner/_site",
        "studies": f"{owner}/studies",
        "study": f"{owner}/studies/{study.id}",
        "teach": f"{owner}/teach",
    }


def _walked(site: Site, steps: int, ends: bool = False) -> SearchState:
    """A person with a face in mind clicks what is most like it: so many times, or until it is found."""
    names, seen = demo.titles(demo.faces()), demo.similarity_features(demo.faces())
    now = searching.start(site, "faces")
    for _ in range(steps):
        rows = {number: names.index(now.items[number].title) for number in now.question.shown}
        far = {number: np.linalg.norm(seen[row] - seen[names.index(IN_MIND)]) for number, row in rows.items()}
        nearest = min(far, key=far.__getitem__)
        kind = AnswerKind.FOUND if ends and far[nearest] == 0 else AnswerKind.CHOICE
        now = searching.answer(site, now.row.id, now.question.number, kind, nearest)
        if now.question is None:
            break
    return now


@pytest.fixture(scope="module")
def owner(browser: Browser, running: Running) -> StorageState:
    """The cookies of an owner who signed in, once: tokens may be tried ten times a minute."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{running.address}/owner")
    page.get_by_label("Token").fill(running.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Your collections").wait_for()
    cookies = context.storage_state()
    context.close()
    return cookies


@pytest.fixture
def look(open_page: Open, owner: StorageState) -> Look:
    def at(path: str, name: str) -> Page:
        signed_in = {"storage_state": owner} if path.startswith("/owner/") else {}
        page = open_page(path, bypass_csp=True, **LOOKS[name], **signed_in)
        page.wait_for_load_state("networkidle")
        return page

    return at


@pytest.mark.parametrize(("which", "name"), QUICK)
def test_axe_should_find_no_violation(look: Look, places: dict[str, str], images: Path, which: str, name: str) -> None:
    page = look(places[which], name)
    told = Axe().run(page)
    assert told.violations_count == 0, told.generate_report()
    picture = images / f"site-{which}-{name}.webp"
    if WRITE and picture.exists():  # only those that a page of the documentation shows
        _photograph(page, picture, whole=which not in ("items", "searches"))


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("which", "name"), [(page, name) for page in PAGES for name in LOOKS if (page, name) not in QUICK]
)
def test_axe_should_find_no_violation_in_the_other_looks(
    look: Look, places: dict[str, str], images: Path, which: str, name: str
) -> None:
    test_axe_should_find_no_violation(look, places, images, which, name)


@pytest.mark.parametrize("which", ["overview", "searches"])
def test_the_owner_should_read_a_table_without_scrolling_sideways(
    look: Look, places: dict[str, str], which: str
) -> None:
    page = look(places[which], "desktop")
    hidden = page.locator(".scroll").evaluate_all("all => all.map(one => one.scrollWidth - one.clientWidth)")
    assert hidden
    assert max(hidden) <= 1


def _photograph(page: Page, path: Path, whole: bool) -> None:
    """A page, whole or what is seen first; pictures that load when they are scrolled to are loaded first."""
    page.evaluate("() => document.querySelectorAll('img[loading=lazy]').forEach(one => { one.loading = 'eager'; })")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    with Image.open(io.BytesIO(page.screenshot(full_page=whole))) as picture:
        picture.convert("RGB").save(path, "WEBP", quality=82, method=6)
