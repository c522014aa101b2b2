"""The features of a collection's items, `(n, f)`: what pictures, texts and sounds say by themselves, or an encoder.

The rows follow from the content of the items alone. What takes long is computed once and kept in the site's home
(`feature_cache`), so that every process has the same numbers. Centre, scale and axes are those of the items below a
given number: they stay when more items come.
"""

import hashlib
import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image

from learn2search.site.catalogue.features.encoder import Encoder, open_encoder
from learn2search.site.catalogue.features.feature_blocks import Block, join, principal_components
from learn2search.site.catalogue.features.feature_cache import Progress, forget_rows, rows_by_key, silent
from learn2search.site.catalogue.features.picture_features import (
    colour_features,
    gradient_histograms,
    gradients_from_hex,
    thumbnail_colours,
)
from learn2search.site.catalogue.features.sound_features import N_MEL, UnreadableSound, read_wav, sound_features
from learn2search.site.catalogue.features.text_features import text_features
from learn2search.site.catalogue.item_media import Media, MediaKind, Picture, Sound, TextCard, media_of
from learn2search.site.catalogue.options import EncoderFile, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.items import Item
from learn2search.typing import Array

COLOURS, PICTURES, CONTENT, ENCODER = "colours", "pictures", "content", "encoder"
_GRADIENTS, _SOUNDS = "gradients-1", "sounds-1"  # folders of the cache; another formula gets another name
_BATCH = 64  # rows that are computed before they are written

Compute = Callable[[list[str]], Sequence[Array | None]]


def feature_source(collection: Collection) -> str | None:
    """Where the features of a collection come from, by its options: "pictures", "content", "encoder:KIND:DIGEST", or
    None for nowhere. Models of version 0.1 have "colours"."""
    options = options_of(collection)
    if options.warm_start == "encoder":
        return None if options.encoder is None else options.encoder.source
    return None if options.warm_start == "nothing" else options.warm_start


def has_picture_features(site: Site, collection: Collection) -> bool:
    """Do the colours and edges of its pictures place the items of this collection?"""
    if feature_source(collection) not in (PICTURES, CONTENT):
        return False
    with site.database.read() as db:
        known = items.all_items(db, collection.id, active_only=True)
    return any(isinstance(media, Picture) and media.thumbnail_colours is not None for media in map(media_of, known))


def item_features(
    site: Site, collection: Collection, source: str, first: int | None = None, progress: Progress | None = None
) -> Array:
    """What is known of the items without any answer.

    Parameters
    ----------
    source
        As in `feature_source`.
    first
        Centre, scale and words are those of the items with numbers below this one; by default of all.
    progress
        Shows a bar. Then an encoder that fails is an error; else the items that it has not seen yet are at the mean.

    Returns
    -------
    Array
        `(size, f)`; row i is item i. Each kind of features is centred and has a total variance of 1; items without
        that kind have zeros. There is no column when no two items differ.
    """
    with site.database.read() as db:
        known = items.all_items(db, collection.id)
    reader = _Reader(site, collection, known, len(known) if first is None else first, progress)
    return join(list(reader.blocks(source)), len(known), reader.first)


def nearest_to_picture(site: Site, collection: Collection, picture: Image.Image, count: int) -> list[int]:
    """The active items whose pictures are most like this one in colours and edges, the nearest first.

    The distance is the one of `item_features`: each kind of features counts alike.
    """
    with site.database.read() as db:
        known = items.all_items(db, collection.id)
    reader = _Reader(site, collection, known, len(known), None)
    pairs = (
        (reader._colours(), colour_features([thumbnail_colours(picture)])[0]),
        (reader._gradients(), gradient_histograms(picture)),
    )
    blocks = [_with_row(block, len(known), row) for found, row in pairs for block in found]
    features = join(blocks, len(known) + 1, first=len(known))  # the last row is the picture's
    far = ((features[:-1] - features[-1]) ** 2).sum(axis=1)
    candidates = [at for block in blocks[:1] for at in block.items[:-1].tolist() if known[at].active]
    return [known[at].number for at in sorted(candidates, key=lambda at: float(far[at]))[:count]]


