"""Positions by program: a row for each key."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from learn2search.site.catalogue.imports import known_items
from learn2search.site.catalogue.known_features import publish_features
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.store.collections import Collection
from learn2search.typing import Array

_NAMED = 5  # keys in a message


def put_positions(site: Site, collection: Collection, keys: Sequence[str] | None, mean: ArrayLike) -> None:
    """Publish a model with the positions that the owner gives.

    Parameters
    ----------
    keys
        Whose position each row is; None: row i is that of item i.
    mean
        `(n, d)`.

    Raises
    ------
    Invalid
        If the rows are no table of numbers, a key is not known or there twice, or an active item has no row.
    """
    try:
        given = np.asarray(mean, float)
    except ValueError as error:
        raise Invalid(f"The positions are no table of numbers: {error}") from error
    if given.ndim != 2 or given.shape[1] == 0:
        raise Invalid(f"The positions have the shape {given.shape}, and a row of numbers for each item is needed.")
    if keys is None:
        publish_features(site, collection, given)
        return
    known = known_items(site, collection)
    _check(keys, given, set(known), {key for key, item in known.items() if item.active})
    rows = np.zeros((1 + max(item.number for item in known.values()), given.shape[1]))
    rows[[known[key].number for key in keys]] = given
    publish_features(site, collection, rows)


def _check(keys: Sequence[str], given: Array, known: set[str], active: set[str]) -> None:
    if len(keys) != len(given):
        raise Invalid(f"There are {len(keys)} keys and {len(given)} rows: each key has one row.")
    if len(set(keys)) < len(keys):
        raise Invalid("A key is there twice.")
    for what, some in (("not in this collection", set(keys) - known), ("without a row", active - set(keys))):
        if some:
            named = ", ".join(sorted(some)[:_NAMED])
            raise Invalid(f"{len(some)} keys are {what}: {named}{' …' if len(some) > _NAMED else ''}")
    if not active:
        raise Invalid("The collection has no items yet.")
