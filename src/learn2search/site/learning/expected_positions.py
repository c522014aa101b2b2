"""Where items are of which nothing is known yet: about the centre, or where what they show places them."""

import numpy as np
from numpy.typing import NDArray

from learn2search import Embedding
from learn2search.learn.before_answers import first_positions, placed_like, unknown_offsets
from learn2search.site.catalogue.item_features import feature_positions, feature_source, item_features
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.learning.metadata import ContentPrior, ModelMetadata, ModelPrior, metadata_of
from learn2search.store.collections import Collection
from learn2search.store.models import Model
from learn2search.typing import Array

_EXACT = 1e-6  # the variance of a position that is known, where the others have variances


def first_metadata(site: Site, collection: Collection, numbers: NDArray[np.int64]) -> ModelMetadata:
    """Of a model that no answer has told anything: with a warm start, what items show places them."""
    source, d = feature_source(collection), options_of(collection).dimensions
    if source is not None:
        axes_from = 1 + int(numbers.max())
        placed = feature_positions(site, collection, source, axes_from, d)[numbers]
        if placed.any():
            start = first_positions(len(numbers), d, placed)
            content = ContentPrior(axes_from=axes_from, scale=start.feature_scale, source=source)
            prior = ModelPrior(variance=float(start.prior_variance[0]), content=content)
            return ModelMetadata(prior=prior, is_taught=False)
    return ModelMetadata(is_taught=False)


def expected_positions(
    site: Site, collection: Collection, prior: ModelPrior, numbers: NDArray[np.int64], d: int
) -> Embedding:
    """Where these items are before any answer about them, `(len(numbers), d)`."""
    return Embedding(*_expected(site, collection, prior, numbers, d))


def _expected(
    site: Site, collection: Collection, prior: ModelPrior, numbers: NDArray[np.int64], d: int
) -> tuple[Array, Array]:
    variances = prior.variances(d)
    mean = unknown_offsets(numbers, variances)
    if prior.content is not None:
        mean = mean + prior.content.scale * placed_by_content(site, collection, prior.content, d)[numbers]
    return mean, np.tile(variances, (len(numbers), 1))


def placed_by_content(site: Site, collection: Collection, content: ContentPrior, d: int) -> Array:
    """All items of the collection on the axes of what they show, `(size, d)`."""
    return feature_positions(site, collection, content.source, content.axes_from, d)


def content_features(site: Site, collection: Collection, prior: ModelPrior, numbers: NDArray[np.int64]) -> Array | None:
    """All that these items show, `(len(numbers), f)`; None where that is not used, or tells no two items apart."""
    if prior.content is None:
        return None
    features = item_features(site, collection, prior.content.source, prior.content.axes_from)[numbers]
    return features if features.size and features.std(axis=0).any() else None


def positions_for(site: Site, collection: Collection, model: Model, numbers: NDArray[np.int64]) -> Embedding:
    """The model's positions for these items; those it does not cover are where they are expected."""
    old, metadata = model.embedding, metadata_of(model.info)
    _, here, there = np.intersect1d(numbers, model.items, return_indices=True)
    mean, var = np.empty((len(numbers), old.dim)), np.empty((len(numbers), old.dim))
    mean[here] = old.mean[there]
    var[here] = _EXACT if old.var is None else old.var[there]
    new = np.setdiff1d(np.arange(len(numbers)), here)
    if len(new):
        mean[new], var[new] = _expected_beside(site, collection, model, metadata, numbers[new])
    return Embedding(mean, None if old.var is None and len(new) == 0 else var)


def _expected_beside(
    site: Site, collection: Collection, model: Model, metadata: ModelMetadata, numbers: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Where items are expected that the model does not cover, and the variances of that, `(len(numbers), d)` each: near
    items that show the like, once it is taught."""
    features = content_features(site, collection, metadata.prior, np.concatenate([model.items, numbers]))
    if features is None or not metadata.is_taught:
        return _expected(site, collection, metadata.prior, numbers, model.embedding.dim)
    known = len(model.items)
    mean, variance = placed_like(model.embedding.mean, features[:known], features[known:])
    return mean + unknown_offsets(numbers, variance), np.tile(variance, (len(numbers), 1))
