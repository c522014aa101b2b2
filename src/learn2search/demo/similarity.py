"""The 18 features of a drawn face, each in [-1, 1], and a collection of faces spread evenly over them.

Every feature acts smoothly on the drawing: a small step changes the picture a little, so that "more similar" means
the same to a person who looks and to a program that measures distances.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.streams import seed_sequence
from learn2search.typing import Array, Seed

COUNT = 513
SEED = 20
SWAPS = 1000  # to try: a quarter of a second; three times as many move the nearest faces only 7% further apart
MOST_TO_SEPARATE = 2000  # beyond, the distances of all pairs take too much memory


class Feature(NamedTuple):
    """A feature, what it looks like at -1 and at 1, and how much it weighs when people compare faces."""

    name: str
    low: str
    high: str
    weight: float


FEATURES = (
    Feature("skin", "fair", "deep", 2.0),
    Feature("presentation", "masculine", "feminine", 1.5),
    Feature("age", "young", "old", 1.6),
    Feature("head", "long and narrow", "short and wide", 0.9),
    Feature("jaw", "pointed", "square", 0.7),
    Feature("hair_colour", "black", "platinum", 1.3),
    Feature("hair_length", "shaved", "long", 1.5),
    Feature("hair_curl", "sleek", "tight curls", 1.4),
    Feature("hair_style", "swept back", "straight fringe", 0.9),
    Feature("brows", "thin", "heavy", 0.6),
    Feature("eye_shape", "narrow and upturned", "large and round", 0.7),
    Feature("eye_colour", "dark brown", "grey blue", 0.4),
    Feature("nose", "small", "large", 0.6),
    Feature("lips", "thin", "full", 0.5),
    Feature("mood", "serious", "laughing", 0.8),
    Feature("beard", "none", "full", 1.0),
    Feature("glasses", "none", "bold", 1.0),
    Feature("clothes", "ochre", "green", 1.0),
)
NAMES = tuple(feature.name for feature in FEATURES)
WEIGHTS = np.array([feature.weight for feature in FEATURES])
WEIGHTS.setflags(write=False)


def faces(count: int = COUNT, seed: Seed = SEED) -> Array:
    """The features `(count, 18)` of a collection of faces: a Latin hypercube without twins.

    Each feature's range is cut into `count` equal slices and every slice is used once, in random order: whichever
    feature one looks at, the faces are spread evenly over it. Then values are swapped between faces, which keeps
    that, until the two most similar faces are clearly different people (in collections of up to 2,000).
    """
    if count < 1:
        raise ValueError(f"a collection needs at least one face, got count={count}")
    random = np.random.default_rng(seed_sequence(seed))
    slices = np.argsort(random.random((count, len(FEATURES))), axis=0)  # nosec B311 # drawings
    features = 2.0 * (slices + random.random(slices.shape)) / count - 1.0  # nosec B311 # drawings
    if 2 <= count <= MOST_TO_SEPARATE:
        _separate(features, random)
    return features


def _separate(features: Array, random: np.random.Generator) -> None:
    """Swap values in place, one at a time, wherever that moves the nearest two faces apart."""
    seen = features * WEIGHTS
    distances = np.linalg.norm(seen[:, np.newaxis] - seen, axis=2) + np.diag(np.full(len(seen), np.inf))
    tries = random.integers((len(seen), len(FEATURES)), size=(SWAPS, 2))
    for other, feature in tries:
        one = int(distances.argmin()) // len(seen)
        both = [one, other]
        seen[both, feature] = seen[both[::-1], feature]
        apart = np.linalg.norm(seen[both, np.newaxis] - seen, axis=2)
        apart[[0, 1], both] = np.inf
        if apart.min() > distances.min():
            distances[both] = apart
            distances[:, both] = apart.T
            features[both, feature] = features[both[::-1], feature]
        else:
            seen[both, feature] = seen[both[::-1], feature]


def similarity_features(features: ArrayLike) -> Array:
    """Where simulated visitors see the faces `(n, 18)`: features × weights, compared by Euclidean distance.

    The weights were set by eye: skin, age and hair decide at a glance, the colour of the eyes hardly does.
    """
    return np.asarray(checked(features) * WEIGHTS)


def checked(features: ArrayLike) -> Array:
    """The features of faces `(n, 18)`, or an error that says what is wrong with them."""
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(FEATURES):
        raise ValueError(
            f"faces have {len(FEATURES)} features each, shape (n, {len(FEATURES)}), got shape {rows.shape}"
        )
    wrong = ~(np.abs(rows) <= 1.0)  # also true for NaN
    if wrong.any():
        face, feature = (int(at) for at in np.argwhere(wrong)[0])
        raise ValueError(f"features lie in [-1, 1], but {NAMES[feature]} of face {face} is {rows[face, feature]:g}")
    return rows


def checked_row(row: ArrayLike) -> Array:
    """The features of one face `(18,)`, or an error that says what is wrong with them."""
    values = np.asarray(row, dtype=np.float64)
    if values.shape != (len(FEATURES),):
        raise ValueError(f"a face has {len(FEATURES)} features, shape ({len(FEATURES)},), got shape {values.shape}")
    return np.asarray(checked(values[np.newaxis])[0])
