"""What a learning loop knows: the lessons so far, and the embedding that was made from them by the policy."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.embedding import Embedding
from learn2search.learn import policy
from learn2search.learn.before_answers import first_positions, on_axes, placed_like, unknown_offsets
from learn2search.learn.evidence import Crowd
from learn2search.learn.learnt import Attempt, Learnt, Lessons
from learn2search.learn.recipe import Recipe
from learn2search.search.strategies import Strategy
from learn2search.typing import Array, Integers, Items, Triplets


class LearntEmbedding:
    """Lessons, and an embedding of all items in units of the noise.

    features: `(n, f)`, what is known about the items beforehand, or None: the prior mean of their positions, in a unit
    that the triplets tell. Everything random is a function of the seed and the number of searches, so nothing else has
    to be stored.
    """

    def __init__(
        self, n_items: int, recipe: Recipe, seed: np.random.SeedSequence, features: ArrayLike | None = None
    ) -> None:
        self.recipe = recipe
        self.version = 0  # fits that were accepted
        self.last: Attempt | None = None
        self.counts = np.zeros(n_items, np.int64)  # the paper's m(i)
        self.features = None if features is None else _checked_features(features, n_items)
        self._seed = seed
        self._rows = np.empty((1024, 3), np.int64)
        self._numbers = np.empty(1024, np.int64)
        self._places = np.empty(1024, np.int64)  # on the screen, of the near items; -1: unknown
        self._weights = np.empty(1024)  # how much each triplet counts, by the last fit
        self._first_weights = np.empty(1024)  # and when it came: so much online steps take in
        self._n_rows = 0
        d = policy.first_dimension(recipe, n_items)
        self.fitted = first_positions(n_items, d, self._placed(d))
        self.now = self.fitted  # with the lessons since then taken in, if it learns online

    @property
    def n_items(self) -> int:
        return len(self.counts)

    @property
    def lessons(self) -> Lessons:
        """All lessons so far, in order; views, not copies."""
        end = self._n_rows
        weights = self._weights[:end] if self.recipe.weigh_searches else None
        return Lessons(self._rows[:end], self._numbers[:end], self._places[:end], weights=weights)

    @property
    def lesson_weights(self) -> Array:
        """How much each lesson with triplets counts, in their order."""
        first = np.unique(self._numbers[: self._n_rows], return_index=True)[1]
        return self._weights[first]

    @property
    def strategy(self) -> Strategy:
        """Of the next search: while nothing is known about the items, any question is as good as any other."""
        is_known = self.now.is_taught or self.features is not None
        return self.recipe.strategy if is_known else self.recipe.untaught_strategy

    def space(self, items: NDArray[np.int64] | None = None) -> Embedding:
        """Where these items are, as a search takes it; by default all."""
        whole = self.now.embedding
        if self.recipe.embedding != "gauss":
            whole = Embedding(whole.mean)
        if items is None or len(items) == self.n_items:
            return whole
        return Embedding(whole.mean[items], None if whole.var is None else whole.var[items])

    def learn(self, rows: Triplets, searches: int, places: Integers | None = None) -> None:
        """Take in the triplets of a search, the `searches`-th; fit when it is time, else an online step.

        places: where on the screen the near item of each triplet was.
        """
        weight, _ = policy.weigh_new(self.recipe, self.now, rows, places)
        self._append(rows, searches, places, weight)
        if policy.fit_is_due(self._recipe_now(), searches, self._n_rows, self.last):
            self.fit(searches)
        elif self.now.online and len(rows):
            self.now = self._with(slice(self._n_rows - len(rows), self._n_rows), self.now)

    def fit(self, searches: int) -> None:
        """An attempt at a better embedding, from all lessons but those that judge it."""
        lessons, known = self.lessons, self.features is not None
        recipe = self._recipe_now()
        cut = policy.last_lesson_to_fit(recipe, lessons, self.fitted.fitted_up_to, has_features=known)
        before = self._at(cut)
        seed = self._fit_seed(searches)
        d = policy.next_dimension(recipe, before, lessons, cut, seed) if known else before.embedding.dim
        made = policy.attempt(recipe, lessons, cut, before, self._placed(d), seed, features=self.features)
        if made.weights is not None:
            self._weights[: self._n_rows] = policy.with_weights(lessons, made.weights.weights).weights
        if made.accepted:
            self.fitted = made.learnt
            self.version += 1
        self.now = self._at(searches)
        self.last = Attempt(searches, self._n_rows, made.accepted)

    def join(self, count: int, features: ArrayLike | None = None) -> None:
        """Room for new items, at the prior."""
        if (features is None) != (self.features is None):
            raise ValueError("new items need features= when the others have them, and only then")
        if features is not None and self.features is not None:
            more = _checked_features(features, count, self.features.shape[1])
            self.features = np.concatenate([self.features, more])
        self.counts = np.concatenate([self.counts, np.zeros(count, np.int64)])
        self.fitted, self.now = (self._with_new_items(one, count) for one in (self.fitted, self.now))

    # --- storing ---

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Everything but recipe and seed."""
        last = self.last or Attempt(0, 0, True)
        numbers = [self.version, self.last is not None, *last, *self.fitted[3:6]]
        arrays: dict[str, NDArray[Any]] = {
            "triplets": self.lessons.triplets,
            "lessons": self.lessons.numbers,
            "places": self._places[: self._n_rows],
            "weights": np.column_stack([self._weights, self._first_weights])[: self._n_rows],
            "crowd": np.array([*self.fitted.crowd]),
            "numbers": np.array(numbers, np.int64),
            "prior_variance": self.fitted.prior_variance,
            "scales": np.array([self.fitted.noise, self.fitted.feature_scale]),
            "lapse": np.array(self.fitted.lapse),
        }
        for name, one in (("fitted", self.fitted.embedding), ("now", self.now.embedding)):
            arrays |= {f"{name}_mean": one.mean} | ({} if one.var is None else {f"{name}_var": one.var})
        return arrays | ({} if self.features is None else {"features": self.features})

    def take_arrays(self, arrays: dict[str, NDArray[Any]]) -> None:
        """What `to_arrays` gave, in place of what is known."""
        if "mean" in arrays:
            arrays = _from_version_0_1(arrays, self.recipe)
        version, tried, searches, triplets, accepted, fitted_up_to, is_taught, online = arrays["numbers"].tolist()
        self.version = version
        self.last = Attempt(searches, triplets, bool(accepted)) if tried else None
        embeddings = (Embedding(arrays[f"{name}_mean"], arrays.get(f"{name}_var")) for name in ("fitted", "now"))
        noise, feature_scale = arrays["scales"].tolist()
        crowd = Crowd(*arrays["crowd"].tolist()) if "crowd" in arrays else Crowd()
        values = (arrays["prior_variance"], noise, fitted_up_to, bool(is_taught), bool(online), feature_scale, crowd)
        lapse = float(arrays["lapse"]) if "lapse" in arrays else 0.0
        self.fitted, self.now = (Learnt(embedding, *values, lapse=lapse) for embedding in embeddings)
        self.features = arrays.get("features")
        self.counts = np.zeros(self.now.embedding.n_items, np.int64)
        self._n_rows = 0
        self._append(arrays["triplets"], arrays["lessons"], arrays.get("places"), 1.0)
        if "weights" in arrays:  # version 0.1 had none
            self._weights[: self._n_rows], self._first_weights[: self._n_rows] = arrays["weights"].T

    # --- parts ---

    def _recipe_now(self) -> Recipe:
        """Where nothing but answers is known, there are rules for few of them."""
        if self.features is not None:
            return self.recipe
        return policy.while_scarce(self.recipe, self._n_rows, self.n_items)

    def _append(self, rows: Triplets, lesson: int | Items, places: Integers | None, weight: float) -> None:
        begin, needed = self._n_rows, self._n_rows + len(rows)
        if needed > len(self._rows):
            more = max(needed, 2 * len(self._rows)) - len(self._rows)
            for name in ("_rows", "_numbers", "_places", "_weights", "_first_weights"):
                held = getattr(self, name)
                setattr(self, name, np.concatenate([held, np.empty((more, *held.shape[1:]), held.dtype)]))
        self._rows[begin:needed] = rows
        self._numbers[begin:needed] = lesson
        self._places[begin:needed] = -1 if places is None else places
        self._weights[begin:needed] = self._first_weights[begin:needed] = weight
        self._n_rows = needed
        np.add.at(self.counts, rows, 1)

    def _at(self, lesson: int) -> Learnt:
        """The fit in use, with the lessons after it up to this one taken in, if it learns online."""
        since = slice(len(self.lessons.up_to(self.fitted.fitted_up_to)), len(self.lessons.up_to(lesson)))
        return self._with(since, self.fitted) if self.fitted.online and since.stop > since.start else self.fitted

    def _with(self, part: slice, known: Learnt) -> Learnt:
        weights = self._first_weights[part] if self.recipe.weigh_searches else None
        one_choice, lapse = self.recipe.one_choice, known.lapse
        taught = policy.take_in(
            known.embedding, self._rows[part], self._numbers[part], weights, one_choice=one_choice, lapse=lapse
        )
        return known._replace(embedding=taught)

    def _with_new_items(self, known: Learnt, count: int) -> Learnt:
        """At the prior: about 0, or where their features place them."""
        mean, var, d = known.embedding.mean, known.embedding.var, known.embedding.dim
        new = np.arange(self.n_items - count, self.n_items)
        centre, variance, placed = np.zeros((count, d)), known.prior_variance, self._placed(d)
        if self.features is not None and placed is not None:
            centre = known.feature_scale * placed[new]
            if known.is_taught:
                centre, variance = placed_like(mean, self.features[: len(mean)], self.features[new])
        if var is None:
            centre = centre + mean.mean(axis=0)
        centre = centre + unknown_offsets(new, variance)
        wider = None if var is None else np.concatenate([var, np.tile(variance, (count, 1))])
        return known._replace(embedding=Embedding(np.concatenate([mean, centre]), wider))

    def _placed(self, d: int) -> Array | None:
        return None if self.features is None else on_axes(self.features, d)

    def _fit_seed(self, searches: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self._seed.entropy, spawn_key=(*self._seed.spawn_key, 1, searches))


