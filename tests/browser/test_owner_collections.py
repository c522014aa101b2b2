"""The owner makes a collection in a browser, and nothing on the dashboard is cut off."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Running


def sign_in(page: Page, token: str) -> None:
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Your collections").wait_for()


def picture(name: str, red: int) -> dict[str, object]:
    buffer = io.BytesIO()
    Image.new("RGB", (40, 50), (red, 2, 3)).save(buffer, "PNG")
    return {"name": name, "mimeType": "image/png", "buffer": buffer.getvalue()}


@pytest.mark.heavy
def test_the_owner_should_make_and_delete_a_collection_without_scripts(open_page: Open, running: Running) -> None:
    page = open_page("/owner", java_script_enabled=False)
    sign_in(page, running.token)
    page.get_by_role("link", name="New collection").click()
    page.get_by_role("textbox", name="Title").fill("Three reds")
    files = [picture("a.png", 10), picture("b.png", 120), picture("c.png", 240)]
    page.locator("input[type=file]").set_input_files(files)  # type: ignore[arg-type]
    page.get_by_role("button", name="Make the collection").click()
    expect(page.get_by_text("3 added")).to_be_visible()  # the page has looked again by itself
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Delete …").click()
    page.get_by_label("Its title").fill("Three reds")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("status")).to_have_text("The collection is deleted.")
    expect(page.get_by_role("link", name="Three reds")).to_have_count(0)


@pytest.mark.heavy
def test_nothing_on_the_dashboard_should_be_cut_off(open_page: Open, running: Running) -> None:
    page = open_page("/owner")
    sign_in(page, running.token)
    page.goto(f"{running.address}/owner/faces")
    wide = "[...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth).length"
    assert page.evaluate(wide) == 0, "every table fits 1280 pixels"
    frame = page.locator(".map").bounding_box()
    for face in page.locator(".map image").all():
        box = face.bounding_box()
        assert frame["x"] <= box["x"]
        assert frame["y"] <= box["y"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert box["y"] + box["height"] <= frame["y"] + frame["height"]
