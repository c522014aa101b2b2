"""The folds on which embeddings are compared: the same rows for every method, ours or a peer's.

    artists    9,090 triplets of 400 musicians, by row and by screen (groups inferred: the set has no screen ids)
    food       100 dishes; by row the 190,376 different triplets, as published; by screen all 250,320

Food by screen keeps equal rows: several screens asked the same question, and each answer counts. Beside every
embedding stands a lookup table, which has no embedding at all: what it scores by row is read off the siblings of the
held-out triplets, screens that are partly in the training set.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import learn2search as l2s

DATASETS = ("artists", "food")
SPLITS = ("row", "screen")
N_FOLDS = 10
SEED = 0


@dataclass(frozen=True)
class Fold:
    """train, test: triplets; train_groups: the screen of each row of train, for splits inside it."""

    train: np.ndarray
    test: np.ndarray
    train_groups: np.ndarray
    n_items: int

    def write(self, path: Path) -> None:
        """As NPZ, for a process in another environment."""
        np.savez(path, train=self.train, test=self.test, n_items=self.n_items)


@cache
def load(dataset: str, split: str) -> l2s.TripletData:
    if dataset not in DATASETS or split not in SPLITS:
        raise ValueError(f"expected one of {DATASETS} and one of {SPLITS}, got {dataset!r} and {split!r}")
    return l2s.fetch_music_artists() if dataset == "artists" else l2s.fetch_food(unique=split == "row")


@cache
def row_numbers(dataset: str, split: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """(train, test) of every fold."""
    data = load(dataset, split)
    groups = data.groups if split == "screen" else None
    return list(l2s.triplets.folds(len(data.triplets), N_FOLDS, SEED, groups))


def fold(dataset: str, split: str, number: int) -> Fold:
    data, (train, test) = load(dataset, split), row_numbers(dataset, split)[number]
    return Fold(data.triplets[train], data.triplets[test], data.groups[train], data.n_items)
