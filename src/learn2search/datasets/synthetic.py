"""Triplets made by a simulated person, or by any oracle."""

import numpy as np

from learn2search.oracle import Oracle
from learn2search.streams import seed_sequence
from learn2search.typing import Seed, Triplets


def make_triplets(oracle: Oracle, n_items: int, n_triplets: int, seed: Seed = 0) -> Triplets:
    """`n_triplets` answers about three different items each, drawn uniformly; "can't tell" does not count."""
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
