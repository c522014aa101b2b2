"""How far the variances of a fit can be trusted: one factor for all of them, chosen by held-out answers.

The probability of an answer integrates over the positions N(ν, ψ) as they are (`comparison.log_probabilities`). Whether
ψ is right is another question. A mean field leaves out how positions vary together, few triplets hardly tell the
prior's scale, and tempering (τ < 1) makes ψ narrower on purpose. The factor f, with ψ replaced by fψ, says by how much:
1 where the variances are right, more where they are too narrow.

Triplets of one screen say nearly the same, so it is groups that count. The factor is the one nearest to 1 whose
log-likelihood is within a standard error (over the groups) of the best: it leaves 1 only as far as the answers demand.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learn2search.comparison import Link, log_probabilities
from learn2search.typing import Array, Triplets

FACTORS = 2.0 ** np.arange(-6, 6.01, 0.5)  # 1/64 to 64


class HeldOut(NamedTuple):
    """A fit, mean and var `(n, d)`, and triplets `(m, 3)` that it has not seen, with their groups `(m,)`."""

    mean: Array
    var: Array
    triplets: Triplets
    groups: NDArray[np.generic]


def fit_factor(parts: Sequence[HeldOut], link: Link) -> float:
    """The factor of `FACTORS` nearest to 1 that explains the held-out groups as well as any, to a standard error."""
    likelihoods = np.concatenate([_by_group(part, link) for part in parts], axis=1)
    best = likelihoods[np.argmax(likelihoods.sum(axis=1))]
    lost = best - likelihoods  # (factors, groups)
    error = lost.std(axis=1) / np.sqrt(lost.shape[1])
    as_good = lost.mean(axis=1) <= error
    return float(min(FACTORS[as_good], key=lambda factor: abs(np.log(factor))))


def _by_group(part: HeldOut, link: Link) -> Array:
    """Log-likelihood of each group under each factor, `(factors, groups)`."""
    _, group = np.unique(part.groups, return_inverse=True)
    return np.array(
        [np.bincount(group, log_probabilities(part.mean, factor * part.var, part.triplets, link)) for factor in FACTORS]
    )
