"""What is allowed to whom: nothing foreign, nothing large, nothing too fast, nothing forged."""

import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from learn2search.site.settings import Settings
from learn2search.web.app import create_app
from tests.web.forms import begin, shown_on


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
    answer = {"step": 1, "choice": shown_on(page)[0]}
    assert client.post(place, data=answer, headers=foreign).status_code == 403
    assert client.post(place, data=answer, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert "Question 1" in client.get(place).text
    assert "Question 2" in client.post(place, data=answer, headers={"origin": "http://testserver"}).text


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
    words = {"title": "<script>alert(1)</script>", "description": '"><img>', "active": "1"}
    owner.post("/owner/colours/items/3", data=words)
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
        assert codes == [303, 303, 303, 429]  # the first had no cookie yet, and counts for its address only
        owner = {"authorization": f"Bearer {token}"}
        assert client.post("/c/colours", follow_redirects=False, headers=owner).status_code == 303
    with TestClient(create_app(slow), headers={"accept": "text/html"}) as client:
        for _ in range(4):  # what the owner's programs do is not counted against visitors
            assert client.post("/c/colours", follow_redirects=False, headers=owner).status_code == 303
        assert client.post("/c/colours", follow_redirects=False).status_code == 303


def test_people_of_one_address_should_not_be_in_each_others_way(settings: Settings, token: str) -> None:
    """Thirty people of one school, each of whom begins two searches."""
    slow = settings.model_copy(update={"searches_per_minute": 8})
    with TestClient(create_app(slow), headers={"accept": "text/html"}) as client:
        codes = []
        for person in range(30):
            client.cookies.set("visitor", f"{person:032}")
            codes += [client.post("/c/colours", follow_redirects=False).status_code for _ in range(2)]
        assert codes == [303] * 60
        for person in range(30, 60):  # a program that pretends to be many is limited by its address
            client.cookies.set("visitor", f"{person:032}")
            codes.append(client.post("/c/colours", follow_redirects=False).status_code)
        assert codes[-1] == 429
        assert codes.count(303) == 80


def test_wrong_tokens_of_programs_should_be_limited_and_the_right_one_not(settings: Settings, token: str) -> None:
    with TestClient(create_app(settings)) as client:
        wrong, right = ({"authorization": f"Bearer {one}"} for one in ("guess", token))
        codes = [client.get("/api/v1/collections/colours/models", headers=wrong).status_code for _ in range(12)]
        assert codes == [401] * 10 + [429] * 2
        assert client.get("/api/v1/collections/colours/models", headers=right).status_code == 200


def test_a_copied_cookie_should_not_count_after_the_owner_signed_out(owner: TestClient) -> None:
    copied = owner.cookies["owner"]
    assert owner.post("/owner/leave").status_code == 200
    owner.cookies.clear()
    owner.cookies.set("owner", copied)
    assert owner.get("/owner/colours").status_code == 401


def test_an_expensive_page_should_be_limited(client: TestClient) -> None:
    codes = [client.get("/metrics").status_code for _ in range(62)]
    assert codes == [200] * 60 + [429] * 2
