"""Items with known features: red wine, and the geographical origin of music, both from UCI's repository."""

import io

import numpy as np

from learn2search.datasets.download import DataFile
from learn2search.typing import Array

RED_WINE = DataFile(
    "winequality-red.csv",
    "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/wine-quality/winequality-red.csv",
)
MUSIC_ORIGIN = DataFile(
    "default_features_1059_tracks.txt",
    "8557da3791e17b036763a95a7f16e3f23d20dcd4c5387d4f11aa1ed8c7a0b9ab",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/00315/Geographical%20Original%20of%20Music.zip",
    archived=True,
)


def fetch_red_wine(*, standardise: bool = True) -> Array:
    """1,599 red wines with 11 physicochemical features, `(1599, 11)` (Cortez et al. 2009; without the quality score).

    Standardised to mean 0 and variance 1 by default: on the raw scale one feature holds 95% of the variance. 240 rows
    repeat another row exactly; they are kept.
    """
    table = np.loadtxt(io.BytesIO(RED_WINE.read()), delimiter=";", skiprows=1)
    return _standardised(table[:, :11]) if standardise else np.ascontiguousarray(table[:, :11])


def fetch_music_origin(*, standardise: bool = True) -> Array:
    """1,059 tracks with 68 audio features, `(1059, 68)` (Zhou, Claire, King 2014; without latitude and longitude)."""
    table = np.loadtxt(io.BytesIO(MUSIC_ORIGIN.read()), delimiter=",")
    return _standardised(table[:, :68]) if standardise else np.ascontiguousarray(table[:, :68])


def _standardised(x: Array) -> Array:
    return np.asarray((x - x.mean(axis=0)) / x.std(axis=0))
