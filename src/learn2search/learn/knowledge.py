"""What a learning loop knows: the triplets so far, and the embedding that was made from them."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learn2search.embed.gauss import GaussEmbed, absorb
from learn2search.embedding import Embedding
from learn2search.learn.recipe import Recipe
from learn2search.triplets import Triplets

Array = NDArray[np.float64]

FIRST_COMPONENTS = 100  # the paper's D before it is estimated
ESTIMATE_AT = 10_000  # triplets
_START = 0.1  # standard deviation of the first means
_JITTER = 0.01  # of the means of items that nothing is known about: at one place they could not be compared


class Knowledge:
    """Triplets `(m, 3)`, and an embedding of all items: means and variances `(n, D)` in units of the noise.

    Everything random is a function of the seed and the number of searches, so nothing else has to be stored.
    """

    def __init__(self, n_items: int, recipe: Recipe, seed: np.random.SeedSequence) -> None:
        self.recipe = recipe
        self.version = 0
        self.last_refit = (0, 0)  # searches and triplets
        self.scale = 1.0  # the variance of the prior
        self.counts = np.zeros(n_items, np.int64)  # the paper's m(i)
        self._seed = seed
        self._rows = np.empty((1024, 3), np.int64)
        self._n_rows = 0
        d = FIRST_COMPONENTS if isinstance(recipe.n_components, str) else int(recipe.n_components)
        self.mean = _START * self._generator(0).standard_normal((n_items, d))
        self.var = np.ones((n_items, d))

    @property
    def n_items(self) -> int:
        return len(self.mean)

    @property
    def triplets(self) -> Triplets:
        """All triplets so far, in order; a view, not a copy."""
        return self._rows[: self._n_rows]

    @property
    def density(self) -> float:
        """Triplets an item."""
        return self._n_rows / self.n_items

    @property
    def noise(self) -> float:
        """σ of the answers in the units of the embedding."""
        return 1.0

    def space(self, items: NDArray[np.int64]) -> Embedding:
        """Where these items are, as a search takes it."""
        if len(items) == self.n_items:
            return Embedding(self.mean, self.var)
        return Embedding(self.mean[items], self.var[items])

    def learn(self, rows: Triplets, searches: int) -> None:
        """Take in the triplets of a search, the `searches`-th; refit when it is time, else an online step."""
        self._append(rows)
        if self._n_rows and self.recipe.refit_is_due(searches, self._n_rows, self.last_refit):
            self.refit(searches)
        elif self.version and len(rows) and self.density >= self.recipe.online_from:
            absorb(self.mean, self.var, rows)

    def refit(self, searches: int) -> None:
        """A new embedding from all triplets."""
        warm = self.version > 0 and self.density >= self.recipe.warm_from
        d = self._components()
        init = Embedding(self.mean, self.var) if warm and self.mean.shape[1] == d else None
        model = self._model(d, warm, searches).fit(self.triplets, init=init, n_items=self.n_items)
        self.mean, self.var = model.embedding_.copy(), model.variance_.copy()
        self.scale = model.prior_variance_
        unseen = self.counts == 0
        self.mean[unseen] = self._nearly_nowhere(int(unseen.sum()), searches)
        self.version += 1
        self.last_refit = (searches, self._n_rows)

    def join(self, count: int, searches: int) -> None:
        """Room for new items, at the prior."""
        d = self.mean.shape[1]
        self.mean = np.concatenate([self.mean, self._nearly_nowhere(count, searches)])
        self.var = np.concatenate([self.var, np.full((count, d), self.scale)])
        self.counts = np.concatenate([self.counts, np.zeros(count, np.int64)])

    # --- storing ---

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything but recipe and seed."""
        numbers = np.array([self.version, *self.last_refit], np.int64)
        return {
            "triplets": self.triplets,
            "mean": self.mean,
            "var": self.var,
            "numbers": numbers,
            "scale": np.array(self.scale),
        }

    def take_arrays(self, arrays: dict[str, NDArray[Any]]) -> None:
        """What `to_arrays` gave, in place of what is known."""
        self.mean, self.var = arrays["mean"].copy(), arrays["var"].copy()
        self.version, searches, triplets = (int(number) for number in arrays["numbers"])
        self.last_refit, self.scale = (searches, triplets), float(arrays["scale"])
        self.counts = np.zeros(len(self.mean), np.int64)
        self._n_rows = 0
        self._append(arrays["triplets"])

    # --- parts ---

    def _append(self, rows: Triplets) -> None:
        needed = self._n_rows + len(rows)
        if needed > len(self._rows):
            grown = np.empty((max(needed, 2 * len(self._rows)), 3), np.int64)
            grown[: self._n_rows] = self.triplets
            self._rows = grown
        self._rows[self._n_rows : needed] = rows
        self._n_rows = needed
        np.add.at(self.counts, rows, 1)

    def _model(self, d: int, warm: bool, searches: int) -> GaussEmbed:
        recipe = self.recipe
        return GaussEmbed(
            d,
            prior=recipe.prior,
            epochs=recipe.epochs[warm],
            learning_rate=recipe.learning_rate,
            batch_size=int(np.clip(self._n_rows // 40, 200, 8000)),
            random_state=self._stream(1, searches),
        )

    def _components(self) -> int:
        return int(self.mean.shape[1])

    def _nearly_nowhere(self, count: int, searches: int) -> Array:
        spread = _JITTER * math.sqrt(self.scale)
        return spread * self._generator(2, searches).standard_normal((count, self.mean.shape[1]))

    def _stream(self, *place: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self._seed.entropy, spawn_key=(*self._seed.spawn_key, *place))

    def _generator(self, *place: int) -> np.random.Generator:
        return np.random.default_rng(self._stream(*place))