def _with_row(block: Block, item: int, row: Array) -> Block:
    return Block(np.append(block.items, item), np.vstack([block.rows, row]))


def feature_positions(site: Site, collection: Collection, source: str, first: int, dimensions: int) -> Array:
    """The features on their first principal axes, `(size, dimensions)`, in units of their mean spread along an axis.

    Parameters
    ----------
    first
        The axes are those of the items with numbers below this one.
    """
    features = item_features(site, collection, source, first)
    has_features = features.any(axis=1)
    found = np.zeros((len(features), dimensions))
    define_axes = has_features & (np.arange(len(features)) < first)
    found[has_features] = principal_components(features[has_features], define_axes[has_features], dimensions)
    return found


@dataclass(frozen=True)
class _Reader:
    """Reads the features of the items of a collection, block by block."""

    site: Site
    collection: Collection
    items: Sequence[Item]
    first: int
    progress: Progress | None

    @cached_property
    def media(self) -> list[Media]:
        return [media_of(item) for item in self.items]

    def _file(self, name: str) -> Path:
        """A file of the media; where it is missing, a path to nothing."""
        slug = self.collection.slug
        return self.site.media.path(slug, name) or self.site.media.folder(slug) / name

    def _cached(self, name: str, keys: list[str], compute: Compute, label: str) -> dict[str, Array]:
        folder = self.site.settings.features / self.collection.slug / name
        return rows_by_key(folder, keys, compute, batch=_BATCH, label=label, progress=self.progress or silent)

    def blocks(self, source: str) -> Iterator[Block]:
        if source.startswith(ENCODER):
            yield from self._encoded(source)
            return
        yield from self._colours()
        if source in (PICTURES, CONTENT):
            yield from self._gradients()
        if source == CONTENT:
            yield from self._texts()
            yield from self._sounds()

    def _colours(self) -> Iterator[Block]:
        found = {
            at: one.thumbnail_colours
            for at, one in enumerate(self.media)
            if isinstance(one, Picture) and one.thumbnail_colours is not None
        }
        if found:
            yield Block(np.array(list(found)), colour_features(list(found.values())))

    def _gradients(self) -> Iterator[Block]:
        pictures = {at: one for at, one in enumerate(self.media) if isinstance(one, Picture)}
        stored = {
            at: gradients_from_hex(one.thumbnail_gradients) for at, one in pictures.items() if one.thumbnail_gradients
        }
        files = {at: one.small for at, one in pictures.items() if at not in stored and _has_pixels(one)}
        yield from _block(stored | self._computed(_GRADIENTS, files, _gradients_of, "Reading the pictures"))

    def _texts(self) -> Iterator[Block]:
        cards = np.array([at for at, one in enumerate(self.media) if isinstance(one, TextCard)], np.int64)
        if len(cards):
            yield Block(cards, text_features([_words(self.items[at]) for at in cards], cards < self.first))

    def _sounds(self) -> Iterator[Block]:
        files = {at: one.file for at, one in enumerate(self.media) if isinstance(one, Sound)}
        for block in _block(self._computed(_SOUNDS, files, _sound_of, "Reading the sounds")):
            yield Block(block.items, block.rows[:, :N_MEL])
            yield Block(block.items, block.rows[:, N_MEL:])

    def _computed(
        self, name: str, files: dict[int, str], compute: Callable[[Path], Array | None], label: str
    ) -> dict[int, Array]:
        """The rows of these items, computed from their files with all cores, or read from the cache."""

        def compute_all(names: list[str]) -> list[Array | None]:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                return list(pool.map(lambda file: compute(self._file(file)), names))

        rows = self._cached(name, list(files.values()), compute_all, label)
        return {at: rows[file] for at, file in files.items() if file in rows}

    def _encoded(self, source: str) -> Iterator[Block]:
        """What an encoder gives: computed where it is missing, if the encoder is still there."""
        _, kind, digest = source.split(":")
        things = self._things(MediaKind(kind))
        by_key = dict(things.values())
        chosen = options_of(self.collection).encoder
        is_this = chosen is not None and chosen.source == source
        run = _EncoderRun(chosen if is_this else None, strict=self.progress is not None)
        rows = self._cached(
            f"{ENCODER}-{digest}",
            list(by_key),
            lambda keys: run.encode([self._fetched(by_key[key]) for key in keys]),
            "Running the encoder",
        )
        yield from _block({at: rows[key] for at, (key, _) in things.items() if key in rows})

    def _fetched(self, thing: Path | str) -> Path | str:
        return self._file(thing.name) if isinstance(thing, Path) else thing

    def _things(self, kind: MediaKind) -> dict[int, tuple[str, Path | str]]:
        """What an encoder of a kind reads of each item, words or the name of a file, and its name in the cache.

        All items have words.
        """
        if kind is MediaKind.TEXT:
            words = [_words(item) for item in self.items]
            return {at: (_words_key(text), text) for at, text in enumerate(words)}
        files = {}
        for at, one in enumerate(self.media):
            if kind is MediaKind.PICTURE and isinstance(one, Picture) and _has_pixels(one):
                files[at] = one.large
            elif kind is MediaKind.SOUND and isinstance(one, Sound):
                files[at] = one.file
        return {at: (name, Path(name)) for at, name in files.items()}


