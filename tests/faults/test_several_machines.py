"""Two machines that serve, two that train, PostgreSQL, an object store and a proxy: what `deploy/several-machines` has.

A machine is a process with a home folder of its own.
"""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest
import sqlalchemy

from learn2search.client import Client
from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.site.settings import Settings
from learn2search.store import models
from learn2search.store.enums import ModelOrigin
from research.recorded_visitors import Crowd, check_database
from tests.faults.round_robin import RoundRobin, round_robin
from tests.faults.shaken_site import FEATURES, SLUG, wait_until, write_pictures
from tests.s3_server import URL, s3_running
from tests.served_site import PATIENCE, Served, served


@pytest.fixture
def database(postgres_url: str) -> str:
    name = f"machines_{os.urandom(6).hex()}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{postgres_url.rsplit('/', 1)[0]}/{name}"


class Machines:
    """The machines of a site. `start_serving` and `start_trainer` begin a process on a new one."""

    def __init__(self, folder: Path, url: str, patch: pytest.MonkeyPatch, stack: ExitStack) -> None:
        self.folder, self.url, self._patch, self._stack = folder, url, patch, stack
        patch.setenv("LEARN2SEARCH_DATABASE_URL", url)
        self.ours = Site(Settings(home=folder / "ours", database_url=url))
        stack.callback(self.ours.close)

    def new_home(self, name: str) -> Path:
        home = self.folder / name
        home.mkdir()
        self._patch.setenv("HOME", str(home))
        return home

    @contextmanager
    def serving(self, name: str, *source: str) -> Iterator[Served]:
        with served("serve", *source, "--no-trainer", home=self.new_home(name)) as site:
            yield site

    def start_trainer(self, name: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "learn2search.cli", "trainer", "--home", str(self.new_home(name))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._stack.callback(end, process)
        assert "ready" in process.stdout.readline()
        return process

    def published_fit(self) -> models.ModelInfo | None:
        """The newest fit that was published."""
        with self.ours.database.read() as db:
            known = models.history(db, self.ours.collection(SLUG).id)
        return next((one for one in known if one.published and one.origin is ModelOrigin.FIT), None)

    def learn(self) -> None:
        """Until a new fit is published: the owner asks again where one is kept out."""
        before = self.published_fit()

        def learnt() -> bool:
            trainer.ask_for(self.ours, self.ours.collection(SLUG))
            time.sleep(1.0)
            return self.published_fit() != before

        wait_until(learnt, "no new model is published")

    def model_of(self, search_id: str) -> int:
        statement = sqlalchemy.text("SELECT model_id FROM search WHERE id = :id")
        with self.ours.database.read() as db:
            return int(db.execute(statement, {"id": search_id}).scalar_one())


def end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(PATIENCE)
    process.stdout.close()


def port_of(site: Served) -> int:
    return int(site.address.rsplit(":", 1)[1])


@pytest.mark.heavy
def test_a_site_of_several_machines_should_lose_nothing(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker is restarted and a trainer killed under visitors who search through the proxy."""
    write_pictures(tmp_path / "pictures")
    with ExitStack() as stack:
        s3 = stack.enter_context(s3_running())
        for name, value in (s3.environment | {"LEARN2SEARCH_MEDIA_URL": URL}).items():
            monkeypatch.setenv(name, value)
        machines = Machines(tmp_path, database, monkeypatch, stack)
        first = stack.enter_context(machines.serving("one", str(tmp_path / "pictures"), "--slug", SLUG, "--show", "4"))
        trainers = [machines.start_trainer("three"), machines.start_trainer("four")]
        with machines.serving("two") as second:
            proxy = stack.enter_context(round_robin([port_of(first), port_of(second)]))
            crowd = stack.enter_context(visitors(proxy, first.token))
            crowd.wait_until_all_went_on(PATIENCE, 10)
            machines.learn()
            trainers[0].send_signal(signal.SIGKILL)
            trainers[0].wait()
            machines.learn()
        crowd.wait_until_all_went_on(PATIENCE, 3)  # with one machine
        second = stack.enter_context(machines.serving("two again"))
        proxy.ports = [port_of(first), port_of(second)]
        crowd.wait_until_all_went_on(PATIENCE, 3)
        crowd.over.set()
        crowd.__exit__()
        check_acknowledged(crowd, database)
        check_both_serve(machines, proxy, [first, second], first.token)
        s3.stop()
        check_trouble_is_told(second)


def visitors(proxy: RoundRobin, token: str) -> Crowd:
    port = int(proxy.server_address[1])
    return Crowd(port, token, SLUG, FEATURES, 6, think_seconds=0.05, patience=PATIENCE)


def check_acknowledged(crowd: Crowd, url: str) -> None:
    assert not crowd.errors, crowd.errors[:5]
    found = check_database(url, SLUG, crowd.searches)
    assert found.acknowledged > 100
    assert (found.lost, found.doubled, found.wrong[:5]) == (0, 0, [])


def check_both_serve(machines: Machines, proxy: RoundRobin, sites: list[Served], token: str) -> None:
    """The newest model, the same pictures, any search; a token of one is that of all."""
    assert len(proxy.served_by) == 3
    newest = machines.published_fit().id
    pictures = []
    for site, other in zip(sites, sites[::-1], strict=True):
        with Client(site.address, token) as here, Client(other.address, token) as there:
            now = here.start(SLUG, 4, simulated=True)
            assert machines.model_of(now.id) >= newest  # another fit may have been published just now
            assert there.now(now).question == now.question
            assert there.answer(now, now.question.shown[0]).number == now.number + 1
        pictures.append({name: fetched(f"{site.address}/media/{SLUG}/{name}") for name in names(machines)})
    assert len(pictures[0]) == 2 * len(FEATURES)
    assert pictures[0] == pictures[1]
    assert all(content.startswith(b"RIFF") for content, *_ in pictures[0].values())


def names(machines: Machines) -> set[str]:
    copies = machines.folder / "one" / "media" / SLUG
    return {path.name for path in copies.iterdir()}


def fetched(address: str) -> tuple[bytes, str, str]:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.read(), answer.headers["ETag"], answer.headers["Cache-Control"]


def check_trouble_is_told(site: Served) -> None:
    """The store is away: searches go on, pictures that were shown are there, and the site says what is wrong."""

    def told() -> bool:
        with urllib.request.urlopen(f"{site.address}/healthz", timeout=PATIENCE) as answer:
            return b"the store of the media does not answer" in answer.read()

    wait_until(told, "nobody says that the store is away")
    with urllib.request.urlopen(site.address, timeout=PATIENCE) as answer:
        assert answer.status == 200
