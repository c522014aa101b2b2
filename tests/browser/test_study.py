"""A study in a real browser, on a telephone: from the consent to the completion code."""

import io
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page, expect

from learn2search.site.studies import study_setup, taking_part
from tests.browser.conftest import PHONE, Open, Running
from tests.browser.test_every_page import WRITE

DESIGN = {
    "title": "Faces and memory",
    "instructions": "We would like to know how people find faces.\nIt takes about ten minutes.",
    "consent": "Taking part is voluntary, and you can stop at any time.",
    "trials": 2,
    "practice": 0,
    "checks": 2,
    "break_after": 2,
    "completion_code": "FACES-2026",
}


@pytest.mark.heavy
def test_a_participant_should_go_all_the_way_on_a_telephone(open_page: Open, running: Running, images: Path) -> None:
    study = study_setup.create_study(running.site, running.site.collection("faces"), DESIGN)
    page = open_page(f"/s/{study.id}?PROLIFIC_PID=P1", viewport=PHONE, is_mobile=True, has_touch=True, bypass_csp=True)
    _look(page)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Begin").click()
    for number in range(1, 5):
        expect(page.get_by_text(f"{number} of 4", exact=True)).to_be_visible()
        if number == 1:
            _look(page, images / "study-phone.webp")
        target = taking_part.standing(running.site, study.id, "P1").trial.target
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_role("heading", name="Which is most like the face you were shown?")).to_be_visible()
        found = page.locator(f"button[name=found][value='{target}']")
        if found.count():
            found.click()
        else:
            page.get_by_role("link", name="I give up").click()
            page.get_by_role("button", name="I give up").click()
        if number == 2:
            expect(page.get_by_role("heading", name="Time for a break")).to_be_visible()
            _look(page)
            page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text("FACES-2026")).to_be_visible()
    _look(page)


def _look(page: Page, picture: Path | None = None) -> None:
    """Nothing that axe-core objects to, nothing wider than the screen; perhaps a picture for the documentation."""
    told = Axe().run(page)
    assert told.violations_count == 0, told.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if WRITE and picture is not None:
        with Image.open(io.BytesIO(page.screenshot())) as seen:
            seen.convert("RGB").save(picture, "WEBP", quality=82, method=6)
