"""The pages for who has nothing in mind: remember one, look for it, and be told."""

import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from learn2search.site.context import Site
from learn2search.site.visits import searching
from tests.web.forms import shown_on, step_of


@pytest.fixture
def site(client: TestClient, app: FastAPI) -> Site:
    site: Site = app.state.site
    return site


def begin(client: TestClient) -> tuple[str, str, int]:
    """A search for what was shown: its address, its page, and the item."""
    remember = client.post("/c/colours/find")
    assert "Remember this one" in remember.text
    begun = client.post(str(remember.url.path))
    return str(begun.url.path), begun.text, int(str(remember.url.path).split("-")[1])


def test_the_first_page_should_offer_it(client: TestClient) -> None:
    for path in ("/", "/c/colours"):
        assert 'action="/c/colours/find"' in client.get(path).text


def test_what_was_found_should_be_said_to_be_the_one(client: TestClient) -> None:
    place, page, item = begin(client)
    assert "the colour you were shown" in page
    page = client.post(place, data={"step": step_of(page), "found": item}).text
    assert "That was the one to find" in page
    assert "not-it" not in page


def test_another_end_should_show_the_one(client: TestClient, site: Site) -> None:
    place, page, item = begin(client)
    other = next(number for number in shown_on(page) if number != item)
    page = client.post(place, data={"step": step_of(page), "found": other}).text
    assert "Not quite: it was this one" in page
    assert f"Colour {item:02}" in page
    row = searching.state(site, place.removeprefix("/s/")).row
    assert (row.target, row.to_find, row.lesson) == (other, item, None)
    assert client.post(f"{place}/not-it").status_code == 409


def test_giving_up_should_show_the_one(client: TestClient) -> None:
    place, page, item = begin(client)
    assert "I give up" in client.get(f"{place}/gallery").text
    page = client.post(place, data={"step": step_of(page), "not-here": "1"}).text
    assert "It was this one" in page
    assert f"Colour {item:02}" in page


def test_the_item_should_be_nowhere_on_the_pages_of_the_search(client: TestClient, site: Site) -> None:
    for _ in range(3):
        place, page, item = begin(client)
        search_id = place.removeprefix("/s/")
        shown = searching.state(site, search_id).items
        assert client.get(f"/api/v1/searches/{search_id}").status_code == 403  # it was not begun by a program
        if item not in shown:
            name = site.items(1, [item])[item].media["large"]
            assert f"Colour {item:02}" not in page
            assert name not in page


def test_the_item_should_not_be_shown_again_once_the_search_has_begun(client: TestClient) -> None:
    remember = str(client.post("/c/colours/find").url.path)
    assert "Remember this one" in client.get(remember).text
    begun = client.post(remember)
    assert client.get(remember).url.path == begun.url.path
    assert client.post(remember).url.path == begun.url.path, "a second click begins no second search"


def test_a_made_up_ticket_should_be_refused(client: TestClient) -> None:
    path = str(client.post("/c/colours/find").url.path)
    forged = re.sub(r"-\d+-", lambda found: "-29-" if found[0] != "-29-" else "-28-", path)
    for refused in (client.get(forged), client.post(forged), client.get("/c/colours/find/no")):
        assert refused.status_code == 404
        assert "ask for another one" in refused.text


def test_the_owner_should_turn_it_off_and_see_the_figures(owner: TestClient) -> None:
    place, page, item = begin(owner)
    owner.post(place, data={"step": step_of(page), "found": item})
    assert "Searches for what it showed" in owner.get("/owner/colours").text
    assert f'"to_find":{item}' in owner.get("/owner/colours/export/clicks.jsonl").text
    settings = {"title": "Colours", "noun": "colour", "nouns": "colours", "show": "4", "strategies": ["sampled"]}
    owner.post("/owner/colours/settings", data=settings | {"listed": "1"})
    assert "/find" not in owner.get("/c/colours").text
    assert owner.post("/c/colours/find").status_code == 404
    owner.post("/owner/colours/settings", data=settings | {"listed": "1", "to_find": "1"})
    assert "/find" in owner.get("/c/colours").text
