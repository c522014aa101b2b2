"""The visitor's and the owner's pages, without scripts: forms, redirects, errors that a person can read."""

import io
import re
import zipfile

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.web.app import create_app

STEP = re.compile(r'name="step" value="(\d+)"')
CHOICE = re.compile(r'name="choice" value="(\d+)"')


def begin(client: TestClient) -> tuple[str, str]:
    """A new search: its address and its page."""
    answer = client.post("/c/colours")
    assert answer.status_code == 200
    return str(answer.url.path), answer.text


def step_of(page: str) -> int:
    return int(STEP.findall(page)[0])


def shown_on(page: str) -> list[int]:
    return [int(number) for number in CHOICE.findall(page)]


def test_the_first_page_should_offer_the_collections(client: TestClient) -> None:
    page = client.get("/").text
    assert "Find the colour you can’t describe" in page
    assert "30 colours" in page
    assert 'action="/c/colours"' in page
    assert client.get("/c/colours").status_code == 200


def test_an_unlisted_collection_should_be_found_by_its_link_only(owner: TestClient) -> None:
    told = {"title": "Colours", "noun": "colour", "nouns": "colours", "show": "4", "strategies": "sampled"}
    owner.post("/owner/colours/settings", data=told)
    assert "30 colours" not in owner.get("/").text
    assert "30 colours" in owner.get("/c/colours").text
    assert 'learn2search_items{collection="unlisted 1"} 30.0' in owner.get("/metrics").text
    owner.post("/owner/colours/settings", data=told | {"listed": "1"})
    assert "30 colours" in owner.get("/").text


def test_a_whole_search_should_work_with_forms_alone(client: TestClient) -> None:
    place, page = begin(client)
    assert len(shown_on(page)) == 4
    assert "Question 1" in page
    assert "Undo" not in page
    page = client.post(place, data={"step": step_of(page), "choice": shown_on(page)[1]}).text
    assert "Question 2" in page
    page = client.post(place, data={"step": step_of(page), "none": "1"}).text
    assert "Question 3" in page
    page = client.post(place, data={"step": step_of(page), "undo": "1"}).text
    assert "Question 2" in page
    page = client.post(place, data={"step": step_of(page), "found": shown_on(page)[0]}).text
    assert "There it is" in page
    assert "Your way there" in page
    assert "There it is" in client.get(place).text
    page = client.post(f"{place}/not-it").text
    assert "Question 2" in page


def test_a_stale_page_should_get_the_current_question_and_a_word(client: TestClient) -> None:
    place, page = begin(client)
    client.post(place, data={"step": 1, "choice": shown_on(page)[0]})
    stale = client.post(place, data={"step": 1, "choice": shown_on(page)[1]})
    assert stale.status_code == 200
    assert "older page" in stale.text
    assert "Question 2" in stale.text
    repeated = client.post(place, data={"step": 1, "choice": shown_on(page)[0]})
    assert "older page" not in repeated.text


def test_scripts_should_get_the_part_that_changes(client: TestClient) -> None:
    place, page = begin(client)
    part = client.post(place, data={"step": 1, "choice": shown_on(page)[0]}, headers={"x-fragment": "1"})
    assert part.status_code == 200
    assert part.text.lstrip().startswith("<div")
    assert 'data-question="2"' in part.text
    found = client.post(place, data={"step": 2, "found": shown_on(part.text)[0]}, headers={"x-fragment": "1"})
    assert found.status_code == 204
    assert found.headers["x-go-to"] == place


def test_giving_up_should_lead_to_the_gallery_and_to_an_end(client: TestClient) -> None:
    place, _ = begin(client)
    gallery = client.get(f"{place}/gallery").text
    assert "Is it one of these?" in gallery
    assert gallery.count("This is it!</button>") == 14
    assert "So it is not here" in client.post(place, data={"step": step_of(gallery), "not-here": "1"}).text
    assert "Question 1" in client.post(f"{place}/not-it").text


