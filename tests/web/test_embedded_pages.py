"""Searches inside the pages of other sites: no cookies, a secret in their place, and only where the owner allows it."""

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError

from learn2search.site.settings import Settings
from learn2search.web.app import create_app
from tests.web.conftest import PAGE

SHOP = "https://shop.example"


@pytest.fixture
def friendly(settings: Settings, token: str) -> Iterator[TestClient]:
    """The site, where the pages of a shop may show searches."""
    app = create_app(settings.model_copy(update={"embed_origins": (SHOP, "http://localhost:8001")}))
    with TestClient(app, headers=PAGE, follow_redirects=True) as client:
        yield client


def frames(client: TestClient, path: str) -> str:
    policy = client.get(path).headers["content-security-policy"]
    return re.search(r"frame-ancestors ([^;]*)", policy)[1]


def test_nothing_should_be_open_by_default(client: TestClient) -> None:
    refused = client.get("/embed/colours")
    assert (refused.status_code, "LEARN2SEARCH_EMBED_ORIGINS" in refused.text) == (404, True)
    assert client.post("/embed/colours").status_code in (404, 405)
    assert frames(client, "/embed/colours") == frames(client, "/") == "'none'"
    asked = client.get("/api/v1/collections", headers={"origin": SHOP})
    assert "access-control-allow-origin" not in asked.headers


def test_only_embeddable_pages_should_be_framed(friendly: TestClient) -> None:
    assert frames(friendly, "/embed/colours") == f"{SHOP} http://localhost:8001"
    for path in ("/", "/c/colours", "/owner", "/docs"):
        assert frames(friendly, path) == "'none'"


def test_a_search_should_need_no_cookie(friendly: TestClient) -> None:
    """Each click of a visitor whose browser keeps no cookies of the frame."""
    first = friendly.get("/embed/colours")
    assert "set-cookie" not in first.headers
    page = friendly.post("/embed/colours")
    assert not friendly.cookies
    home = re.fullmatch(r"/embed/s/[0-9a-f]{32}/[0-9a-f]{32}", page.url.path)[0]
    assert page.text.count(f'action="{home}') >= 3
    assert 'action="/s/' not in page.text
    shown = re.findall(r'name="choice" value="(\d+)"', page.text)
    fragment = friendly.post(home, data={"step": 1, "choice": shown[0]}, headers={"x-fragment": "1"})
    assert "Question 2" in fragment.text
    friendly.post(f"{home}/show", data={"show": "6"})
    assert "Is it" in friendly.get(f"{home}/gallery").text
    step = re.search(r'name="step" value="(\d+)"', friendly.get(home).text)[1]
    ended = friendly.post(home, data={"step": step, "found": shown[0]}, headers={"x-fragment": "1"})
    assert ended.headers["x-go-to"] == home
    end = friendly.get(home)
    assert f'data-item="{shown[0]}"' in end.text
    assert 'data-link="/r/' in end.text
    another = friendly.post(f"{home}/again")
    assert another.url.path.startswith("/embed/s/")
    assert another.url.path != home
    assert not friendly.cookies


def test_a_search_should_be_closed_to_those_without_its_secret(friendly: TestClient) -> None:
    home = friendly.post("/embed/colours").url.path
    _, _, _, search_id, secret = home.split("/")
    other = secret[::-1] if secret != secret[::-1] else "0" * 32
    assert friendly.get(f"/embed/s/{search_id}/{other}").status_code == 403
    assert friendly.post(f"/embed/s/{search_id}/{other}", data={"step": 1, "none": "1"}).status_code == 403
    assert friendly.get(f"/s/{search_id}").status_code == 403


def test_the_api_should_be_open_to_pages_on_the_list_alone(friendly: TestClient, token: str) -> None:
    path, origin = "/api/v1/collections/colours/searches", {"origin": SHOP}
    asked = friendly.options(path, headers=origin | {"access-control-request-method": "POST"})
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == SHOP
    assert "Search-Secret" in asked.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in asked.headers
    begun = friendly.post(path, headers=origin)
    assert (begun.status_code, begun.headers["vary"]) == (201, "Origin")
    assert friendly.post(path, headers={"origin": "https://other.example"}).status_code == 403
    assert friendly.post("/c/colours", headers=origin).status_code == 403, "the pages stay closed"
    friendly.post("/owner", data={"token": token})
    assert friendly.get("/api/v1/collections/colours/models").status_code == 200
    assert friendly.get("/api/v1/collections/colours/models", headers=origin).status_code == 401, "not by a cookie"


def test_the_script_should_have_a_stable_address_and_one_for_caches(client: TestClient) -> None:
    newest = client.get("/learn2search.js")
    assert newest.headers["content-type"].startswith("text/javascript")
    version = newest.headers["etag"].strip('"')
    kept = client.get(f"/learn2search-{version}.js")
    assert kept.content == newest.content
    assert "immutable" in kept.headers["cache-control"]
    assert client.get("/learn2search-00000000.js").status_code == 404


@pytest.mark.parametrize("wrong", ["*", "shop.example", "https://shop.example/path", "https://a.example;", "null"])
def test_only_origins_should_be_taken(wrong: str) -> None:
    with pytest.raises(ValidationError, match="is no origin"):
        Settings.model_validate({"embed_origins": wrong})


def test_origins_should_be_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEARN2SEARCH_EMBED_ORIGINS", "https://Shop.example/, http://localhost:8001")
    assert Settings().embed_origins == (SHOP, "http://localhost:8001")
    monkeypatch.delenv("LEARN2SEARCH_EMBED_ORIGINS")
    assert Settings().embed_origins == ()
