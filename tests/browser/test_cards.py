"""Text cards in a real browser: words are not covered, and a long title does not widen the page."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.visits import searching
from tests.browser.conftest import Running
from tests.browser.test_search_page import PHONE

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def cards(running: Running, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A search among cards with long words, in a collection with a long title, which is not listed."""
    table: Path = tmp_path_factory.mktemp("cards") / "wines.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["title", "description"])
        rows.writerows([f"Gewürztraminerauslese {number}", "Of cherries and oak."] for number in range(12))
    made = make_collection(running.site, "cards", "Donaudampfschifffahrtsweine", show=4, listed=False)
    import_source(running.site, table, made)
    return f"/s/{searching.start(running.site, 'cards').row.id}"


def test_a_long_title_should_not_widen_the_page(open_page: Open, cards: str) -> None:
    page = open_page(cards, **PHONE)
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_key_should_not_cover_the_words(open_page: Open, cards: str) -> None:
    page = open_page(cards, viewport={"width": 1280, "height": 800})
    for card in page.locator(".picture").all():
        key = card.locator("kbd").bounding_box()
        words = card.locator("b").evaluate(
            "one => { const range = document.createRange(); range.selectNodeContents(one);"
            " return [...range.getClientRects()].map(box => box.right) }"
        )
        assert key is not None
        assert len(words) > 0
        for right in words:
            assert right <= key["x"], "the words end before the key begins"


@pytest.mark.parametrize("width", [1280, 390])
def test_cards_on_the_first_page_should_not_be_crushed(open_page: Open, cards: str, width: int) -> None:
    page = open_page("/c/cards", viewport={"width": width, "height": 800})
    shown = page.locator(".samples .text-card")
    assert shown.count() == 4
    for card in shown.all():
        assert card.bounding_box()["width"] >= 100
        assert card.evaluate("one => one.scrollHeight <= one.clientHeight"), "its words fit into it"
        assert card.locator("b").evaluate("one => one.scrollHeight <= one.clientHeight"), "no word of the title is cut"
    assert page.locator(".crescendo figure:visible").count() == 3
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0