def test_all_shown_should_be_the_gallery_without_an_error(client: TestClient) -> None:
    place, page = begin(client)
    for _ in range(8):
        page = client.post(place, data={"step": step_of(page), "none": "1"}).text
    assert "Everything has been shown once" in page
    assert client.get(place).status_code == 200


def test_starting_again_should_leave_the_old_search(client: TestClient, app: FastAPI) -> None:
    place, _ = begin(client)
    other = client.post(f"{place}/again")
    assert other.url.path != place
    site = app.state.site
    assert searching.state(site, place.removeprefix("/s/")).row.status == "abandoned"


def test_two_at_a_time_should_last(client: TestClient) -> None:
    place, page = begin(client)
    client.post(f"{place}/show", data={"show": 2})
    page = client.post(place, data={"step": 1, "choice": shown_on(page)[0]}).text
    assert len(shown_on(page)) == 2


def test_mistakes_should_be_pages_that_a_person_can_read(client: TestClient) -> None:
    for path, code, words in (
        ("/nowhere", 404, "There is no such page."),
        ("/c/nothing", 404, "no collection"),
        ("/s/0", 404, "no such search"),
        ("/media/colours/../../site.db", 404, ""),
        ("/media/colours/site.db", 404, "no such file"),
        ("/owner/colours", 401, "owner"),
    ):
        answer = client.get(path)
        assert answer.status_code == code, path
        assert words in answer.text
        assert "Traceback" not in answer.text
    place, _ = begin(client)
    assert client.post(place, data={"step": "x"}).status_code == 422
    assert client.post(place, data={"step": 1}).status_code == 422
    for field in ("choice", "found"):
        assert client.post(place, data={"step": 1, field: 10**30}).status_code == 422
    assert client.post(place, data={"step": 10**30, "none": 1}).status_code == 422


