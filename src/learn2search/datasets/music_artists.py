"""Music artists: which musician is more similar, judged by visitors of a web survey.

D. P. W. Ellis, B. Whitman, A. Berenzweig, S. Lawrence, "The Quest for Ground Truth in Musical Artist Similarity",
ISMIR 2002 (aset400), in the version prepared for L. van der Maaten, K. Weinberger, "Stochastic Triplet Embedding",
MLSP 2012.
"""

import io

import numpy as np
from scipy.io import loadmat

from learn2search.datasets.download import DataFile
from learn2search.triplet_data import TripletData
from learn2search.triplets import from_one_based, infer_groups, is_degenerate

TRIPLETS = DataFile(
    "music_triplets.mat",
    "ce7b33bbb208ea9e441f2860d59574a98272a0d110fc1b4d9e96d4c88d59b313",
    "https://lvdmaaten.github.io/ste/Stochastic_Triplet_Embedding_files/STE_Release.zip",
    archived=True,
)


def fetch_music_artists() -> TripletData:
    """Music artists: which musician is more similar, 9,090 triplets of 400 artists.

    The 17 rows that name an artist twice are dropped, and artists that never occur too. The set has no screen ids:
    groups are the near-far components of each anchor (`triplets.infer_groups`).

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
    return TripletData(triplets, len(numbers), infer_groups(triplets), tuple(str(number + 1) for number in numbers))
