"""The first page and the page of a collection."""

from fastapi.testclient import TestClient


def test_the_first_page_should_offer_the_collections(client: TestClient) -> None:
    page = client.get("/").text
    assert "Find the colour you can’t describe" in page
    assert "30 colours" in page
    assert 'action="/c/colours"' in page
    assert client.get("/c/colours").status_code == 200


def test_the_first_page_should_promise_nothing_for_a_collection_that_knows_nothing(client: TestClient) -> None:
    page = client.get("/").text
    assert "nearer" not in page
    assert "the first ones take longer" in page
    assert "new, still learning" in page
    assert "This is it!" not in page.split("What are you looking for?")[0], "these are only some items, not a search"


def test_an_unlisted_collection_should_be_found_by_its_link_only(owner: TestClient) -> None:
    values = {"title": "Colours", "noun": "colour", "nouns": "colours", "show": "4", "strategies": "sampled"}
    owner.post("/owner/colours/settings", data=values)
    assert "30 colours" not in owner.get("/").text
    assert "30 colours" in owner.get("/c/colours").text
    assert 'learn2search_items{collection="unlisted 1"} 30.0' in owner.get("/metrics").text
    owner.post("/owner/colours/settings", data=values | {"listed": "1"})
    assert "30 colours" in owner.get("/").text
