"""Red wine: physicochemical measurements of Portuguese wines.

P. Cortez, A. Cerdeira, F. Almeida, T. Matos, J. Reis, "Modeling wine preferences by data mining from physicochemical
properties", Decision Support Systems 47, 2009; from UCI's repository.
"""

from learn2search.datasets.download import DataFile
from learn2search.datasets.feature_table import read_features
from learn2search.typing import Array

TABLE = DataFile(
    "winequality-red.csv",
    "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
    "https://archive.ics.uci.edu/ml/machine-learning-databases/wine-quality/winequality-red.csv",
)


def fetch_red_wine(*, standardise: bool = True) -> Array:
    """Red wine: 1,599 wines with 11 physicochemical features; the quality score is left out.

    240 rows repeat another row exactly, and are kept.

    Parameters
    ----------
    standardise : bool, optional
        Each feature to mean 0 and variance 1. On the raw scale one feature holds 95% of the variance.

    Returns
    -------
    (1599, 11) array
        One row a wine.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.fetch_red_wine().shape
    (1599, 11)
    """
    return read_features(TABLE, 11, delimiter=";", header=1, standardise=standardise)
