"""Teaching over HTTP, without scripts: rights, answers, taking back, and a model that changes."""

import re
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from learn2search.site.learning import trainer
from tests.web.conftest import PAGE
from tests.web.forms import shown_on

OWNER = "/owner/colours/teach"
TICKET = re.compile(r'name="ticket" value="([^"]+)"')
CHOSEN = re.compile(r'name="chosen" value="(\d+)"')


def switch(owner: TestClient, teaching: str, shown: int = 8) -> str:
    """Who may teach; the link on the settings page, or nothing."""
    page = owner.post("/owner/colours/teaching", data={"teaching": teaching, "shown": shown})
    assert page.status_code == 200
    found = re.search(r'href="(/t/[\w-]+)"', page.text)
    return found[1] if found else ""


@pytest.fixture
def link(owner: TestClient) -> Iterator[str]:
    yield switch(owner, "link")
    switch(owner, "off")


def test_teaching_should_be_off_until_the_owner_opens_it(app: FastAPI, owner: TestClient) -> None:
    with TestClient(app, headers=PAGE) as stranger:
        assert owner.get(OWNER).status_code == 404
        assert switch(owner, "owner") == ""
        assert owner.get(OWNER).status_code == 200
        assert stranger.get(OWNER).status_code == 401
        assert stranger.post(OWNER, data={"none": "1"}).status_code == 401
        assert stranger.post("/owner/colours/teaching", data={"teaching": "link"}).status_code == 401
        first = switch(owner, "link")
        assert stranger.get(first).status_code == 200
        assert stranger.get("/t/another").status_code == 404
        assert switch(owner, "link", 12) == first
        switch(owner, "off")
        assert stranger.get(first).status_code == 404
        assert switch(owner, "link") != first
        switch(owner, "off")


def test_a_link_should_teach_a_model_that_searches_use(app: FastAPI, client: TestClient, link: str) -> None:
    site = app.state.site
    before = site.collection("colours").model_id
    with TestClient(app, headers=PAGE, follow_redirects=True) as visitor:
        page = visitor.get(link).text
        for number in range(24):
            shown = CHOSEN.findall(page)
            assert len(shown) == 8
            answer = {"ticket": TICKET.findall(page)[0], "chosen": shown[: 1 + number % 2]}
            page = visitor.post(link, data=answer).text
        assert "24 screens answered by you" in page
        assert "an estimate from simulated people" in page
        # A program answers quicker than anybody can look: the first two screens teach, the others are set aside.
        doubted = client.get("/owner/colours/export/teaching.jsonl").text
        assert doubted.count("answered too quickly") == 22
        trainer.ask_for(site, site.collection("colours"))
        (made,) = trainer.train_due(site)
        assert made.published
        assert site.collection("colours").model_id == made.id != before
        begun = visitor.post("/c/colours")
        assert len(shown_on(begun.text)) == 4
        with site.database.read() as db:
            row = db.exec_driver_sql("SELECT model_id FROM search ORDER BY started_at DESC LIMIT 1").scalar_one()
        assert row == made.id


def test_an_answer_should_be_taken_back_and_asked_again(client: TestClient, link: str) -> None:
    page = client.get(link).text
    assert 'name="undo"' not in page
    first = CHOSEN.findall(page)
    page = client.post(link, data={"ticket": TICKET.findall(page)[0], "chosen": first[0]}).text
    assert "1 screen answered by you" in page
    again = client.post(link, data={"undo": "1"})
    assert "again=" in str(again.url)
    assert CHOSEN.findall(again.text) == first
    assert "0 screens answered by you" in again.text
    none = client.post(link, data={"ticket": TICKET.findall(again.text)[0], "none": "1"})
    assert "1 screen answered by you" in none.text


def test_a_wrong_form_should_be_refused_in_a_sentence(client: TestClient, link: str) -> None:
    page = client.get(link).text
    ticket = TICKET.findall(page)[0]
    nothing = client.post(link, data={"ticket": ticket})
    assert (nothing.status_code, "tick those" in nothing.text) == (422, True)
    for data in ({"ticket": ticket, "chosen": "99"}, {"ticket": "x", "chosen": "1"}, {"ticket": ticket, "chosen": "a"}):
        assert client.post(link, data=data).status_code == 422


def test_the_page_should_speak_the_visitors_language_and_show_twelve(owner: TestClient, link: str) -> None:
    assert switch(owner, "link", 12) == link
    german = owner.get(link, headers={"accept-language": "de"}).text
    assert "Welche ähneln diesem am meisten?" in german
    assert len(CHOSEN.findall(german)) == 12
    assert 'data-key="c"' in german
