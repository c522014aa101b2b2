"""Learning from finished searches: when, from what, what is published, and that nothing is lost when it is killed."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import numpy as np
import pytest

from learn2search import ProbitOracle
from learn2search.learn import policy
from learn2search.learn.learnt import Evaluation
from learn2search.site.administration import owners
from learn2search.site.catalogue import imports
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, NotFound
from learn2search.site.learning import publishing, simulated_visitors, trainer
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.learning.model_cache import ModelCache
from learn2search.site.visits import searching
from learn2search.site.visits.beliefs import little_known
from learn2search.site.visits.search_state import SearchState
from learn2search.store import collections, lessons, searches
from learn2search.store import models as stored
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind, ModelOrigin
from learn2search.typing import Array


@pytest.fixture
def features() -> np.ndarray:
    """What visitors see of the thirty colours."""
    return np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0


@pytest.fixture(autouse=True)
def same_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a search is its seed: with the same names every run asks the same questions."""
    draw = random.Random(0)
    monkeypatch.setattr(searching, "secrets", SimpleNamespace(token_hex=lambda size: draw.randbytes(size).hex()))


@pytest.fixture
def taught(site: Site, collection: Collection, features: np.ndarray) -> Collection:
    """The collection after sixty simulated searches."""
    simulated_visitors.run(site, "colours", features, 0.1, 60, seed=0)
    return site.collection("colours")


def history(site: Site, collection: Collection) -> list[stored.ModelInfo]:
    with site.database.read() as db:
        return stored.history(db, collection.id)


def visit(site: Site, features: np.ndarray, target: int, seed: int) -> SearchState:
    """One visitor's search through the front door of the service."""
    person = ProbitOracle(features, 0.1, seed=seed)
    now = searching.start(site, "colours")
    while now.question is not None:
        shown, step = now.question.shown, now.question.number
        if target in shown or not shown:
            now = searching.answer(site, now.row.id, step, AnswerKind.FOUND, target)
        else:
            now = searching.answer(site, now.row.id, step, AnswerKind.CHOICE, person.choose(shown, target))
    return now


def test_a_cold_collection_should_be_searched_at_random(site: Site, collection: Collection) -> None:
    assert searching.start(site, "colours").row.strategy == "random"
    assert not trainer.is_due(site, collection)


def test_enough_lessons_should_make_a_model(site: Site, taught: Collection) -> None:
    fits = [info for info in history(site, taught) if info.origin == "fit"]
    assert fits
    assert any(info.published for info in fits)
    assert searching.start(site, "colours").row.strategy == "sampled"
    assert taught.lessons == 60


def test_searches_should_become_shorter(site: Site, taught: Collection, features: np.ndarray) -> None:
    costs = [visit(site, features, int(target), 7).number for target in np.random.default_rng(1).integers(0, 30, 25)]
    assert np.mean(costs) < 4.2  # at random it is 4.25 on average, known features need about 2


def test_a_model_should_be_published_only_if_it_predicts_unseen_searches_better(site: Site, taught: Collection) -> None:
    fits = [(info, metadata_of(info)) for info in history(site, taught) if info.origin == "fit"]
    judged = [(info, metadata.evaluation) for info, metadata in fits if metadata.evaluation is not None]
    assert judged
    for info, evaluation in judged:
        assert info.published == (evaluation.log_likelihood > evaluation.before)
        assert info.trained_up_to < metadata_of(info).lessons


def judged_as(better: bool) -> Callable[..., Evaluation]:
    return lambda *_: Evaluation(-0.5, 0.8, -0.6, 20) if better else Evaluation(-0.7, 0.5, -0.6, 20)


def test_a_worse_model_should_be_kept_out(site: Site, taught: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "evaluate", judged_as(better=False))
    made = trainer.train(site, taught)
    assert made is not None
    assert not made.published
    assert site.collection("colours").model_id == taught.model_id
    assert not trainer.is_due(site, taught)  # it waits for more data, not for luck


def test_a_model_that_was_overtaken_should_not_be_published(
    site: Site, taught: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "evaluate", judged_as(better=True))
    owners.change_item(site, taught, 0, active=False)  # publishes a model without it
    assert trainer.train(site, taught) is None
    now = site.collection("colours")
    assert 0 not in site.models.model(now.model_id or 0).items
    again = trainer.train(site, now)
    assert again is not None
    assert again.published


def test_the_owner_can_ask_for_a_model(site: Site, taught: Collection) -> None:
    assert not trainer.is_due(site, taught)
    trainer.ask_for(site, taught)
    assert trainer.is_due(site, taught)
    assert trainer.train_due(site)
    assert not trainer.is_due(site, site.collection("colours"))


def test_running_searches_should_keep_their_model(site: Site, taught: Collection) -> None:
    running = searching.start(site, "colours")
    trainer.ask_for(site, taught)
    trainer.train_due(site)
    for _ in range(3):
        running = searching.answer(site, running.row.id, running.question.number, AnswerKind.NONE)
    assert running.row.model_id == taught.model_id


