"""How good an embedding is: accuracy, likelihood, calibration, closeness to the truth, and what needs no embedding."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.triplets import as_triplets
from learn2search.typing import Array, Integers


def accuracy(positions: ArrayLike, triplets: ArrayLike) -> float:
    """The share of triplets that positions satisfy.

    Parameters
    ----------
    positions : (n, d) array_like
        One row an item.
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).

    Returns
    -------
    float
        From 0 to 1; a tie counts half.

    Examples
    --------
    >>> from learn2search import metrics
    >>> metrics.accuracy([[0.0], [1.0], [3.0]], [(0, 1, 2), (2, 0, 1)])
    0.5
    """
    x = np.asarray(positions, np.float64)
    anchor, near, far = (x[column] for column in as_triplets(triplets, n_items=len(x)).T)
    return _share_ahead(((anchor - far) ** 2).sum(axis=1), ((anchor - near) ** 2).sum(axis=1))


def log_likelihood(chances: ArrayLike) -> float:
    """The mean logarithm of the probabilities given to what happened.

    Parameters
    ----------
    chances : (m,) array_like
        The probability of each answer that was given.

    Returns
    -------
    float
        0 at best; guessing between two gives -0.693.

    Examples
    --------
    >>> from learn2search import metrics
    >>> round(metrics.log_likelihood([0.5, 0.5]), 3)
    -0.693
    """
    p = _probabilities(chances)
    return float(np.log(np.maximum(p, 1e-300)).mean())


def neg_log_loss(estimator: Any, X: ArrayLike, y: ArrayLike | None = None) -> float:
    """The log score of an estimator, as scikit-learn's tools take it: `cross_val_score(..., scoring=neg_log_loss)`.

    scikit-learn's own "neg_log_loss" is for classifiers with classes; a triplet has none.

    Parameters
    ----------
    estimator : estimator
        A fitted one, with `log_likelihood`.
    X : (m, 3) array_like of int
        Triplets (anchor, near, far).
    y : (m,) array_like, optional
        An answer a row, as in `triplets.as_triplets`.

    Returns
    -------
    float
        The mean log probability of the answers: 0 at best; guessing gives -0.693.

    Examples
    --------
    >>> import learn2search as l2s
    >>> from learn2search import metrics
    >>> rows = [(0, 1, 2), (2, 1, 0), (1, 0, 2)] * 20
    >>> metrics.neg_log_loss(l2s.CKL(1, random_state=0).fit(rows), rows) > -0.693
    True
    """
    return float(estimator.log_likelihood(X, y))


class Calibration(NamedTuple):
    """How often answers came that were held for so probable.

    A calibrated model has observed = predicted, up to the standard error sqrt(p (1 - p) / counts).

    Attributes
    ----------
    predicted : (bins,) array
        The mean probability of each bin.
    observed : (bins,) array
        The share of the bin's answers that came.
    counts : (bins,) array of int
        How many answers the bin holds.

    Examples
    --------
    >>> from learn2search.metrics import Calibration
    >>> import numpy as np
    >>> round(Calibration(np.array([0.6, 0.9]), np.array([0.5, 0.9]), np.array([10, 10])).error, 3)
    0.05
    """

    predicted: Array
    observed: Array
    counts: Integers

    @property
    def error(self) -> float:
        """The mean distance of observed from predicted, bins weighted by their counts."""
        return float(np.average(np.abs(self.observed - self.predicted), weights=self.counts))


def calibration_curve(chances: ArrayLike, n_bins: int = 10) -> Calibration:
    """Predicted against observed shares of answers.

    A question has two answers, so its more probable one is looked at: predictions lie between 1/2 and 1.

    Parameters
    ----------
    chances : (m,) array_like
        The probability of each answer that was given.
    n_bins : int, optional
        Bins of equal width between 1/2 and 1; empty ones are left out.

    Returns
    -------
    Calibration
        Predicted and observed shares, and counts.

    Examples
    --------
    >>> from learn2search import metrics
    >>> curve = metrics.calibration_curve([0.9, 0.9, 0.1, 0.6], n_bins=2)
    >>> curve.predicted.tolist(), curve.counts.tolist()
    ([0.6, 0.9], [1, 3])
    """
    p = _probabilities(chances)
    predicted, right = np.maximum(p, 1 - p), np.where(p == 0.5, 0.5, p > 0.5)
    bins = np.minimum(((predicted - 0.5) * 2 * n_bins).astype(int), n_bins - 1)
    count = np.bincount(bins, minlength=n_bins)
    filled = count > 0
    means = [np.bincount(bins, values, n_bins)[filled] / count[filled] for values in (predicted, right)]
    return Calibration(means[0], means[1], count[filled])


def lookup_score(train: ArrayLike, test: ArrayLike) -> float:
    """The accuracy of a lookup table, no embedding at all.

    It asks: for the test triplet's anchor, was near or far the nearer one more often in the training triplets? Where
    rows of one screen stand on both sides of a split, this is hard to beat, and says what the split is worth.

    Parameters
    ----------
    train, test : (m, 3) array_like of int
        Rows (anchor, near, far).

    Returns
    -------
    float
        From 0 to 1; a tie counts half.

    Examples
    --------
    >>> from learn2search import metrics
    >>> metrics.lookup_score([(0, 1, 2), (0, 1, 3)], [(0, 1, 2), (0, 4, 5)])
    0.75
    """
    rows, asked = as_triplets(train), as_triplets(test)
    n = int(max(rows.max(), asked.max())) + 1
    near, far = (rows[:, 0] * n + rows[:, column] for column in (1, 2))  # a number for each pair (anchor, item)
    pairs, places = np.unique(np.concatenate([near, far]), return_inverse=True)
    wins, losses = (np.bincount(part, minlength=len(pairs)) for part in np.split(places, 2))
    share = np.append((wins + 1.0) / (wins + losses + 2.0), 0.5)  # of a pair that was never seen

    def looked_up(column: int) -> Array:
        wanted = asked[:, 0] * n + asked[:, column]
        at = np.searchsorted(pairs, wanted)
        return share[np.where(pairs[np.minimum(at, len(pairs) - 1)] == wanted, at, len(pairs))]

    return _share_ahead(looked_up(1), looked_up(2))


class Alignment(NamedTuple):
    """Positions laid over a reference.

    Attributes
    ----------
    positions : (n, d) array
        The positions after moving, turning, mirroring and scaling.
    error : float
        What is left of the variance of the reference, 0 to 1.

    Examples
    --------
    >>> from learn2search import metrics
    >>> isinstance(metrics.procrustes([[0.0], [1.0], [2.0]], [[5.0], [7.0], [9.0]]), metrics.Alignment)
    True
    """

    positions: Array
    error: float


def procrustes(reference: ArrayLike, positions: ArrayLike) -> Alignment:
    """Move, turn, mirror and scale positions so that they lie as close as possible to a reference.

    Triplets fix an embedding only up to such a map.

    Parameters
    ----------
    reference : (n, d) array_like
        Where the items should be.
    positions : (n, e) array_like
        Where they are; the narrower of both is filled up with zeros.

    Returns
    -------
    Alignment
        The positions after the map, and what is left.

    Raises
    ------
    ValueError
        If the two do not have a row for each item.

    Examples
    --------
    >>> from learn2search import metrics
    >>> laid = metrics.procrustes([[0.0], [1.0], [2.0]], [[5.0], [7.0], [9.0]])
    >>> laid.positions.round(6).tolist(), round(laid.error, 6)
    ([[0.0], [1.0], [2.0]], 0.0)
    """
    target, moved = np.asarray(reference, np.float64), np.asarray(positions, np.float64)
    if target.ndim != 2 or moved.ndim != 2 or len(target) != len(moved):
        raise ValueError(f"expected two arrays with a row an item, got shapes {target.shape} and {moved.shape}")
    width = max(target.shape[1], moved.shape[1])
    target, moved = (np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x in (target, moved))
    centre = target.mean(axis=0)
    target, moved = target - centre, moved - moved.mean(axis=0)
    left, strength, right = np.linalg.svd(moved.T @ target)
    scale = strength.sum() / max((moved**2).sum(), 1e-300)
    laid = scale * moved @ left @ right
    return Alignment(laid + centre, float(((laid - target) ** 2).sum() / (target**2).sum()))


def _share_ahead(one: Array, other: Array) -> float:
    return float(np.mean((one > other) + 0.5 * (one == other)))


def _probabilities(chances: ArrayLike) -> Array:
    p = np.asarray(chances, np.float64)
    if p.ndim != 1 or len(p) == 0 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"expected probabilities between 0 and 1, one a triplet, got shape {p.shape}")
    return p