def test_nothing_foreign_should_be_loaded_or_allowed(client: TestClient) -> None:
    for path in ("/", begin(client)[0], "/docs", "/owner", "/nowhere"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.findall(r'(?:src|href|action)="(?:https?:)?//', answer.text)
        assert " style=" not in answer.text
        assert "<script>" not in answer.text
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_other_sites_should_not_act_for_a_visitor(client: TestClient) -> None:
    place, page = begin(client)
    foreign = {"origin": "https://evil.example"}
    told = {"step": 1, "choice": shown_on(page)[0]}
    assert client.post(place, data=told, headers=foreign).status_code == 403
    assert client.post(place, data=told, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert "Question 1" in client.get(place).text
    assert "Question 2" in client.post(place, data=told, headers={"origin": "http://testserver"}).text


def test_large_requests_should_be_refused(client: TestClient) -> None:
    assert client.post("/s/x", content=b"x" * 1_100_000).status_code == 413
    assert client.post("/s/x", content=iter([b"x"] * 3)).status_code == 411


def test_only_the_owner_should_send_much(owner: TestClient) -> None:
    """A form is read before its route can ask who sent it: strangers must not fill the disk."""
    much, stranger = {"file": ("a.zip", b"x" * 1_100_000)}, TestClient(owner.app)
    assert stranger.post("/owner/colours/upload", files=much).status_code == 413
    assert owner.post("/owner/colours/upload", files=much).status_code == 200
    assert owner.post("/owner/colours/settings", files=much).status_code == 413


@pytest.mark.parametrize("cookie", ["²³.x", "9999999999.ä", "9999999999.x", ".", ""])
def test_forged_cookies_should_open_nothing(client: TestClient, cookie: str) -> None:
    headers = {b"cookie": f"owner={cookie}".encode()}
    assert client.get("/owner/colours", headers=headers, follow_redirects=False).status_code in (303, 401)


def test_titles_should_not_become_markup(owner: TestClient, app: FastAPI) -> None:
    told = {"title": "<script>alert(1)</script>", "description": '"><img>', "active": "1"}
    owner.post("/owner/colours/items/3", data=told)
    site = app.state.site
    with site.database.read():
        page = owner.get("/owner/colours/items").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    owner.post("/owner/colours/items/3", data={"title": "Colour 03", "active": "1"})


def test_speed_should_be_limited_but_not_for_the_owners_programs(settings: Settings, token: str) -> None:
    slow = settings.model_copy(update={"searches_per_minute": 2})
    with TestClient(create_app(slow), headers={"accept": "text/html"}) as client:
        codes = [client.post("/c/colours", follow_redirects=False).status_code for _ in range(4)]
        assert codes == [303, 303, 429, 429]
        owner = {"authorization": f"Bearer {token}"}
        assert client.post("/c/colours", follow_redirects=False, headers=owner).status_code == 303
    with TestClient(create_app(slow), headers={"accept": "text/html"}) as client:
        for _ in range(4):  # what the owner's programs do is not counted against visitors
            assert client.post("/c/colours", follow_redirects=False, headers=owner).status_code == 303
        assert client.post("/c/colours", follow_redirects=False).status_code == 303


def test_media_should_be_kept_for_ever_and_pages_not(client: TestClient) -> None:
    _, page = begin(client)
    picture = re.findall(r'src="(/media/[^"]+)"', page)[0]
    answer = client.get(picture)
    assert answer.headers["content-type"] == "image/webp"
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/").headers["cache-control"] == "no-store"


def test_operators_should_see_health_and_metrics(client: TestClient) -> None:
    begin(client)
    assert client.get("/healthz").json() == {"status": "ok"}
    told = client.get("/metrics").text
    assert 'learn2search_items{collection="colours"}' in told
    assert "learn2search_searches_total" in told


# --- the owner -------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("page", ["", "/items", "/items?words=07", "/searches", "/searches?aside=1", "/settings"])
def test_the_owners_pages_should_be_there(owner: TestClient, page: str) -> None:
    answer = owner.get(f"/owner/colours{page}")
    assert answer.status_code == 200
    assert "Colours" in answer.text


def test_the_owner_should_see_a_search_step_by_step(owner: TestClient) -> None:
    place, page = begin(owner)
    page = owner.post(place, data={"step": 1, "choice": shown_on(page)[0]}).text
    owner.post(place, data={"step": 2, "undo": "1"})
    search_id = place.removeprefix("/s/")
    told = owner.get(f"/owner/colours/searches/{search_id}").text
    assert "most like it" in told
    assert "undo" in told
    assert "Replay" in owner.get("/owner/colours").text


def test_the_owner_should_change_settings(owner: TestClient) -> None:
    told = {"title": "Colours!", "noun": "shade", "nouns": "shades", "show": "2", "strategies": "sampled+gauss"}
    page = owner.post("/owner/colours/settings", data=told | {"listed": "1"}).text
    assert 'value="shade"' in page
    assert "the shade you have in mind" in begin(owner)[1]
    assert owner.post("/owner/colours/settings", data=told | {"strategies": "magic"}).status_code == 422
    back = {
        "title": "Colours",
        "noun": "colour",
        "nouns": "colours",
        "show": "4",
        "strategies": "sampled",
        "listed": "1",
    }
    owner.post("/owner/colours/settings", data=back)


def test_the_owner_should_upload_and_read_what_went_wrong(owner: TestClient) -> None:
    buffer = io.BytesIO()
    picture = io.BytesIO()
    Image.new("RGB", (40, 50), (1, 2, 3)).save(picture, "PNG")
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("fresh.png", picture.getvalue())
        archive.writestr("broken.jpg", b"no")
    page = owner.post("/owner/colours/upload", files={"file": ("more.zip", buffer.getvalue())}).text
    assert "1 added" in page
    assert "broken.jpg" in page
    assert "not a picture" in page
    owner.post("/owner/colours/items/30", data={"title": "Fresh"})  # retired again


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
