"""A study over HTTP: the whole life of a participant, and what its owner sees."""

import csv
import io
import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from learn2search.site.administration.exports import TRIAL_COLUMNS
from learn2search.site.context import Site
from learn2search.site.studies import taking_part
from learn2search.site.studies.taking_part import Stage
from tests.web.conftest import PAGE
from tests.web.forms import shown_on, step_of

STUDIES = "/owner/colours/studies"
DESIGN = {
    "title": "Colours & memory",
    "instructions": "First line\n<b>second</b>",
    "consent": "It is voluntary.",
    "trials": "2",
    "practice": "1",
    "checks": "1",
    "break_after": "2",
    "completion_code": "C0DE-7",
    "redirect": "https://panel.example/done?cc=1",
    "with_participant": "1",
}


@pytest.fixture
def site(owner: TestClient, app: FastAPI) -> Site:
    site: Site = app.state.site
    return site


def make(owner: TestClient, **changes: str) -> str:
    """A new study: its id."""
    made = owner.post(STUDIES, data=DESIGN | changes)
    assert made.status_code == 200, made.text
    return str(made.url.path).rsplit("/", 1)[1]


def link(study: str, code: str = "P1") -> str:
    return f"/s/{study}?participant={code}"


def begin_trial(client: TestClient, site: Site, study: str, code: str = "P1") -> tuple[str, str, int]:
    """From the page with the item to remember into the search: its address, its page, and the item."""
    now = taking_part.standing(site, study, code)
    assert (now.stage, now.trial is not None) == (Stage.REMEMBER, True)
    assert "Remember this one" in client.get(link(study, code)).text
    begun = client.post(link(study, code))
    assert now.trial is not None
    return str(begun.url.path), begun.text, now.trial.target


def find(client: TestClient, place: str, page: str, item: int) -> str:
    return client.post(place, data={"step": step_of(page), "found": item}).text


def test_the_whole_life_of_a_participant(owner: TestClient, client: TestClient, site: Site) -> None:
    study = make(owner)
    first = client.get(link(study)).text
    assert "Colours &amp; memory" in first
    assert "&lt;b&gt;second&lt;/b&gt;" in first, "the owner's words are escaped"
    refused = client.post(link(study))
    assert (refused.status_code, "tick the box" in refused.text) == (422, True)
    page = client.post(link(study), data={"agreed": "1"}).text
    assert "Practice 1 of 1" in page

    place, page, item = begin_trial(client, site, study)
    assert "Start again" not in page
    assert 'name="show"' not in page
    assert client.post(f"{place}/show", data={"show": "9"}).status_code == 409
    assert client.post(f"{place}/again").status_code == 409
    page = find(client, place, page, item)
    assert "1 of 3" in page, "the end of a search leads to the next trial"

    place, page, item = begin_trial(client, site, study)
    page = client.post(place, data={"step": 1, "choice": shown_on(page)[0]}).text
    assert client.get(link(study)).url.path == place, "who comes back goes on where they were"
    page = find(client, place, page, next(number for number in range(30) if number != item))

    place, page, item = begin_trial(client, site, study)
    shown = shown_on(page)
    assert item in shown, "a check shows what is to be found"
    page = client.post(place, data={"step": 1, "choice": next(one for one in shown if one != item)}).text
    assert "Time for a break" in page, "one click ends a check"
    assert "3 of 3" in client.post(link(study)).text

    place, page, item = begin_trial(client, site, study)
    assert item not in re.findall(r"Colour (\d\d)", client.get(place).text) or item in shown_on(page)
    end = find(client, place, page, item)
    for words in (end, client.get(link(study)).text, client.post(link(study), data={"agreed": "1"}).text):
        assert "C0DE-7" in words
        assert "https://panel.example/done?cc=1&amp;participant=P1" in words
        assert "Each id takes part once" in words
    check_export(owner, study)


