"""What operators see."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors, trainer
from learn2search.site.learning.failures import forget_failure, note_failure
from learn2search.site.learning.trainer_looks import note_look
from learn2search.site.settings import Settings
from learn2search.web import health
from learn2search.web.app import create_app
from tests.web.conftest import PAGE
from tests.web.forms import begin


def test_operators_should_see_health_and_metrics(client: TestClient) -> None:
    begin(client)
    assert client.get("/healthz").json()["status"] == "ok"
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
        answer = owner.get("/healthz").json()
        assert (answer["status"], answer["trouble"]) == ("degraded", ["colours does not learn"])
        assert 'learn2search_failed_fits{collection="colours"} 1.0' in owner.get("/metrics").text
        page = owner.get("/owner/colours").text
        assert "It does not learn at the moment" in page
        assert "ValueError: these are &lt;cards&gt;" in page
    finally:
        forget_failure(site, collection)
        site.close()
    assert owner.get("/healthz").json()["status"] == "ok"


@pytest.fixture
def waiting(home: Path, tmp_path: Path) -> Iterator[Site]:
    """A site with lessons that are due for a fit, and without a trainer."""
    site = Site.open(Settings(home=tmp_path / "home", database_url=None, seed=0))
    made = make_collection(site, "colours", "Colours", noun="colour", nouns="colours", show=4, warm_start="nothing")
    import_source(site, home / "pictures", made)
    seen = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0
    simulated_visitors.run(site, "colours", seen, 0.1, 6, seed=0)
    trainer.ask_for(site, made)
    yield site
    site.close()


def test_lessons_that_wait_for_a_trainer_should_be_told(waiting: Site) -> None:
    with TestClient(create_app(waiting.settings), headers=PAGE) as client:
        answer = client.get("/healthz").json()
        assert (answer["status"], answer["trainer_looked"]) == ("degraded", None)
        expected = "no trainer has ever looked, and there is something to learn in colours: run `learn2search trainer`"
        assert answer["trouble"] == [expected]
        assert "learn2search_trainer_look_age_seconds +Inf" in client.get("/metrics").text
        note_look(Site(waiting.settings, lambda: 1_700_000_000.0))
        (trouble,) = client.get("/healthz").json()["trouble"]
        assert trouble.startswith("no trainer has looked since 2023-11-14T22:13:20Z, and there is something to learn")
        note_look(waiting)
        assert client.get("/healthz").json()["status"] == "ok"


def test_the_last_fit_and_the_age_of_the_model_should_be_told(waiting: Site) -> None:
    assert trainer.train_due(waiting)
    note_look(waiting)
    with TestClient(create_app(waiting.settings), headers=PAGE) as client:
        answer = client.get("/healthz").json()
        counters = client.get("/metrics").text
    known = answer["collections"]["colours"]
    now = datetime.now(UTC)
    for moment in (answer["trainer_looked"], known["last_fit"]):
        assert now - timedelta(hours=1) < datetime.fromisoformat(moment) <= now
    assert 0 <= known["model_age_seconds"] < 3600
    for name in ("model_age_seconds", "last_fit_age_seconds"):
        found = re.search(rf'^learn2search_{name}{{collection="colours"}} (\S+)$', counters, re.MULTILINE)
        assert found
        assert 0 <= float(found[1]) < 3600


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
