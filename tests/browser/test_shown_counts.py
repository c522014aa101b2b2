"""Two to twelve pictures at a time in a real browser: each can be reached at every width, by pointer and by key."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from learn2search.site.administration import owners
from learn2search.site.show_counts import CHOICE_KEYS, SHOW_COUNTS
from learn2search.site.visits import searching
from tests.browser.conftest import Running
from tests.browser.test_search_page import PHONE, begin, counted, search_id, wait_for

Open = Callable[..., Page]
LOOKS: dict[str, dict[str, Any]] = {
    "phone": PHONE,
    "small phone": PHONE | {"viewport": {"width": 360, "height": 640}},
    "tablet": {"viewport": {"width": 768, "height": 1024}},
    "tablet on its side": {"viewport": {"width": 1024, "height": 768}},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "desktop, dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}
LEAST = 100  # pixels: a picture that is narrower says little
ROWS = {  # of pictures; a phone has two or three columns
    "phone": {2: 1, 4: 2, 6: 2, 9: 3, 12: 4},
    "tablet": {2: 1, 4: 1, 6: 2, 9: 3, 12: 3},
    "desktop": {2: 1, 4: 1, 6: 1, 9: 2, 12: 2},
}


def show(page: Page, count: int) -> None:
    """Choose a number, where the page has its choice: in the row, or in the menu of a phone."""
    more = page.get_by_label("More", exact=True)
    if more.is_visible():
        more.click()
    page.locator(f"[data-key='show-{count}']:visible").click()
    expect(page.locator(".picture")).to_have_count(count)
    page.wait_for_function("() => !document.querySelector('main.busy')")


@pytest.mark.parametrize(
    "look", [look if look == "phone" else pytest.param(look, marks=pytest.mark.heavy) for look in LOOKS]
)
def test_every_picture_should_be_reached_without_scrolling_sideways(open_page: Open, look: str) -> None:
    page = begin(open_page, **LOOKS[look])
    width = LOOKS[look]["viewport"]["width"]
    for count in SHOW_COUNTS:
        show(page, count)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        boxes = [picture.bounding_box() for picture in page.locator(".picture").all()]
        rows = len({card.bounding_box()["y"] for card in page.locator(".card").all()})
        assert rows == ROWS.get(look, {}).get(count, rows)
        for box in boxes:
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["width"] >= LEAST
        for button in page.locator(".this-is-it").all():
            assert button.bounding_box()["height"] >= 44
            assert button.evaluate("one => one.scrollWidth <= one.clientWidth"), "its words fit into it"
        page.locator(".picture").last.scroll_into_view_if_needed()
        expect(page.locator(".picture").last).to_be_in_viewport(ratio=1)


def test_what_a_telephone_gets_by_itself_should_fit_it(open_page: Open) -> None:
    """The pictures and the buttons below them, also where the browser's own bars leave 640 pixels."""
    page = begin(open_page, **LOOKS["small phone"])
    show(page, 6)
    below = page.locator(".others").bounding_box()
    assert below["y"] + below["height"] <= 640


def test_each_picture_should_show_its_key_and_answer_to_it(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    show(page, 12)
    badges = page.locator(".picture kbd")
    assert badges.all_inner_texts() == list(CHOICE_KEYS)
    expect(badges.last).to_be_visible()
    shown = searching.state(running.site, search_id(page)).question.shown
    page.keyboard.press("c")
    wait_for(page, 3)
    page.keyboard.press("0")
    wait_for(page, 4)
    assert counted(running, page) == ["choice", "none"]
    assert searching.state(running.site, search_id(page)).answers[0].chosen == shown[11]
    tenth = searching.state(running.site, search_id(page)).question.shown[9]
    page.keyboard.press("Shift+A")
    expect(page.get_by_role("heading", level=1)).to_contain_text("There it is:")
    assert searching.state(running.site, search_id(page)).row.target == tenth


def test_a_phone_should_show_no_keys(open_page: Open) -> None:
    page = begin(open_page, **PHONE)
    show(page, 9)
    expect(page.locator(".picture kbd").first).to_be_hidden()


def test_the_number_should_change_in_place_and_last(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    page.keyboard.press("1")
    wait_for(page, 2)
    page.evaluate("() => { window.same = true; }")
    show(page, 9)
    assert page.evaluate("() => window.same"), "the page was not loaded anew"
    assert page.evaluate("() => document.activeElement.dataset.key") == "show-9"
    expect(page.locator(".progress b")).to_have_text("Question 2")
    assert [step.kind for step in owners.replay(running.site, search_id(page))] == ["choice", "replaced", None]
    page.get_by_role("button", name="Start again").first.click()
    expect(page.locator(".picture")).to_have_count(9)


def test_the_number_should_change_without_javascript(open_page: Open) -> None:
    page = begin(open_page, java_script_enabled=False)
    page.get_by_role("button", name="Twelve at a time").first.click()
    expect(page.locator(".picture")).to_have_count(12)
