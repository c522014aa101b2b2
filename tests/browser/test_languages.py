"""The pages in German and French on a phone: their words are longer."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_search_page import PHONE

Open = Callable[..., Page]


@pytest.mark.parametrize("code", ["de", "fr"])
def test_long_words_should_fit_a_phone(open_page: Open, code: str) -> None:
    page = open_page("/", **PHONE, locale=code)
    expect(page.locator("html")).to_have_attribute("lang", code)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    page.locator(".hero button").first.tap()
    expect(page.locator(".picture")).to_have_count(4)
    assert page.evaluate("() => [document.documentElement.scrollHeight - innerHeight]") <= [0]
    assert page.locator(".brand svg").bounding_box()["width"] == 24, "the mark keeps its size beside long words"
    for button in page.locator(".this-is-it").all():
        assert button.evaluate("one => one.scrollWidth <= one.clientWidth"), "its words fit into it"


def test_the_language_should_be_chosen_at_the_foot_of_a_page(open_page: Open) -> None:
    page = open_page("/c/faces", locale="fr")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Finden Sie, was Sie nicht beschreiben können")
    assert page.url.endswith("/c/faces")
