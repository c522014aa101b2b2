"""Run what an answer runs once, on a few items, so that the first visitor does not wait for the compiler."""

import numpy as np

from learn2search import Crowd, Embedding, make_search, online_step, weigh_searches


def warm_up() -> None:
    """Load, or compile at the very first time, what an answer runs. The trainer's fits are compiled in its own process,
    and GaussSearch when it is first chosen.
    """
    points = np.random.default_rng(0).standard_normal((24, 3))
    space = Embedding(points, np.full(points.shape, 0.5))
    for strategy in ("sampled", "random"):
        search = make_search(strategy, space, 1.0, seed=0)
        for show in (4, 2):
            search.tell(search.ask(k=show)[0])
        search.ask(k=2)
        search.top(3)
    triplets = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])
    weigh_searches(online_step(space, triplets), [(0, [((1, 2, 3, 4), 1)])], fitted=[0], crowd=Crowd())
