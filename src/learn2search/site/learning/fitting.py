"""What one fit of the trainer does: positions of all items from all triplets.

From scratch while there is little, later from where the model in use is. What is known beforehand is the mean of the
prior: features that the owner gave, or, with a warm start, the pictures, in the unit that fits the answers best.
"""

from typing import Any

import numpy as np

from learn2search import Embedding, GaussEmbed
from learn2search.learn.models import likeliest_scale
from learn2search.site.catalogue.known_features import rescaled
from learn2search.site.catalogue.options import options_of
from learn2search.site.catalogue.thumbnail_features import places
from learn2search.site.context import Site
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.site.learning.publishing import moved
from learn2search.store import models
from learn2search.store.collections import Collection
from learn2search.store.models import Model
from learn2search.typing import Array, Triplets

REFINED = 6  # triplets an item: from there on given features are refined
WARM = 6  # triplets an item: from there on a fit begins where the last one ended
ONLINE = 3  # triplets an item: from there on lessons are taken in between fits
_WARM_EPOCHS = 20


def fit(
    site: Site, collection: Collection, triplets: Triplets, known: EmbeddingAt, size: int
) -> tuple[Embedding, dict[str, Any]]:
    """Positions of items 0..size-1, and what is told of the model: its prior, and whether it learns online."""
    density = len(triplets) / len(known.items)
    if known.model.info.metrics.get("features"):
        return _fit_features(site, collection, triplets, size, refined=density >= REFINED)
    dimensions = options_of(collection).dimensions
    centre, told = _by_pictures(site, collection, triplets, known, dimensions)
    learner = GaussEmbed(dimensions, random_state=site.generator())
    if density >= WARM and _fits_on(known, told, dimensions):
        now = Model(known.model.info, known.items, known.embedding)
        start = moved(site, collection, now, np.arange(size))
        learner.set_params(epochs=_WARM_EPOCHS).fit(triplets, init=start, n_items=size, prior_mean=centre)
    else:
        if centre is not None:  # few triplets move few items: a variance told by them would call the pictures exact
            learner.set_params(prior=told["unit"] ** 2)
        learner.fit(triplets, n_items=size, prior_mean=centre)
    told |= {"prior_variance": float(np.mean(learner.prior_variance_)), "online": density >= ONLINE}
    return learner.to_embedding(), told


def _by_pictures(
    site: Site, collection: Collection, triplets: Triplets, known: EmbeddingAt, dimensions: int
) -> tuple[Array | None, dict[str, Any]]:
    """The prior's mean by the pictures, and what is told of it; nothing without a warm start."""
    if options_of(collection).warm_start != "pictures":
        return None, {}
    first = int(known.model.info.metrics.get("pictures", 1 + int(known.items.max())))
    looks = places(site, collection, first, dimensions)
    if not looks.any():
        return None, {}
    unit = likeliest_scale(looks, triplets)
    return unit * looks, {"pictures": first, "unit": unit}


def _fits_on(known: EmbeddingAt, told: dict[str, Any], dimensions: int) -> bool:
    """Can a fit begin where the model in use is? It must have learnt something, and have the same axes."""
    metrics = known.model.info.metrics
    same_axes = known.embedding.dim == dimensions and metrics.get("pictures") == told.get("pictures")
    return same_axes and not metrics.get("cold", False)


def _fit_features(
    site: Site, collection: Collection, triplets: Triplets, size: int, *, refined: bool
) -> tuple[Embedding, dict[str, Any]]:
    """Features that were given, scaled to the answers, and refined when there are many."""
    space = Embedding(rescaled(_given(site, collection, size), triplets))
    prior = float(space.mean.var())
    if refined:
        learner = GaussEmbed(space.dim, random_state=site.generator())
        learner.fit(triplets, n_items=size, init=space, prior_mean=space.mean)
        space, prior = learner.to_embedding(), float(np.mean(learner.prior_variance_))
    return space, {"features": True, "prior_variance": prior, "online": refined}


def _given(site: Site, collection: Collection, size: int) -> Array:
    """The features that the owner gave, for all items; new ones have none and are at the centre."""
    with site.database.read() as db:
        found = models.last_of_origin(db, collection.id, "features")
        assert found is not None
        given = models.get(db, found)
    return moved(site, collection, given, np.arange(size)).mean
