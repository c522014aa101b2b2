"""Play everything once on a few items, so that the first visitor does not wait for the compiler."""

import numpy as np

from learn2search import Embedding, GaussEmbed, make_search


def rehearse() -> None:
    """Load, or compile at the very first time, what searches and the trainer run."""
    points = np.random.default_rng(0).standard_normal((24, 3))
    spaces = (Embedding(points, np.full(points.shape, 0.5)), Embedding(points))
    for space in spaces:
        for strategy in ("sampled", "gauss", "random"):
            search = make_search(strategy, space, 1.0, seed=0)
            for show in (4, 2):
                search.tell(search.ask(k=show)[0])
            search.ask(k=2)
            search.top(3)
    triplets = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    learner = GaussEmbed(n_components=2, epochs=1, random_state=0).fit(triplets, n_items=6)
    learner.partial_fit(triplets).predict_proba(triplets)
