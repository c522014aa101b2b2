"""Which screen to ask next: an item, and others beside it.

While little is known of the items, screens are drawn at random, those that were asked least first: a model of few
answers chooses worse (docs/research/teaching.md). Afterwards the library chooses those whose answers are expected to
tell most (`next_triplets`), some at a time.
"""

from collections import deque
from typing import NamedTuple

import numpy as np

from learn2search import GaussEmbed, next_triplets
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Unavailable
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.store import screens
from learn2search.store.collections import Collection
from learn2search.typing import Array, Items

_EVEN = 4  # screens an item that are drawn at random, before the model chooses
_BATCH = 16  # screens that are chosen together
_SECONDS = 120.0  # that a batch may be old
_LOOKED_AT = 2000  # items, at random, from which a batch is chosen where there are more


class Screen(NamedTuple):
    """What is asked: which of those shown are most like the anchor?"""

    anchor: int
    shown: tuple[int, ...]


def next_screen(site: Site, collection: Collection) -> Screen:
    """The next screen to ask.

    Raises
    ------
    Unavailable
        If the collection has too few items for a screen.
    """
    known, shown = site.newest_embedding(collection), options_of(collection).teaching_shown
    if len(known.items) < shown + 2:
        raise Unavailable(
            "“%(title)s” has too few items to be taught: it takes %(least)s.", title=collection.title, least=shown + 2
        )
    name = ("screens to ask", collection.id, known.model.info.id, shown)
    waiting: deque[Screen] = site.remember(name, _SECONDS, deque)
    while True:
        try:
            return waiting.popleft()
        except IndexError:
            waiting.extend(choose_screens(site, collection, known, shown, _BATCH))


def choose_screens(
    site: Site, collection: Collection, known: EmbeddingAt, shown: int, count: int, seed: int | None = None
) -> list[Screen]:
    """So many screens. seed: None takes the randomness of the operating system."""
    generator = np.random.default_rng(seed)
    as_anchor, in_all = _times_asked(site, collection, known.items)
    if known.metadata.knows_nothing or known.embedding.var is None or as_anchor.mean() < _EVEN:
        rows = known.items[even_screens(as_anchor, in_all, shown, count, generator)]
    else:
        most = min(len(known.items), _LOOKED_AT)
        places = np.sort(generator.choice(len(known.items), most, replace=False))
        model = model_at(known, places)
        asked = next_triplets(model, count, "grid", by="information", shown=shown, seed=generator)
        rows = known.items[places][asked]
    return [Screen(anchor, tuple(others)) for anchor, *others in rows.tolist()]


def even_screens(as_anchor: Array, in_all: Array, shown: int, count: int, generator: np.random.Generator) -> Items:
    """Random screens `(count, 1 + shown)`, the anchor first, from the items that were asked least.

    Parameters
    ----------
    as_anchor, in_all
        How often each item was an anchor, and how often it was on a screen at all, `(n,)`.
    """
    as_anchor, in_all = as_anchor.astype(float), in_all.astype(float)
    found = np.empty((count, 1 + shown), np.int64)
    for row in found:
        ties = generator.random(len(in_all))
        row[0] = np.lexsort((ties, in_all, as_anchor))[0]
        others = np.lexsort((generator.permutation(ties), in_all))
        row[1:] = generator.permutation(others[others != row[0]][:shown])
        as_anchor[row[0]] += 1
        in_all[row] += 1
    return found


def model_at(known: EmbeddingAt, places: Items) -> GaussEmbed:
    """The items of these rows as the library's estimator, in units in which the noise is 1."""
    noise, d = known.model.info.noise, known.embedding.dim
    model = GaussEmbed(d, lapse=known.metadata.lapse)
    model.embedding_ = known.embedding.mean[places] / noise
    model.variance_ = np.asarray(known.embedding.var)[places] / noise**2
    model.prior_variance_ = known.metadata.prior.variances(d) / noise**2
    model.variance_factor_, model.lapse_ = 1.0, known.metadata.lapse
    model.n_items_, model.epochs_ = len(places), 0
    return model


def _times_asked(site: Site, collection: Collection, items: Items) -> tuple[Array, Array]:
    """How often each of the items was an anchor, and on a screen."""
    with site.database.read() as db:
        answered = screens.asked(db, collection.id)
    size = int(items.max()) + 1
    as_anchor, in_all = np.zeros(size), np.zeros(size)
    for anchor, shown in answered:
        numbers = np.array([anchor, *shown])
        in_all[numbers[numbers < size]] += 1
        as_anchor[anchor:][:1] += 1
    return as_anchor[items], in_all[items]
