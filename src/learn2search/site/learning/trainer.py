"""The trainer: a loop that asks "is there enough new to learn from?", and nothing else that could be lost.

There is no queue. The answer is read from the database each time, so a trainer that was killed leaves nothing to clean
up, and the next one sees the same. A fit is published only if it predicts the newest searches, which it has not seen,
better than the model in use does; those searches are then taken in online, like all that follow.
"""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import structlog

from learn2search import Embedding
from learn2search.site.context import Site
from learn2search.site.learning.fitting import fit
from learn2search.site.learning.model_cache import EmbeddingAt, as_learner, to_rows
from learn2search.site.learning.publishing import publish
from learn2search.site.visits import searching
from learn2search.store import collections, items, lessons, models
from learn2search.store.collections import Collection
from learn2search.store.lock import trainer_lock
from learn2search.store.models import Model, ModelInfo
from learn2search.typing import Integers, Triplets

GROWTH = 1.25  # times as many triplets as at the last attempt are enough for a new one,
AGAIN = 1.1  # and fewer when that one was kept out
FEWEST = 100  # triplets, or as many as there are items
HELD_OUT = 0.1  # of the lessons, the newest
LEFT_AFTER = 30 * 60  # seconds without an answer: the visitor has gone
PAUSE = 1.0  # seconds

log = structlog.get_logger()


@dataclass(frozen=True, eq=False)
class Lessons:
    """Triplets of item numbers, `(m, 3)`, and the lesson that each belongs to, `(m,)`."""

    triplets: Triplets
    lesson: Integers


def run(site: Site, stop: threading.Event, on_model: Callable[[ModelInfo], None] | None = None) -> None:
    """Train whenever there is something to learn, until `stop`. Waits while another process is the trainer."""
    while not stop.is_set():
        with trainer_lock(site.database, site.settings.home) as ours:
            while ours and not stop.is_set():
                searching.abandon_idle(site, LEFT_AFTER)
                for made in train_due(site):
                    log.info("model", version=made.version, published=made.published, **_told(made))
                    if on_model is not None:
                        on_model(made)
                stop.wait(PAUSE)
        stop.wait(PAUSE)


def _told(made: ModelInfo) -> dict[str, Any]:
    return {"collection": made.collection_id, "triplets": made.triplets, "held_out": made.metrics.get("held_out")}


def run_process(site: Site, parent: int | None = None) -> None:
    """The trainer as a process of its own: ends on SIGINT or SIGTERM, and with the process that started it.

    parent: the number of that process, told by itself: it may have ended before this one could look.
    """
    stop, parent = threading.Event(), parent or os.getppid()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())

    def watch() -> None:
        while not stop.wait(PAUSE):
            if os.getppid() != parent:
                stop.set()

    threading.Thread(target=watch, daemon=True).start()
    run(site, stop)


def train_due(site: Site) -> list[ModelInfo]:
    """Train every collection that has enough new lessons."""
    with site.database.read() as db:
        known = collections.all_collections(db)
    made = [train(site, collection) for collection in known if is_due(site, collection)]
    return [info for info in made if info is not None]


def is_due(site: Site, collection: Collection) -> bool:
    """Has the data grown enough since the last attempt, or does the owner want it?"""
    if collection.model_id is None:
        return False
    with site.database.read() as db:
        count = lessons.count(db, collection.id)
        last = models.last_attempt(db, collection.id)
        wanted = collections.get_setting(db, _wish(collection))
    if count == 0:
        return False
    if wanted is not None and (last is None or float(wanted) > last.created_at):
        return True
    fewest = max(FEWEST, len(site.models.model(collection.model_id).items))
    if last is None:
        return count >= fewest
    return count >= max(fewest, (GROWTH if last.published else AGAIN) * int(last.metrics["seen"]))


def ask_for(site: Site, collection: Collection) -> None:
    """The owner wants a new model now; the trainer sees it at its next look."""
    with site.database.write() as db:
        collections.put_setting(db, _wish(collection), str(site.now()))


def _wish(collection: Collection) -> str:
    return f"retrain:{collection.id}"


def train(site: Site, collection: Collection) -> ModelInfo | None:
    """Fit a model to all lessons but the newest, and publish it if it predicts those better; None if overtaken."""
    assert collection.model_id is not None
    with site.database.read() as db:
        rows = lessons.teaching(db, collection.id)
        size = items.next_number(db, collection.id)
    if len(rows) == 0:
        return None
    taught = Lessons(rows[:, :3], rows[:, 3])
    current = site.models.model(collection.model_id)
    cut = _cut(taught.lesson, current.info.trained_up_to)
    seen = taught.lesson <= cut
    known = site.models.embedding_at(collection.model_id, cut)
    space, told = fit(site, collection, taught.triplets[seen], known, size)
    metrics = _compare(known, space, np.arange(size), taught.triplets[~seen])
    metrics |= told | {"seen": len(rows), "at_lesson": collection.lessons}
    return _keep(site, collection, current, space, metrics, cut, int(seen.sum()))


def _cut(lesson: Integers, trained_up_to: int) -> int:
    """The last lesson to fit: the newest tenth is held out, and nothing that the model in use has been fitted to."""
    known = np.unique(lesson)
    held_out = max(1, round(HELD_OUT * len(known)))
    cut = int(known[-held_out - 1]) if len(known) > held_out else int(known[-1])
    return max(cut, trained_up_to)


def _compare(known: EmbeddingAt, fitted: Embedding, everything: Triplets, held_out: Triplets) -> dict[str, Any]:
    """Mean log-likelihood and share of correct predictions on the searches that neither model has seen."""
    common = held_out[np.isin(held_out, known.items).all(axis=1)]
    if len(common) == 0:
        return {"held_out": None, "accuracy": None, "before": None, "compared": 0}
    new = as_learner(fitted).predict_proba(to_rows(common, everything))
    old = as_learner(known.embedding).predict_proba(to_rows(common, known.items))
    return {
        "held_out": round(float(np.log(np.maximum(new, 1e-12)).mean()), 5),
        "accuracy": round(float((new > 0.5).mean()), 5),
        "before": round(float(np.log(np.maximum(old, 1e-12)).mean()), 5),
        "compared": len(common),
    }


def _keep(
    site: Site,
    collection: Collection,
    current: Model,
    space: Embedding,
    metrics: dict[str, Any],
    cut: int,
    triplets: int,
) -> ModelInfo | None:
    """Write the model down: published if it is better, kept out if it is not, or if that cannot be told (all lessons
    were seen by the model in use, as after a rollback) and the one in use has learnt something.
    """
    if metrics["held_out"] is None:
        better = bool(current.info.metrics.get("cold", False))
    else:
        better = metrics["held_out"] > metrics["before"]
    var = None if space.var is None else space.var[current.items]
    values: dict[str, Any] = {
        "parent_id": current.info.id,
        "origin": "fit",
        "published": better,
        "trained_up_to": cut,
        "triplets": triplets,
        "noise": current.info.noise,
        "metrics": metrics,
        "items": current.items,
        "embedding": Embedding(space.mean[current.items], var),
    }
    with site.database.write() as db:
        if better:
            return publish(db, site, collection, **values)
        return models.add(db, collection_id=collection.id, now=site.now(), **values).info
