"""Something like it, to begin with: items from a gallery, by their words, or like a picture that the visitor sends."""

import numpy as np

from learn2search.site.catalogue.item_features import has_picture_features, nearest_to_picture
from learn2search.site.catalogue.media import SMALL, Unreadable, decode
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.items import Item

PAGE = 24  # items of a page
NEAREST = 12  # items that are shown as those most like a picture
_SECONDS = 60.0  # for which it is known whether a collection has picture features


def some_items(site: Site, collection: Collection, page: int) -> list[Item]:
    """A page of items in an order without any meaning, so that the first ones differ; empty after the last page."""
    active = site.models.model(site.published_model_id(collection)).items
    order = np.random.default_rng(collection.id).permutation(active)
    wanted = order[page * PAGE : (page + 1) * PAGE].tolist()  # only these become Python's numbers
    found = site.items(collection.id, wanted)
    return [found[number] for number in wanted if number in found]


def items_with_words(site: Site, collection: Collection, words: str, page: int) -> list[Item]:
    """A page of the items with these words in their title, key or group."""
    plain = words.replace("\0", "").strip()
    with site.database.read() as db:
        return items.page(db, collection.id, plain, page * PAGE, PAGE, active_only=True)


def takes_pictures(site: Site, collection: Collection) -> bool:
    """Can a picture be compared with the items?"""
    name = ("takes pictures", collection.id)
    return site.remember(name, _SECONDS, lambda: has_picture_features(site, collection))


def items_like(site: Site, collection: Collection, data: bytes) -> list[Item]:
    """The items most like a picture in colours and edges, the nearest first. Nothing of the picture is kept.

    Raises
    ------
    NotFound
        If the collection has no picture features.
    Invalid
        If it is no picture, or has too many pixels.
    """
    if not takes_pictures(site, collection):
        raise NotFound("“%(collection)s” cannot be compared with a picture.", collection=collection.title)
    if not data:
        raise Invalid("Please choose a picture first.")
    try:
        picture = decode(data)
    except Unreadable as error:
        raise Invalid("This file cannot be used: %(reason)s.", reason=error) from error
    picture.thumbnail((SMALL, SMALL))  # as the pictures of the items that the features were taken from
    nearest = nearest_to_picture(site, collection, picture, NEAREST)
    found = site.items(collection.id, nearest)
    return [found[number] for number in nearest]
