"""The trainer: a loop that asks "is there enough new to learn from?", and nothing else that could be lost.

There is no queue. The answer is read from the database each time, so a trainer that was killed leaves nothing to clean
up, and the next one sees the same. Several may run, on any machines: each collection is trained by one at a time. When
a fit is due, how it is made and whether it is published is the library's learning policy (`learn/policy.py`); here is
what is the site's: the lock, the process, the database.
"""

import errno
import os
import secrets
import signal
import threading
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from learn2search import Embedding
from learn2search.learn import policy
from learn2search.learn.learnt import Attempt
from learn2search.site.context import Site
from learn2search.site.learning.failures import failure_of, forget_failure, note_failure
from learn2search.site.learning.fitting import FittedModel, fit_model, read_lessons
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.learning.publishing import cover, publish
from learn2search.site.learning.recipes import recipe_of
from learn2search.site.learning.trainer_looks import noting_looks
from learn2search.site.learning.triplet_counts import triplet_count
from learn2search.site.notifications.delivering import delivering
from learn2search.site.visits import searching
from learn2search.store import collections, lessons, models, screens, searches
from learn2search.store.collections import Collection
from learn2search.store.database import is_away
from learn2search.store.enums import ModelOrigin
from learn2search.store.lock import HOUSEKEEPING, TrainerLock, trainer_lock
from learn2search.store.models import Model, ModelInfo

LEFT_AFTER = 30 * 60  # seconds without an answer: the visitor has gone
PAUSE, FULL_PAUSE = 1.0, 30.0  # seconds between two looks, and more where the disk is full
AWAY_PAUSE = 5.0  # where the database is away

log = structlog.get_logger()


def run(site: Site, stop: threading.Event, on_model: Callable[[ModelInfo], None] | None = None) -> None:
    """Train whenever there is something to learn, until `stop`.

    Any number of processes may do so: a collection is trained by one of them at a time, and one of them also closes
    searches that were left and delivers what webhooks are told, in a thread beside it.
    """
    with noting_looks(site):
        while not stop.is_set():
            try:
                with (
                    trainer_lock(site.database, HOUSEKEEPING) as keeps_house,
                    delivering(site) if keeps_house else nullcontext(),
                ):
                    _look(site, stop, on_model)
                    while keeps_house.still_ours() and not stop.wait(PAUSE):
                        searching.abandon_idle(site, LEFT_AFTER)
                        _look(site, stop, on_model)
            except SQLAlchemyError as error:
                if not is_away(error):
                    raise
                log.error(
                    "database away", reason=str(error).splitlines()[0], message="nothing is learnt until it is back"
                )
                stop.wait(AWAY_PAUSE)
            stop.wait(PAUSE)


def _look(site: Site, stop: threading.Event, on_model: Callable[[ModelInfo], None] | None) -> None:
    """Train what is due; a full disk is waited for."""
    try:
        for made in train_due(site):
            _log(made)
            if on_model is not None:
                on_model(made)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        log.error("disk full", place=str(site.settings.home), message="nothing is learnt until there is space")
        stop.wait(FULL_PAUSE)


def _log(made: ModelInfo) -> None:
    evaluation = metadata_of(made).evaluation
    log.info(
        "model",
        collection=made.collection_id,
        version=made.version,
        published=made.published,
        triplets=made.triplets,
        held_out=None if evaluation is None else evaluation.log_likelihood,
    )


