"""Known features: search works from the first visit, and clicks refine the positions.

Given features become a model with exact positions, in units of the noise: σ is 1. How noisy people are is not known at
first, so it is set high. The trainer then fits the scale to the finished searches, and, once there are many, the
positions too, with the features as the prior's mean.
"""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from learn2search import Embedding
from learn2search.comparison import expected_scale
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid
from learn2search.site.learning.metadata import ModelMetadata, ModelPrior
from learn2search.site.learning.publishing import publish
from learn2search.store import collections, items
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin
from learn2search.typing import Array


def read_features(path: Path) -> Array:
    """Features `(n, d)` from a file: .npy, .npz (its array `mean`) or .csv, one row an item in the order of numbers.

    Raises
    ------
    Invalid
        If the file holds no features.
    """
    try:
        if path.suffix == ".npy":
            return np.asarray(np.load(path, allow_pickle=False), float)
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as file:
                return np.asarray(file["mean"], float)
        return np.atleast_2d(np.genfromtxt(path, delimiter=",", skip_header=_has_header(path), encoding="utf-8-sig"))
    except (OSError, ValueError, KeyError) as error:
        raise Invalid(f"{path} does not hold features (.npy or .csv, one row an item): {error}") from error


def _has_header(path: Path) -> int:
    """1 if the first line of a table is not numbers, else 0: how many lines to skip."""
    first = path.read_text(encoding="utf-8-sig").split("\n", 1)[0].split(",")[0].strip()
    try:
        float(first)
    except ValueError:
        return 1
    return 0


def publish_features(site: Site, collection: Collection, features: ArrayLike) -> None:
    """Publish a model with the positions that the owner gives.

    Parameters
    ----------
    features
        `(n, d)`, row i for item i.

    Raises
    ------
    Invalid
        If an item has no row, or the features cannot be used.
    Conflict
        If another model was published meanwhile.
    """
    with site.database.read() as db:
        numbers = np.array(items.active_numbers(db, collection.id), np.int64)
        now = collections.by_id(db, collection.id)
    known = np.asarray(features, float)
    if known.ndim != 2 or len(known) <= numbers.max(initial=-1):
        raise Invalid(
            f"The features have shape {known.shape}, but item {numbers.max(initial=-1)} needs a row of its own."
        )
    try:
        given = Embedding(known[numbers])
        space = Embedding(expected_scale(given.mean) * given.mean)
    except ValueError as error:
        raise Invalid(f"The features cannot be used: {error}") from error
    options = options_of(now).model_copy(update={"dimensions": space.dim})
    prior = ModelPrior(variance=float(space.mean.var()), features=True)
    with site.database.write() as db:
        collections.change(db, now.id, now.title, options.model_dump(mode="json"))
        made = publish(
            db,
            site,
            now,
            parent_id=now.model_id,
            origin=ModelOrigin.FEATURES,
            published=True,
            trained_up_to=now.lessons,
            triplets=0,
            noise=1.0,
            metrics=ModelMetadata(prior=prior, is_taught=False).to_json(),
            items=numbers,
            embedding=space,
        )
    if made is None:
        raise Conflict("Another model was published meanwhile: try again.")