def check_export(owner: TestClient, study: str) -> None:
    """What the owner sees and takes away after the one participant of the test above."""
    answer = owner.get(f"{STUDIES}/{study}/trials.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert tuple(rows[0]) == TRIAL_COLUMNS
    assert [row["kind"] for row in rows] == ["practice", "trial", "check", "trial"]
    assert [row["found"] for row in rows] == ["right", "wrong", "wrong", "right"]
    assert [row["questions"] for row in rows] == ["1", "2", "1", "1"]
    assert all(len(row["milliseconds"].split()) == int(row["questions"]) for row in rows)
    assert all(float(row["started"]) <= float(row["ended"]) for row in rows)
    assert {row["participant"] for row in rows} == {"P1"}
    everything = owner.get("/owner/colours/export/trials.csv").text
    assert all(line in everything for line in answer.text.splitlines())
    page = owner.get(f"{STUDIES}/{study}").text
    for words in ("1 <small>1 finished", "<dd>50%", "1 <small>of 1", "4 of 4", f"/s/{study}?participant="):
        assert words in page
    assert owner.get("/owner/colours/export/triplets.csv").status_code == 503, "it has taught nothing"


def test_another_browser_should_go_on_where_the_first_was(
    app: FastAPI, owner: TestClient, client: TestClient, site: Site
) -> None:
    study = make(owner, practice="0")
    client.post(link(study), data={"agreed": "1"})
    place, page, _ = begin_trial(client, site, study)
    client.post(place, data={"step": 1, "choice": shown_on(page)[0]})
    other = TestClient(app, headers=PAGE, follow_redirects=True)
    assert other.get(place).status_code == 403, "the address of the search alone is not enough"
    again = other.get(link(study))
    assert (again.url.path, step_of(again.text)) == (place, 2)
    assert other.post(place, data={"step": 2, "none": "1"}).status_code == 200


@pytest.mark.parametrize("name", ["participant", "PROLIFIC_PID", "workerId"])
def test_the_names_of_the_panels_should_be_known(owner: TestClient, client: TestClient, site: Site, name: str) -> None:
    study = make(owner)
    client.post(f"/s/{study}?{name}=X%209", data={"agreed": "1"})
    assert taking_part.standing(site, study, "X 9").participant is not None


def test_bad_links_should_be_refused_in_a_sentence(owner: TestClient, client: TestClient) -> None:
    study = make(owner)
    for path, status, words in (
        (f"/s/{study}", 422, "participant id"),
        (link(study, "x" * 129), 422, "128 characters at most"),
        (link("study-none"), 404, "no such study"),
    ):
        answer = client.get(path)
        assert (answer.status_code, words in answer.text) == (status, True)


def test_a_closed_study_should_let_those_go_on_who_have_begun(owner: TestClient, client: TestClient) -> None:
    study = make(owner)
    client.post(link(study, "early"), data={"agreed": "1"})
    assert "Closed" in owner.post(f"{STUDIES}/{study}", data={"do": "close"}).text
    late = client.get(link(study, "late"))
    assert (late.status_code, "closed" in late.text) == (404, True)
    assert "Practice 1 of 1" in client.get(link(study, "early")).text
    owner.post(f"{STUDIES}/{study}", data={"do": "open"})
    assert client.get(link(study, "late")).status_code == 200
    owner.post(f"{STUDIES}/{study}", data={"do": "delete"})
    assert client.get(link(study, "early")).status_code == 404


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"redirect": "http://panel.example"}, "begins with https://"),
        ({"trials": "31"}, "there are only 30"),
        ({"targets": "Colour 01\nNobody"}, "“Nobody” is the key, title or number of no item"),
        ({"targets": "Colour 01", "trials": "2"}, "there are only 1"),
        ({"checks": "99"}, "checks"),
    ],
)
def test_a_wrong_design_should_be_refused_in_a_sentence(owner: TestClient, changes: dict[str, str], words: str) -> None:
    refused = owner.post(STUDIES, data=DESIGN | changes)
    assert (refused.status_code, words in refused.text) == (422, True)


def test_only_the_owner_should_see_studies(client: TestClient) -> None:
    assert client.get(STUDIES).status_code == 401
    assert client.get(f"{STUDIES}/study-1/trials.csv").status_code == 401
    assert client.post(STUDIES, data=DESIGN).status_code == 401


@pytest.mark.parametrize(("code", "words"), [("de", "Übung 1 von 1"), ("fr", "Entraînement 1 sur 1")])
def test_participants_should_read_their_language(owner: TestClient, client: TestClient, code: str, words: str) -> None:
    study = make(owner)
    client.headers["accept-language"] = code
    assert f'<html lang="{code}">' in client.get(link(study)).text
    assert words in client.post(link(study), data={"agreed": "1"}).text
