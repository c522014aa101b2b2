"""Publishing models: the first one, one that covers new items, an older one again.

What is expected of an item of which nothing is known: it is near the centre, or, with a warm start, where its picture
places it. Such models say so in their metrics: `pictures` is the number of items that told the axes, and `unit` the
spread along an axis in units of the noise.

A model is published by compare-and-swap: whoever was overtaken tries again with what is published then.
"""

from typing import Any

import numpy as np
from sqlalchemy import Connection

from learn2search import Embedding, calibrate_noise, random_margins
from learn2search.site.catalogue.options import options_of
from learn2search.site.catalogue.thumbnail_features import places
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, NotFound
from learn2search.store import collections, items, models
from learn2search.store.collections import Collection
from learn2search.store.models import Model, ModelInfo
from learn2search.typing import Items

FEWEST = 2  # items that a search needs
FLIPPED = 0.15  # of the answers about random pairs, before any answer tells: a noise that is too high costs little
_NEAR_ZERO = 0.1  # of the prior's standard deviation: where items of which nothing is known are put


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
        current = None if last is None else site.models.model(last)
        if current is not None and _starts_anew(collection, current):
            current = None
        if current is not None and current.info.id == collection.model_id and np.array_equal(current.items, numbers):
            return current.info
        made = _covering(site, collection, current, numbers)
        if made is not None:
            return made


def _covering(site: Site, collection: Collection, current: Model | None, numbers: Items) -> ModelInfo | None:
    """A published model of these items, None when another was published meanwhile."""
    if current is None:
        metrics, space = _start(site, collection, numbers)
        values: dict[str, Any] = {"parent_id": collection.model_id, "origin": "start", "trained_up_to": 0}
        values |= {"triplets": 0, "noise": 1.0}
    else:
        info = current.info
        metrics, space = dict(info.metrics), moved(site, collection, current, numbers)
        values = {"parent_id": info.id, "origin": "items", "trained_up_to": info.trained_up_to}
        values |= {"triplets": info.triplets, "noise": info.noise}
    with site.database.write() as db:
        return publish(db, site, collection, published=True, metrics=metrics, items=numbers, embedding=space, **values)


def _starts_anew(collection: Collection, current: Model) -> bool:
    """Is there a warm start for a collection that has learnt nothing?"""
    return options_of(collection).warm_start != "nothing" and bool(current.info.metrics.get("cold", False))


def _start(site: Site, collection: Collection, numbers: Items) -> tuple[dict[str, Any], Embedding]:
    """What is told of a model that was taught nothing, and where its items are. Pictures are taken to tell half."""
    options = options_of(collection)
    metrics: dict[str, Any] = {"online": False, "prior_variance": 1.0}
    if options.warm_start == "pictures":
        first = 1 + int(numbers.max())
        looks = places(site, collection, first, options.dimensions)[numbers]
        if looks.any():
            unit = 1.0 / calibrate_noise(random_margins(looks, seed=0), FLIPPED)
            metrics |= {"prior_variance": unit**2, "pictures": first, "unit": unit}
            return metrics, expected(site, collection, metrics, numbers, options.dimensions)
    return metrics | {"cold": True}, expected(site, collection, metrics, numbers, options.dimensions)


def publish(db: Connection, site: Site, collection: Collection, **values: Any) -> ModelInfo | None:
    """Write a model and make it the one in use, if the one known to `collection` still is; else write nothing."""
    collections.lock(db, collection.id)
    now_in_use = collections.by_id(db, collection.id).model_id
    if now_in_use != collection.model_id:
        return None
    made = models.add(db, collection_id=collection.id, now=site.now(), **values)
    if not collections.swap_model(db, collection.id, collection.model_id, made.info.id):
        raise Conflict("Another model was published at the same moment.")
    return made.info


def unknown_places(numbers: Items, dimensions: int, variance: float) -> Embedding:
    """Where items are of which nothing is known: near 0 (no two at the same place), with the prior's variance."""
    sd = float(np.sqrt(variance))
    rows = [np.random.default_rng([int(number), dimensions]).standard_normal(dimensions) for number in numbers]
    return Embedding(_NEAR_ZERO * sd * np.array(rows), np.full((len(numbers), dimensions), variance))


def expected(site: Site, collection: Collection, metrics: dict[str, Any], numbers: Items, dimensions: int) -> Embedding:
    """Where items are before any answer about them, by what a model's metrics tell of its prior."""
    unknown = unknown_places(numbers, dimensions, float(metrics.get("prior_variance", 1.0)))
    if "pictures" not in metrics:
        return unknown
    looks = places(site, collection, int(metrics["pictures"]), dimensions)[numbers]
    return Embedding(float(metrics["unit"]) * looks + unknown.mean, unknown.var)


def moved(site: Site, collection: Collection, model: Model, numbers: Items) -> Embedding:
    """The model's positions for these items; those it does not cover are where they are expected."""
    old = model.embedding
    fresh = expected(site, collection, model.info.metrics, numbers, old.dim)
    mean, var = fresh.mean.copy(), np.array(fresh.var)
    _, here, there = np.intersect1d(numbers, model.items, return_indices=True)
    mean[here] = old.mean[there]
    var[here] = 1e-6 if old.var is None else old.var[there]
    return Embedding(mean, var)


def roll_back(site: Site, collection: Collection, version: int) -> ModelInfo:
    """Use the positions of an older model again. Lessons so far are not taken in again: they led away from it."""
    with site.database.read() as db:
        old = models.by_version(db, collection.id, version)
        numbers = np.array(items.active_numbers(db, collection.id), np.int64)
    if old is None:
        raise NotFound(f"There is no model {version} of “{collection.title}”.")
    with site.database.write() as db:
        info = publish(
            db,
            site,
            collection,
            parent_id=old.info.id,
            origin="rollback",
            published=True,
            trained_up_to=collection.lessons,
            triplets=old.info.triplets,
            noise=old.info.noise,
            metrics=old.info.metrics,
            items=numbers,
            embedding=moved(site, collection, old, numbers),
        )
    if info is None:
        raise Conflict("Another model was published meanwhile: look again.")
    return info
