"""What operators see."""

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from learn2search.site.context import Site
from learn2search.site.learning.failures import forget_failure, note_failure
from learn2search.site.settings import Settings
from learn2search.web import health
from tests.web.forms import begin


def test_operators_should_see_health_and_metrics(client: TestClient) -> None:
    begin(client)
    assert client.get("/healthz").json() == {"status": "ok"}
    counters = client.get("/metrics").text
    assert 'learn2search_items{collection="colours"}' in counters
    assert "learn2search_searches_total" in counters


def test_a_worker_should_be_ready_when_its_models_are_loaded(client: TestClient, app: FastAPI) -> None:
    assert client.get("/readyz").json() == {"status": "ready"}
    site: Site = app.state.site
    collection = site.collection("colours")
    assert collection.model_id is not None
    assert site.models.is_loaded(collection.model_id)
    app.state.opening.ready.clear()  # as while the database is away
    waiting = client.get("/readyz")
    assert waiting.status_code == 503
    assert "retry-after" in waiting.headers
    app.state.opening.ready.set()


def test_a_collection_that_does_not_learn_should_be_named(owner: TestClient, settings: Settings) -> None:
    site = Site.open(settings)
    collection = site.collection("colours")
    note_failure(site, collection, ValueError("these are <cards>"))
    try:
        assert owner.get("/healthz").json() == {"status": "degraded", "trouble": ["colours does not learn"]}
        assert 'learn2search_failed_fits{collection="colours"} 1.0' in owner.get("/metrics").text
        page = owner.get("/owner/colours").text
        assert "It does not learn at the moment" in page
        assert "ValueError: these are &lt;cards&gt;" in page
    finally:
        forget_failure(site, collection)
        site.close()
    assert owner.get("/healthz").json() == {"status": "ok"}


def test_a_disk_with_little_space_should_be_said(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "LEAST_SPACE", 10**18)
    answer = client.get("/healthz").json()
    assert answer["status"] == "degraded"
    assert "MB of disk are left" in answer["trouble"][0]


def fill(client: TestClient, full: bool) -> None:
    """SQLite may not take another page, or as many as it likes: it then finds its disk full, as a real one does."""
    application = client.app
    assert isinstance(application, FastAPI)
    engine = application.state.site.database.engine
    engine.dispose()  # the limit is one of each connection

    @event.listens_for(engine, "connect")
    def limit(connection: Any, record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0] if full else 2**31
        connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_should_be_a_page_and_pass(client: TestClient) -> None:
    place, _ = begin(client)
    fill(client, full=True)
    answers = [client.post("/c/colours") for _ in range(60)]
    refused = next(answer for answer in answers if answer.status_code != 200)
    assert refused.status_code == 503
    assert "its disk is full" in refused.text
    assert "<html" in refused.text
    assert client.get(place).status_code == 200  # what is there can be read
    fill(client, full=False)
    assert client.post("/c/colours").status_code == 200
