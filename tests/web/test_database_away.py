"""A database that is locked or away: pages that say so, static files and health that go on, then all as before."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.site.settings import Settings
from learn2search.web import app as web_app
from learn2search.web import health, opening
from learn2search.web.app import create_app
from tests.web.conftest import PAGE
from tests.web.forms import begin


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_app, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(health, "_WRITTEN_SECONDS", 0.0)


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """As by another process that writes for long."""
    other = sqlite3.connect(settings.home / "site.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.mark.usefixtures("impatient")
def test_a_locked_database_should_be_a_page_to_come_back_to(client: TestClient, settings: Settings) -> None:
    begin(client)
    with locked(settings):
        refused = client.post("/c/colours")
        assert refused.status_code == 503
        assert int(refused.headers["Retry-After"]) > 0
        assert "default-src 'none'" in refused.headers["Content-Security-Policy"]
        assert "cannot reach its database" in refused.text
        assert "<html" in refused.text
        program = client.post("/api/v1/collections/colours/searches", headers={"accept": "application/json"})
        assert program.status_code == 503
        assert "cannot reach its database" in program.json()["error"]
        assert client.get("/static/site.css").status_code == 200
        assert client.get("/c/colours").status_code == 200  # what is there can be read
        sick = client.get("/healthz")
        assert (sick.status_code, sick.json()["status"]) == (503, "unavailable")
    assert client.post("/c/colours").status_code == 200
    assert client.get("/healthz").json()["status"] == "ok"


@pytest.mark.usefixtures("impatient")
def test_a_read_only_database_should_not_be_healthy(client: TestClient) -> None:
    application = client.app
    assert isinstance(application, FastAPI)
    engine = application.state.site.database.engine
    engine.dispose()
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA query_only = ON"))
    sick = client.get("/healthz")
    assert sick.status_code == 503
    assert "takes no writes" in sick.json()["trouble"][0]
    assert client.get("/c/colours").status_code == 200
    assert client.post("/c/colours").status_code == 503


@pytest.mark.usefixtures("impatient")
def test_a_worker_should_start_while_its_database_is_away(tmp_path: Path) -> None:
    away = Settings(home=tmp_path, database_url="postgresql://nobody@127.0.0.1:1/nothing")
    with TestClient(create_app(away), headers=PAGE) as client:
        page = client.get("/")
        assert page.status_code == 503
        assert "cannot reach its database" in page.text
        assert client.get("/static/site.css").status_code == 200
        assert client.get("/healthz").status_code == 503


@pytest.mark.usefixtures("impatient")
def test_a_worker_should_find_its_database_when_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PAUSE", 0.01)
    tries = iter([OperationalError("SELECT", {}, Exception("starting up"))] * 2)
    really = Site.prepare

    def prepare(site: Site) -> None:
        for error in tries:
            raise error
        really(site)

    monkeypatch.setattr(Site, "prepare", prepare)
    with TestClient(create_app(Settings(home=tmp_path, database_url=None)), headers=PAGE) as client:
        for _ in range(500):
            if client.get("/").status_code == 200:
                break
        assert client.get("/healthz").json()["status"] == "ok"


def test_a_trainer_should_wait_for_a_database_that_is_away(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not end with a traceback, to be started again and again."""
    site, stop, looks = Site(settings), threading.Event(), []
    monkeypatch.setattr(trainer, "AWAY_PAUSE", 0.01)
    monkeypatch.setattr(trainer, "PAUSE", 0.01)

    def look(*_: object) -> None:
        looks.append(1)
        if len(looks) == 3:
            stop.set()
            return
        raise OperationalError("SELECT", {}, Exception("the server closed the connection"))

    monkeypatch.setattr(trainer, "_look", look)
    trainer.run(site, stop)
    assert len(looks) == 3
    site.close()
