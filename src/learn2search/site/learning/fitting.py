"""One fit of the trainer: what the site knows, in the form that the learning policy takes, and the result."""

from dataclasses import dataclass

import numpy as np

from learn2search import Embedding
from learn2search.learn import policy
from learn2search.learn.judging import trust_in
from learn2search.learn.learnt import Learnt, Lessons
from learn2search.learn.policy import Result
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.learning.expected_positions import content_features, placed_by_content, positions_for
from learn2search.site.learning.metadata import ModelEvaluation, ModelMetadata, ModelPrior, metadata_of
from learn2search.site.learning.recipes import recipe_of
from learn2search.store import items, lessons, models
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin
from learn2search.store.models import Model
from learn2search.typing import Array

_LOOP, _FIT = 0, 1  # the random streams of the library's loop: the same searches then give the same embedding


@dataclass(frozen=True)
class FittedModel:
    """Positions of items 0..size-1, what is known about them, and whether they are to be published.

    fitted_up_to: the last lesson that was fitted. triplets: how many were fitted. weights: weight and evidence of each
    lesson, by its number.
    """

    embedding: Embedding
    metadata: ModelMetadata
    accepted: bool
    fitted_up_to: int
    triplets: int
    weights: dict[int, tuple[float, float]]


def read_lessons(site: Site, collection: Collection) -> Lessons:
    """All lessons that count."""
    with site.database.read() as db:
        rows = lessons.usable_triplets(db, collection.id)
        places, by_lesson = lessons.places(db, collection.id), lessons.taught_by(db, collection.id)
    numbers = np.ascontiguousarray(rows[:, 3])
    known, of = np.unique(numbers, return_inverse=True)
    taught = [by_lesson[number] for number in known.tolist()]
    visitors: dict[str, int] = {}
    who = [-1 if one.visitor is None else visitors.setdefault(one.visitor, len(visitors)) for one in taught]
    return Lessons(
        np.ascontiguousarray(rows[:, :3]),
        numbers,
        np.array([places.get((lesson, step), -1) for lesson, step in rows[:, 3:].tolist()], np.int64),
        np.array(who, np.int64)[of],
        np.array([one.trusted for one in taught], bool)[of],
        np.array([1.0 if one.weight is None else one.weight for one in taught], float)[of],
    )


def fit_model(site: Site, collection: Collection, current: Model, taught: Lessons) -> FittedModel:
    """Fit the lessons by the policy, starting from the model in use."""
    recipe, metadata = recipe_of(collection), metadata_of(current.info)
    with site.database.read() as db:
        size = items.next_number(db, collection.id)
    up_to = policy.last_lesson_to_fit(recipe, taught, current.info.trained_up_to, has_features=metadata.knows_features)
    known = _known(site, collection, current, up_to, size)
    placed = _placed(site, collection, metadata.prior, size)
    seed = np.random.SeedSequence(site.settings.seed, spawn_key=(_LOOP, _FIT, collection.lessons))
    features = content_features(site, collection, metadata.prior, np.arange(size))
    result = policy.attempt(
        recipe, taught, up_to, known, placed, seed, features=features, exact_features=metadata.prior.features
    )
    trust = trust_in(result.learnt, taught, up_to)
    described = _described(result, metadata.prior, trust, len(taught.triplets), collection.lessons).model_copy(
        update={"one_choice": recipe.one_choice}
    )
    weights: dict[int, tuple[float, float]] = {}
    if result.weights is not None:
        each = zip(result.weights.weights.tolist(), result.weights.evidence.tolist(), strict=True)
        weights = dict(zip(np.unique(taught.numbers).tolist(), each, strict=True))
    triplets = len(taught.up_to(up_to))
    return FittedModel(result.learnt.embedding, described, result.accepted, up_to, triplets, weights)


def _known(site: Site, collection: Collection, current: Model, up_to: int, size: int) -> Learnt:
    """The model in use for all items, with its online lessons up to one taken in."""
    metadata = metadata_of(current.info)
    known = site.models.embedding_at(current.info.id, up_to)
    now = Model(current.info, known.items, known.embedding)
    d = known.embedding.dim
    scale = 0.0 if metadata.prior.content is None else metadata.prior.content.scale
    return Learnt(
        positions_for(site, collection, now, np.arange(size)),
        metadata.prior.variances(d),
        current.info.noise,
        current.info.trained_up_to,
        metadata.is_taught and d == options_of(collection).dimensions,
        metadata.online,
        scale,
        lapse=metadata.lapse,
    )


def _placed(site: Site, collection: Collection, prior: ModelPrior, size: int) -> Array | None:
    """What is known beforehand on the axes of the embedding: the owner's features, what items show, or nothing."""
    if prior.features:
        with site.database.read() as db:
            given = models.get_last_of_origin(db, collection.id, ModelOrigin.FEATURES)
        return positions_for(site, collection, given, np.arange(size)).mean
    if prior.content is not None:
        return placed_by_content(site, collection, prior.content, options_of(collection).dimensions)[:size]
    return None


def _described(result: Result, prior: ModelPrior, trust: float, triplets: int, lessons_now: int) -> ModelMetadata:
    learnt, content = result.learnt, prior.content
    if content is not None:
        content = content.model_copy(update={"scale": learnt.feature_scale})
    variance = tuple(learnt.prior_variance.tolist())
    evaluation = None if result.evaluation is None else ModelEvaluation(**result.evaluation._asdict())
    return ModelMetadata(
        prior=ModelPrior(variance=variance, content=content, features=prior.features),
        evaluation=evaluation,
        online=learnt.online,
        crowd=learnt.crowd,
        lapse=learnt.lapse,
        trust=trust,
        triplets=triplets,
        lessons=lessons_now,
    )
