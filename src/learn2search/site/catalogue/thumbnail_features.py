"""How pictures look, in a few numbers: where a warm start places items before anybody has compared them.

The import keeps of each picture its *look*: 8 × 8 colours. A few principal components of the looks, in OKLab, where
distances are about those that eyes see, are the mean of the prior; answers then say how far that is right. Looks are
kept with the items and the axes follow from them, so that every process finds the same places.
"""

from typing import Any

import numpy as np
from PIL import Image

from learn2search.oklab import to_oklab
from learn2search.site.context import Site
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.typing import Array, Mask

GRID = 8
_AXES_FROM = 4096  # items at most that tell the axes


def look_of(picture: Image.Image) -> str:
    """8 × 8 mean colours, as hexadecimal digits."""
    return picture.convert("RGB").resize((GRID, GRID), Image.Resampling.BOX).tobytes().hex()


def thumbnail_positions(site: Site, collection: Collection, first: int, dimensions: int) -> Array:
    """Where all items of a collection are by their looks, `(size, dimensions)`, in units of their spread along an axis.

    first: the axes are those of the items numbered below it, so that they stay when more items come. An item without a
    picture is at the centre.
    """
    with site.database.read() as db:
        media = [item.media for item in items.all_items(db, collection.id)]
    seen = np.array([at for at, one in enumerate(media) if "look" in one], np.int64)
    found = np.zeros((len(media), dimensions))
    if len(seen):
        found[seen] = _on_axes(_colours([media[at] for at in seen]), seen < first, dimensions)
    return found


def _colours(media: list[dict[str, Any]]) -> Array:
    """The looks in OKLab, `(n, 3 GRID²)`."""
    rgb = np.frombuffer(bytes.fromhex("".join(one["look"] for one in media)), np.uint8)
    return to_oklab(rgb.reshape(len(media), -1, 3) / 255.0).reshape(len(media), -1)


def _on_axes(looks: Array, told: Mask, dimensions: int) -> Array:
    """The first principal components, each axis turned so that its largest weight is positive, filled up with zeros."""
    some = looks[told][:: 1 + int(told.sum()) // _AXES_FROM]
    if len(some) < 2:
        return np.zeros((len(looks), dimensions))
    middle = some.mean(axis=0)
    _, spread, axes = np.linalg.svd(some - middle, full_matrices=False)
    axes = axes[:dimensions] * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:dimensions, None]
    unit = float(np.sqrt((spread[:dimensions] ** 2).sum() / (len(some) * dimensions)))
    turned = (looks - middle) @ axes.T / (unit or 1.0)
    return np.pad(turned, ((0, 0), (0, dimensions - len(axes))))
