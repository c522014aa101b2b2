"""The JSON API: the same idempotency as the pages, errors in JSON, and a description that is true."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis.schemas import BaseSchema

from learn2search.site.administration import owners
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.site.show_counts import SHOW_COUNTS
from learn2search.web.app import create_app

API = {"accept": "application/json"}
ROOT = Path(__file__).parents[2]


@pytest.fixture
def api(client: TestClient) -> TestClient:
    client.headers.update(API)
    return client


def test_a_program_should_search(api: TestClient) -> None:
    (collection,) = api.get("/api/v1/collections").json()
    assert collection["slug"] == "colours"
    started = api.post("/api/v1/collections/colours/searches")
    assert started.status_code == 201
    search = started.json()
    api.headers["search-secret"] = search["secret"]
    shown = [item["item"] for item in search["question"]["shown"]]
    assert len(shown) == 4
    told = {"step": 1, "kind": "choice", "item": shown[0]}
    once = api.post(f"/api/v1/searches/{search['id']}/answers", json=told).json()
    twice = api.post(f"/api/v1/searches/{search['id']}/answers", json=told).json()
    assert once == twice
    assert once["question"]["step"] == 2
    stale = api.post(f"/api/v1/searches/{search['id']}/answers", json={"step": 1, "kind": "none"})
    assert stale.status_code == 409
    assert "not open" in stale.json()["error"]
    assert api.get(f"/api/v1/searches/{search['id']}/top?count=3").json() == [], "nothing is likelier than chance yet"
    assert once["question"]["still_fit"] is None
    top = once["question"]["shown"]
    found = {"step": 2, "kind": "found", "item": top[0]["item"]}
    done = api.post(f"/api/v1/searches/{search['id']}/answers", json=found).json()
    assert done["status"] == "found"
    assert done["target"]["item"] == top[0]["item"]
    assert api.post(f"/api/v1/searches/{search['id']}/not-it").json()["status"] == "open"


@pytest.mark.parametrize("show", SHOW_COUNTS)
def test_a_program_should_choose_how_many_are_shown(api: TestClient, show: int) -> None:
    search = api.post("/api/v1/collections/colours/searches", json={"show": show}).json()
    assert len(search["question"]["shown"]) == show


def test_errors_should_be_json(api: TestClient) -> None:
    assert api.get("/api/v1/searches/none").status_code == 404
    assert "error" in api.get("/api/v1/searches/none").json()
    search = api.post("/api/v1/collections/colours/searches").json()
    api.headers["search-secret"] = search["secret"]
    bad = api.post(f"/api/v1/searches/{search['id']}/answers", json={"step": 1, "kind": "dance"})
    assert bad.status_code == 422
    assert "kind" in bad.json()["error"]


def test_a_search_should_be_of_who_has_its_secret(api: TestClient, token: str) -> None:
    begun = api.post("/api/v1/collections/colours/searches").json()
    here, given = f"/api/v1/searches/{begun['id']}", {"step": 1, "kind": "none"}
    assert api.get(here).status_code == 403
    assert "Search-Secret" in api.post(f"{here}/answers", json=given).json()["error"]
    assert api.get(f"{here}/top", headers={"search-secret": "0" * 32}).status_code == 403
    assert api.post(f"{here}/not-it").status_code == 403
    ours = {"search-secret": begun["secret"]}
    again = api.post(f"{here}/answers", json=given, headers=ours)
    assert (again.status_code, again.json()["secret"]) == (200, None)
    assert api.get(here, headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert api.get(f"/s/{begun['id']}").status_code == 403, "its id alone is no way in by the page either"


def test_a_search_of_a_page_should_not_be_answered_by_program(client: TestClient) -> None:
    page = client.post("/c/colours")
    search_id = page.url.path.rsplit("/", 1)[1]
    client.cookies.clear()
    refused = client.post(f"/api/v1/searches/{search_id}/answers", json={"step": 1, "kind": "none"})
    assert refused.status_code == 403


def test_only_the_owner_should_simulate_and_read_what_was_learnt(api: TestClient, token: str) -> None:
    start = "/api/v1/collections/colours/searches"
    assert api.post(start, json={"simulated": True}).status_code == 401
    assert api.get("/api/v1/collections/colours/triplets").status_code == 401
    owner = {"authorization": f"Bearer {token}"}
    assert api.post(start, json={"simulated": True}, headers=owner).status_code == 201
    assert api.get("/api/v1/collections/colours/models", headers=owner).json()[0]["in_use"]
    assert api.get("/api/v1/collections/colours/triplets", headers=owner).json()["columns"] == ["anchor", "near", "far"]


def test_retired_items_should_not_be_listed(api: TestClient, settings: Settings) -> None:
    site = Site.open(settings)
    collection = site.collection("colours")
    owners.change_item(site, collection, 7, active=False)
    assert 7 not in [item["item"] for item in api.get("/api/v1/collections/colours/items").json()]
    owners.change_item(site, collection, 7, active=True)
    site.close()
    assert 7 in [item["item"] for item in api.get("/api/v1/collections/colours/items").json()]


def test_the_documentation_should_name_every_address(client: TestClient, app: FastAPI) -> None:
    page = client.get("/docs").text
    for path in app.openapi()["paths"]:
        assert path in page
    written = (ROOT / "docs" / "api.md").read_text()
    for path in app.openapi()["paths"]:
        assert path in written, f"docs/api.md does not name {path}"


def test_the_example_should_be_valid_python(client: TestClient) -> None:
    from html import unescape

    example = unescape(re.findall(r"<pre[^>]*>(.*?)</pre>", client.get("/docs").text, re.DOTALL)[0])
    subprocess.run([sys.executable, "-c", f"compile({example!r}, 'example', 'exec')"], check=True)


@pytest.fixture(scope="module")
def described(settings: Settings, token: str) -> Iterator[BaseSchema]:
    app = create_app(settings)
    with TestClient(app):
        yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


@pytest.mark.parametrize(
    "address",
    ["collections", "items", "searches", "answers", "not-it", "top", "models", "triplets", "{slug}", "files", "model"],
)
def test_the_api_should_keep_to_its_description(described: BaseSchema, address: str) -> None:
    """Schemathesis sends what the description allows, and what it does not: never a crash, always what was promised."""
    operations = [result.ok() for result in described.get_all_operations()]  # type: ignore[union-attr]
    found = [operation for operation in operations if operation.path.endswith(address)]
    assert found
    for operation in found:

        @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def send(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate()

        send()
