"""Triplets made by a simulated person, or by any oracle."""

import numpy as np

from learn2search.oracle import Oracle
from learn2search.streams import seed_sequence
from learn2search.typing import Seed, Triplets


def make_triplets(oracle: Oracle, n_items: int, n_triplets: int, seed: Seed = 0) -> Triplets:
    """Triplets made by a simulated person, or by any oracle: three different items each, drawn uniformly.

    Parameters
    ----------
    oracle : Oracle
        Who answers; "can't tell" does not count.
    n_items : int
        How many items there are, three or more.
    n_triplets : int
        How many answers to collect.
    seed : int, SeedSequence or Generator, optional
        Which questions are asked.

    Returns
    -------
    (n_triplets, 3) array of int
        Rows (anchor, near, far).

    Raises
    ------
    ValueError
        If there are fewer than three items, or if the oracle is nearly always undecided.

    Examples
    --------
    >>> import learn2search as l2s
    >>> person = l2s.ProbitOracle([[0.0], [1.0], [5.0]], noise=0.1, seed=0)
    >>> l2s.make_triplets(person, n_items=3, n_triplets=2, seed=0).shape
    (2, 3)
    """
    if n_items < 3 or n_triplets < 1:
        raise ValueError(f"triplets need at least 3 items and 1 row, got n_items={n_items}, n_triplets={n_triplets}")
    generator = np.random.default_rng(seed_sequence(seed))
    rows: list[tuple[int, int, int]] = []
    for _ in range(100 * n_triplets):
        anchor, one, other = (int(item) for item in generator.choice(n_items, 3, replace=False))
        near = oracle.choose((one, other), anchor)
        if near is not None:
            rows.append((anchor, near, one + other - near))
            if len(rows) == n_triplets:
                return np.array(rows, np.int64)
    raise ValueError(f"the oracle answered only {len(rows)} of {100 * n_triplets} questions: is it always undecided?")