class _EncoderRun:
    """Opens an encoder when it is first needed. If not `strict`, one that is gone, changed or broken gives nothing."""

    def __init__(self, chosen: EncoderFile | None, *, strict: bool) -> None:
        self._chosen, self._strict = chosen, strict
        self._encoder: Encoder | None = None

    def encode(self, things: list[Path | str]) -> list[Array | None]:
        if self._chosen is None:
            return [None] * len(things)
        try:
            encoder = self._opened(self._chosen)
            starts = range(0, len(things), encoder.batch)
            return [row for start in starts for row in encoder.encode(things[start : start + encoder.batch])]
        except Invalid:
            if self._strict:
                raise
            self._chosen = None
            return [None] * len(things)

    def _opened(self, chosen: EncoderFile) -> Encoder:
        if self._encoder is None:
            self._encoder = open_encoder(Path(chosen.path))
            if self._encoder.digest != chosen.digest:
                raise Invalid(f"{chosen.path} is another encoder now: import with --encoder to use it.")
        return self._encoder


def _block(rows: dict[int, Array]) -> Iterator[Block]:
    """The rows as a block, if there are any."""
    if rows:
        order = sorted(rows)
        yield Block(np.array(order, np.int64), np.stack([rows[at] for at in order]))


def _has_pixels(picture: Picture) -> bool:
    """Drawings are SVG, which nothing here turns into pixels."""
    return not picture.small.endswith(".svg")


def _words(item: Item) -> str:
    return f"{item.title}\n{item.description}".strip()


def _words_key(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:32]


def forget_features(site: Site, collection: Collection, gone: Iterable[Item], kept_files: Container[str]) -> None:
    """Delete what was computed from the words and the files of these items, but from files that others show too."""
    keys = {_words_key(_words(item)) for item in gone}
    keys |= {name for item in gone for name in media_of(item).files.values() if name not in kept_files}
    forget_rows(site.settings.features / collection.slug, keys)


def _gradients_of(path: Path) -> Array | None:
    try:
        with Image.open(path) as picture:
            return gradient_histograms(picture)
    except OSError:  # the file is gone or damaged: the site cannot show it either
        return None


def _sound_of(path: Path) -> Array | None:
    try:
        return sound_features(read_wav(path))
    except UnreadableSound:
        return None
