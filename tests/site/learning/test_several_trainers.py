"""Trainers as processes of their own, with home folders of their own, on one database: one at a time, and in turn."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy.exc import OperationalError

from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors, trainer
from learn2search.site.settings import Settings
from learn2search.store import models
from learn2search.store.collections import Collection
from tests.site.conftest import Clock

TAKEN_OVER = 10.0  # seconds
PATIENCE = 120.0

# A trainer that says when it has begun to train, and if asked for never comes to an end.
TRAINER = """
import sys, time
from pathlib import Path
from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.site.settings import Settings

real = trainer.train

def train(*values):
    print("begun", flush=True)
    if sys.argv[3] == "endless":
        time.sleep(600)
    return real(*values)

trainer.train = train
site = Site.open(Settings(home=Path(sys.argv[1]), database_url=sys.argv[2], seed=0))
print("ready", flush=True)
trainer.run_process(site)
"""


@pytest.fixture
def site(tmp_path: Path, database_url: str, clock: Clock) -> Iterator[Site]:
    """On a database of each kind."""
    site = Site.open(Settings(home=tmp_path / "home", database_url=database_url, seed=0), clock)
    yield site
    site.close()


@pytest.fixture
def taught(site: Site, collection: Collection) -> Collection:
    """The collection after a few simulated searches, and with nothing due."""
    features = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0
    simulated_visitors.run(site, "colours", features, 0.1, 12, seed=0)
    trainer.train_due(site)
    return site.collection("colours")


@pytest.fixture
def put_back_handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextmanager
def running(site: Site, home: Path, how: str = "as ever") -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", TRAINER, str(home), site.settings.database, how]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        wait_for(process, "ready")
        yield process
    finally:
        process.send_signal(signal.SIGKILL if how == "endless" else signal.SIGTERM)
        process.wait(PATIENCE)
        process.stdout.close()


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    assert any(line.strip() == word for line in process.stdout), f"the trainer ended without {word!r}"


def attempts(site: Site, collection: Collection) -> int:
    with site.database.read() as db:
        return len(models.history(db, collection.id))


@pytest.mark.usefixtures("put_back_handlers")
def test_a_trainer_should_wait_for_its_database_when_it_starts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def prepare() -> None:
        tries.append("try")
        if len(tries) < 3:
            raise OperationalError("SELECT", {}, Exception("the server does not answer"))

    monkeypatch.setattr(site, "prepare", prepare)
    monkeypatch.setattr(trainer, "AWAY_PAUSE", 0.01)
    monkeypatch.setattr(trainer, "run", lambda *_: tries.append("run"))
    trainer.run_process(site)
    assert tries == ["try", "try", "try", "run"]


@pytest.mark.heavy
def test_two_trainers_should_never_make_the_same_fit_twice(site: Site, taught: Collection, tmp_path: Path) -> None:
    before = attempts(site, taught)
    with running(site, tmp_path / "one"), running(site, tmp_path / "two"):
        for wish in range(2):
            trainer.ask_for(site, taught)
            end = time.monotonic() + PATIENCE
            while attempts(site, taught) == before + wish:
                assert time.monotonic() < end, "nobody trained"
                time.sleep(0.05)
        time.sleep(3 * trainer.PAUSE)  # each has looked again
    assert attempts(site, taught) == before + 2


@pytest.mark.heavy
def test_another_trainer_should_take_over_from_one_that_is_killed(
    site: Site, taught: Collection, tmp_path: Path
) -> None:
    before = attempts(site, taught)
    with running(site, tmp_path / "one", "endless") as first:
        trainer.ask_for(site, taught)
        wait_for(first, "begun")
        with running(site, tmp_path / "two") as second:
            time.sleep(2 * trainer.PAUSE)
            assert attempts(site, taught) == before  # it waits
            first.kill()
            killed = time.monotonic()
            wait_for(second, "begun")
            assert time.monotonic() - killed < TAKEN_OVER
            while attempts(site, taught) == before:
                assert time.monotonic() - killed < PATIENCE
                time.sleep(0.05)
    assert attempts(site, taught) == before + 1
