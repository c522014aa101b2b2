"""What loaders of features share: a table of numbers, one row an item."""

import io

import numpy as np

from learn2search.datasets.download import DataFile
from learn2search.typing import Array


def read_features(file: DataFile, columns: int, *, delimiter: str, header: int = 0, standardise: bool) -> Array:
    """The first `columns` columns of a text file, without `header` lines; standardised to mean 0 and variance 1."""
    table = np.loadtxt(io.BytesIO(file.read()), delimiter=delimiter, skiprows=header)
    features = np.ascontiguousarray(table[:, :columns])
    return (features - features.mean(axis=0)) / features.std(axis=0) if standardise else features
