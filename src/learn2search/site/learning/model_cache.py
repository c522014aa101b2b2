"""What a search knows: a model and the lessons since it was trained, taken in one by one.

A published model is never changed. Between two fits every finished search adds a lesson, and whoever needs the newest
positions takes the lessons in, in their order, by the online step. So the pair (model, lessons) names one embedding,
and every worker arrives at the same one.
"""

import threading
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import numpy as np
import structlog
from cachetools import FIFOCache, cachedmethod
from sqlalchemy import Connection

from learn2search import Embedding
from learn2search.learn import policy
from learn2search.site.errors import Unavailable
from learn2search.site.learning.metadata import ModelMetadata, metadata_of
from learn2search.site.learning.model_files import ModelFiles
from learn2search.store import lessons, models
from learn2search.store.database import Database
from learn2search.store.models import DamagedModelError, Model, ModelInfo
from learn2search.typing import Items, Mask, Triplets

_KEPT = 24  # models or embeddings at most,
_MEMORY = 200_000_000  # and not more bytes of embeddings than this, about,
_LEAST = 3  # but so many, however large
log = structlog.get_logger()

_QUICK = 5_000  # items: below, every lesson makes a new embedding; above, every n/_QUICK-th


@dataclass(frozen=True)
class Damage:
    """A model whose arrays cannot be read, and the one that is used in its place; None where no model is whole."""

    model: ModelInfo
    stand_in: ModelInfo | None
    reason: str


@dataclass(frozen=True, eq=False)
class EmbeddingAt:
    """Positions `embedding` (n, d) of the items `items` (n,), ascending, as known after `lessons`."""

    model: Model
    lessons: int
    embedding: Embedding

    @property
    def metadata(self) -> ModelMetadata:
        return metadata_of(self.model.info)

    @property
    def items(self) -> Items:
        return self.model.items

    def row(self, number: int) -> int:
        """The row of an item; an item that the model does not cover is a KeyError."""
        at = int(np.searchsorted(self.items, number))
        if at == len(self.items) or self.items[at] != number:
            raise KeyError(number)
        return at

    def numbers(self, rows: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(int(self.items[row]) for row in rows)


class ModelCache:
    """Models and embeddings, read once and shared by all searches of a process.

    Parameters
    ----------
    folder
        Where large models are shared with the other processes of the machine; None: they are not.
    """

    def __init__(self, database: Database, folder: Path | None = None) -> None:
        self._database = database
        self._files = ModelFiles(folder)
        self._lock = threading.Lock()
        self._models: FIFOCache[object, Model] = FIFOCache(_KEPT)
        self._known: FIFOCache[tuple[int, int], EmbeddingAt] = FIFOCache(_MEMORY, _room_of)
        self._covered: FIFOCache[object, frozenset[int]] = FIFOCache(_KEPT)
        self._damaged: dict[int, Damage] = {}

    @cachedmethod(attrgetter("_models"), lock=attrgetter("_lock"))
    def model(self, model_id: int) -> Model:
        """A model; in the place of a damaged one, the one before it that is whole.

        Raises
        ------
        Unavailable
            If it is damaged and no other model of its collection is whole.
        """
        with self._database.read() as db:
            try:
                return self._files.get(db, model_id)
            except DamagedModelError as error:
                reason = str(error)
            damaged = models.info(db, model_id)
            found = self._first_whole(db, models.stand_ins(db, damaged))
        damage = Damage(damaged, None if found is None else found.info, reason)
        self._damaged[model_id] = damage
        log.error("model damaged", reason=reason, in_use=damage.stand_in and damage.stand_in.version)
        if found is None:
            raise Unavailable("The positions of the items are damaged, and must be restored by the owner of the site.")
        return found

    def _first_whole(self, db: Connection, model_ids: list[int]) -> Model | None:
        for model_id in model_ids:
            with suppress(DamagedModelError):
                return self._files.get(db, model_id)
        return None

    def tidy_files(self) -> None:
        """Remove the files of models that are not in use any more."""
        with self._database.read() as db:
            self._files.tidy(db)

    def is_loaded(self, model_id: int) -> bool:
        """Are its positions in memory?"""
        with self._lock:
            return any(known.model.info.id == model_id for known in self._known.values())

    def damage(self, model_id: int) -> Damage | None:
        """What is wrong with a model, None if it is whole."""
        with suppress(Unavailable):
            self.model(model_id)
        return self._damaged.get(model_id)

    @cachedmethod(attrgetter("_covered"), lock=attrgetter("_lock"))
    def covered(self, model_id: int) -> frozenset[int]:
        """The items that a model covers. Those of the published one are the active items of its collection."""
        return frozenset(self.model(model_id).items.tolist())

    def embedding_at(self, model_id: int, lessons_known: int) -> EmbeddingAt:
        """The positions after so many lessons."""
        model = self.model(model_id)
        lessons_known = max(model.info.trained_up_to, lessons_known if learns_online(model) else 0)
        key = (model_id, lessons_known)
        with self._lock:
            found = self._known.get(key)
            before = self._closest(model_id, lessons_known)
        if found is None:
            found = self._advance(
                before or EmbeddingAt(model, model.info.trained_up_to, model.embedding), lessons_known
            )
            with self._lock:
                self._known[key] = found
        return found

    def newest(self, model_id: int, lessons_now: int) -> int:
        """How many lessons a search that begins now should know."""
        model = self.model(model_id)
        if not learns_online(model):
            return model.info.trained_up_to
        every = max(1, len(model.items) // _QUICK)
        return max(model.info.trained_up_to, lessons_now - lessons_now % every)

    def _closest(self, model_id: int, up_to: int) -> EmbeddingAt | None:
        known = [one for (model, count), one in self._known.items() if model == model_id and count <= up_to]
        return max(known, key=lambda one: one.lessons, default=None)

    def _advance(self, before: EmbeddingAt, up_to: int) -> EmbeddingAt:
        if before.lessons == up_to:
            return before
        with self._database.read() as db:
            rows, weights, numbers = lessons.between(db, before.model.info.collection_id, before.lessons, up_to)
        inside = covered_rows(rows, before.items)
        weights, numbers = weights[inside], numbers[inside]
        rows = to_rows(rows, before.items)
        if len(rows) == 0:
            return EmbeddingAt(before.model, up_to, before.embedding)
        one_choice, lapse = before.metadata.one_choice, before.metadata.lapse
        taught = policy.take_in(before.embedding, rows, numbers, weights, one_choice=one_choice, lapse=lapse)
        return EmbeddingAt(before.model, up_to, taught)


def _room_of(known: EmbeddingAt) -> int:
    """Bytes, about; a share of the memory that lets `_LEAST` to `_KEPT` in."""
    return min(max(24 * known.embedding.mean.size, _MEMORY // _KEPT), _MEMORY // _LEAST)


def learns_online(model: Model) -> bool:
    """Online steps are good on top of a fit and poor from scratch."""
    return metadata_of(model.info).online and model.embedding.var is not None


def to_rows(triplets: Triplets, items: Items) -> Triplets:
    """Triplets of item numbers as triplets of rows; those that name an item which is not among `items` are left out."""
    return np.ascontiguousarray(np.searchsorted(items, triplets[covered_rows(triplets, items)]))


def covered_rows(triplets: Triplets, items: Items) -> Mask:
    """Which triplets name items that are among `items`, `(m,)`."""
    return np.asarray(np.isin(triplets, items).all(axis=1))
