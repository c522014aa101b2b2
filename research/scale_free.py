"""People whose answers depend on ratios of distances alone, the γ-CKL model of Chumbalov et al. (UAI 2024).

    P(i chosen of the items shown | target t) = d(i, t)^-γ / Σ_j d(j, t)^-γ

For two items that is their model; for more it is the natural extension, ours. A target that is shown is always chosen.
"""

from collections.abc import Sequence

import numpy as np
from scipy import optimize

from research import Array

MOST = 30.0  # γ: people who are nearly always right


def click_probabilities(features: Array, query: Sequence[int], target: int, gamma: float) -> Array:
    """`(k,)`: how probable each item shown is as the answer."""
    distances = np.linalg.norm(features[list(query)] - features[target], axis=1)
    if not distances.all():  # the target, or one at its place
        return np.asarray((distances == 0) / (distances == 0).sum())
    odds = -gamma * np.log(distances)
    return np.asarray(np.exp(odds - np.logaddexp.reduce(odds)))


class ScaleFreeOracle:
    """A simulated person of this model."""

    def __init__(self, features: Array, gamma: float, seed: int) -> None:
        self.features, self.gamma, self._generator = features, gamma, np.random.default_rng(seed)

    def choose(self, query: Sequence[int], target: int) -> int:
        chances = click_probabilities(self.features, query, target, self.gamma)
        return int(self._generator.choice(query, p=chances))


def likeliest_gamma(features: Array, triplets: Array) -> float:
    """The γ under which answers, rows (anchor, near, far), are most probable."""
    anchor, near, far = (features[triplets[:, column]] for column in range(3))
    ratio = np.log(np.linalg.norm(anchor - far, axis=1) / np.linalg.norm(anchor - near, axis=1))
    found = optimize.minimize_scalar(
        lambda gamma: np.logaddexp(0, -gamma * ratio).mean(), bounds=(0.01, MOST), method="bounded"
    )
    return float(found.x)
