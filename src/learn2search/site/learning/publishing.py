"""Publishing models: the first one, one that covers new items, an older one again.

A model is published by compare-and-swap: whoever was overtaken tries again with what is published then.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from learn2search.site.catalogue.item_features import feature_source
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, NotFound, Unavailable
from learn2search.site.learning.expected_positions import expected_positions, first_metadata, positions_for
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.notifications import events
from learn2search.store import collections, items, models
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin
from learn2search.store.models import DamagedModelError, Model, ModelInfo

FEWEST = 2  # items that a search needs


def cover(site: Site, collection_id: int) -> ModelInfo | None:
    """Publish a model of just the active items; new ones join at the prior. With too few items, none is published."""
    while True:
        with site.database.read() as db:
            collection = collections.by_id(db, collection_id)
            numbers = np.array(items.active_numbers(db, collection_id), np.int64)
            last = collection.model_id or models.last_published(db, collection_id)
        if len(numbers) < FEWEST:
            with site.database.write() as db:
                collections.swap_model(db, collection_id, collection.model_id, None)
            return None
        current = None if last is None else _whole(site, last)
        if current is not None and _starts_anew(site, collection, current, numbers):
            current = None
        if current is not None and current.info.id == collection.model_id and np.array_equal(current.items, numbers):
            return current.info
        made = _covering(site, collection, current, numbers)
        if made is not None:
            return made


def _whole(site: Site, model_id: int) -> Model | None:
    """The model, or one that stands in for it; None where all are damaged, and the collection must start anew."""
    try:
        return site.models.model(model_id)
    except Unavailable:
        return None


def _covering(
    site: Site, collection: Collection, current: Model | None, numbers: NDArray[np.int64]
) -> ModelInfo | None:
    """A published model of these items, None when another was published meanwhile."""
    if current is None:
        metadata = first_metadata(site, collection, numbers)
        embedding = expected_positions(site, collection, metadata.prior, numbers, options_of(collection).dimensions)
        values: dict[str, Any] = {"parent_id": collection.model_id, "origin": ModelOrigin.START, "trained_up_to": 0}
        values |= {"triplets": 0, "noise": 1.0}
    else:
        info = current.info
        metadata, embedding = metadata_of(info), positions_for(site, collection, current, numbers)
        values = {"parent_id": info.id, "origin": ModelOrigin.ITEMS, "trained_up_to": info.trained_up_to}
        values |= {"triplets": info.triplets, "noise": info.noise}
    values |= {"published": True, "metrics": metadata.to_json(), "items": numbers, "embedding": embedding}
    with site.database.write() as db:
        return publish(db, site, collection, **values)


def _starts_anew(site: Site, collection: Collection, current: Model, numbers: NDArray[np.int64]) -> bool:
    """Is there another warm start for a collection that no answer has told anything?"""
    metadata = metadata_of(current.info)
    if metadata.is_taught or metadata.prior.features:
        return False
    content, wanted = metadata.prior.content, feature_source(collection)
    if wanted == (None if content is None else content.source):
        return False
    return wanted is None or first_metadata(site, collection, numbers).knows_features


def publish(db: Connection, site: Site, collection: Collection, **values: Any) -> ModelInfo | None:
    """Write a model and make it the one in use, if the one known to `collection` still is; else write nothing."""
    collections.lock(db, collection.id)
    now_in_use = collections.by_id(db, collection.id).model_id
    if now_in_use != collection.model_id:
        return None
    metrics = values.pop("metrics") | {"size": len(values["items"])}
    made = models.add(db, collection_id=collection.id, now=site.now(), metrics=metrics, **values)
    if not collections.swap_model(db, collection.id, collection.model_id, made.info.id):
        raise Conflict("Another model was published at the same moment.")
    events.note_model(db, collection, site.now(), made.info)
    return made.info


def roll_back(site: Site, collection: Collection, version: int) -> ModelInfo:
    """Use the positions of an older model again. Lessons so far are not taken in again: they led away from it."""
    with site.database.read() as db:
        try:
            old = models.by_version(db, collection.id, version)
        except DamagedModelError as error:
            raise Conflict(f"Model {version} cannot be used again: {error}. Choose another.") from error
        numbers = np.array(items.active_numbers(db, collection.id), np.int64)
    if old is None:
        raise NotFound(f"There is no model {version} of “{collection.title}”.")
    with site.database.write() as db:
        info = publish(
            db,
            site,
            collection,
            parent_id=old.info.id,
            origin=ModelOrigin.ROLLBACK,
            published=True,
            trained_up_to=collection.lessons,
            triplets=old.info.triplets,
            noise=old.info.noise,
            metrics=old.info.metrics,
            items=numbers,
            embedding=positions_for(site, collection, old, numbers),
        )
    if info is None:
        raise Conflict("Another model was published meanwhile: look again.")
    return info
