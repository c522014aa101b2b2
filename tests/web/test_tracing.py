"""Spans of requests: one with the route for each, and inside it the database and the computing."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from fastapi.testclient import TestClient
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.site.spans import span
from learn2search.web.app import create_app
from learn2search.web.tracing import Tracing, wanted_exporter
from tests.web.conftest import PAGE
from tests.web.forms import begin

CALLER = "4bf92f3577b34da6a3ce929d0e0e4736"


def spans_of(settings: Settings, use: Any) -> list[ReadableSpan]:
    """What was exported of these requests."""
    exporter = InMemorySpanExporter()
    app = create_app(settings, tracing=Tracing(exporter))
    with TestClient(app, headers=PAGE, follow_redirects=True, raise_server_exceptions=False) as client:
        use(client)
    return list(exporter.get_finished_spans())


def children(found: list[ReadableSpan], of: ReadableSpan) -> list[str]:
    inside = [one for one in found if one.parent is not None and one.parent.span_id == of.context.span_id]
    return [
        name for one in sorted(inside, key=lambda one: one.start_time) for name in (one.name, *children(found, one))
    ]


@pytest.mark.usefixtures("token")
@pytest.mark.parametrize("form", [{"none": "1"}, {"none": "1", "more": "1"}], ids=["quick", "usual"])
def test_an_answer_should_have_its_database_and_its_computing(settings: Settings, form: dict[str, str]) -> None:
    places = []

    def answer(client: TestClient) -> None:
        place, _ = begin(client)
        client.post(place, data={"step": "1"} | form, headers={"x-fragment": "1"})
        places.append(place)

    found = spans_of(settings, answer)
    (answered,) = [one for one in found if one.name == "POST /s/{search_id}"]
    assert answered.attributes["http.route"] == "/s/{search_id}"
    assert answered.attributes["http.response.status_code"] == 200
    assert [str(answered.attributes["learn2search.search_id"])] == [place.removeprefix("/s/") for place in places]
    parts = children(found, answered)
    assert {"tell", "ask", "database click"} <= set(parts)
    assert parts.index("database click") < parts.index("tell") < parts.index("ask")
    assert "database click" in parts[parts.index("ask") :]  # it is written down
    assert all(one.parent is not None for one in found if not one.name.startswith(("GET", "POST")))


@pytest.mark.usefixtures("token")
def test_a_span_should_hold_no_address_and_go_on_from_its_caller(settings: Settings) -> None:
    passed_on = {"traceparent": f"00-{CALLER}-00f067aa0ba902b7-01", "x-forwarded-for": "203.0.113.7"}
    found = spans_of(settings, lambda client: client.get("/c/colours?name=Ada", headers=passed_on))
    (page,) = [one for one in found if one.name == "GET /c/{slug}"]
    assert f"{page.context.trace_id:032x}" == CALLER
    assert page.resource.attributes["service.name"] == "learn2search"
    assert not any(word in one.to_json() for one in found for word in ("Ada", "203.0.113.7", "testclient"))


@pytest.mark.usefixtures("token")
def test_an_error_should_be_one_of_the_span(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Site, "collection", lambda *_: 1 / 0)
    found = spans_of(settings, lambda client: client.get("/c/colours"))
    (page,) = [one for one in found if one.name == "GET /c/{slug}"]
    assert not page.status.is_ok


def test_nothing_should_be_timed_without_tracing() -> None:
    assert span("ask") is span("tell")


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, None),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}, None),
    ],
)
def test_the_environment_should_say_where_spans_go(environment: dict[str, str], kind: str | None) -> None:
    assert wanted_exporter(environment) == kind


@pytest.mark.usefixtures("token")
def test_a_collector_should_get_the_spans(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over HTTP, as OTLP's protocol has it."""
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        with TestClient(create_app(settings), headers=PAGE) as client:
            client.get("/c/colours")
        server.shutdown()
        thread.join()
    assert {path for path, _ in received} == {"/v1/traces"}
    assert any(b"GET /c/{slug}" in body for _, body in received)
