"""Simulated visitors of a collection, without HTTP: how the demo learns before its first real visitor.

They search as visitors do, with the newest positions, and the trainer runs whenever it is due. The compiled simulator
plays a block of searches at a time; each block is then written to the database.
"""

from collections.abc import Callable

import numpy as np

from learn2search import ProbitOracle, Step, simulate
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.site.learning.recorded_searches import RecordedSearch, recorded_step, write_searches
from learn2search.store.collections import Collection
from learn2search.typing import Array, Items


def run(
    site: Site,
    slug: str,
    features: Array,
    noise: float,
    n_searches: int,
    seed: int,
    on_progress: Callable[[int], None] | None = None,
) -> None:
    """Let visitors search, each for a random item, and let the collection learn from them.

    Parameters
    ----------
    features
        What the visitors perceive, `(n, d)`, row i for item i. All items of the collection must be active.
    noise
        How noisily they perceive it, in units of the features.
    on_progress
        Called with the number of searches so far.
    """
    targets_seed, people_seed, search_seed = np.random.SeedSequence(seed).spawn(3)
    targets = np.random.default_rng(targets_seed).integers(0, len(features), n_searches)
    done = 0
    while done < n_searches:
        block = targets[done : done + _block_size(done)]
        done += len(block)
        collection = site.collection(slug)
        person = ProbitOracle(features, noise, people_seed.spawn(1)[0])
        write_searches(site, collection, _play(site, collection, person, block, search_seed), n_searches - done)
        trainer.train_due(site)
        if on_progress is not None:
            on_progress(done)


def _block_size(done: int) -> int:
    """Few searches at a time while there is most to learn."""
    return 8 if done < 200 else 24


def _play(
    site: Site, collection: Collection, person: ProbitOracle, targets: Items, seed: np.random.SeedSequence
) -> list[RecordedSearch]:
    """Searches for the targets with the newest positions; those that did not find theirs are left out."""
    known = site.newest_embedding(collection)
    strategy = "random" if known.metadata.knows_nothing else "sampled"
    played = simulate(
        strategy,
        known.embedding,
        person,
        np.searchsorted(known.items, targets),
        k=options_of(collection).usual_show,
        noise=known.model.info.noise,
        seed=seed.spawn(1)[0],
        keep_logs=True,
        progress=False,
    )
    searches = zip(targets.tolist(), played.logs, played.found, strict=True)
    return [_recorded(known, strategy, target, log) for target, log, found in searches if found]


def _recorded(known: EmbeddingAt, strategy: str, target: int, log: tuple[Step, ...]) -> RecordedSearch:
    """The search in the numbers of the items instead of the rows of the embedding."""
    steps = []
    for number, step in enumerate(log, start=1):
        chosen = None if step.chosen is None else int(known.items[step.chosen])
        steps.append(recorded_step(number, known.numbers(step.query), chosen, target, last=number == len(log)))
    return RecordedSearch(known.model.info.id, known.lessons, strategy, target, tuple(steps))
