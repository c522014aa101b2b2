"""Whole searches in a real browser: mouse, keys, phone, no JavaScript; refresh, back, two tabs, offline."""

import re
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect
from scipy.io import wavfile

from learn2search.site.administration import owners
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.visits import searching
from learn2search.store.enums import AnswerKind
from tests.browser.conftest import PATIENCE, Running

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
Open = Callable[..., Page]


def begin(open_page: Open, **options: Any) -> Page:
    page = open_page("/", **options)
    page.get_by_role("button", name="Start a search").click()
    expect(page.locator(".picture")).to_have_count(4)
    page.wait_for_load_state()  # keys are heard from then on
    return page


def wait_for(page: Page, step: int) -> None:
    page.wait_for_selector(f'[data-question="{step}"]')


def search_id(page: Page) -> str:
    return page.url.split("/s/")[1].split("?")[0].split("/")[0]


def counted(running: Running, page: Page) -> list[AnswerKind | None]:
    return [step.kind for step in searching.state(running.site, search_id(page)).answers]


def test_a_search_should_work_with_the_mouse(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    expect(page.get_by_role("heading")).to_have_text("Which is most like the face you have in mind?")
    for step in range(1, 4):
        page.locator(".picture").nth(step).click()
        wait_for(page, step + 1)
    assert page.title().startswith("Question 4")
    page.get_by_role("button", name=re.compile("^This is it!")).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("There it is:")
    expect(page.locator(".way li")).to_have_count(4)
    assert counted(running, page) == ["choice", "choice", "choice", "found"]


def test_a_search_should_work_with_keys(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    for step, key in enumerate(("1", "3", "0", "u", "4"), start=1):
        page.keyboard.press(key)
        wait_for(page, step + 1)
    assert counted(running, page) == ["choice", "choice", "choice"]
    page.keyboard.press("Shift+Digit2")
    expect(page.get_by_role("heading", level=1)).to_contain_text("There it is:")


def test_the_keys_should_be_listed_on_request(open_page: Open) -> None:
    page = begin(open_page)
    keys = page.locator("#keys dl")
    expect(keys).to_be_hidden()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    expect(keys).to_contain_text("can’t tell")
    page.keyboard.press("1")
    wait_for(page, 2)
    expect(keys).to_be_visible()  # an answer leaves it as it is
    page.keyboard.press("?")
    expect(keys).to_be_hidden()
    plain = begin(open_page, java_script_enabled=False)
    plain.get_by_text("Keys ?").click()
    expect(plain.locator("#keys dl")).to_be_visible()
    expect(plain.get_by_label("Use these keys")).to_be_hidden()


def test_the_keys_should_be_turned_off_for_good(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    page.keyboard.press("?")
    page.get_by_label("Use these keys").uncheck()
    page.reload()
    page.locator("body").press("1")
    page.locator(".picture").first.click()
    wait_for(page, 2)
    assert counted(running, page) == ["choice"]


def test_the_focus_should_stay_with_what_was_pressed(open_page: Open) -> None:
    page = begin(open_page)
    page.locator("[data-key='0']").press("Enter")
    wait_for(page, 2)
    assert page.evaluate("() => document.activeElement.dataset.key") == "0"
    page.locator("[data-key='u']").press("Enter")
    wait_for(page, 3)
    assert page.evaluate("() => document.activeElement.className") == "picture"  # there is nothing more to undo


def test_a_search_should_work_without_javascript(open_page: Open, running: Running) -> None:
    page = begin(open_page, java_script_enabled=False)
    page.locator(".picture").nth(1).click()
    wait_for(page, 2)
    page.get_by_role("button", name="Can’t tell").click()
    wait_for(page, 3)
    page.get_by_role("button", name="Undo").click()
    wait_for(page, 4)
    page.get_by_role("button", name=re.compile("^This is it!")).nth(2).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("There it is:")
    page.get_by_role("button", name="That was not it").click()
    expect(page.locator(".picture")).to_have_count(4)
    assert counted(running, page) == ["choice"]


def test_a_phone_should_show_everything_on_one_screen(open_page: Open) -> None:
    page = begin(open_page, **PHONE)
    page.locator(".picture").first.tap()
    wait_for(page, 2)
    sizes = page.evaluate(
        "() => [document.documentElement.scrollHeight, innerHeight, document.documentElement.scrollWidth]"
    )
    assert sizes[0] <= sizes[1]
    assert sizes[2] <= 390
    boxes = [page.locator(".picture").nth(place).bounding_box() for place in range(4)]
    assert boxes[0]["y"] == boxes[1]["y"] < boxes[2]["y"] == boxes[3]["y"]
    for button in page.locator(".this-is-it").all():
        assert button.bounding_box()["height"] >= 44
    page.get_by_label("More", exact=True).tap()
    page.get_by_role("button", name="Two at a time").last.tap()
    expect(page.locator(".picture")).to_have_count(2)


def test_a_double_click_should_be_one_answer(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    page.locator(".picture").first.dblclick()
    wait_for(page, 2)
    page.wait_for_timeout(500)
    assert counted(running, page) in (["choice"], ["choice", "choice"])
    steps = owners.replay(running.site, search_id(page))
    assert len({step.number for step in steps}) == len(steps)


def test_refresh_and_back_should_lose_nothing(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    page.locator(".picture").first.click()
    wait_for(page, 2)
    shown = page.locator(".picture").evaluate_all("all => all.map(one => one.value)")
    page.reload()
    assert page.locator(".picture").evaluate_all("all => all.map(one => one.value)") == shown
    page.goto(running.address)
    page.go_back()
    wait_for(page, 2)
    assert counted(running, page) == ["choice"]


def test_a_second_tab_should_be_told_when_it_is_old(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    other = page.context.new_page()
    other.goto(page.url)
    page.locator(".picture").nth(0).click()
    wait_for(page, 2)
    other.locator(".picture").nth(1).click()
    wait_for(other, 2)
    expect(other.get_by_text("older page")).to_be_visible()
    assert counted(running, page) == ["choice"]


def test_a_lost_connection_should_be_waited_for(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    page.context.set_offline(True)
    page.locator(".picture").nth(2).click()
    expect(page.locator("#offline")).to_be_visible()
    assert counted(running, page) == []
    page.context.set_offline(False)
    wait_for(page, 2)
    assert counted(running, page) == ["choice"]


def test_an_answer_that_a_busy_site_refused_should_be_sent_again_when_it_says(
    browser: Browser, running: Running
) -> None:
    """In a browser of its own: the console says that there was a 503, as it should."""
    context, came = browser.new_context(), list[float]()

    def open_at(path: str = "/", **_: object) -> Page:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(running.address + path)
        return page

    def busy_at_first(route: Route) -> None:
        came.append(time.monotonic())
        if len(came) == 1:
            route.fulfill(status=503, headers={"Retry-After": "2"}, body='{"error": "There are too many visitors."}')
        else:
            route.continue_()

    page = begin(open_at)
    page.route(re.compile("/s/[0-9a-f]+$"), busy_at_first)
    page.locator(".picture").nth(1).click()
    wait_for(page, 2)
    assert counted(running, page) == ["choice"]
    assert came[1] - came[0] > 1.9
    context.close()


def test_an_answer_that_arrived_twice_should_count_once(open_page: Open, running: Running) -> None:
    """The answer got through, but the reply was lost: it is sent again."""
    page = begin(open_page)
    lost: list[bool] = []

    def lose_the_first(route: Route) -> None:
        if not lost:
            lost.append(True)
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route(re.compile("/s/[0-9a-f]+$"), lose_the_first)
    page.locator(".picture").nth(1).click()
    wait_for(page, 2)
    assert counted(running, page) == ["choice"]


def test_giving_up_should_show_the_likeliest_once_some_are(open_page: Open) -> None:
    page = begin(open_page)
    page.get_by_role("link", name="It’s not here").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is it not here?")
    expect(page.locator(".gallery li")).to_have_count(4)
    page.get_by_role("link", name="Back to the question").click()
    for step in range(1, 9):
        page.locator(".picture").first.click()
        wait_for(page, step + 1)
    page.get_by_role("link", name="It’s not here").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is it one of these?")
    expect(page.locator(".gallery li")).to_have_count(14)
    page.get_by_role("button", name="It’s not here").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("So it is not here")


def test_a_screen_reader_should_hear_what_changes(open_page: Open) -> None:
    page = begin(open_page)
    page.locator(".picture").first.focus()
    page.keyboard.press("Enter")
    wait_for(page, 2)
    expect(page.locator("#spoken")).to_contain_text("Question 2. About")
    focused = page.evaluate("() => document.activeElement.className")
    assert focused == "picture"
    for picture in page.locator(".picture").all():
        assert "most like it" in picture.get_attribute("aria-label")


def test_motion_should_stop_where_it_is_not_wanted(open_page: Open) -> None:
    page = begin(open_page, reduced_motion="reduce")
    page.locator(".picture").first.click()
    wait_for(page, 2)
    assert page.locator(".picture").first.evaluate("one => getComputedStyle(one).animationName") == "none"


def test_the_next_pictures_should_be_loaded_ahead(open_page: Open) -> None:
    page = begin(open_page)
    ahead = page.locator("[data-question]").get_attribute("data-ahead").split()
    assert len(ahead) == 8
    loaded = "performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)"
    page.wait_for_function(
        f"wanted => {{ const found = {loaded}; return wanted.every(one => found.includes(one)) }}", arg=ahead
    )


@pytest.mark.parametrize("path", ["/", "/docs", "/owner"])
def test_pages_should_not_scroll_sideways_on_a_phone(open_page: Open, path: str) -> None:
    page = open_page(path, **PHONE)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390


def test_the_owner_should_sign_in_and_look_around(open_page: Open, running: Running) -> None:
    page = open_page("/owner")
    page.get_by_label("Token").fill(running.token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Drawn faces", exact=True).click()
    expect(page.get_by_role("heading", name="Searches keep getting shorter")).to_be_visible()
    expect(page.locator(".map image").first).to_be_visible()
    for name in ("Items", "Searches", "Set aside", "Settings", "Overview"):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator("nav [aria-current]")).to_have_text(name)


def test_the_site_should_be_ready_for_machines(running: Running) -> None:
    with urllib.request.urlopen(f"{running.address}/healthz") as answer:
        assert answer.status == 200


def shown(page: Page) -> list[str]:
    values: list[str] = page.locator(".picture").evaluate_all("all => all.map(one => one.value)")
    return values


def test_back_should_show_the_question_before_and_lose_nothing(open_page: Open, running: Running) -> None:
    page = begin(open_page)
    asked = [shown(page)]
    for step in (1, 2):
        page.locator(".picture").nth(step).click()
        wait_for(page, step + 1)
        asked.append(shown(page))
    for number in (2, 1):
        page.go_back()
        expect(page.get_by_text("answered this question already")).to_be_visible()
        page.wait_for_selector(f'[data-number="{number}"]')
        assert shown(page) == asked[number - 1]
    assert counted(running, page) == ["choice", "choice"]
    page.go_forward()
    page.wait_for_selector('[data-number="2"]')
    page.go_forward()
    page.wait_for_selector('[data-number="3"]')
    assert shown(page) == asked[2]
    page.go_back()
    page.wait_for_selector('[data-number="2"]')
    page.locator(".picture").nth(3).click()
    page.wait_for_selector('[data-number="3"]')
    answers = searching.state(running.site, search_id(page)).answers
    assert [step.chosen for step in answers] == [int(asked[0][1]), int(asked[1][3])]
    page.goto(running.address)
    page.get_by_role("link", name="Go on with your search, at question 3").click()
    page.wait_for_selector('[data-number="3"]')


def test_one_to_find_should_be_shown_for_a_few_seconds(open_page: Open, running: Running) -> None:
    page = open_page("/c/faces", bypass_csp=True)  # for axe
    page.clock.install()
    page.get_by_role("button", name="Show me one to find").click()
    expect(page.locator("#clock")).to_contain_text("seconds")
    told = Axe().run(page)
    assert told.violations_count == 0, told.generate_report()
    item = int(page.url.split("-")[1])
    page.clock.run_for(6_000)
    page.wait_for_selector('[data-question="1"]')
    assert searching.state(running.site, search_id(page)).row.to_find == item
    page.go_back()
    expect(page.locator(".picture")).to_have_count(4)  # it is not shown again
    slow = open_page("/c/faces")
    slow.clock.install()
    slow.get_by_role("button", name="Show me one to find").click()
    slow.get_by_role("button", name="More time").click()
    slow.clock.run_for(60_000)
    expect(slow.get_by_role("heading", level=1)).to_have_text("Remember this one")
    plain = open_page("/c/faces", java_script_enabled=False)
    plain.get_by_role("button", name="Show me one to find").click()
    expect(plain.get_by_role("button", name="More time")).to_be_hidden()
    plain.get_by_role("button", name="Begin").click()
    expect(plain.locator(".picture")).to_have_count(4)


def test_one_sound_should_play_at_a_time(open_page: Open, running: Running, tmp_path: Path) -> None:
    for number in range(4):
        tone = np.sin(np.arange(40_000) / (number + 2))
        wavfile.write(tmp_path / f"tone_{number}.wav", 8000, (32_767 * tone).astype(np.int16))
    import_source(running.site, tmp_path, make_collection(running.site, "tones", "Tones", listed=False))
    page = open_page("/c/tones")
    page.get_by_role("button", name="Search in Tones").click()
    expect(page.locator("audio")).to_have_count(4)
    playing = "() => [...document.querySelectorAll('audio')].map(one => !one.paused)"
    for number in (0, 2):
        page.locator("audio").nth(number).evaluate("one => { one.muted = true; return one.play() }")
        page.wait_for_function(f"number => ({playing})()[number]", arg=number)
        assert page.evaluate(playing) == [place == number for place in range(4)]
    sizes = "all => all.map(one => one.naturalWidth)"
    assert min(page.locator("img.wave").evaluate_all(sizes)) > 0