def test_online_lessons_should_give_the_same_positions_in_every_worker(
    site: Site, taught: Collection, features: Array
) -> None:
    with site.database.write() as db:  # a model that takes lessons in
        info = stored.get(db, taught.model_id).info
        values: dict[str, Any] = {
            "metrics": metadata_of(info).model_copy(update={"online": True}).to_json(),
            "trained_up_to": taught.lessons - 10,
        }
        model = stored.get(db, taught.model_id)
        kept: dict[str, Any] = {
            "triplets": info.triplets,
            "noise": 1.0,
            "items": model.items,
            "embedding": model.embedding,
        }
        made = stored.add(
            db,
            collection_id=taught.id,
            parent_id=None,
            origin=ModelOrigin.FIT,
            published=True,
            now=0.0,
            **values,
            **kept,
        )
        collections.swap_model(db, taught.id, taught.model_id, made.info.id)
    step_by_step, at_once = ModelCache(site.database), ModelCache(site.database)
    for known in range(taught.lessons - 9, taught.lessons + 1):
        one = step_by_step.embedding_at(made.info.id, known)
    other = at_once.embedding_at(made.info.id, taught.lessons)
    assert one.embedding.fingerprint == other.embedding.fingerprint
    assert one.embedding.fingerprint != model.embedding.fingerprint
    assert searching.start(site, "colours").row.lessons == taught.lessons


def test_new_items_should_join_at_the_prior_and_be_shown(
    site: Site, taught: Collection, pictures: Path, make_png: Callable[..., bytes]
) -> None:
    for number in range(3):
        (pictures / f"new_{number}.png").write_bytes(make_png(number, 50, 200))
    imports.import_source(site, pictures, taught)
    now = site.collection("colours")
    known = site.models.embedding_at(now.model_id or 0, now.lessons)
    assert {30, 31, 32} <= {int(known.items[row]) for row in little_known(known)}
    shown = [number for _ in range(40) for number in searching.start(site, "colours").question.shown]
    assert {30, 31, 32} & set(shown)


def test_rolling_back_should_use_the_old_positions(site: Site, taught: Collection) -> None:
    first = history(site, taught)[-1]
    info = publishing.roll_back(site, taught, first.version)
    assert (info.origin, info.published) == ("rollback", True)
    now = site.collection("colours")
    with site.database.read() as db:
        assert stored.get(db, now.model_id).embedding.fingerprint == stored.get(db, first.id).embedding.fingerprint
    with pytest.raises(Conflict):
        publishing.roll_back(site, taught, first.version)
    with pytest.raises(NotFound):
        publishing.roll_back(site, now, 999)


def test_a_rollback_should_last_until_new_searches_tell(site: Site, taught: Collection) -> None:
    published = [info for info in history(site, taught) if info.published and info.origin == "fit"]
    publishing.roll_back(site, taught, published[-1].version)
    now = site.collection("colours")
    made = trainer.train(site, now)
    assert made is not None
    assert (made.published, metadata_of(made).evaluation) == (False, None)
    assert site.collection("colours").model_id == now.model_id


def test_only_one_trainer_should_work(site: Site, taught: Collection) -> None:
    made: list[stored.ModelInfo] = []
    stop = threading.Event()
    trainer.ask_for(site, taught)
    threads = [threading.Thread(target=trainer.run, args=(site, stop, made.append)) for _ in range(2)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    while not made and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1.5)
    stop.set()
    for thread in threads:
        thread.join()
    assert len(made) == 1


KILLED = """
import sys
from pathlib import Path
from learn2search.site.learning import trainer
from learn2search.site.settings import Settings
from learn2search.site.context import Site

site = Site.open(Settings(home=Path(sys.argv[1]), database_url=sys.argv[2]))
real = trainer._write

def slow(*values):
    print("working", flush=True)
    import time
    time.sleep(60)
    return real(*values)

trainer._write = slow
trainer.run_process(site)
"""


def test_a_killed_trainer_should_leave_nothing_to_clean_up(site: Site, taught: Collection) -> None:
    trainer.ask_for(site, taught)
    before = len(history(site, taught))
    command = [sys.executable, "-c", KILLED, str(site.settings.home), site.settings.database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        assert "working" in iter_until(victim.stdout, "working")
        os.kill(victim.pid, signal.SIGKILL)
    assert len(history(site, taught)) == before
    stop, made = threading.Event(), list[stored.ModelInfo]()

    def end_after_one(info: stored.ModelInfo) -> None:
        made.append(info)
        stop.set()

    trainer.run(site, stop, end_after_one)  # this one gets the lock at once
    assert len(made) == 1


def iter_until(stream: IO[str], word: str) -> str:
    for line in stream:
        if word in line:
            return line
    return ""


def test_lessons_of_withdrawn_searches_should_not_be_fitted(site: Site, taught: Collection) -> None:
    with site.database.read() as db:
        before = lessons.count(db, taught.id)
    with site.database.write() as db:
        found = searches.latest_found(db, taught.id, 60)
        row = next(row for row in found if (row.questions or 0) > 1)
        lessons.withdraw(db, row.id)
    with site.database.read() as db:
        assert lessons.count(db, taught.id) < before


def test_a_wish_should_count_once_and_whatever_the_clock_says(
    site: Site, learnt: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that is set back by a day must not make the trainer deaf."""
    with site.database.read() as db:
        newest = stored.history(db, learnt.id)[0]
    made = replace(newest, origin=ModelOrigin.FIT, created_at=site.now() + 86_400)
    monkeypatch.setattr(stored, "last_attempt", lambda *_: made)
    monkeypatch.setattr(policy, "fit_is_due", lambda *_: False)
    monkeypatch.setattr(trainer, "train", lambda *_: made)
    assert not trainer.is_due(site, learnt)
    trainer.ask_for(site, learnt)
    assert trainer.is_due(site, learnt)
    assert trainer.train_due(site) == [made]
    assert not trainer.is_due(site, learnt)
