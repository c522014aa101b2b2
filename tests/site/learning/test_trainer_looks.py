"""What operators hear of learning, on a database of each kind: does a trainer look, when was the last fit."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors, trainer, trainer_looks
from learn2search.site.learning.learning_state import learning_states
from learn2search.site.learning.trainer_looks import MISSED_AFTER, is_missed, last_look, note_look, noting_looks
from learn2search.site.settings import Settings
from learn2search.store.collections import Collection
from tests.site.conftest import Clock

PATIENCE = 120.0


@pytest.fixture
def site(tmp_path: Path, database_url: str, clock: Clock) -> Iterator[Site]:
    """On a database of each kind."""
    clock.step = 0.0
    site = Site.open(Settings(home=tmp_path / "home", database_url=database_url, seed=0), clock)
    yield site
    site.close()


def test_a_look_should_be_missed_after_a_while(site: Site, clock: Clock) -> None:
    assert last_look(site) is None
    assert is_missed(site, None)
    note_look(site)
    look = last_look(site)
    assert look == clock.time
    clock.time += MISSED_AFTER - 1
    assert not is_missed(site, look)
    clock.time += 2
    assert is_missed(site, look)
    note_look(site)
    assert not is_missed(site, last_look(site))
    clock.time -= 86_400  # set back: the note seems to come from the future
    assert is_missed(site, last_look(site))


def test_a_trainer_should_note_that_it_looks_until_it_ends(
    site: Site, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer_looks, "BETWEEN", 0.01)
    stop = threading.Event()
    running = threading.Thread(target=trainer.run, args=(site, stop))
    running.start()
    try:
        for _ in range(2):  # the first note, and a later one
            clock.time += 1000
            wait_for_look(site, clock.time)
    finally:
        stop.set()
        running.join(PATIENCE)
    clock.time += 1000
    assert last_look(site) == clock.time - 1000


def wait_for_look(site: Site, time: float) -> None:
    tick = threading.Event()
    for _ in range(int(PATIENCE / 0.02)):
        if last_look(site) == time:
            return
        tick.wait(0.02)
    pytest.fail("no trainer noted that it looks")


def test_notes_should_go_on_when_the_database_is_back(
    site: Site, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer_looks, "BETWEEN", 0.01)
    refused = threading.Event()

    @event.listens_for(site.database.engine, "before_cursor_execute")
    def refuse(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "setting" in statement and not refused.is_set():
            refused.set()
            raise OperationalError("the database is away", None, Exception("away"))

    with noting_looks(site):
        assert refused.wait(PATIENCE)
        wait_for_look(site, clock.time)


def test_the_last_fit_and_the_age_of_the_model_should_be_known(
    site: Site, collection: Collection, clock: Clock
) -> None:
    features = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0
    simulated_visitors.run(site, "colours", features, 0.1, 12, seed=0)
    trainer.train_due(site)
    trainer.ask_for(site, collection)
    site.forget()
    (before,) = learning_states(site)
    assert before.is_due
    clock.time += 3600
    trainer.train_due(site)
    site.forget()
    (after,) = learning_states(site)
    assert not after.is_due
    assert after.last_fit == clock.time
    assert after.model_made is not None
    assert before.model_made is not None
    assert before.model_made <= after.model_made <= clock.time
