"""Where pictures place items before anybody has compared them: a warm start.

The import keeps 8 × 8 colours of each picture. Their first principal components, in OKLab, where distances are about
those that eyes see, are the mean of the prior; answers then say how far that is right. The axes follow from the stored
colours alone, so that every process computes the same positions.
"""

from collections.abc import Sequence

import numpy as np
from PIL import Image

from learn2search.oklab import to_oklab
from learn2search.site.catalogue.item_media import Picture, media_of
from learn2search.site.context import Site
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.typing import Array, Mask

GRID = 8
_AXES_FROM = 4096  # items at most from which the axes are computed


def thumbnail_colours(picture: Image.Image) -> str:
    """The mean colours of 8 × 8 fields of a picture, as hexadecimal digits."""
    return picture.convert("RGB").resize((GRID, GRID), Image.Resampling.BOX).tobytes().hex()


def thumbnail_positions(site: Site, collection: Collection, first: int, dimensions: int) -> Array:
    """Where the pictures of a collection place its items.

    Parameters
    ----------
    first
        The axes are those of the items with numbers below this one, so that they stay when more items come.

    Returns
    -------
    Array
        `(size, dimensions)`, in units of the items' mean spread along an axis; row i is item i. Items without a picture
        are at the centre.
    """
    with site.database.read() as db:
        media = [media_of(item) for item in items.all_items(db, collection.id)]
    colours = [one.thumbnail_colours if isinstance(one, Picture) else None for one in media]
    pictured = np.array([at for at, one in enumerate(colours) if one is not None], np.int64)
    found = np.zeros((len(media), dimensions))
    if len(pictured):
        features = _features([one for one in colours if one is not None])
        found[pictured] = _principal_components(features, pictured < first, dimensions)
    return found


def _features(colours: Sequence[str]) -> Array:
    """The colours of thumbnails in OKLab, `(n, 3 GRID²)`."""
    rgb = np.frombuffer(bytes.fromhex("".join(colours)), np.uint8)
    return to_oklab(rgb.reshape(len(colours), -1, 3) / 255.0).reshape(len(colours), -1)


def _principal_components(features: Array, define_axes: Mask, dimensions: int) -> Array:
    """Coordinates on the first principal axes, `(n, dimensions)`; zeros where there are fewer axes than dimensions.

    The rows that `define_axes` marks give the axes, each turned so that its largest weight is positive.
    """
    sample = features[define_axes][:: 1 + int(define_axes.sum()) // _AXES_FROM]
    if len(sample) < 2:
        return np.zeros((len(features), dimensions))
    centre = sample.mean(axis=0)
    _, spread, axes = np.linalg.svd(sample - centre, full_matrices=False)
    axes = axes[:dimensions] * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:dimensions, None]
    unit = float(np.sqrt((spread[:dimensions] ** 2).sum() / (len(sample) * dimensions)))
    coordinates = (features - centre) @ axes.T / (unit or 1.0)
    return np.pad(coordinates, ((0, 0), (0, dimensions - len(axes))))
