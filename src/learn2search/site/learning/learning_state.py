"""What operators ask of learning: when each collection was fitted last, how old its model is, does a fit wait."""

from dataclasses import dataclass

from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.store import collections, models
from learn2search.store.collections import Collection

_SECONDS = 5.0  # that what is said may be old


@dataclass(frozen=True)
class LearningState:
    """How far learning is in one collection. Times in seconds since 1970.

    Parameters
    ----------
    last_fit
        When the last fit ended that did not fail, published or kept out; None before the first.
    model_made
        When the model in use was made; None where there are too few items for one.
    is_due
        Is there something that a trainer has to fit now?
    """

    collection: Collection
    last_fit: float | None
    model_made: float | None
    is_due: bool


def learning_states(site: Site) -> list[LearningState]:
    """The state of each collection, a few seconds old at most."""

    def read() -> list[LearningState]:
        with site.database.read() as db:
            known = collections.all_collections(db)
        return [_state(site, one) for one in known]

    return site.remember("learning states", _SECONDS, read)


def _state(site: Site, collection: Collection) -> LearningState:
    with site.database.read() as db:
        last = models.last_attempt(db, collection.id)
        used = None if collection.model_id is None else models.info(db, collection.model_id)
    return LearningState(
        collection,
        last_fit=None if last is None else last.created_at,
        model_made=None if used is None else used.created_at,
        is_due=trainer.is_due(site, collection),
    )