def run_process(site: Site, parent: int | None = None) -> None:
    """The trainer as a process of its own: ends on SIGINT or SIGTERM.

    parent: the number of a process with which it ends, too, given by that process: it may have ended before this one
    could look.
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())

    def watch() -> None:
        while not stop.wait(PAUSE):
            if os.getppid() != parent:
                stop.set()

    if parent is not None:
        threading.Thread(target=watch, daemon=True).start()
    _open(site, stop)
    run(site, stop)


def _open(site: Site, stop: threading.Event) -> None:
    """Wait for a database that is away, as workers do when they start."""
    while not stop.is_set():
        try:
            site.prepare()
            return
        except Exception as error:
            if not is_away(error):
                raise SystemExit(f"The site does not open: {error}") from error
            log.error("database away", reason=str(error).splitlines()[0], again_in_seconds=AWAY_PAUSE)
        stop.wait(AWAY_PAUSE)


def train_due(site: Site) -> list[ModelInfo]:
    """Train every collection that has enough new lessons. One that fails is left for later, and the others go on."""
    with site.database.read() as db:
        known = collections.all_collections(db)
    made = [_train_alone(site, collection.id) for collection in known if is_due(site, collection)]
    return [info for info in made if info is not None]


def _train_alone(site: Site, collection_id: int) -> ModelInfo | None:
    """Train it if no other process does, and if it is still due when that is known."""
    with trainer_lock(site.database, collection_id) as lock:
        if not lock:
            return None
        with site.database.read() as db:
            known = {one.id: one for one in collections.all_collections(db)}
        if collection_id not in known or not is_due(site, known[collection_id]):
            return None
        return _train_or_note(site, known[collection_id], lock)


def _train_or_note(site: Site, collection: Collection, lock: TrainerLock) -> ModelInfo | None:
    with site.database.read() as db:
        wanted = collections.get_setting(db, _wish(collection))
    try:
        made = train(site, collection, lock.still_ours)
    except Exception as error:
        if is_away(error) or (isinstance(error, OSError) and error.errno == errno.ENOSPC):
            raise  # no fault of the collection
        failure = note_failure(site, collection, error)
        _fulfil(site, collection, wanted)
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename}:{last.lineno}"
        log.error(
            "training failed", collection=collection.slug, times=failure.times, reason=failure.reason, where=where
        )
        return None
    forget_failure(site, collection)
    if made is not None:
        _fulfil(site, collection, wanted)
    return made


def is_due(site: Site, collection: Collection) -> bool:
    """Has the data grown enough since the last attempt, or does the owner want it? After a failure it rests."""
    if collection.model_id is None:
        return False
    failure = failure_of(site, collection)
    count = triplet_count(site, collection)
    with site.database.read() as db:
        last = models.last_attempt(db, collection.id)
        wanted = collections.get_setting(db, _wish(collection))
        wanted_before = collections.get_setting(db, f"retrain:{collection.id}")  # a time, as releases before wrote it
    tried = max(0.0 if last is None else last.created_at, 0.0 if failure is None else failure.last)
    if count > 0 and (wanted or float(wanted_before or 0.0) > tried):
        return True
    if failure is not None and site.now() < failure.again:
        return False
    return policy.fit_is_due(recipe_of(collection), collection.lessons, count, _attempt(last))


def _attempt(last: ModelInfo | None) -> Attempt | None:
    if last is None:
        return None
    metadata = metadata_of(last)
    return Attempt(metadata.lessons, metadata.triplets, last.published)


def ask_for(site: Site, collection: Collection) -> None:
    """The owner wants a new model now; the trainer sees it at its next look."""
    with site.database.write() as db:
        collections.put_setting(db, _wish(collection), secrets.token_hex(8))


def _wish(collection: Collection) -> str:
    """The setting that holds the owner's wish: random until it was tried. No time, since clocks are set back."""
    return f"wish:{collection.id}"


def _fulfil(site: Site, collection: Collection, wanted: str | None) -> None:
    """It was tried. Another wish, which came meanwhile, stays."""
    with site.database.write() as db:
        if wanted and collections.get_setting(db, _wish(collection)) == wanted:
            collections.put_setting(db, _wish(collection), "")


def train(site: Site, collection: Collection, still_ours: Callable[[], bool] = lambda: True) -> ModelInfo | None:
    """Fit a model, and publish it if the policy accepts it.

    None if there is nothing to learn, if another model was published meanwhile, or if by the end of the fit it is not
    `still_ours` to write: another trainer has begun then.
    """
    if collection.model_id is None:
        return None
    taught = read_lessons(site, collection)
    if len(taught.triplets) == 0:
        return None
    if site.models.damage(collection.model_id) is not None:
        cover(site, collection.id)  # a whole model of the same items, from which to go on
        with site.database.read() as db:
            collection = collections.by_id(db, collection.id)
    current = site.models.model(site.published_model_id(collection))
    made = fit_model(site, collection, current, taught)
    if not still_ours():
        log.error("lock lost", collection=collection.slug, message="the fit is dropped: another trainer makes it")
        return None
    return _write(site, collection, current, made)


def _write_weights(db: Connection, collection: Collection, weights: dict[int, tuple[float, float]]) -> None:
    """How much each search and each screen teaches, for the owner, and as the beginning of the next fit."""
    taught = lessons.taught_by(db, collection.id) if weights else {}
    found = [(taught[number], one) for number, one in weights.items() if number in taught]
    searches.set_weights(db, [(by.id, *one) for by, one in found if not by.is_screen])
    screens.set_weights(db, [(by.id, *one) for by, one in found if by.is_screen])


def _write(site: Site, collection: Collection, current: Model, made: FittedModel) -> ModelInfo | None:
    """Write the model down, published or kept out; it covers the items of the model in use."""
    var = None if made.embedding.var is None else made.embedding.var[current.items]
    values: dict[str, Any] = {
        "parent_id": current.info.id,
        "origin": ModelOrigin.FIT,
        "published": made.accepted,
        "trained_up_to": made.fitted_up_to,
        "triplets": made.triplets,
        "noise": current.info.noise,
        "metrics": made.metadata.to_json(),
        "items": current.items,
        "embedding": Embedding(made.embedding.mean[current.items], var),
    }
    with site.database.write() as db:
        _write_weights(db, collection, made.weights)
        if made.accepted:
            return publish(db, site, collection, **values)
        return models.add(db, collection_id=collection.id, now=site.now(), **values).info