def _checked_features(features: ArrayLike, n_items: int, width: int | None = None) -> Array:
    known = np.asarray(features, float)
    if known.ndim != 2 or len(known) != n_items or not np.isfinite(known).all() or width not in (None, known.shape[1]):
        columns = "f" if width is None else str(width)
        raise ValueError(f"features must be finite numbers of shape ({n_items}, {columns}), got shape {known.shape}")
    return known


def _from_version_0_1(arrays: dict[str, NDArray[Any]], recipe: Recipe) -> dict[str, NDArray[Any]]:
    """The arrays of a state that version 0.1 wrote: it kept no numbers of lessons, and used every fit."""
    version, searches, triplets, _ = arrays["numbers"].tolist()
    online = policy.takes_in_online(recipe, triplets, len(arrays["mean"]))
    var = {"fitted_var": arrays["var"], "now_var": arrays["var"]} if recipe.embedding == "gauss" else {}
    return {
        "triplets": arrays["triplets"],
        "lessons": np.full(len(arrays["triplets"]), searches),
        "numbers": np.array([version, version > 0, searches, triplets, True, searches, version > 0, online]),
        "prior_variance": arrays["prior_variance"],
        "scales": np.array([float(arrays["noise"]), 0.0]),
        "fitted_mean": arrays["mean"],
        "now_mean": arrays["mean"],
        **var,
        **({"features": arrays["features"]} if "features" in arrays else {}),
    }
