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
        assert codes == [303, 303, 429, 429]
        owner = {"authorization": f"Bearer {token}"}
        assert client.post("/c/colours", follow_redirects=False, headers=owner).status_code == 303
    with TestClient(create_app(slow), headers={"accept": "text/html"}) as client:
        for _ in range(4):  # what the owner's programs do is not counted against visitors
            assert client.post("/c/colours", follow_redirects=False, headers=owner).status_code == 303
        assert client.post("/c/colours", follow_redirects=False).status_code == 303
