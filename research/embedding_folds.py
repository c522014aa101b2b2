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
from research import Array
from research.rows import Columns, Row

DATASETS = ("artists", "food")
SPLITS = ("row", "screen")
N_FOLDS = 10
FOLD: Columns = {"dataset": DATASETS, "split": SPLITS, "fold": tuple(range(N_FOLDS))}  # the columns that name a fold
DIMENSIONS = (2, 5, 10, 20, 30)
LIBRARIES = ("learn2search", "cblearn")
SEED = 0


@dataclass(frozen=True)
class Fold:
    """train, test: triplets; train_groups: the screen of each row of train, for splits inside it."""

    train: Array
    test: Array
    train_groups: Array
    n_items: int

    def write(self, path: Path) -> None:
        """As NPZ, for a process in another environment."""
        np.savez(path, train=self.train, test=self.test, n_items=self.n_items)


def all_folds(quick: bool, repetitions: int | None = None) -> list[Row]:
    """Data set, split and fold of all, fold by fold: what is missing in the end is missing for all methods."""
    return [
        {"dataset": dataset, "split": split, "fold": number}
        for dataset in DATASETS[: 1 if quick else 2]
        for number in range(repetitions or (2 if quick else N_FOLDS))
        for split in SPLITS
    ]


@cache
def load(dataset: str, split: str) -> l2s.TripletData:
    if dataset not in DATASETS or split not in SPLITS:
        raise ValueError(f"expected one of {DATASETS} and one of {SPLITS}, got {dataset!r} and {split!r}")
    return l2s.fetch_music_artists() if dataset == "artists" else l2s.fetch_food(unique=split == "row")


@cache
def row_numbers(dataset: str, split: str) -> list[tuple[Array, Array]]:
    """(train, test) of every fold."""
    data = load(dataset, split)
    groups = data.groups if split == "screen" else None
    return list(l2s.triplets.folds(len(data.triplets), N_FOLDS, SEED, groups))


def load_fold(dataset: str, split: str, number: int) -> Fold:
    data, (train, test) = load(dataset, split), row_numbers(dataset, split)[number]
    return Fold(data.triplets[train], data.triplets[test], data.groups[train], data.n_items)
