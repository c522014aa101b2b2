"""What a learning loop knows: the triplets so far, and the embedding that was made from them."""

import numpy as np
from numpy.typing import ArrayLike

from learn2search.embed._numba.kernels import Link
from learn2search.embed.axes import to_principal_axes
from learn2search.embed.dimension import energy_dimension
from learn2search.embed.online import online_step
from learn2search.embedding import Embedding
from learn2search.learn.models import CHOOSE_AT, Fitted, first_components, fit, likeliest_scale, more_components
from learn2search.learn.recipe import AUTO, Recipe
from learn2search.typing import Array, Arrays, Items, Mask, Triplets

_START = 0.1  # standard deviation of the first means
_JITTER = 0.01  # of the means of items that nothing is known about: at one place they could not be compared
_PROBIT = Link(ratio=False, kappa=1.0)


class Knowledge:
    """Triplets `(m, 3)`, and an embedding of all items: means and variances `(n, D)` in units of the noise.

    features: `(n, f)`, what is known about the items beforehand, or None: the prior mean of their places, in a unit
    that the triplets tell. Everything random is a function of the seed and the number of searches, so nothing else has
    to be stored.
    """

    def __init__(
        self, n_items: int, recipe: Recipe, seed: np.random.SeedSequence, features: ArrayLike | None = None
    ) -> None:
        self.recipe = recipe
        self.version = 0
        self.last_refit = (0, 0)  # searches and triplets
        self.chosen = not isinstance(recipe.n_components, str)  # is D final?
        self.counts = np.zeros(n_items, np.int64)  # the paper's m(i)
        self._seed = seed
        self._rows = np.empty((1024, 3), np.int64)
        self._n_rows = 0
        self.features = None if features is None else _checked_features(features, n_items)
        d = first_components(recipe, n_items)
        mean = _START * self._generator(0).standard_normal((n_items, d))
        centre = self._prior_mean(d)
        self.now = Fitted(mean if centre is None else mean + centre, np.ones((n_items, d)), np.ones(d), 1.0)

    @property
    def n_items(self) -> int:
        return len(self.counts)

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
        return self.now.noise

    @property
    def has_variances(self) -> bool:
        return self.recipe.embedding == "gauss"

    def space(self, items: Items | None = None) -> Embedding:
        """Where these items are, as a search takes it; by default all."""
        every = items is None or len(items) == self.n_items
        mean, var = (self.now.mean, self.now.var) if every else (self.now.mean[items], self.now.var[items])
        return Embedding(mean, var if self.has_variances else None)

    def learn(self, rows: Triplets, searches: int) -> None:
        """Take in the triplets of a search, the `searches`-th; refit when it is time, else an online step."""
        self._append(rows)
        if self._n_rows and self.recipe.refit_is_due(searches, self._n_rows, self.last_refit):
            self.refit(searches)
        elif self.version and len(rows) and self.has_variances and self.density >= self.recipe.online_from:
            online_step(self.now.mean, self.now.var, rows, _PROBIT)

    def refit(self, searches: int) -> None:
        """A new embedding from all triplets."""
        d = self._components()
        warm = self.version > 0 and self.density >= self.recipe.warm_from and self.now.mean.shape[1] == d
        centre = self._prior_mean(d)
        init = self.space() if warm else None
        seed = self._stream(1, searches)
        self.now = fit(self.recipe, self.triplets, self.n_items, d, init, centre, seed)
        self._scatter(self.counts == 0, searches)
        self.version += 1
        self.last_refit = (searches, self._n_rows)

    def join(self, count: int, searches: int, features: ArrayLike | None = None) -> None:
        """Room for new items, at the prior."""
        if (features is None) != (self.features is None):
            raise ValueError("new items need features= when the others have them, and only then")
        if features is not None and self.features is not None:
            more = _checked_features(features, count, self.features.shape[1])
            self.features = np.concatenate([self.features, more])
        mean, var, scale, noise = self.now
        d = len(scale)
        middle = np.zeros((count, d)) if self.has_variances else np.tile(mean.mean(axis=0), (count, 1))
        self.counts = np.concatenate([self.counts, np.zeros(count, np.int64)])
        self.now = Fitted(
            np.concatenate([mean, middle]), np.concatenate([var, np.tile(scale, (count, 1))]), scale, noise
        )
        new = np.arange(self.n_items) >= self.n_items - count
        centre = self._prior_mean(d)
        if centre is not None:
            self.now.mean[new] = centre[new]
        self._scatter(new, searches)

    # --- storing ---

    def to_arrays(self) -> Arrays:
        """Everything but recipe and seed."""
        known = dict(zip(Fitted._fields, map(np.asarray, self.now), strict=True))
        if self.features is not None:
            known["features"] = self.features
        numbers = np.array([self.version, *self.last_refit, self.chosen], np.int64)
        return {"triplets": self.triplets, "numbers": numbers, **known}

    def take_arrays(self, arrays: Arrays) -> None:
        """What `to_arrays` gave, in place of what is known."""
        mean, var, scale, noise = (arrays[name] for name in Fitted._fields)
        self.now = Fitted(mean, var, scale, float(noise))
        self.version, searches, triplets, chosen = (int(number) for number in arrays["numbers"])
        self.last_refit, self.chosen = (searches, triplets), bool(chosen)
        self.features = arrays.get("features")
        self.counts = np.zeros(len(mean), np.int64)
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

    def _components(self) -> int:
        """D of the next fit. If it was not given: once there are enough triplets, chosen by the paper's 98% rule, or
        raised at each refit that finds all axes in use.
        """
        d = int(self.now.mean.shape[1])
        if self.chosen or self._n_rows < CHOOSE_AT:
            return d
        if self.recipe.n_components == AUTO:
            return more_components(self.now) if self.has_variances else d
        self.chosen = True
        return energy_dimension(self.now.mean)

    def _prior_mean(self, d: int) -> Array | None:
        """The features turned to d axes (fewer are filled up with zeros), in the unit of the answers' noise."""
        if self.features is None:
            return None
        turned = to_principal_axes(self.features)[0][:, :d]
        placed = np.pad(turned, ((0, 0), (0, d - turned.shape[1])))
        scale = likeliest_scale(placed, self.triplets) if self._n_rows else 1.0 / (placed.std() or 1.0)
        return np.asarray(scale * placed)

    def _scatter(self, which: Mask, searches: int) -> None:
        """Move these items a little, each its own way."""
        noise = self._generator(2, searches).standard_normal((int(which.sum()), self.now.mean.shape[1]))
        self.now.mean[which] += _JITTER * np.sqrt(self.now.prior_variance) * noise

    def _stream(self, *place: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self._seed.entropy, spawn_key=(*self._seed.spawn_key, *place))

    def _generator(self, *place: int) -> np.random.Generator:
        return np.random.default_rng(self._stream(*place))


def _checked_features(features: ArrayLike, n_items: int, width: int | None = None) -> Array:
    known = np.asarray(features, float)
    if known.ndim != 2 or len(known) != n_items or not np.isfinite(known).all() or width not in (None, known.shape[1]):
        columns = "f" if width is None else str(width)
        raise ValueError(f"features must be finite numbers of shape ({n_items}, {columns}), got shape {known.shape}")
    return known
