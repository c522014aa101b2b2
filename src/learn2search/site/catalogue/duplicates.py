"""Pictures of a collection that are much alike, such as two files of one photograph.

First the mean colours of 8 × 8 fields, which every picture has since its import, choose candidates: of up to `EXACT`
pictures all pairs, of more only pairs that stand next to each other in one of a few orders, so that the work grows with
the number of pictures and not with its square. Then the pixels of the candidates are compared.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from learn2search.site.catalogue.features.picture_features import colour_features
from learn2search.site.catalogue.item_media import Picture, media_of
from learn2search.site.context import Site
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.items import Item
from learn2search.typing import Array

EXACT = 4000  # pictures, of which all pairs are compared
NEAR = 0.03  # root mean square difference of the colours in OKLab, where black and white are 1 apart
ALIKE = 0.06  # and of the grey pixels, where black and white are 1 apart
_SAME = 0.004  # of the colours of two drawings
MOST = 60  # pairs that are shown
_CANDIDATES = 600  # pairs whose pixels are compared
_ORDERS, _NEIGHBOURS = 8, 6  # of more pictures: along so many directions, each with so many that follow
_SIDE, _ROWS = 32, 500


@dataclass(frozen=True)
class Pair:
    """Two items, and the root mean square difference of their pixels: 0 is the same, 1 is black against white."""

    first: Item
    second: Item
    difference: float

    @property
    def percent_alike(self) -> float:
        return 100 * (1 - self.difference)


@dataclass(frozen=True)
class Duplicates:
    """The pairs, the most alike first; `compared` pictures, and whether all pairs of them were looked at."""

    pairs: tuple[Pair, ...]
    compared: int
    exact: bool


def find_duplicates(site: Site, collection: Collection) -> Duplicates:
    """Pairs of pictures in use that are much alike."""
    with site.database.read() as db:
        known = items.all_items(db, collection.id, active_only=True)
    pictures = [(item, media) for item in known if isinstance(media := media_of(item), Picture)]
    pictures = [(item, media) for item, media in pictures if media.thumbnail_colours is not None]
    if len(pictures) < 2:
        return Duplicates((), len(pictures), True)
    colours = colour_features([media.thumbnail_colours or "" for _, media in pictures]) / np.sqrt(64)
    near = _all_pairs(colours) if len(colours) <= EXACT else _neighbours(colours)
    candidates = sorted(near)[:_CANDIDATES]
    pixels = _Pixels(partial(site.media.path, collection.slug))
    judged = [
        Pair(pictures[a][0], pictures[b][0], pixels.difference(pictures[a][1], pictures[b][1], distance))
        for distance, a, b in candidates
    ]
    alike = sorted((pair for pair in judged if pair.difference <= ALIKE), key=lambda pair: pair.difference)
    return Duplicates(tuple(alike[:MOST]), len(pictures), len(colours) <= EXACT)


def _all_pairs(colours: Array) -> Iterator[tuple[float, int, int]]:
    """(distance, a, b) of all rows a < b that are near each other."""
    for start in range(0, len(colours), _ROWS):
        part = colours[start : start + _ROWS]
        squares = (part**2).sum(1)[:, None] + (colours**2).sum(1)[None] - 2 * part @ colours.T
        for a, b in np.argwhere(squares <= NEAR**2 + 1e-9).tolist():
            if start + a < b:
                yield float(np.sqrt(max(squares[a, b], 0.0))), start + a, b


def _neighbours(colours: Array) -> set[tuple[float, int, int]]:
    """The same for rows that follow each other along one of a few directions: equal rows do along every one."""
    directions = np.random.default_rng(0).standard_normal((colours.shape[1], _ORDERS))
    found: set[tuple[float, int, int]] = set()
    for order in np.argsort(colours @ directions, axis=0).T:
        for step in range(1, _NEIGHBOURS + 1):
            found.update(_near(colours, order[:-step], order[step:]))
    return found


def _near(colours: Array, first: NDArray[np.int64], second: NDArray[np.int64]) -> Iterator[tuple[float, int, int]]:
    distances = np.sqrt(((colours[first] - colours[second]) ** 2).sum(1))
    for at in np.flatnonzero(distances <= NEAR).tolist():
        a, b = sorted((int(first[at]), int(second[at])))
        yield float(distances[at]), a, b


class _Pixels:
    """Small grey copies of pictures, each read once."""

    def __init__(self, path_of: Callable[[str], Path | None]) -> None:
        self._path_of = path_of
        self._known: dict[str, Array | None] = {}

    def difference(self, first: Picture, second: Picture, colours: float) -> float:
        """Root mean square of the pixels. Nothing here turns drawings into pixels: they need the same colours."""
        a, b = self._grey(first.small), self._grey(second.small)
        if a is None or b is None:
            return colours if colours <= _SAME else 1.0
        return float(np.sqrt(((a - b) ** 2).mean()))

    def _grey(self, name: str) -> Array | None:
        if name not in self._known:
            self._known[name] = None if name.endswith(".svg") else _read(self._path_of(name))
        return self._known[name]


def _read(path: Path | None) -> Array | None:
    if path is None:
        return None
    try:
        with Image.open(path) as picture:
            return np.asarray(picture.convert("L").resize((_SIDE, _SIDE), Image.Resampling.BOX), float) / 255.0
    except OSError:  # the file is gone or damaged
        return None
