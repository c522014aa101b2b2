"""Origin of music: audio features of tracks from 33 countries.

F. Zhou, Q. Claire, R. D. King, "Predicting the Geographical Origin of Music", ICDM 2014; from UCI's repository.
"""

from learn2search.datasets.download import DataFile
from learn2search.datasets.feature_table import read_features
from learn2search.typing import Array

TABLE = DataFile(
    "default_features_1059_tracks.txt",
    "8557da3791e17b036763a95a7f16e3f23d20dcd4c5387d4f11aa1ed8c7a0b9ab",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/00315/Geographical%20Original%20of%20Music.zip",
    archived=True,
)


def fetch_music_origin(*, standardise: bool = True) -> Array:
    """Origin of music: 1,059 tracks with 68 audio features; latitude and longitude are left out.

    Parameters
    ----------
    standardise : bool, optional
        Each feature to mean 0 and variance 1.

    Returns
    -------
    (1059, 68) array
        One row a track.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.fetch_music_origin().shape
    (1059, 68)
    """
    return read_features(TABLE, 68, delimiter=",", standardise=standardise)
