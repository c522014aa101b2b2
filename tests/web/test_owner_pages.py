"""The owner's pages without scripts."""

import re

import pytest
from fastapi.testclient import TestClient

from learn2search.site.administration.exports import EXPORTS
from tests.web.forms import begin, shown_on


def test_the_overview_should_offer_every_export(owner: TestClient) -> None:
    links = re.findall(r'href="/owner/colours/export/([^"]+)"', owner.get("/owner/colours").text)
    assert links == list(EXPORTS)


def test_only_the_token_should_open_the_owners_pages(client: TestClient, token: str) -> None:
    assert "Sign in" in client.get("/owner").text
    wrong = client.post("/owner", data={"token": "wrong"})
    assert wrong.status_code == 401
    assert "not the token" in wrong.text
    right = client.post("/owner", data={"token": f" {token} "})
    assert "Your collections" in right.text
    cookie = right.history[0].headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert token not in cookie
    client.post("/owner/leave")
    assert client.get("/owner/colours").status_code == 401
    client.cookies.set("owner", "9999999999.forged")
    assert client.get("/owner/colours").status_code == 401


PAGES = (
    "",
    "/items",
    "/items?words=07",
    "/items?shown=retired&sort=uncertainty",
    "/duplicates",
    "/imports",
    "/searches",
    "/searches?aside=1",
    "/searches?status=found&origin=page&strategy=sampled",
    "/settings",
    "/delete",
)


@pytest.mark.parametrize("page", PAGES)
def test_the_owners_pages_should_be_there_with_the_ways_out(owner: TestClient, page: str) -> None:
    answer = owner.get(f"/owner/colours{page}")
    assert answer.status_code == 200
    assert "Colours" in answer.text
    assert '<a class="keep" href="/owner">All collections</a>' in answer.text
    assert "Sign out" in answer.text


def test_the_owner_should_see_a_search_step_by_step(owner: TestClient) -> None:
    place, page = begin(owner)
    page = owner.post(place, data={"step": 1, "choice": shown_on(page)[0]}).text
    owner.post(place, data={"step": 2, "undo": "1"})
    search_id = place.removeprefix("/s/")
    replay = owner.get(f"/owner/colours/searches/{search_id}").text
    assert "most like it" in replay
    assert "undo" in replay
    assert "model id" not in replay
    assert re.search(r"the model of \d+ [A-Z][a-z]+ \d{4}, 0 searches", replay)
    owner.post(f"{place}/show", data={"show": 9})
    replay = owner.get(f"/owner/colours/searches/{search_id}").text
    assert "another number at a time" in replay
    assert replay.count('class="thing"') == 4 + 4 + 4 + 9, "every picture of every step, replaced and undone ones too"
    owner.cookies.delete("show")
    assert "Replay" in owner.get("/owner/colours").text


def test_the_owner_should_change_settings(owner: TestClient) -> None:
    values = {"title": "Colours!", "noun": "shade", "nouns": "shades", "show": "2", "strategies": ["sampled", "gauss"]}
    page = owner.post("/owner/colours/settings", data=values | {"listed": "1"}).text
    assert 'value="shade"' in page
    assert ">Saved.<" in page
    assert re.findall(r'name="strategies" value="(\w+)" checked', page) == ["sampled", "gauss"]
    assert "the shade you have in mind" in begin(owner)[1]
    overview = owner.get("/owner/colours").text
    assert "Not enough yet." in overview, "searches from before the test do not count"
    assert re.search(r"sampled: 0 visitors, gauss: 0 visitors. Each needs 20", overview)
    assert owner.post("/owner/colours/settings", data=values | {"strategies": "magic"}).status_code == 422
    assert owner.post("/owner/colours/settings", data=values | {"strategies": []}).status_code == 422
    back = {
        "title": "Colours",
        "noun": "colour",
        "nouns": "colours",
        "show": "4",
        "strategies": "sampled",
        "listed": "1",
    }
    owner.post("/owner/colours/settings", data=back)


@pytest.mark.parametrize("name", ["clicks.jsonl", "items.csv", "embedding.npz", "embedding.csv"])
def test_the_owner_should_take_everything_away(owner: TestClient, name: str) -> None:
    answer = owner.get(f"/owner/colours/export/{name}")
    assert answer.status_code == 200
    assert f'filename="colours-{name}"' in answer.headers["content-disposition"]
    assert answer.content


def test_the_owner_should_ask_for_training_and_roll_back(owner: TestClient) -> None:
    assert owner.post("/owner/colours/retrain").status_code == 200
    assert owner.post("/owner/colours/rollback", data={"version": 1}).status_code == 200
    assert owner.post("/owner/colours/rollback", data={"version": 99}).status_code == 404


def test_searches_should_have_dates_and_filters(owner: TestClient) -> None:
    begin(owner)
    place, page = begin(owner)
    step = re.search(r'name="step" value="(\d+)"', page).group(1)
    owner.post(place, data={"step": step, "not-here": "1"})
    found = re.compile(r'href="/owner/colours/searches/(\w{32})"')
    everything = owner.get("/owner/colours/searches").text
    assert len(re.findall(r"<time [^>]*>\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d</time>", everything)) == len(
        found.findall(everything)
    )
    not_here = owner.get("/owner/colours/searches?status=not-here&origin=page").text
    assert place.removeprefix("/s/") in found.findall(not_here)
    assert set(found.findall(not_here)) < set(found.findall(everything))
    assert '<option value="not-here" selected>' in not_here
    assert "None yet" in owner.get("/owner/colours/searches?origin=simulated").text
    assert found.findall(owner.get("/owner/colours/searches?status=nonsense").text) == found.findall(everything)


def test_the_overview_should_say_how_far_it_has_learnt(owner: TestClient) -> None:
    page = owner.get("/owner/colours").text
    assert re.search(r"Still learning: \d+ of about \d+ searches until it is as good as it will get", page)
    plan = owner.get("/owner/-/plan?items=300&pictures=9&searches=24").text
    assert "About" in plan
    assert "yours: 24" in plan
    assert "learn2search plan --items 300 --pictures 9" in plan
    assert "No collection of this size" in owner.get("/owner/-/plan?items=90000&pictures=5").text
    assert owner.get("/owner/-/plan?items=-3").status_code == 200


def test_models_should_say_what_they_are(owner: TestClient) -> None:
    owner.post("/owner/colours/items/many", data={"action": "retire", "number": "1"})
    owner.post("/owner/colours/items/many", data={"action": "restore", "number": "1"})
    page = owner.get("/owner/colours").text
    assert re.search(r"now \d+ items <span class=\"soft\">and \d+ before it", page)
    assert "A new model is being fitted" in owner.post("/owner/colours/retrain").text


def test_an_empty_table_should_have_all_its_columns(owner: TestClient) -> None:
    page = owner.get("/owner/colours/searches?origin=simulated").text
    assert page.count("<th") - page.count("<thead") == int(re.search(r'class="none" colspan="(\d+)"', page).group(1))
