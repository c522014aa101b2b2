"""GaussSearch in NumPy, as one writes it first and tuned: the yardstick for the time of a step.

No tree, no compiled loop: an eigendecomposition, a sample and its mirror image, and a pass over all items for each.
"""

import math

import numpy as np
from scipy.special import log_ndtr

from research import Array


class PlainGaussSearch:
    """Algorithms 1 and 2 of the paper for pairs."""

    def __init__(self, features: Array, noise: float, generator: np.random.Generator) -> None:
        self.x, self.noise, self.generator = features, noise, generator
        self.prior_mean, self.prior_cov = features.mean(axis=0), np.cov(features, rowvar=False, bias=True)
        self.restart()

    def restart(self) -> None:
        self.mean, self.cov = self.prior_mean, self.prior_cov
        self.used = np.zeros(len(self.x), bool)

    def ask(self) -> tuple[int, int]:
        w = np.linalg.eigh(self.cov)[1][:, -1]
        z = self.sample()
        i = self.nearest(z)
        self.used[i] = True
        j = self.nearest(z - 2 * (w @ (z - self.mean)) * w)
        self.used[j] = True
        return i, j

    def sample(self) -> Array:
        return self.generator.multivariate_normal(self.mean, self.cov)

    def distances(self, z: Array) -> Array:
        squares: Array = ((self.x - z) ** 2).sum(axis=1)
        return squares

    def nearest(self, z: Array) -> int:
        distances = self.distances(z)
        distances[self.used] = np.inf
        return int(np.argmin(distances))

    def tell(self, i: int, j: int) -> None:
        """Item i was chosen over j."""
        w = self.x[i] - self.x[j]
        w /= math.sqrt(w @ w)
        b = -w @ (self.x[i] + self.x[j]) / 2
        cov_w = self.cov @ w
        s2 = w @ cov_w + self.noise**2
        g = (w @ self.mean + b) / math.sqrt(s2)
        h = math.exp(-g * g / 2 - 0.5 * math.log(2 * math.pi) - log_ndtr(g))
        self.mean = self.mean + (h / math.sqrt(s2)) * cov_w
        self.cov = self.cov - (h * (h + g) / s2) * np.outer(cov_w, cov_w)


class TunedGaussSearch(PlainGaussSearch):
    """The same after an hour with a profiler: no eigendecomposition to sample, no temporary array of squares."""

    def sample(self) -> Array:
        drawn: Array = self.mean + np.linalg.cholesky(self.cov) @ self.generator.standard_normal(len(self.mean))
        return drawn

    def distances(self, z: Array) -> Array:
        difference = self.x - z
        squares: Array = np.einsum("ij,ij->i", difference, difference)
        return squares


def search_once(
    search: PlainGaussSearch,
    features: Array,
    noise: float,
    target: int,
    generator: np.random.Generator,
    max_queries: int,
) -> int:
    """Questions until the target is shown, at most `max_queries`."""
    search.restart()
    for number in range(1, max_queries + 1):
        i, j = search.ask()
        if target in (i, j):
            return number
        perceived = features[target] + noise * generator.standard_normal(features.shape[1])
        first = perceived - features[i]
        second = perceived - features[j]
        search.tell(*((i, j) if first @ first < second @ second else (j, i)))
    return max_queries
