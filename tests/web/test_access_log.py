"""A line for each request says what was done, and nothing that tells who did it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.web.app import create_app
from tests.web.conftest import PAGE
from tests.web.forms import begin


class Lines:
    """What was written since the last time that it was read."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def read(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._capture.readouterr().out.splitlines() if line.startswith("{")]


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Lines:
    return Lines(capsys)


@pytest.fixture
def logged(lines: Lines, settings: Settings, token: str) -> Iterator[TestClient]:
    app = create_app(settings.model_copy(update={"access_log": True}))
    with TestClient(app, headers=PAGE, follow_redirects=True, raise_server_exceptions=False) as client:
        lines.read()
        yield client


def test_a_line_should_have_the_route_and_no_more_of_the_address(logged: TestClient, lines: Lines) -> None:
    logged.get("/c/colours?name=Ada", headers={"x-forwarded-for": "203.0.113.7"})
    (line,) = lines.read()
    assert line["time"].endswith("Z")
    assert line["milliseconds"] > 0
    del line["time"], line["milliseconds"]
    assert line == {"event": "request", "method": "GET", "route": "/c/{slug}", "status": 200}


@pytest.mark.parametrize(
    ("method", "path", "route", "status"),
    [
        ("HEAD", "/healthz", "/healthz", 200),
        ("GET", "/static/site.css", "/static/{path}", 200),
        ("GET", "/static/nothing.css", "/static/{path}", 404),
        ("GET", "/Ada/Lovelace", None, 404),
        ("GET", "/c/nothing", "/c/{slug}", 404),
        ("DELETE", "/", "/", 405),
    ],
)
def test_what_is_no_page_should_have_its_line(
    logged: TestClient, lines: Lines, method: str, path: str, route: str | None, status: int
) -> None:
    logged.request(method, path)
    (line,) = lines.read()
    assert (line["method"], line["route"], line["status"]) == (method, route, status)


def test_what_is_refused_before_its_route_should_have_its_line(logged: TestClient, lines: Lines) -> None:
    assert logged.post("/c/colours", headers={"origin": "https://other.example"}).status_code == 403
    (line,) = lines.read()
    assert (line["method"], line["route"], line["status"]) == ("POST", None, 403)


def test_an_error_should_have_its_line(logged: TestClient, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Site, "collection", lambda *_: 1 / 0)
    assert logged.get("/c/colours").status_code == 500
    (line,) = [line for line in lines.read() if line["event"] == "request"]
    assert (line["route"], line["status"]) == ("/c/{slug}", 500)


@pytest.mark.parametrize("form", [{"none": "1"}, {"none": "1", "more": "1"}], ids=["quick", "usual"])
def test_both_ways_of_an_answer_should_name_the_search(logged: TestClient, lines: Lines, form: dict[str, str]) -> None:
    place, _ = begin(logged)
    lines.read()
    logged.post(place, data={"step": "1"} | form, headers={"x-fragment": "1"})
    (line,) = lines.read()
    assert (line["method"], line["route"]) == ("POST", "/s/{search_id}")
    assert f"/s/{line['search_id']}" == place


def test_an_answer_of_a_program_should_name_the_search(logged: TestClient, lines: Lines) -> None:
    search = logged.post("/api/v1/collections/colours/searches", json={"show": 4}).json()
    lines.read()
    place, secret = f"/api/v1/searches/{search['id']}/answers", {"search-secret": search["secret"]}
    assert logged.post(place, json={"step": 1, "kind": "none"}, headers=secret).status_code == 200
    (line,) = lines.read()
    assert (line["route"], line["search_id"]) == ("/api/v1/searches/{search_id}/answers", search["id"])
    assert search["secret"] not in str(line)


def test_without_the_setting_nothing_should_be_written(client: TestClient, lines: Lines) -> None:
    client.get("/c/colours")
    assert lines.read() == []
