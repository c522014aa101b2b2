"""Music artists: which musician is more similar, judged by visitors of a web survey.

D. P. W. Ellis, B. Whitman, A. Berenzweig, S. Lawrence, "The Quest for Ground Truth in Musical Artist Similarity",
ISMIR 2002 (aset400), in the version prepared for L. van der Maaten, K. Weinberger, "Stochastic Triplet Embedding",
MLSP 2012.
"""

import io

import numpy as np
from scipy.io import loadmat

from learn2search.datasets.download import DataFile, DataUnavailable
from learn2search.triplet_data import TripletData
from learn2search.triplets import from_one_based, infer_groups, is_degenerate

TRIPLETS = DataFile(
    "music_triplets.mat",
    "ce7b33bbb208ea9e441f2860d59574a98272a0d110fc1b4d9e96d4c88d59b313",
    "https://lvdmaaten.github.io/ste/Stochastic_Triplet_Embedding_files/STE_Release.zip",
    archived=True,
)
NAMES = DataFile(
    "musician_names.txt",
    "d909ba18c81ef9e4ef0eceb6b4cad97128e18737926246a3440caca1137b75cf",
    "https://raw.githubusercontent.com/cblearn/cblearn/09c1317c22038f486835384447a4b3ac727175e8/"
    "cblearn/datasets/data/musician_names.txt",
)
_NAMED_TWICE = "a_new_found_glory"  # has the id of new_found_glory; without it line k is artist k


def fetch_music_artists() -> TripletData:
    """Music artists: which musician is more similar, 9,090 triplets of 400 artists.

    The 17 rows that name an artist twice are dropped, and artists that never occur too. The set has no screen ids:
    groups are the near-far components of each anchor (`triplets.infer_groups`). Names come from a second file, whose
    lines were matched to the numbers by the artists' genres; where it is not to be had, names are the numbers.

    Returns
    -------
    TripletData
        Triplets, inferred groups and names.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.fetch_music_artists()
    TripletData(9,090 triplets of 400 items in ... groups)
    """
    rows = from_one_based(loadmat(io.BytesIO(TRIPLETS.read()))["triplets"])
    rows = rows[~is_degenerate(rows)]
    numbers, items = np.unique(rows, return_inverse=True)
    triplets = items.reshape(rows.shape).astype(np.int64)
    artists = _artists()
    names = tuple(artists[number] if artists else str(number + 1) for number in numbers)
    return TripletData(triplets, len(numbers), infer_groups(triplets), names)


def _artists() -> list[str]:
    """The names of all artists, in the order of their numbers; nothing without the file."""
    try:
        lines = [line.split()[0] for line in NAMES.read().decode().splitlines()]
    except DataUnavailable:
        return []
    return [name.replace("_", " ").strip() for name in lines if name != _NAMED_TWICE]
