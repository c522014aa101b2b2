"""Teaching in a browser: keys tick, Enter goes on, and axe finds nothing."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from learn2search.site.teaching import access
from tests.browser.conftest import PHONE, Open, Running


@pytest.mark.heavy
def test_keys_should_teach_on_a_page_that_everybody_can_use(running: Running, open_page: Open) -> None:
    site = running.site
    access.change_access(site, site.collection("faces"), "link", 8)
    home = f"/t/{site.collection('faces').options['teaching_secret']}"
    page = open_page(home)
    assert Axe().run(page).response["violations"] == []
    shown = [one.get_attribute("value") for one in page.locator("[name=chosen]").all()]
    page.keyboard.press("2")
    page.keyboard.press("5")
    page.keyboard.press("5")
    assert page.locator("[name=chosen]:checked").count() == 1
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 screen answered by you")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_text("0 screens answered by you")).to_be_visible()
    assert [one.get_attribute("value") for one in page.locator("[name=chosen]").all()] == shown
    page.keyboard.press("0")
    expect(page.get_by_text("1 screen answered by you")).to_be_visible()

    plain = open_page(home, viewport=PHONE, color_scheme="dark", java_script_enabled=False)
    plain.locator("[name=chosen]").nth(3).check()
    plain.get_by_role("button", name="Next").click()
    expect(plain.get_by_text("1 screen answered by you")).to_be_visible()
    phone = open_page(home, viewport=PHONE, color_scheme="dark")
    assert Axe().run(phone).response["violations"] == []
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    access.change_access(site, site.collection("faces"), "off", 8)
