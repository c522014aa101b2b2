"""Does the default noise fit the items? In another unit than theirs it makes every answer nearly a guess, silently."""

import math
import warnings

import numpy as np

from learn2search.embedding import Embedding

MOST_FLIPS = 0.35  # of the answers to random pairs; a coin flips 0.5
_ROWS = 2000  # items that tell their spread


class NoiseWarning(UserWarning):
    """The noise of a search was left at its default, which is so large for its items that answers are hardly believed.

    Examples
    --------
    >>> import warnings
    >>> import learn2search as l2s
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     search = l2s.GaussSearch(l2s.Embedding([[0.001], [0.002], [0.004]]))  # noise=1.0
    >>> found[0].category.__name__
    'NoiseWarning'
    """


def expected_flips(embedding: Embedding, noise: float) -> float:
    """The share of flipped answers to random pairs, about: as for items from N(μ, Σ).

    The margin of a random target to the border of a random pair is then about N(0, 3/2 tr Σ²/tr Σ), and an answer with
    margin m is flipped with probability Φ(-|m|/σ), which is arctan(σ/s)/π for m ~ N(0, s²).
    """
    spread = embedding.derived("margin spread", lambda: _margin_spread(embedding))
    return math.atan2(noise, spread) / math.pi


def warn_of_default(embedding: Embedding, noise: float) -> None:
    """A warning where the default noise is in another unit than known positions; learnt ones bring theirs along."""
    if embedding.var is None and (flips := expected_flips(embedding, noise)) > MOST_FLIPS:
        spread = embedding.derived("margin spread", lambda: _margin_spread(embedding))
        warnings.warn(
            f"with the default noise={noise:g}, {flips:.0%} of the answers to random pairs would be wrong: they are "
            f"hardly believed then. Give noise= in the unit of the features: {spread / 6:.2g} for 5% wrong answers, "
            f"{spread / 2:.2g} for 15%. fit_noise() learns it from finished searches",
            NoiseWarning,
            stacklevel=3,
        )


def _margin_spread(embedding: Embedding) -> float:
    rows = embedding.mean[:: max(1, embedding.n_items // _ROWS)]
    cov = np.atleast_2d(np.cov(rows.T, ddof=0))
    return math.sqrt(1.5 * float((cov**2).sum()) / max(float(np.trace(cov)), 1e-300))  # Σ_ij Σ_ij² = tr Σ²
